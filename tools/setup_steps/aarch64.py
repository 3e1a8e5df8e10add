"""The tools with which `make test-aarch64` builds on another machine: a cross compiler, an emulator, and libraries for AArch64.

The libraries are unpacked from the system's own packages for arm64 into a folder, so the machine stays as it is: apt is
asked with a state of its own, in which arm64 is the only architecture.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import libtorch, system_packages
from .common import SetupError, data_directory, machine, say

ARCHITECTURE = "aarch64"
TOOLS = [
    system_packages.Requirement("a C++ compiler for AArch64", "12", "g++-aarch64-linux-gnu",
                                command="aarch64-linux-gnu-g++"),
    system_packages.Requirement("qemu-user", "7", "qemu-user", command="qemu-aarch64"),
]
_OF_THE_COMPILER = re.compile(r"libc6|libgcc|libstdc\+\+")  # these packages come with it


def directory():
    return data_directory() / f"sysroot-{ARCHITECTURE}"  # cmake/aarch64-linux.cmake has the same name


def _contents():
    """The inputs of the folder: the packages that the build needs, and the system's release."""
    packages = [name for library in system_packages.LIBRARIES for name in library.package.split()]
    release = pathlib.Path("/etc/os-release")
    found = re.search(r'^VERSION_ID="?([^"\n]*)', release.read_text() if release.exists() else "", re.MULTILINE)
    return packages, f"{' '.join(packages)} {found.group(1) if found else ''}\n"


class _Apt:
    """apt for arm64, with its lists and downloads in `folder`."""

    def __init__(self, folder):
        state = folder / "state"
        (state / "lists" / "partial").mkdir(parents=True)
        (folder / "status").touch()
        options = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "Dir::State": state,
                   "Dir::State::status": folder / "status", "Dir::Cache": folder / "cache",
                   "APT::Sandbox::User": "root" if os.geteuid() == 0 else ""}
        self._options = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        self._run("apt-get", "update", "-q")

    def _run(self, command, *arguments, cwd=None):
        run = subprocess.run([command, *self._options, *arguments], cwd=cwd, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode != 0:
            raise SetupError(f"`{command} {' '.join(arguments)}` failed for arm64:\n{run.stderr.strip()[-2000:]}")
        return run.stdout

    def with_dependencies(self, packages):
        """`packages` and their dependencies, without those that come with the compiler."""
        found, left = set(), set(packages)
        while left:
            found |= left
            depends = re.findall(r"^ *Depends: ([a-z0-9].*)$", self._run("apt-cache", "depends", *sorted(left)), re.MULTILINE)
            left = {name for name in depends if not _OF_THE_COMPILER.match(name)} - found
        return found

    def download(self, packages, folder):
        self._run("apt-get", "download", *sorted(packages), cwd=folder)


def _unpack(packages, contents):
    data_directory().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data_directory(), prefix="sysroot-partial-") as partial:
        tree, archives = pathlib.Path(partial) / "tree", pathlib.Path(partial) / "archives"
        archives.mkdir()
        apt = _Apt(pathlib.Path(partial) / "apt")
        apt.download(apt.with_dependencies(packages), archives)
        for archive in sorted(archives.glob("*.deb")):
            subprocess.run(["dpkg-deb", "--extract", str(archive), str(tree)], check=True)
        (tree / "contents").write_text(contents)
        shutil.rmtree(directory(), ignore_errors=True)
        os.replace(tree, directory())


def _ensure_sysroot():
    packages, contents = _contents()
    stamp = directory() / "contents"
    if stamp.exists() and stamp.read_text() == contents:
        return
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise SetupError("the libraries for AArch64 come from Debian's packages, and this system has no apt; "
                         "on an AArch64 machine `make test` needs none of this")
    say("downloading and unpacking the libraries for AArch64 (20 MB)")
    _unpack(packages, contents)


def ensure():
    if machine() == ARCHITECTURE:
        raise SetupError("this machine is AArch64 itself: run `make test`")
    system_packages.ensure_tools(TOOLS)
    _ensure_sysroot()
    libtorch.ensure(ARCHITECTURE)
    say("cross build for AArch64: ready")
