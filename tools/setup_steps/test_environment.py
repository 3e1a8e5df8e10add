"""Installs what tests need, from the lock files next to them: a Python virtual environment, and npm packages."""

import hashlib
import shutil
import subprocess
import sys
import venv

from . import npm, system_packages
from .common import REPOSITORY, SetupError, cache_directory, say

_NODE_LOCK = REPOSITORY / "tests/http/openai"
_AIDER_LOCK = REPOSITORY / "tests/http/aider/aider.lock"


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
    """Installs each part even if another fails; the tests of a part that is missing are skipped."""
    system_packages.ensure_tests()
    failures = []
    for ensure_part in (lambda: ensure_environment(directory(), lock_files()), _ensure_node_packages):
        try:
            ensure_part()
        except SetupError as error:
            failures.append(str(error))
    if failures:
        raise SetupError("\n".join(failures))
    say("test environment: ready")


def ensure_aider():
    """A separate environment: it takes 690 MB, and pins other versions of packages that other tests use."""
    ensure_environment(cache_directory() / "venv-aider", [_AIDER_LOCK])
    say("aider: ready")


def ensure_environment(folder, locks):
    stamp = folder / "redraft-locks"
    if stamp.exists() and stamp.read_text() == _stamp(locks):
        return
    say(f"installing the Python packages of {', '.join(str(lock.relative_to(REPOSITORY)) for lock in locks)}")
    _install(folder, locks)
    stamp.write_text(_stamp(locks))


def node_directory():
    return cache_directory() / "node-tests"


def _ensure_node_packages():
    """Installs npm packages. Node itself comes from the system, or from the tests of the editors."""
    digest = hashlib.sha256((_NODE_LOCK / "package-lock.json").read_bytes()).hexdigest()
    stamp = node_directory() / "redraft-lock"
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(node_directory(), ignore_errors=True)
    with npm.unpacked(_NODE_LOCK, "a client of OpenAI's for tests (1 MB)") as modules:
        shutil.copytree(modules, node_directory() / "node_modules")
    stamp.write_text(digest)


def _install(folder, locks):
    shutil.rmtree(folder, ignore_errors=True)
    try:
        venv.create(folder, with_pip=True)
    except (subprocess.CalledProcessError, OSError, ImportError, SystemExit) as error:  # Debian's venv exits without ensurepip
        raise SetupError("Python cannot make virtual environments here; install python3-venv") from error
    python = str(folder / "bin" / "python")
    for lock in locks:
        run = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                              "--only-binary=:all:", "--require-hashes", "-r", str(lock)],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            raise SetupError(f"could not install {lock.relative_to(REPOSITORY)}:\n{run.stdout.strip()[-2000:]}")
