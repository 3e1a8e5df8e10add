"""The index of the workspace's folders: built in the background, kept up to date, and used for drafts."""

import pathlib
import shutil
import tempfile
import unittest

from server_case import INDEX_TIME_LIMIT, ServerTest, span

LINE = "totals = [parse_amount(row['amount'], currency=row['currency']) for row in ledger.rows()]\n"
URI = "file:///elsewhere/a.py"


class Index(ServerTest):
    def setUp(self):
        super().setUp()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name).resolve() / "work space"
        self.root.mkdir()

    def serve(self, common=(), **initialize):
        options = ["--index", *(part for folder in common for part in ("--common", folder))]
        client = self.start([{"find": "", "replace": LINE}], initialize=False, options=options)
        client.request("initialize", {"processId": None, "capabilities": {"experimental": {"redraft": {
            "streamedEdits": True}}}, "rootUri": self.root.as_uri(), **initialize})
        client.notify("initialized")
        return client

    def finds_line(self, client, uri=URI):
        """Whether most of LINE came from the index; some of it may by chance."""
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1,
                                                                "text": "x = 1\n"}})
        edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": uri, "version": 1}, "instruction": "add it", "decoder": "rest"}]})["editId"]
        end = self.end(client, edit)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        return end["statistics"]["acceptedBySource"].get("retrieval", 0) > len(LINE) // 2

    def test_edits_draft_from_files(self):
        (self.root / "b.py").write_text("import ledger\n" + LINE)
        client = self.serve()
        self.wait_for_index(client, 1)
        self.assertTrue(self.finds_line(client))

    def test_not_without_folders_nor_when_it_is_switched_off(self):
        (self.root / "b.py").write_text(LINE)
        for more in ({"rootUri": None}, {"rootUri": "file:///"}, {"initializationOptions": {"redraft": {"index": False}}}):
            client = self.serve(**more)
            self.assertIsNone(client.request("redraft/status")["index"])
            self.assertFalse(self.finds_line(client))

    def test_folders_of_the_workspace(self):
        for name in ("one", "two"):
            (self.root / name).mkdir()
            (self.root / name / "a.py").write_text("a = 1\n")
        client = self.serve(workspaceFolders=[{"uri": (self.root / name).as_uri(), "name": name}
                                              for name in ("one", "two")])
        self.wait_for_index(client, 2)

    def test_a_file_that_was_saved_or_changed_is_read_again(self):
        file = self.root / "b.py"
        file.write_text("a = 1\n")
        client = self.serve()
        self.wait_for_index(client, 1)
        self.assertFalse(self.finds_line(client))
        file.write_text(LINE)
        client.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
        self.assert_soon(lambda: self.finds_line(client))
        file.unlink()
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 3}]})
        self.assert_soon(lambda: not self.finds_line(client))

    def test_calls_follow_in_files_that_are_not_open(self):
        calls = {"b c.py": "from a import load\nload(1, 2)\n", "d.py": "from a import load\nload(3, 4)\n",
                 "other.py": "from b import load\nload(1, 2)\n", "e.js": "load(1, 2)\n"}
        for name, text in calls.items():
            (self.root / name).write_text(text)
        client = self.serve()
        self.wait_for_index(client, 4)
        uri = (self.root / "a.py").as_uri()
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1,
                                                                "text": "def load(path, mode): pass\n"}})
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
            {"range": span(0, 9, 0, 19), "text": "mode, path"}]})

        def ask(**more):
            return client.request("redraft/nextEdit", {"textDocument": {"uri": uri}, **more})

        self.assertEqual(ask()["edits"], [], "a client that cannot show it")
        answer = ask(inFiles=True)
        (edit,) = answer["edits"]
        other = (self.root / "b c.py").as_uri()
        self.assertEqual((edit["text"], edit["textDocument"]), ("load(2, 1)\n", {"uri": other, "version": None}))
        self.assertEqual(answer["note"], "the parameters of 'load' changed: 2 calls found in the workspace, 2 to change")
        client.notify("textDocument/didOpen", {"textDocument": {"uri": other, "languageId": "python", "version": 1,
                                                                "text": calls["b c.py"]}})
        client.notify("textDocument/didChange", {"textDocument": {"uri": other, "version": 2}, "contentChanges": [
            {"range": edit["range"], "text": edit["text"]}]})
        (edit,) = ask(inFiles=True)["edits"]
        self.assertEqual((edit["text"], edit["textDocument"]["uri"]), ("load(4, 3)\n", (self.root / "d.py").as_uri()))
        (self.root / "d.py").write_text(calls["d.py"].replace("3, 4", "4, 3"))  # by other means
        self.change_elsewhere(client, uri)
        self.assertEqual(ask(inFiles=True)["edits"], [])

    def change_elsewhere(self, client, uri):
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [
            {"range": span(1, 0, 1, 0), "text": "x = 1\n"}]})

    def test_files_are_watched(self):
        (self.root / "a.py").write_text("a = 1\n")
        client = self.serve()
        self.wait_for_index(client, 1)
        (self.root / "new").mkdir()
        (self.root / "new" / "b.py").write_text(LINE)
        self.assert_soon(lambda: self.finds_line(client))
        (self.root / "new").rename(self.root.parent / "away")
        self.assert_soon(lambda: not self.finds_line(client))

    def test_a_fix_is_shown_the_definitions_that_its_diagnostic_is_about(self):
        (self.root / "ledger.py").write_text("# Of a ledger.\ndef fetch_all(key, limit):\n    return key\n\n\n"
                                             "class Ledger:\n    rows = 1\n\n\ndef unrelated():\n    pass\n")
        record = pathlib.Path(self.folder.name) / "record"
        client = self.start([{"find": "fetch_all(1)", "replace": "fetch_all(1, 2)"}], initialize=False,
                            options=("--index",), record=str(record))
        client.request("initialize", {"processId": None, "rootUri": self.root.as_uri(), "capabilities": {
            "experimental": {"redraft": {"streamedEdits": True}}}})
        self.wait_for_index(client, 1)
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": URI, "languageId": "python", "version": 1,
            "text": "from ledger import fetch_all\n\n\ndef f(unrelated):\n    return fetch_all(1), unrelated\n"}})
        diagnostic = {"range": span(4, 11, 4, 23), "message": "missing argument 'limit' for 'Ledger.fetch_all'"}
        edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": URI}, "diagnostics": [diagnostic]}]})["editId"]
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertEqual([hunk["newText"] for hunk in self.events(client, edit, "hunk")],
                         ["    return fetch_all(1, 2), unrelated\n"])
        shown = record.read_text()
        self.assertIn("Fix this problem in line 5 (`    return fetch_all(1), unrelated`): missing argument 'limit' for "
                      "'Ledger.fetch_all'", shown)
        self.assertIn("In ledger.py:\n# Of a ledger.\ndef fetch_all(key, limit):\n", shown)
        self.assertIn("In ledger.py:\nclass Ledger:\n", shown)
        self.assertNotIn("def unrelated", shown, "it is a parameter there")

    def test_a_name_that_no_definition_has_becomes_one_that_they_have(self):
        """The model copies the line. Its names are those of one definition, whose index it was shown."""
        (self.root / "level.py").write_text("class Level:\n    LOW = 1\n    URGENT = 2\n")
        client = self.start([], initialize=False, options=("--index",))
        client.request("initialize", {"processId": None, "rootUri": self.root.as_uri(), "capabilities": {
            "experimental": {"redraft": {"streamedEdits": True}}}})
        self.wait_for_index(client, 1)
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": URI, "languageId": "python", "version": 1,
            "text": "from level import Level\n\n\ndef first(job):\n    return job is Level.HIGH\n"}})
        for name, known in (("HIGH", True), ("Level", False)):
            diagnostic = {"range": span(4, 18, 4, 28), "message": f"attribute '{name}' of 'Level' is wrong"}
            edit = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
                {"textDocument": {"uri": URI}, "diagnostics": [diagnostic]}]})["editId"]
            self.assertEqual(self.end(client, edit)["state"], "done")
            hunks = [hunk["newText"] for hunk in self.events(client, edit, "hunk")]
            self.assertEqual(len(hunks), 1 if known else 0, name)
            if known:
                self.assertRegex(hunks[0], r"^    return job is Level\.(LOW|URGENT|Level|class)")

    def test_installed_packages_answer_where_a_setting_says_so(self):
        (self.root / ".gitignore").write_text("node_modules/\n")
        (self.root / "node_modules" / "ledger").mkdir(parents=True)
        (self.root / "node_modules" / "ledger" / "index.js").write_text(LINE)
        client = self.serve()
        self.wait_for_index(client, 1)
        self.assertIsNone(client.request("redraft/status")["common"])
        self.assertFalse(self.finds_line(client))
        client = self.serve(initializationOptions={"redraft": {"dependencies": True}})
        self.wait_for_index(client, 1, "common")
        self.assertTrue(self.finds_line(client))

    def test_so_do_other_folders(self):
        for name in ("elsewhere", "work space/vendored"):
            folder = self.root.parent / name
            folder.mkdir()
            (folder / "a.py").write_text(LINE)
            for named in (str(folder), folder.name):
                if named == "elsewhere":
                    continue  # not part of the workspace
                client = self.serve([named], initializationOptions={"redraft": {"index": False}})
                self.wait_for_index(client, 1, "common")
                self.assertTrue(self.finds_line(client))
        client = self.serve(["missing"])
        self.wait_for_index(client, 0, "common")
        self.assertIn("missing", client.request("redraft/status")["common"]["message"])

    def test_no_client_names_other_folders(self):
        folder = self.root.parent / "elsewhere"
        folder.mkdir()
        (folder / "a.py").write_text(LINE)
        client = self.serve(initializationOptions={"redraft": {"commonFolders": [str(folder)]}})
        self.configure(client, commonFolders=[str(folder)])
        self.wait_for_index(client, 0)
        self.assertIsNone(client.request("redraft/status")["common"])
        self.assertFalse(self.finds_line(client))

    def configure(self, client, **settings):
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": settings}})

    def test_settings_count_at_once(self):
        (self.root / "b.py").write_text(LINE)
        client = self.serve()
        self.wait_for_index(client, 1)
        pid = client.process.pid
        for _ in range(3):
            self.configure(client, index=False)
            self.assertIsNone(client.request("redraft/status")["index"])
            self.assertFalse(self.finds_line(client))
            self.configure(client, index=True)
            self.wait_for_index(client, 1)
            self.assertTrue(self.finds_line(client))
        (self.root / "node_modules" / "ledger").mkdir(parents=True)
        (self.root / "node_modules" / "ledger" / "index.js").write_text("a = 1\n")
        self.configure(client, index=False, dependencies=True)
        self.wait_for_index(client, 1, "common")
        self.assertFalse(self.finds_line(client))
        self.configure(client, index=False)
        self.assertIsNone(client.request("redraft/status")["common"])
        self.assertEqual(client.process.pid, pid)
        self.assertIsNone(client.process.poll())

    def test_settings_change_while_files_are_read(self):
        for i in range(300):
            (self.root / f"{i}.py").write_text(f"a{i} = {i}\n" * 20)
        client = self.serve()
        for i in range(20):
            self.configure(client, index=i % 2 == 1)
        self.wait_for_index(client, 300)

    def test_a_client_is_asked_before_files_are_read(self):
        (self.root / "b.py").write_text(LINE)
        client = self.start([{"find": "", "replace": LINE}], initialize=False, options=("--index",))
        client.answers["workspace/configuration"] = [{"index": False}]
        client.request("initialize", {"processId": None, "rootUri": self.root.as_uri(),
                                      "capabilities": {"workspace": {"configuration": True}}})
        client.notify("initialized")
        client.wait(lambda m: m.get("method") == "workspace/configuration")
        status = client.request("redraft/status")
        self.assertIsNone(status["index"])
        self.assertIn("The index is off (redraft.index).", status["reasons"])
        client.answers["workspace/configuration"] = [{"index": True}]
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        self.wait_for_index(client, 1)

    def test_folders_come_and_go(self):
        for name in ("one", "two"):
            (self.root / name).mkdir()
            (self.root / name / "a.py").write_text(LINE if name == "two" else "a = 1\n")
        one, two = ({"uri": (self.root / name).as_uri(), "name": name} for name in ("one", "two"))
        client = self.serve(rootUri=None, workspaceFolders=[one])
        self.wait_for_index(client, 1)
        self.assertFalse(self.finds_line(client))
        change = lambda **event: client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        change(added=[two], removed=[])
        self.wait_for_index(client, 2)
        self.assertTrue(self.finds_line(client))
        change(added=[], removed=[two])
        self.wait_for_index(client, 1)
        self.assertFalse(self.finds_line(client))
        change(added=[], removed=[one])
        self.assertIsNone(client.request("redraft/status")["index"])

    def test_a_file_that_was_renamed_in_the_editor(self):
        file = self.root / "b.py"
        file.write_text("a = 1\n")
        client = self.serve()
        self.wait_for_index(client, 1)
        other = self.root / "c.py"
        file.rename(other)
        other.write_text(LINE)
        client.notify("workspace/didRenameFiles", {"files": [{"oldUri": file.as_uri(), "newUri": other.as_uri()}]})
        self.assert_soon(lambda: self.finds_line(client))
        self.wait_for_index(client, 1)
        other.unlink()
        client.notify("workspace/didDeleteFiles", {"files": [{"uri": other.as_uri()}]})
        self.assert_soon(lambda: not self.finds_line(client))

    def test_a_workspace_that_is_removed_is_empty(self):
        (self.root / "b.py").write_text(LINE)
        client = self.serve()
        self.wait_for_index(client, 1)
        shutil.rmtree(self.root)
        self.assert_soon(lambda: not self.finds_line(client))
        self.root.mkdir()
        (self.root / "b.py").write_text(LINE)
        self.assert_soon(lambda: self.finds_line(client))

    def test_the_file_that_is_edited_does_not_answer(self):
        file = self.root / "b.py"
        file.write_text(LINE)
        client = self.serve()
        self.wait_for_index(client, 1)
        self.assertFalse(self.finds_line(client, file.as_uri()))

    def assert_soon(self, condition):
        self.until(condition, limit=INDEX_TIME_LIMIT)


if __name__ == "__main__":
    unittest.main()
