"""What the real model has read survives the server, on disk, as far as the user wants it to."""

import json
import os
import pathlib
import stat
import subprocess
import tempfile
import time
import unittest

from lsp_client import TIME_LIMIT, Client

REDRAFT = os.environ["REDRAFT"]
# As an editor whose settings no repository makes.
CAPABILITIES = {"experimental": {"redraft": {"streamedEdits": True, "userSettings": True}}}
TARGET = ("--target", "qwen2.5-coder-0.5b")
# Seconds of a pass by its rows: a machine that reads a hundred tokens a second.
COST = "1:0.02,8:0.08,64:0.64"
CODE = "".join(f"def area_{i}(width, height):\n    return width * height + {i}\n\n\n" for i in range(12))
INSTRUCTION = "Rename the parameter width to w in the first function."


class KvCacheTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.kept = self.folder / "cache" / "redraft" / "kv"
        self.env = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), "REDRAFT_PINNED_COST": COST}

    def server(self, *options, settings=None):
        client = Client([REDRAFT, "lsp", "--no-share", "--no-index", *TARGET, *options], env=self.env)
        self.addCleanup(client.close)
        client.request("initialize", {"processId": None, "capabilities": CAPABILITIES,
                                      "initializationOptions": {"redraft": settings or {}}})
        client.notify("initialized")
        return client

    def edit_in(self, client, name="project/shapes.py", text=CODE, instruction=INSTRUCTION):
        """What was changed, and what it cost."""
        uri = (self.folder / name).as_uri()
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1,
                                                                "text": text}})
        edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": uri, "version": 1}, "instruction": instruction, "scope": "whole"}]})["editId"]
        end = client.notification("$/redraft/edit", lambda p: (p["editId"], p["kind"]) == (edit, "end"))
        self.assertEqual(end["state"], "done", end)
        hunks = [p["newText"] for p in client.all("$/redraft/edit") if (p["editId"], p["kind"]) == (edit, "hunk")]
        return hunks, end["statistics"]

    def edit(self, *options, kept=1, **more):
        """In a server of its own, which ends once so many files are kept."""
        client = self.server(*options)
        result = self.edit_in(client, **more)
        self.until_kept(kept)
        client.close()
        return result

    def until_kept(self, count):
        """Files are written when nothing else is to be done, one after the other."""
        deadline = time.monotonic() + TIME_LIMIT
        while len(list(self.kept.glob("[!.]*"))) < count:
            self.assertLess(time.monotonic(), deadline, "nothing was kept")
            time.sleep(0.02)

    def cache(self, *options):
        process = subprocess.run([REDRAFT, "cache", *options], env=self.env, capture_output=True, text=True,
                                 timeout=TIME_LIMIT, check=False)
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout

    def entries(self):
        return json.loads(self.cache("--format", "json"))["entries"]


class AfterARestart(KvCacheTest):
    def test_nothing_is_read_twice_and_the_text_is_the_same(self):
        hunks, cold = self.edit()
        self.assertEqual(cold["cachedPromptTokens"], 0)
        (entry,) = self.entries()
        self.assertEqual(entry["source"], str(self.folder / "project" / "shapes.py"))
        self.assertEqual(entry["tokens"], cold["promptTokens"])
        again, warm = self.edit()
        self.assertEqual(warm["cachedPromptTokens"], warm["promptTokens"] - 1)
        self.assertEqual(again, hunks)
        other = "Rename the parameter height to h in the first function."
        fresh, read = self.edit("--no-kv-cache", instruction=other)
        self.assertEqual(read["cachedPromptTokens"], 0)
        restored, statistics = self.edit(instruction=other)
        self.assertGreater(statistics["cachedPromptTokens"], 0.5 * statistics["promptTokens"])
        self.assertEqual(restored, fresh)

    def test_only_the_user_can_read_it(self):
        self.edit()
        (file,) = self.kept.iterdir()
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.kept.stat().st_mode), 0o700)

    def test_a_damaged_file_is_removed_and_written_again(self):
        hunks, cold = self.edit()
        (file,) = self.kept.iterdir()
        whole = file.read_bytes()
        damaged = bytearray(whole)
        damaged[len(damaged) // 3] ^= 1
        file.write_bytes(damaged)
        again, warm = self.edit()
        self.assertEqual((again, warm["cachedPromptTokens"]), (hunks, 0))
        self.assertTrue(file.read_bytes() == whole)


class WhatIsNotKept(KvCacheTest):
    """Files are written in the order of the edits: once a later one is there, an earlier one will not come."""

    def test_a_withheld_document_leaves_no_file(self):
        client = self.server()
        self.edit_in(client, "project/.env", "".join(f"NAME_{i}=some value of it {i}\n" for i in range(60)),
                     "Rename NAME_1 to FIRST.")
        self.edit_in(client)
        self.until_kept(1)
        (entry,) = self.entries()
        self.assertEqual(entry["source"], str(self.folder / "project" / "shapes.py"))

    def test_nor_one_whose_user_does_not_want_it(self):
        client = self.server(settings={"cacheOnDisk": False})
        self.edit_in(client)
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"cacheOnDisk": True}}})
        self.edit_in(client, "project/other.py", "import math\n\n\n" + CODE)
        self.until_kept(1)
        (entry,) = self.entries()
        self.assertEqual(entry["source"], str(self.folder / "project" / "other.py"))

    def test_nor_anything_by_a_server_that_is_told_so(self):
        self.edit("--no-kv-cache", kept=0)
        self.assertFalse(self.kept.exists())


class Erasing(KvCacheTest):
    def test_by_folder_and_all(self):
        self.assertEqual(self.cache().splitlines(), [f"in {self.kept}: 0 entries, 0 MB"])
        self.edit()
        self.edit(kept=2, name="other/shapes.py", text="import math\n\n\n" + CODE)
        self.assertEqual(len(self.entries()), 2)
        self.assertIn("shapes.py", self.cache())
        self.assertEqual(self.cache("--forget", str(self.folder / "proj")), "0 entries erased\n")
        self.assertEqual(self.cache("--forget", str(self.folder / "project")), "1 entry erased\n")
        (entry,) = self.entries()
        self.assertEqual(entry["source"], str(self.folder / "other" / "shapes.py"))
        self.assertEqual(self.cache("--clear"), "1 entry erased\n")
        self.assertEqual(list(self.kept.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
