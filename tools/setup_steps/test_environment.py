"""The virtual environment for tests written in Python, from the lock files next to them."""

import hashlib
import shutil
import subprocess
import sys
import venv

from .common import REPOSITORY, SetupError, cache_directory, say


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
    say("test environment: ready")


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
