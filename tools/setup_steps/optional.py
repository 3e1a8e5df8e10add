"""The outcome of the steps that only some tests need. A step that failed leaves its reason here, and tools/run_tests.py
skips the tests that need it and prints the reason. The next set-up in which the step succeeds removes the reason.
"""

from .common import cache_directory


def _folder():
    return cache_directory() / "failed-steps"


def record(step, reason):
    """Remembers why `step` failed; None: it succeeded."""
    file = _folder() / step
    if reason is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(reason + "\n")


def failed_steps():
    """{step: why it failed}"""
    if not _folder().is_dir():
        return {}
    return {file.name: file.read_text().strip() for file in sorted(_folder().iterdir())}
