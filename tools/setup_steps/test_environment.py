"""What tests bring with them, from the lock files next to them: a virtual environment of Python, and packages of npm."""

import hashlib
import shutil
import subprocess
import sys
import venv

from . import npm
from .common import REPOSITORY, SetupError, cache_directory, say

_NODE_LOCK = REPOSITORY / "tests/http/openai"


def directory():
    return cache_directory() / "venv-tests"


def lock_files():
    return sorted(REPOSITORY.glob("tests/**/requirements*.lock"))


def _stamp(locks):
    digest = hashlib.sha256(sys.version.encode())
    for lock in locks:
        digest.update(lock.read_bytes())
    return digest.hexdigest()


def ensure():
    locks = lock_files()
    stamp = directory() / "redraft-locks"
    if locks and not (stamp.exists() and stamp.read_text() == _stamp(locks)):
        say(f"installing the Python packages of {', '.join(str(lock.relative_to(REPOSITORY)) for lock in locks)}")
        _install(locks)
        stamp.write_text(_stamp(locks))
    _ensure_node_packages()
    say("test environment: ready")


def node_directory():
    return cache_directory() / "node-tests"


def _ensure_node_packages():
    """Node itself is the system's, or the editors' tests'."""
    digest = hashlib.sha256((_NODE_LOCK / "package-lock.json").read_bytes()).hexdigest()
    stamp = node_directory() / "redraft-lock"
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(node_directory(), ignore_errors=True)
    with npm.unpacked(_NODE_LOCK, "a client of OpenAI's for tests (1 MB)") as modules:
        shutil.copytree(modules, node_directory() / "node_modules")
    stamp.write_text(digest)


def _install(locks):
    shutil.rmtree(directory(), ignore_errors=True)
    try:
        venv.create(directory(), with_pip=True)
    except (subprocess.CalledProcessError, OSError, ImportError) as error:
        raise SetupError("Python cannot make virtual environments here; install python3-venv") from error
    python = str(directory() / "bin" / "python")
    for lock in locks:
        run = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                              "--only-binary=:all:", "--require-hashes", "-r", str(lock)],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            raise SetupError(f"could not install {lock.relative_to(REPOSITORY)}:\n{run.stdout.strip()[-2000:]}")
