#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds each target of tests/fuzz into $OUT, with its dictionary and an archive of its first inputs. The environment is
# OSS-Fuzz's: CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK, OUT. packaging/fuzz runs it on any machine.
set -eu
tests=$SRC/weft/tests/fuzz

# zlib is linked statically: the machine that runs the targets has no library besides C's
rm -rf -- "$WORK/weft"
meson setup "$WORK/weft" "$SRC/weft" --wrap-mode=nodownload -Dbuildtype=plain -Db_lundef=false \
  -Dprefer_static=true -Dtest_devices=cpu -Dfuzzing_engine="$LIB_FUZZING_ENGINE"

for dictionary in "$tests"/dict/*.dict; do
  name=$(basename "$dictionary" .dict)
  ninja -C "$WORK/weft" "tests/fuzz/libfuzzer_$name"
  cp "$WORK/weft/tests/fuzz/libfuzzer_$name" "$OUT/fuzz_$name"
  cp "$dictionary" "$OUT/fuzz_$name.dict"
  rm -f "$OUT/fuzz_${name}_seed_corpus.zip"
  (cd "$tests/corpus/$name" && zip -q -r "$OUT/fuzz_${name}_seed_corpus.zip" .)
done
