"""The tool edit_file of `redraft mcp`, from the message to the file."""

import os
import unittest

from mcp_case import CHANGE, CHANGED, TEXT, McpCase

FORMS = {
    "a function": CHANGE,
    "a fence in prose": f"Change it:\n```python\n{CHANGE}```\n",
    "SEARCH and REPLACE": "<<<<<<< SEARCH\n    return 1\n=======\n    return os.getpid()\n>>>>>>> REPLACE\n",
    "a diff with wrong numbers": "--- a/a.py\n+++ b/a.py\n@@ -90,2 +91,2 @@\n def first():\n-    return 1\n+    return os.getpid()\n",
    "a patch": "*** Begin Patch\n*** Update File: a.py\n@@ def first():\n-    return 1\n+    return os.getpid()\n*** End Patch\n",
}


class EditFile(McpCase):
    def setUp(self):
        super().setUp()
        self.peer = self.client()
        self.peer.initialize()

    def test_each_form_is_placed(self):
        for name, change in FORMS.items():
            with self.subTest(name):
                self.file.write_text(TEXT)
                self.assertEqual(self.status(self.peer.call(path="a.py", changes=change)), ["written"])
                self.assertEqual(self.file.read_text(), CHANGED)

    def test_bytes_that_do_not_change_stay(self):
        before = "\ufeff" + TEXT.replace("\n", "\r\n").rstrip()
        self.file.write_bytes(before.encode())
        os.chmod(self.file, 0o750)
        self.assertEqual(self.status(self.peer.call(path="a.py", changes=CHANGE)), ["written"])
        self.assertEqual(self.file.read_bytes(), before.replace("return 1", "return os.getpid()").encode())
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o750)

    def test_what_may_not_be_edited_is_refused_with_the_reason(self):
        outside = self.folder.parent / f"{self.folder.name}-outside.py"
        outside.write_text(TEXT)
        self.addCleanup(outside.unlink)
        (self.folder / ".gitignore").write_text("made/\n")
        (self.folder / "made").mkdir()
        (self.folder / "made/a.py").write_text(TEXT)
        (self.folder / ".env").write_text("TOKEN=1\n")
        os.symlink(outside, self.folder / "out.py")
        os.mkdir(self.folder / ".git")
        for path, reason in ((f"../{outside.name}", "outside"), ("out.py", "outside"), (".env", "secrets"), ("none.py", "no such"),
                             ("made/a.py", "allow_ignored"), ("made", "ignored")):
            with self.subTest(path):
                result = self.peer.call(path=path, changes=CHANGE)
                self.assertTrue(result["isError"])
                self.assertIn(reason, result["content"][0]["text"])
        self.assertEqual(self.status(self.peer.call(path="made/a.py", changes=CHANGE, allow_ignored=True)), ["written"])
        self.assertEqual(outside.read_text(), TEXT)

    def test_a_place_that_is_not_certain_is_shown(self):
        self.file.write_text(TEXT.replace("return 2", "return 1"))
        result = self.peer.call(path="a.py", changes="@@ @@\n-    return 1\n+    return 7\n")
        self.assertEqual(self.status(result), ["failed"])
        self.assertIn("line 5; line 9", result["content"][0]["text"])
        self.assertNotIn("return 7", self.file.read_text())

    def test_a_doubt_is_told_and_can_be_accepted(self):
        change = "def first():\n    return missing_name()\n"
        result = self.peer.call(path="a.py", changes=change)
        self.assertEqual(self.status(result), ["not_written"])
        self.assertIn("missing_name", result["structuredContent"]["files"][0]["doubts"][0])
        self.assertEqual(self.file.read_text(), TEXT)
        self.assertEqual(self.status(self.peer.call(path="a.py", changes=change, accept_doubts=True)), ["written"])


if __name__ == "__main__":
    unittest.main()
