"""Unpacks ruff, which checks the Python sources, from the wheel that tools/locks/ruff.lock pins."""

import hashlib

from . import wheels
from .common import LOCKS, cache_directory, say

_LOCK = LOCKS / "ruff.lock"


def directory():
    return cache_directory() / f"ruff-{hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:16]}"


def command():
    return directory() / "ruff"


def ensure():
    if not command().exists():
        wheels.unpack(_LOCK, directory(), ["ruff"], lambda member: "ruff" if member.endswith("/scripts/ruff") else None,
                      "ruff", lambda path: 0o755)
    say("ruff: ready")
