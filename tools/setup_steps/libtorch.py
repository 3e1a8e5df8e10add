"""Unpacks libtorch's CPU libraries and headers from the wheels that tools/locks/libtorch.lock pins."""

from . import wheels
from .common import LOCKS, data_directory, say

VERSION = "2.11.0"
LIBRARIES = ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp.so.1",
             "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13"]


def directory():
    return data_directory() / f"libtorch-{VERSION}"


def is_ready():
    return (all((directory() / library).exists() for library in LIBRARIES) and
            (directory() / "torch/include/ATen/ATen.h").exists())


def _wanted(member):
    """Where a member of a wheel goes, or None if it is not a library, a header or a licence."""
    if member in LIBRARIES or member.startswith("torch/include/"):
        return member
    parts = member.split("/")
    if len(parts) == 3 and parts[1] == "licenses" and parts[2]:
        return f"licences/{parts[0].split('.dist-info')[0]}/{parts[2]}"
    return None


def ensure():
    if not is_ready():
        wheels.unpack(LOCKS / "libtorch.lock", directory(), LIBRARIES, _wanted, "libtorch", note=" (530 MB)")
    say(f"libtorch {VERSION}: ready")
