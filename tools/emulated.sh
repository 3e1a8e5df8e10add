#!/bin/sh
# emulated.sh COMMAND…: runs a command in which programs for AArch64 Linux run under qemu-user like
# native ones, including programs that the command starts. The kernel's registration is in
# namespaces that end with the command, so nothing about the machine changes. Without a registration
# on the machine itself, this needs Linux 6.7.
set -eu

# The cross compiler's C library. QEMU_CPU may name a processor with fewer instructions.
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
if "$QEMU_LD_PREFIX/lib/ld-linux-aarch64.so.1" --version >/dev/null 2>&1; then
  exec "$@"
fi
qemu=$(command -v qemu-aarch64) || { echo "emulated.sh: no qemu-aarch64: tools/setup.py aarch64" >&2; exit 1; }
# The header of a 64-bit little-endian ELF file, executable or position-independent, for the machine 0xb7.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
export REDRAFT_BINFMT=":redraft-aarch64:M::$magic:$mask:$qemu:"
# shellcheck disable=SC2016  # $@ is that of the inner shell
exec unshare --user --map-root-user --mount sh -c '
  place=/proc/sys/fs/binfmt_misc
  mount -t binfmt_misc none $place && printf %s "$REDRAFT_BINFMT" >$place/register || {
    echo "emulated.sh: this system lets no user name an emulator (that takes Linux 6.7);" \
         "the package qemu-user-binfmt names it for the whole machine" >&2
    exit 1
  }
  unset REDRAFT_BINFMT
  exec "$@"' sh "$@"
