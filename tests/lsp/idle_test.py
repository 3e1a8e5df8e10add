"""A server that has nothing to do wakes nobody: not the processor, and so not the battery's user."""

import os
import pathlib
import tempfile
import time
import unittest

from server_case import TIME_LIMIT, URI, ServerTest

WINDOW = 2  # seconds


class Idle(ServerTest):
    def wake_ups(self, process):
        """How often each thread has slept so far."""
        counts = {}
        for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
            lines = (task / "status").read_text().splitlines()
            counts[task.name, (task / "comm").read_text().strip()] = int(
                next(line for line in lines if line.startswith("voluntary_ctxt_switches:")).split()[1])
        return counts

    def test_it_sleeps(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.py").write_text("a = 1\n")
            client = self.start(initialize=False, options=("--index",))
            self.initialize(client, processId=os.getpid(), rootUri=root.as_uri())
            self.open(client, "x = 1\n", uri=URI)
            self.wait_for_index(client, 1)
            deadline = time.monotonic() + TIME_LIMIT
            while True:  # what it is still at ends some time
                before = self.wake_ups(client.process)
                time.sleep(WINDOW)
                after = self.wake_ups(client.process)
                if before == after:
                    break
                self.assertLess(time.monotonic(), deadline, f"it wakes up: {before}, then {after}")


if __name__ == "__main__":
    unittest.main()
