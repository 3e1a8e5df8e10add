"""Small models, trained here: tests and measurements need a hybrid whose drafts are often accepted, and models with sliding
windows in which faults show."""

import hashlib
import os
import shutil
import subprocess
import sys

from . import test_environment
from .common import REPOSITORY, SetupError, cache_directory, say

_TRAINER = REPOSITORY / "tools/hybrid_model"
_CHECK_TEXT = REPOSITORY / "workspace/engine/check_text.cpp"  # what the models with windows know by heart
_WITH_WINDOWS = ("gpt-oss", "mellum", "gemma4")
# Large pages for the buffers of a step, which are fetched anew each time: a third of the time otherwise.
_ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", "JAX_PLATFORMS": "cpu"}


def directory():
    return cache_directory() / "hybrid-model"


def ensure():
    """Those for tests: a few minutes, once for each state of the trainer."""
    ensure_configuration("small")
    ensure_windows()


def ensure_large():
    """The large hybrid, for measurements: about half an hour on two cores."""
    ensure_configuration("large")


def ensure_configuration(name):
    file = directory() / f"{name}.gguf"
    if not _is_ready(name, [file], []):
        _train(f"a hybrid model, {name}", "train.py", name, _sources(), file)
        _stamp(name, [])
    say(f"hybrid model, {name}: ready ({file})")


def ensure_windows():
    """One of each architecture with sliding windows: a minute."""
    files = [directory() / f"{name}.gguf" for name in _WITH_WINDOWS]
    if not _is_ready("windows", files, [_CHECK_TEXT]):
        _train("models with sliding windows", "train_windows.py", _sources(), _CHECK_TEXT, directory())
        _stamp("windows", [_CHECK_TEXT])
    say(f"models with sliding windows: ready ({directory()})")


def _is_ready(name, files, others):
    stamp = directory() / f"{name}.stamp"
    return all(file.exists() for file in files) and stamp.exists() and stamp.read_text() == _digest(others)


def _stamp(name, others):
    (directory() / f"{name}.stamp").write_text(_digest(others))


def _digest(others):
    """Of everything that decides about the weights, but for how the machine rounds."""
    digest = hashlib.sha256(sys.version.encode())
    for file in [*sorted(_TRAINER.glob("*.*")), *others]:
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def _sources():
    """The folder of the pinned packages whose texts are learnt."""
    lock = _TRAINER / "sources.lock"
    sources = directory() / f"sources-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"
    if not sources.exists():
        partial = directory() / "sources.partial"
        shutil.rmtree(partial, ignore_errors=True)
        _run([_python(), "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
              "--only-binary=:all:", "--require-hashes", "-r", lock, "--dest", partial])
        partial.rename(sources)
    return sources


def _python():
    environment = directory() / "venv"
    test_environment.ensure_environment(environment, [_TRAINER / "requirements.lock"])
    return environment / "bin/python"


def _train(what, script, *arguments):
    say(f"training {what}")
    _run([_python(), _TRAINER / script, *arguments])


def _run(command):
    run = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, **_ENVIRONMENT})
    if run.returncode != 0:
        raise SetupError(f"could not train a model:\n{run.stderr.strip()[-2000:]}")
