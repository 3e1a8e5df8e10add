"""Unpacks nvcc and what it compiles with from the wheels that tools/locks/cuda.lock pins. Needs no GPU."""

import os
import pathlib
import shutil
import tempfile
import zipfile

from . import wheels
from .common import LOCKS, SetupError, data_directory, say

VERSION = "13.0"
NEEDED = ["bin/nvcc", "bin/ptxas", "nvvm/bin/cicc", "include/cuda_runtime.h", "include/crt/host_config.h",
          "include/cccl/cuda/std/type_traits", "lib/libcudart_static.a"]
PREFIX = "nvidia/cu13/"


def directory():
    return data_directory() / f"cuda-{VERSION}"


def is_ready():
    return all((directory() / name).exists() for name in NEEDED)


def _extract(wheel, target):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            if member.filename.startswith(PREFIX):
                path = member.filename[len(PREFIX):]
            elif "/licenses/" in member.filename:
                path = f"licences/{member.filename.split('.dist-info')[0]}.txt"
            else:
                continue
            if ".." in pathlib.PurePosixPath(path).parts:
                raise SetupError(f"{wheel.name}: member {member.filename} leaves its folder")
            destination = target / path
            destination.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, open(destination, "wb") as file:
                shutil.copyfileobj(source, file, 1 << 22)
            if "bin" in pathlib.PurePosixPath(path).parts[:-1]:
                destination.chmod(0o755)


def ensure():
    if is_ready():
        say(f"nvcc {VERSION}: ready")
        return
    fetched = [wheels.download(requirement, sha256, requirement)
               for requirement, sha256 in wheels.read_lock(LOCKS / "cuda.lock")]
    say("unpacking nvcc")
    data_directory().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data_directory(), prefix="cuda-partial-") as partial:
        place = pathlib.Path(partial) / "tree"
        for wheel in fetched:
            _extract(wheel, place)
        missing = [name for name in NEEDED if not (place / name).exists()]
        if missing:
            raise SetupError(f"the wheels do not hold {', '.join(missing)}")
        if directory().exists():
            shutil.rmtree(directory())
        os.replace(place, directory())
    for wheel in fetched:
        wheels.remove(wheel)
    say(f"nvcc {VERSION}: ready")
