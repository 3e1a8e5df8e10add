"""The tool rename_symbol of `redraft mcp`, from the message to the files."""

import unittest

from mcp_case import McpCase

STORE = "class Store:\n    def load(self):\n        return 1\n\n\ndef load(path):\n    return Store().load()\n"
FILES = {
    "app/store.py": STORE,
    "app/a.py": "from app.store import load\n\nprint(load(1))\n",
    "app/b.py": "from . import store\n\nstore.load(2)\nstore.load(3)\n",
    "app/c.py": "from other import load\n\nload(3)\n",
    "app/d.py": "from .store import *\n\nload(4)\n",
    "app/e.py": "def use(store):\n    return store.load()\n",
    "app/notes.md": "load is here\n",
    ".env": "load=1\n",
}


class RenameSymbol(McpCase):
    def setUp(self):
        super().setUp()
        for name, text in FILES.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)
        self.peer = self.client()
        self.peer.initialize()

    def rename(self, **arguments):
        return self.peer.call("rename_symbol", **{"path": "app/store.py", "name": "load", "new_name": "fetch", "line": 6,
                                                  **arguments})

    def changed(self):
        return {name: text for name in FILES if (text := (self.folder / name).read_text()) != FILES[name]}

    def test_a_function_is_renamed_in_all_files(self):
        result = self.rename()
        self.assertFalse(result["isError"], result["content"][0]["text"])
        self.assertEqual(self.changed(), {
            "app/store.py": STORE.replace("def load(path)", "def fetch(path)"),
            "app/a.py": FILES["app/a.py"].replace("load", "fetch"),
            "app/b.py": FILES["app/b.py"].replace("load", "fetch")})
        self.assertEqual([(each["path"], each["line"]) for each in result["structuredContent"]["undecided"]], [("app/d.py", 3)])
        self.assertIn("app/d.py:3: load(4)", result["content"][0]["text"])

    def test_a_name_follows_through_files_that_pass_it_on(self):
        more = {"app/__init__.py": "from .store import load\n", "use.py": "from app import load\n\nload(5)\n",
                "more.py": "from use import load\n\nload(6)\n"}
        for name, text in more.items():
            (self.folder / name).write_text(text)
        self.assertFalse(self.rename()["isError"])
        self.assertEqual({name: (self.folder / name).read_text() for name in more},
                         {name: text.replace("load", "fetch") for name, text in more.items()})

    def test_a_dry_run_shows_all_diffs(self):
        result = self.rename(dry_run=True)
        self.assertEqual(self.status(result), ["would_write"] * 3)
        self.assertIn("+from app.store import fetch", result["content"][0]["text"])
        self.assertEqual(self.changed(), {})

    def test_a_member_is_renamed_where_its_type_is_certain(self):
        result = self.rename(name="Store.load", line=None)
        self.assertEqual(self.changed(), {"app/store.py": STORE.replace("def load(self)", "def fetch(self)").replace(
            ").load()", ").fetch()")})
        self.assertIn(("app/e.py", 2), [(each["path"], each["line"]) for each in result["structuredContent"]["undecided"]])

    def test_a_variable_stays_in_its_file(self):
        result = self.rename(name="path", new_name="load_path")
        self.assertFalse(result["isError"])
        self.assertEqual(self.changed(), {"app/store.py": STORE.replace("(path)", "(load_path)")})

    def test_a_doubt_keeps_all_files_as_they_are(self):
        result = self.rename(new_name="print")
        self.assertTrue(result["isError"])
        self.assertEqual(set(self.status(result)), {"not_written"})
        self.assertEqual(self.changed(), {})

    def test_what_cannot_be_renamed_is_said(self):
        for arguments, why in (({"line": None}, "give the `line`"), ({"name": "lod", "line": None}, "did you mean 'load'"),
                               ({"line": 1}, "line 1 does not have the name"), ({"line": 99}, "has 8 lines"),
                               ({"new_name": "a b"}, "not a name"), ({"new_name": "class"}, "keyword"),
                               ({"path": "app/notes.md", "line": None}, "Use edit_file"), ({"path": ".env"}, "secrets"),
                               ({"line": 0}, "from 1"), ({"names": 1}, "unknown argument")):
            with self.subTest(arguments):
                result = self.rename(**arguments)
                self.assertTrue(result["isError"])
                self.assertIn(why, result["content"][0]["text"])
        self.assertEqual(self.changed(), {})


if __name__ == "__main__":
    unittest.main()
