"""Shared by the steps: where things are stored, how progress is shown, how a file is hashed."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import platform

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
LOCKS = pathlib.Path(__file__).resolve().parent.parent / "locks"


class SetupError(Exception):
    """The user has to do something; the message says what."""


def say(message):
    print(f"setup: {message}", flush=True)


def machine():
    """This machine's architecture, as Linux and the wheels' platform tags call it."""
    return platform.machine()


def _xdg(variable, default):
    return pathlib.Path(os.environ.get(variable) or pathlib.Path.home() / default) / "redraft"


def data_directory():
    return _xdg("XDG_DATA_HOME", ".local/share")


def cache_directory():
    return _xdg("XDG_CACHE_HOME", ".cache")


@contextlib.contextmanager
def exclusive_lock(tell=say):
    """Allows one set-up at a time, because two would write the same files."""
    cache_directory().mkdir(parents=True, exist_ok=True)
    with open(cache_directory() / "setup.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("waiting for another set-up to finish")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def sha256_of(path, on_bytes=lambda count: None):
    """Calls `on_bytes` after each block with the number of bytes read so far."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 22), b""):
            digest.update(block)
            on_bytes(file.tell())
    return digest.hexdigest()
