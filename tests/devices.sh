#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs another OpenCL implementation and runs the suites on it. Only Oclgrind is installed outside its own folder.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/devices.sh [--make] [--folder PATH] NAME [arguments for `meson test`]

  intel      Intel's runtime for CPUs, from pip
  pocl6      PoCL 6.0, from apt in a Debian 13 made with debootstrap (as root)
  rusticl    Mesa's llvmpipe, likewise: a device without fp64 and without denormals
  oclgrind   Oclgrind, from apt (as root where it is missing): an interpreter of kernels. It is a GPU to Weft, so that
             the kernels for GPUs run; a share of the tests, of the suites that it gets through

Without arguments all tests run but the house rules. --make: only makes the device. --folder: where it is made, and
built where it needs a build of its own; default .cache/devices. Made devices are used again.
Environment: DEBIAN_MIRROR, a mirror of Debian for debootstrap; default: the one this machine's apt uses.
END
}
die() { printf 'devices.sh: %s\n' "$*" >&2; exit 1; }
say() { printf '== %s\n' "$*"; }
have() { command -v -- "$1" >/dev/null 2>&1; }
as_root() { if [[ $EUID -eq 0 ]]; then "$@"; else sudo -- "$@"; fi; }

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd -P)
folder=$root/.cache/devices
only_make=
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
while [[ $# -gt 0 ]]; do
  case $1 in
    --make) only_make=1; shift ;;
    --folder) [[ $# -gt 1 ]] || die '--folder wants a path'; folder=$2; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) break ;;
  esac
done
name=${1-}
case $name in
  intel | pocl6 | rusticl | oclgrind) shift ;;
  *) usage >&2; exit 2 ;;
esac
mkdir -p -- "$folder"
folder=$(cd -- "$folder" && pwd -P)

# ---- making ----------------------------------------------------------------------------------------------------------

# The loader uses this implementation's own folder of drivers, and so finds no other driver.
make_intel() {
  local venv=$folder/intel
  if [[ ! -f $venv/lib/libintelocl.so ]]; then
    say "making $venv: pip install intel-opencl-rt"
    rm -rf -- "$venv" "$venv.new"
    python3 -m venv "$venv.new" || die 'python3 -m venv failed (Debian: apt install python3-venv)'
    "$venv.new/bin/pip" --quiet --disable-pip-version-check install intel-opencl-rt intel-cmplr-lib-rt ||
      die 'pip install failed'
    [[ -f $venv.new/lib/libintelocl.so ]] || die 'intel-opencl-rt has no lib/libintelocl.so'
    mv -- "$venv.new" "$venv"
  fi
  mkdir -p -- "$venv/vendors"
  printf '%s\n' "$venv/lib/libintelocl.so" >"$venv/vendors/intel.icd.new"
  mv -- "$venv/vendors/intel.icd.new" "$venv/vendors/intel.icd"
}

mirror() {
  if [[ -n ${DEBIAN_MIRROR-} ]]; then echo "$DEBIAN_MIRROR"; return; fi
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    sed -n 's/^Debian main //p;T;q'
}
debian=$folder/debian13
make_debian() {
  local from
  [[ ! -f $debian/made ]] || return 0
  [[ $EUID -eq 0 ]] || die 'debootstrap and chroot need root'
  have debootstrap || die 'no debootstrap here (Debian: apt install debootstrap)'
  from=$(mirror)
  [[ -n $from ]] || die 'apt here has no mirror of Debian: name one in DEBIAN_MIRROR'
  say "making $debian: debootstrap"
  rm -rf -- "$debian"
  debootstrap --variant=minbase --include=ca-certificates trixie "$debian" "$from" || die 'debootstrap failed'
  inside apt-get update -q
  inside env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    gcc g++ libc6-dev meson ninja-build pkg-config \
    python3 python3-numpy opencl-headers ocl-icd-opencl-dev check libmpfr-dev pocl-opencl-icd mesa-opencl-icd
  touch -- "$debian/made"
}
# Runs a command in the Debian 13 chroot, in this project's root. The mounts end with the command.
inside() {
  # shellcheck disable=SC2016
  unshare --mount bash -c '
    set -e
    debian=$1 root=$2 folder=$3
    shift 3
    mount -t proc proc "$debian/proc"
    mount --rbind /sys "$debian/sys"
    mount --rbind /dev "$debian/dev"
    mkdir -p -- "$debian$root" "$debian$folder"
    mount --bind -- "$root" "$debian$root"
    mount --bind -- "$folder" "$debian$folder"
    exec chroot "$debian" env HOME=/root sh -c "cd \"\$1\" && shift && exec \"\$@\"" - "$root" "$@"
  ' - "$debian" "$root" "$folder" "$@"
}

make_oclgrind() {
  if ! have oclgrind; then
    have apt-get || die 'oclgrind is not installed, and there is no apt'
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends oclgrind
  fi
  local library
  library=$(dirname -- "$(readlink -f -- "$(command -v oclgrind)")")/../lib/oclgrind/liboclgrind-rt-icd.so
  [[ -f $library ]] || die "oclgrind has no $library"
  mkdir -p -- "$folder/oclgrind"
  readlink -f -- "$library" >"$folder/oclgrind/oclgrind.icd"
}

case $name in
  intel) make_intel ;;
  pocl6 | rusticl) make_debian ;;
  oclgrind) make_oclgrind ;;
esac
[[ -z $only_make ]] || exit 0

# ---- running ---------------------------------------------------------------------------------------------------------

here() { "$@"; }
where=here build=$folder/build-$name type=cpu settings=(WEFT_TEST_STRICT=1)
case $name in
  intel) settings+=("OCL_ICD_VENDORS=$folder/intel/vendors") ;;
  pocl6) where=inside build=$folder/build-debian13 settings+=(OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd) ;;
  rusticl)
    where=inside build=$folder/build-debian13
    settings+=(OCL_ICD_VENDORS=/etc/OpenCL/vendors/rusticl.icd RUSTICL_ENABLE=llvmpipe) ;;
  oclgrind) type=gpu settings+=("OCL_ICD_VENDORS=$folder/oclgrind" "WEFT_TEST_SHARE=${WEFT_TEST_SHARE:-8}") ;;
esac
if [[ ! -f $build/build.ninja ]]; then $where meson setup -Dtest_devices="$type" "$build"; fi
$where ninja -C "$build"
if [[ $# -eq 0 && $name == oclgrind ]]; then
  for suite in array array_edges array_errors cast eval eval_errors histogram index index_errors index_put kernel \
    launch_errors rearrange rearrange_join reduce reduce_calls scan search select sets sort ufunc ufunc_edges \
    ufunc_errors ufunc_operands user_ufunc view; do
    set -- "$@" "$suite@$type"
  done
elif [[ $# -eq 0 ]]; then
  set -- --no-suite house --no-suite oclgrind
fi
$where env "${settings[@]}" meson test -C "$build" --no-rebuild --timeout-multiplier 5 --print-errorlogs "$@"
