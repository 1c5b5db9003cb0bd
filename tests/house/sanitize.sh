#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds Weft with sanitizers in a separate build folder, and runs the suites, the examples and the fault injection
# there.
#
#     tests/house/sanitize.sh                    AddressSanitizer with LeakSanitizer, and UndefinedBehaviorSanitizer
#     tests/house/sanitize.sh thread             ThreadSanitizer
#    tests/house/sanitize.sh address test_array only the named tests (later words are passed to `meson test`)
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
kind=${1:-address}
[ $# -eq 0 ] || shift
case $kind in
  address) sanitizers=address,undefined ;;
  thread) sanitizers=thread ;;
  *)
    echo "usage: $0 [address|thread] [TEST...]" >&2
    exit 2
    ;;
esac

# Other settings of the tests (suppressions, and the like) are in tests/meson.build.
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS:-}"
TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$root/tests/support/tsan.supp:${TSAN_OPTIONS:-}"
export TSAN_OPTIONS

# Proves that the sanitizers work here: a planted mistake of each kind must end its program.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
cat > "$planted/planted.c" <<'C'
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
static int shared;
static void *racing(void *unused) { shared++; return unused; }
int main(int argc, char **argv) {
  char *block = malloc(8);
  volatile int number = INT_MAX;
  pthread_t thread;
  switch (argv[1][0]) {
    case 'b': block[argc + 6] = 1; break;
    case 'l': block = NULL; break;
    case 'u': number += argc; break;
    case 'r': pthread_create(&thread, NULL, racing, NULL); shared++; pthread_join(thread, NULL); break;
  }
  free(block);
  return 0;
}
C
${CC:-cc} -g -pthread "-fsanitize=$sanitizers" "$planted/planted.c" -o "$planted/planted"
if [ "$kind" = thread ]; then mistakes=r; else mistakes="b l u"; fi
"$planted/planted" none
for mistake in $mistakes; do
  if "$planted/planted" "$mistake" 2> "$planted/said"; then
    echo "$0: the planted mistake '$mistake' was not found:" >&2
    cat "$planted/said" >&2
    exit 1
  fi
done
echo "planted mistakes ($mistakes): found"

build=$root/build-$kind
if [ ! -f "$build/build.ninja" ]; then
  meson setup "$build" "$root" --buildtype=debugoptimized "-Db_sanitize=$sanitizers" -Db_lundef=false
fi
meson compile -C "$build"
if [ $# -gt 0 ]; then
  exec meson test -C "$build" --timeout-multiplier 5 --print-errorlogs "$@"
fi
meson test -C "$build" --timeout-multiplier 5 --print-errorlogs --no-suite house --no-suite oclgrind
