"""Every thread of the server has a name of ours. An unnamed thread has the name of the thread that started it."""

import os
import pathlib
import unittest

from lsp_client import Client
from server_case import INDEX_TIME_LIMIT, RENAME, STREAMING, ServerTest


def thread_names(pid):
    """Of all threads except the main one, whose name is the program's."""
    names = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if task.name != str(pid):
                names.append((task / "comm").read_text().strip())
        except FileNotFoundError:  # it has just ended
            pass
    return sorted(names)


class ThreadNames(ServerTest):
    def assert_names(self, pid, expected):
        """Within the time limit: a thread names itself when it first runs, and readers of files end."""
        self.until(lambda: thread_names(pid) == sorted(expected), f"it has other threads than {expected}", INDEX_TIME_LIMIT)

    def test_of_a_server_with_an_index(self):
        root = pathlib.Path(self.folder.name) / "project"
        root.mkdir()
        (root / "a.py").write_text("a = 1\n")
        client = self.start(RENAME, initialize=False, options=["--index"])
        self.initialize(client, STREAMING, workspaceFolders=[{"uri": root.as_uri(), "name": "project"}])
        self.open(client, "old\n")
        self.end(client, self.edit(client))
        self.assert_names(client.process.pid, ["redraft-decode", "redraft-index", "redraft-watch", "redraft-buffers"])

    def test_of_the_compute_pool(self):
        client = Client([os.environ["REDRAFT"], "lsp", "--no-share", "--no-index", "--threads", "4",
                         "--target", str(pathlib.Path(self.folder.name) / "none.gguf")])
        self.addCleanup(client.close)
        self.initialize(client, STREAMING)
        self.assert_names(client.process.pid, ["redraft-decode"])  # what is confined has no more threads yet
        self.open(client, "old\n")
        self.assertEqual(self.end(client, self.edit(client))["state"], "failed")
        self.assert_names(client.process.pid, ["redraft-decode", "redraft-pool-1", "redraft-pool-2", "redraft-pool-3"])


if __name__ == "__main__":
    unittest.main()
