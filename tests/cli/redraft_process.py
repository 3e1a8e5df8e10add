"""Runs the built program; its path comes from ctest."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "kit"))
from hang_limit import HANG_SECONDS  # noqa: E402

TIME_LIMIT = HANG_SECONDS
PROGRAM = os.environ.get("REDRAFT", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "redraft"))


def run(*arguments, input=b"", environment=None, timeout=TIME_LIMIT):
    """The finished process, with output as bytes."""
    if isinstance(input, str):
        input = input.encode()
    return subprocess.run([PROGRAM, *arguments], input=input, capture_output=True, timeout=timeout,
                          env={**os.environ, **(environment or {})})


class RedraftCase(unittest.TestCase):
    def assert_fails(self, process, code, *fragments):
        """Checks the exit code, the documented form of the message, and its content."""
        message = process.stderr.decode()
        self.assertEqual(process.returncode, code, message)
        self.assertIn("redraft: error: ", message)
        for fragment in fragments:
            self.assertIn(fragment, message)
        self.assertEqual(process.stdout, b"")

    def assert_succeeds(self, process):
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        return process.stdout.decode()


class InFolder(RedraftCase):
    """Each test has a folder of its own and an empty model store."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def run_alone(self, *arguments, **options):
        return run(*arguments, environment={"XDG_DATA_HOME": str(self.folder / "data")}, **options)
