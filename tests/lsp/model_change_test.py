"""The file of a model changes while a server runs: whatever is written into it, the process lives, nothing mixes the weights
of two files, and the next request uses what is there."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from lsp_client import Client

REDRAFT = os.environ["REDRAFT"]
CODE = "".join(f"def area_{i}(width, height):\n    return width * height + {i}\n\n" for i in range(4))
# So slow that what was read is worth keeping on disk.
COST = "1:0.02,8:0.08,64:2"
CHANGED = "The files of the model changed, so it is loaded again."


def written_in_place(file, content):
    """As `cp` does it: the file stays the same one."""
    with open(file, "r+b") as out:
        out.write(content)
        out.truncate()


class ModelChange(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.models = []
        for seed in ("1", "2"):
            file = pathlib.Path(folder.name) / f"{seed}.gguf"
            subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(file), seed], check=True)
            cls.models.append(file.read_bytes())
        assert len(cls.models[0]) == len(cls.models[1])

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "model.gguf"
        self.model.write_bytes(self.models[0])
        self.cache = self.folder / "cache"
        self.number = 0

    def server(self, *options, model=None, cache=None):
        folders = {f"XDG_{name.upper()}_HOME": str(self.folder / name) for name in ("state", "config", "data")}
        client = Client([REDRAFT, "lsp", "--no-share", "--no-index", "--target", str(model or self.model), *options],
                        env={**os.environ, **folders, "XDG_CACHE_HOME": str(cache or self.cache),
                             "REDRAFT_PINNED_COST": COST})
        self.addCleanup(client.close)
        client.request("initialize", {"processId": None, "capabilities": {
            "textDocument": {"inlineCompletion": {}}, "experimental": {"redraft": {"streamedEdits": True}}}})
        client.notify("initialized")
        return client

    def edit(self, client):
        """The end of an edit, and what the model wrote for it and for a completion after it."""
        self.number += 1
        uri = f"file:///{self.folder.name}/{self.number}.py"
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1,
                                                                "text": CODE}})
        edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": uri, "version": 1}, "instruction": "rename", "scope": "whole"}]})["editId"]
        end = client.notification("$/redraft/edit", lambda p: (p["editId"], p["kind"]) == (edit, "end"))
        hunks = [p["newText"] for p in client.all("$/redraft/edit") if (p["editId"], p["kind"]) == (edit, "hunk")]
        if end["state"] != "done":
            return end, None
        answer = client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": uri}, "position": {"line": 1, "character": 11}, "context": {"triggerKind": 1}})
        return end, (hunks, end["statistics"]["newTokens"], [item["insertText"] for item in answer["items"]])

    def written(self, client):
        end, written = self.edit(client)
        self.assertEqual(end["state"], "done", end)
        return written

    def written_by(self, content):
        """By a server that knows no other model."""
        model = self.folder / "alone.gguf"
        model.write_bytes(content)
        client = self.server(model=model, cache=self.folder / "cache of its own")
        written = self.written(client)
        client.close()
        return written

    def messages(self, client):
        client.request("redraft/status")  # so all that came before has been read
        return [shown["message"] for shown in client.all("window/showMessage")]

    def test_other_weights_of_the_same_size_are_used_from_the_next_request_on(self):
        first, second = (self.written_by(content) for content in self.models)
        self.assertNotEqual(first, second, "these models cannot tell which was used")
        client = self.server("--no-kv-cache")  # what is being saved keeps its weights for the request that comes meanwhile
        self.assertEqual(self.written(client), first)
        for content, expected in ((self.models[1], second), (self.models[0], first)):
            date = self.model.stat().st_mtime_ns
            written_in_place(self.model, content)
            os.utime(self.model, ns=(date, date))
            self.assertEqual(self.written(client), expected)
        self.assertEqual(sum(CHANGED in message for message in self.messages(client)), 2)
        self.assertNotIn(CHANGED, " ".join(client.request("redraft/status")["reasons"]))

    def test_a_file_that_is_cut_short_is_an_error_until_it_is_whole_again(self):
        client = self.server("--no-kv-cache")
        first = self.written(client)
        for length in (0, 5000, len(self.models[0]) // 2):
            os.truncate(self.model, length)
            end, _ = self.edit(client)
            self.assertEqual(end["state"], "failed", f"cut to {length}: {end}")
            self.assertIn(str(self.model), end["error"])
            self.assertIsNone(client.process.poll())
        written_in_place(self.model, self.models[0])
        self.assertEqual(self.written(client), first)

    def test_a_file_that_is_removed_is_not_needed(self):
        client = self.server()
        first = self.written(client)
        self.model.unlink()
        self.assertEqual(self.written(client), first)

    def test_keys_and_values_on_disk_are_of_the_weights_that_computed_them(self):
        second = self.written_by(self.models[1])
        client = self.server()
        self.written(client)
        kept = self.cache / "redraft" / "kv"
        while not list(kept.glob("[!.]*")):
            client.request("redraft/status")
        client.close()
        date = self.model.stat().st_mtime_ns
        written_in_place(self.model, self.models[1])
        os.utime(self.model, ns=(date, date))
        self.number = 0  # the same prompt
        client = self.server()
        end, written = self.edit(client)
        self.assertEqual(end["statistics"]["cachedPromptTokens"], 0)
        self.assertEqual(written, second)


if __name__ == "__main__":
    unittest.main()
