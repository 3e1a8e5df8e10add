"""The files that the instructions of bench/instructions edit."""

import sys

from .common import REPOSITORY


def ensure():
    sys.path.insert(0, str(REPOSITORY / "bench"))
    from instructions import sources
    sources.ensure()
