"""That the stories can be played: their data says what both editors' drivers know, and docs/stories.md shows all of it."""

import json
import re
import unittest

import stories

DRIVERS = {"neovim": stories.HERE / "neovim" / "stories.lua", "vscode": stories.HERE / "vscode" / "stories.js"}


def pictures(story):
    return [step["picture"] for step in story["steps"] if "picture" in step]


def members(text, begin, pattern):
    """The names that `pattern` finds in the part of a JavaScript source that `begin` opens."""
    part = text[text.index(begin):]
    return set(re.findall(pattern, part[:part.index("\n};")], re.MULTILINE))


class Data(unittest.TestCase):
    def setUp(self):
        self.told = stories.load()

    def test_a_story_has_what_the_drivers_need(self):
        names = [story["name"] for story in self.told["stories"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(sum("title" in story for story in self.told["stories"]), 5)
        for story in self.told["stories"]:
            with self.subTest(story["name"]):
                self.assertTrue(stories.source_of(story).is_file(), story["file"])
                text = stories.source_of(story).read_text(encoding="utf-8")
                line, column = stories.place_of(story["cursor"], text)
                rest = text.splitlines()[line - 1][column - 1:]
                self.assertTrue(rest.startswith(story["cursor"].partition("^")[2]), rest)
                self.assertLess(story["above"], min(line, story["rows"]))
                self.assertTrue(pictures(story))

    def test_every_step_is_of_one_known_kind(self):
        for story in self.told["stories"]:
            for step in story["steps"]:
                with self.subTest(story["name"], step=step):
                    (kind,) = [kind for kind in stories.KINDS if kind in step]
                    if kind == "press":
                        self.assertIn(step["press"], self.told["keys"])
                    if kind == "wait":
                        self.assertIn(step["wait"], stories.WAITS)
                        self.assertEqual("text" in step, step["wait"] in ("region", "cursor", "text"))

    def test_a_key_is_one_of_each_editor_and_is_used(self):
        pressed = {step["press"] for story in self.told["stories"] for step in story["steps"] if "press" in step}
        self.assertEqual(pressed, set(self.told["keys"]))
        for name, keys in self.told["keys"].items():
            self.assertEqual(set(keys), set(stories.EDITORS), name)
            self.assertTrue(any(keys.values()), name)

    def test_both_drivers_know_every_step(self):
        lua = DRIVERS["neovim"].read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"^function steps\.(\w+)", lua, re.MULTILINE)), set(stories.KINDS))
        self.assertEqual(set(re.findall(r"^(?:function waits\.|waits\[')(\w+)", lua, re.MULTILINE)), set(stories.WAITS))
        js = DRIVERS["vscode"].read_text(encoding="utf-8")
        member = r"^  (?:async )?(\w+)(?:\(|: )"
        self.assertEqual(members(js, "const steps = {", member), set(stories.KINDS))
        self.assertEqual(members(js, "const waits = {", member), set(stories.WAITS))

    def test_a_place_is_found_once(self):
        self.assertEqual(stories.place_of("b^c", "a\n bc\n"), (2, 3))
        for cursor, text in [("bc", "bc"), ("b^c", "bc bc"), ("b^c", "")]:
            with self.assertRaises(ValueError):
                stories.place_of(cursor, text)


class Document(unittest.TestCase):
    def setUp(self):
        self.stories = stories.load()["stories"]
        self.text = stories.DOCUMENT.read_text(encoding="utf-8")

    def test_the_table_is_that_of_the_seconds(self):
        seconds = json.loads(stories.SECONDS.read_text(encoding="utf-8"))
        self.assertEqual(self.text, stories.with_table(self.text, self.stories, seconds), "tests/editors/stories.py --table writes it")
        for story in self.stories:
            self.assertEqual(set(seconds["stories"][story["name"]]), set(stories.EDITORS))

    def test_pictures_are_there_shown_and_small(self):
        wanted = {f"{editor}-{name}.{ending}" for editor, ending in stories.ENDINGS.items()
                  for story in self.stories for name in pictures(story)}
        self.assertEqual({file.name for file in stories.IMAGES.iterdir()}, wanted)
        readme = (stories.ROOT / "README.md").read_text(encoding="utf-8")
        shown = set(re.findall(r"\]\(images/([^)]*)\)", self.text)) | set(re.findall(r"\]\(docs/images/([^)]*)\)", readme))
        self.assertEqual(shown, wanted)
        sizes = {file.name: file.stat().st_size for file in stories.IMAGES.iterdir()}
        self.assertEqual([name for name, size in sizes.items() if size > 100_000], [])
        self.assertLess(sum(sizes.values()), 700_000)

    def test_seconds_are_said_as_they_are_known(self):
        told = {"conditions": {"runs": 3, "day": "2026-01-02", "cores": 2, "processor": "P", "load": [0.5, 0.6]},
                "stories": {"a": {"neovim": [{"hunk": 1.0, "end": 3.04}, {"hunk": 2.0, "end": 3.0}, {"hunk": 9.0, "end": 3.1}],
                                  "vscode": [{"proposal": 0.0123}]}, "b": {"neovim": [{"hunk": 1.0}]}}}
        table = stories.table([{"name": "a", "title": "A"}, {"name": "b"}], told).splitlines()
        self.assertEqual(table[-2:], ["| A | Neovim | 2.0 s | 3.0 s |", "| A | VS Code | 12 ms | 12 ms |"])
        self.assertIn("Medians of 3 runs on 2026-01-02; 2 cores of P", " ".join(table))
        for load, busy in (([0.5, 6.0], False), ([2.5, 3.0], True), ([0.5, 9.0], True)):
            told["conditions"]["load"] = load
            said = stories.table([{"name": "a", "title": "A"}], told)
            self.assertEqual("did much else" in said, busy, load)


if __name__ == "__main__":
    unittest.main()
