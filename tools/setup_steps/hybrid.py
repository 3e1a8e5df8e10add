"""A small hybrid, trained here on code: tests and measurements need a model whose drafts are often accepted."""

import hashlib
import os
import shutil
import subprocess
import sys

from . import test_environment
from .common import REPOSITORY, SetupError, cache_directory, say

_TRAINER = REPOSITORY / "tools/hybrid_model"
# Large pages for the buffers of a step, which are fetched anew each time: a third of the time otherwise.
_ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", "JAX_PLATFORMS": "cpu"}


def directory():
    return cache_directory() / "hybrid-model"


def ensure():
    """The small one, for tests: a minute or two, once for each state of the trainer."""
    ensure_configuration("small")


def ensure_large():
    """The large one, for measurements: about half an hour on two cores."""
    ensure_configuration("large")


def ensure_configuration(name):
    file, stamp = directory() / f"{name}.gguf", directory() / f"{name}.stamp"
    if not (file.exists() and stamp.exists() and stamp.read_text() == _digest()):
        environment = directory() / "venv"
        test_environment.ensure_environment(environment, [_TRAINER / "requirements.lock"])
        _train(environment / "bin/python", name, file)
        stamp.write_text(_digest())
    say(f"hybrid model, {name}: ready ({file})")


def _digest():
    """Of everything that decides about the weights, but for how the machine rounds."""
    digest = hashlib.sha256(sys.version.encode())
    for file in sorted(_TRAINER.glob("*.*")):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def _train(python, name, file):
    lock = _TRAINER / "sources.lock"
    sources = directory() / f"sources-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"
    if not sources.exists():
        partial = directory() / "sources.partial"
        shutil.rmtree(partial, ignore_errors=True)
        _run([python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
              "--only-binary=:all:", "--require-hashes", "-r", lock, "--dest", partial])
        partial.rename(sources)
    say(f"training a hybrid model, {name}")
    _run([python, _TRAINER / "train.py", name, sources, file])


def _run(command):
    run = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, **_ENVIRONMENT})
    if run.returncode != 0:
        raise SetupError(f"could not make the hybrid model:\n{run.stderr.strip()[-2000:]}")
