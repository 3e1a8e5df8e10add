"""Unpacks libtorch's CPU libraries and headers from the wheels that tools/locks/libtorch.lock pins."""

import os
import pathlib
import shutil
import tempfile
import zipfile

from . import wheels
from .common import LOCKS, SetupError, data_directory, say

VERSION = "2.11.0"
LIBRARIES = ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp.so.1",
             "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13"]


def directory():
    return data_directory() / f"libtorch-{VERSION}"


def is_ready():
    return (all((directory() / library).exists() for library in LIBRARIES) and
            (directory() / "torch/include/ATen/ATen.h").exists())


def _wanted(member):
    """Where a member of a wheel goes, or None: the libraries, the headers and the licences."""
    if member in LIBRARIES or (member.startswith("torch/include/") and not member.endswith("/")):
        return member
    parts = member.split("/")
    if len(parts) == 3 and parts[1] == "licenses" and parts[2]:
        return f"licences/{parts[0].split('.dist-info')[0]}/{parts[2]}"
    return None


def _extract(wheel, target):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            path = _wanted(member)
            if path is None:
                continue
            destination = target / path
            if ".." in pathlib.PurePosixPath(path).parts:
                raise SetupError(f"{wheel.name}: member {member} leaves its folder")
            destination.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, open(destination, "wb") as file:
                shutil.copyfileobj(source, file, 1 << 22)


def ensure():
    if is_ready():
        say(f"libtorch {VERSION}: ready")
        return
    entries = wheels.read_lock(LOCKS / "libtorch.lock")
    fetched = [wheels.download(requirement, sha256, f"{requirement}" + (" (530 MB)" if "torch==" in requirement else ""))
               for requirement, sha256 in entries]
    say("unpacking libtorch")
    data_directory().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data_directory(), prefix="libtorch-partial-") as partial:
        place = pathlib.Path(partial) / "tree"
        for wheel in fetched:
            _extract(wheel, place)
        missing = [library for library in LIBRARIES if not (place / library).exists()]
        if missing:
            raise SetupError(f"the wheels do not hold {', '.join(missing)}")
        if directory().exists():
            shutil.rmtree(directory())
        os.replace(place, directory())
    for wheel in fetched:
        wheels.remove(wheel)
    say(f"libtorch {VERSION}: ready")
