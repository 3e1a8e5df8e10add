"""Fetches npm packages as mere archives: by the lock file's hashes, without running any of their code.

The machine's own npm is used, or else one from a wheel that is unpacked temporarily. npm finds its registry in the
user's configuration.
"""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zipfile

from . import wheels
from .common import LOCKS, SetupError, cache_directory, say

_MIN_MAJOR = 8  # the first version that accepts a lock file without addresses
_FILES = ["package.json", "package-lock.json", ".npmrc"]


def _works(command):
    if shutil.which(command[0]) is None:
        return False
    run = subprocess.run([*command, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.match(r"(\d+)\.", run.stdout)
    return run.returncode == 0 and found is not None and int(found.group(1)) >= _MIN_MAJOR


def _unpack_node(place):
    (requirement, sha256), = wheels.read_lock(LOCKS / "node.lock")
    wheel = wheels.download(requirement, sha256, f"{requirement}, for its npm (60 MB)")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)  # writes nothing outside `place`
    node = next(place.glob("*/bin/node"))
    node.chmod(0o755)
    return [str(node), str(next(place.glob("*/lib/node_modules/npm/bin/npm-cli.js")))]


@contextlib.contextmanager
def command():
    """The command that starts a working npm."""
    if _works(["npm"]):
        yield ["npm"]
        return
    say("no npm here; taking one from a wheel")
    with tempfile.TemporaryDirectory(dir=wheels.downloads_directory(), prefix="node-") as place:
        yield _unpack_node(pathlib.Path(place))


@contextlib.contextmanager
def unpacked(lock, title):
    """The node_modules folder of the packages that the folder `lock` pins; removed afterwards.

    Packages stay in a cache until all have arrived, so an interrupted download can be continued.
    """
    archives = cache_directory() / "npm"
    with tempfile.TemporaryDirectory(dir=wheels.downloads_directory(), prefix="npm-") as place, command() as npm:
        for name in _FILES:
            shutil.copyfile(lock / name, os.path.join(place, name))
        say(f"downloading {title}")
        run = subprocess.run([*npm, "ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund",
                              "--prefer-offline", "--cache", str(archives)], cwd=place, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            raise SetupError(f"npm could not fetch {title}:\n{run.stdout.strip()[-2000:]}")
        yield pathlib.Path(place) / "node_modules"
    shutil.rmtree(archives, ignore_errors=True)
