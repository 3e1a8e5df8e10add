"""Unpacks libtorch's CPU libraries and headers from the wheels that tools/locks/libtorch.lock pins."""

from . import wheels
from .common import LOCKS, data_directory, machine, say

VERSION = "2.11.0"
_COMMON = ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp.so.1",
           "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13"]
_OWN = {"aarch64": [f"torch/lib/{name}.so" for name in ["libarm_compute", "libarm_compute_graph"]] +
                   [f"torch/lib/libnvpl_{name}.so.0" for name in ["blas_core", "blas_lp64_gomp", "lapack_core",
                                                                  "lapack_lp64_gomp"]] + ["torch/lib/libgfortran.so.5"]}


def libraries(architecture):
    return _COMMON + _OWN.get(architecture, [])


def directory(architecture=None):
    """For this machine if `architecture` is None; cmake/Torch.cmake has the same names."""
    architecture = architecture or machine()
    return data_directory() / (f"libtorch-{VERSION}" + ("" if architecture == "x86_64" else f"-{architecture}"))


def is_ready(architecture):
    place = directory(architecture)
    return all((place / name).exists() for name in [*libraries(architecture), "torch/include/ATen/ATen.h"])


def _place_of(member, wanted):
    """Where a member of a wheel goes, or None if it is not a library, a header or a licence."""
    if member in wanted or member.startswith("torch/include/"):
        return member
    parts = member.split("/")
    if len(parts) == 3 and parts[1] == "licenses" and parts[2]:
        return f"licences/{parts[0].split('.dist-info')[0]}/{parts[2]}"
    return None


def ensure(architecture=None):
    """Also works for another machine: only the names of the libraries differ. The result runs there or in an emulator."""
    architecture = architecture or machine()
    wanted = libraries(architecture)
    if not is_ready(architecture):
        wheels.unpack(LOCKS / "libtorch.lock", directory(architecture), wanted,
                      lambda member: _place_of(member, wanted), "libtorch", note=" (530 MB)", architecture=architecture)
    say(f"libtorch {VERSION} for {architecture}: ready")
