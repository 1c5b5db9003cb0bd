# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Bare machines: chroots that debootstrap makes in $folder, for the scripts that source this file. The script sets
# $folder, and $mirror or nothing. /proc, /sys and /dev are mounted in a chroot, since PoCL reads them, and unmounted
# whatever happens.
folder=${folder:?}
name=$(basename -- "$0")
[[ $EUID -eq 0 ]] || { echo "$name: not root, whom debootstrap and chroot need" >&2; exit 1; }
# shellcheck disable=SC1091
own=$(. /etc/os-release && echo "$VERSION_CODENAME") # the suite of this machine

say() { printf '== %s\n' "$*"; }

machine= # the chroot that stands now
leave() {
  local place
  [[ -n $machine ]] || return 0
  for place in dev/pts dev/shm dev sys proc; do
    while mountpoint -q -- "$machine/$place"; do umount -- "$machine/$place" || umount -l -- "$machine/$place"; done
  done
  if grep -qsF " $machine/" /proc/mounts; then
    echo "$name: something is still mounted below $machine, which is left as it is" >&2
    return 1
  fi
  rm -rf --one-file-system -- "$machine"
  machine=
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# find_mirror: the archive of this machine's own suite, from apt's configuration
find_mirror() {
  apt-get indextargets --format "\$(CODENAME) \$(REPO_URI)" 'Created-By: Packages' |
    awk -v suite="$own" '$1 == suite && !found { print $2; found = 1 }'
}

# base SUITE: FOLDER/SUITE.tar, a minimal system
base() {
  local suite=$1 log="$folder/$1-debootstrap.log"
  [[ -f $folder/$suite.tar ]] && return
  [[ -n $mirror ]] || mirror=$(find_mirror)
  [[ -n $mirror ]] || { echo "$name: apt has no archive of this machine: give --mirror" >&2; return 1; }
  say "$suite: a bare system"
  machine=$folder/making-$suite
  # A suite that this debootstrap does not know yet is made like the other suites of its distribution.
  local script=() options=()
  [[ -e /usr/share/debootstrap/scripts/$suite ]] || script=(/usr/share/debootstrap/scripts/sid)
  if [[ $mirror == *ubuntu* ]]; then
    script=(/usr/share/debootstrap/scripts/gutsy)
    options=('--components=main,universe')
    [[ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]] || options+=(--no-check-gpg)
  fi
  if ! debootstrap --variant=minbase "${options[@]}" "$suite" "$machine" "$mirror" "${script[@]}" >"$log" 2>&1; then
    tail -n 5 -- "$log" >&2
    echo "$name: debootstrap $suite failed ($log)" >&2
    return 1
  fi
  tar -cf "$folder/$suite.tar.part" --one-file-system -C "$machine" .
  mv -- "$folder/$suite.tar.part" "$folder/$suite.tar"
  leave
}

# enter SUITE: a fresh machine, with the machine's own name server
enter() {
  machine=$folder/machine-$1
  if [[ -e $machine ]]; then # of a run that was killed
    leave
    machine=$folder/machine-$1
  fi
  mkdir -- "$machine"
  tar -xf "$folder/$1.tar" -C "$machine"
  cp -L -- /etc/resolv.conf "$machine/etc/resolv.conf"
  mount -t proc proc "$machine/proc"
  mount -t sysfs -o ro sys "$machine/sys"
  mount -t tmpfs -o mode=755 tmpfs "$machine/dev"
  local device
  for device in null zero full random urandom tty ptmx; do cp -a -- "/dev/$device" "$machine/dev/"; done
  ln -s /proc/self/fd "$machine/dev/fd"
  ln -s fd/0 "$machine/dev/stdin"
  ln -s fd/1 "$machine/dev/stdout"
  ln -s fd/2 "$machine/dev/stderr"
  mkdir -- "$machine/dev/shm"
  mount -t tmpfs tmpfs "$machine/dev/shm"
  mkdir -- "$machine/dev/pts"
  mount -t devpts devpts "$machine/dev/pts" # a terminal for what draws in one
  mkdir -- "$machine/srv/weft"
  inside apt-get -q update
}

# inside COMMAND...: runs it on the machine; its output only if it fails
inside() {
  local log="$folder/last-command.log"
  if ! shown "$@" >"$log" 2>&1; then
    tail -n 60 -- "$log" >&2
    echo "$name: failed on $machine: $*" >&2
    return 1
  fi
}
shown() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive TERM=dumb \
    chroot "$machine" "$@"
}
# install PACKAGE...: with what they recommend only if the first word is --with-recommends
install() {
  local recommends=--no-install-recommends
  if [[ $1 == --with-recommends ]]; then recommends=--install-recommends; shift; fi
  inside apt-get -q -y "$recommends" install "$@"
}
