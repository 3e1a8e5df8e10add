"""Unpacks nvcc and what it needs from the wheels that tools/locks/cuda.lock pins. Needs no GPU."""

import pathlib
import shutil

from . import wheels
from .common import LOCKS, data_directory, say

VERSION = "13.0"
NEEDED = ["bin/nvcc", "bin/ptxas", "nvvm/bin/cicc", "include/cuda_runtime.h", "include/crt/host_config.h",
          "include/cccl/cuda/std/type_traits", "lib/libcudart_static.a"]
PREFIX = "nvidia/cu13/"


def directory():
    return data_directory() / f"cuda-{VERSION}"


def is_ready():
    return all((directory() / name).exists() for name in NEEDED)


def _wanted(member):
    if member.startswith(PREFIX):
        return member[len(PREFIX):]
    if "/licenses/" in member:
        return f"licences/{member.split('.dist-info')[0]}.txt"
    return None


def _mode(path):
    return 0o755 if "bin" in pathlib.PurePosixPath(path).parts[:-1] else None


def ensure_for_gpu():
    """Unpacks nvcc only if there is a GPU, for users who only want the program."""
    if is_ready() or pathlib.Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi"):
        ensure()


def ensure():
    if not is_ready():
        wheels.unpack(LOCKS / "cuda.lock", directory(), NEEDED, _wanted, "nvcc", _mode)
    say(f"nvcc {VERSION}: ready")
