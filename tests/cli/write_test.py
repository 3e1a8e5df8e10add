"""--write writes what has no doubt; --yes writes all. No model is there: what is tested needs none."""

import json
import unittest

from redraft_process import InFolder, run

STORE = """class Store:
    count = 0

    def add(self, other):
        self.count += other.count
        return other.count
"""
CERTAIN = STORE.replace("    count", "    size").replace("self.count", "self.size")
ALL = STORE.replace("count", "size")
RENAME = ("rename count to size", "--range", "2:5-2:5")

CODE = "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n"
# The second block adds a function that the file has.
BLOCKS = """<<<<<<< SEARCH
    return 1
=======
    return os.getpid()
>>>>>>> REPLACE
<<<<<<< SEARCH
def second():
=======
def first():
    return 3


def second():
>>>>>>> REPLACE
"""
FIRST_BLOCK = CODE.replace("return 1", "return os.getpid()")
TWICE = "'first' is defined twice"


class Write(InFolder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "store.py"
        self.store.write_text(STORE)
        self.code = self.folder / "code.py"
        self.code.write_text(CODE)

    def rename(self, *arguments):
        return self.run_alone("edit", str(self.store), *RENAME, *arguments)

    def apply(self, *arguments, change=BLOCKS):
        return self.run_alone("apply", str(self.code), "--change", "-", *arguments, input=change)

    def test_what_is_uncertain_is_left_out_and_said(self):
        done = self.rename("--write")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.store.read_text(), CERTAIN)
        said = done.stderr.decode()
        self.assertRegex(said, r"redraft: not written: lines 5, 6: .*'count' of 'other'")
        self.assertIn(f"wrote 2 of 4 changes to {self.store}. To write all of them, add --yes", said)
        self.assertNotIn("check this edit", said)

    def test_on_request_all_is_written(self):
        done = self.rename("--write", "--yes")
        self.assert_succeeds(done)
        self.assertEqual(self.store.read_text(), ALL)
        self.assertIn(b"check this edit", done.stderr)
        self.assertNotIn(b"not written", done.stderr)

    def test_without_write_nothing_is_different(self):
        done = self.rename()
        shown = self.assert_succeeds(done)
        self.assertIn("+        self.size += other.size\n", shown)
        self.assertIn(b"check this edit", done.stderr)
        self.assertNotIn(b"--yes", done.stderr)
        self.assertEqual(self.store.read_text(), STORE)

    def test_yes_without_write_is_a_mistake(self):
        self.assert_fails(self.rename("--yes"), 2, "--yes", "--write")
        self.assertEqual(self.store.read_text(), STORE)

    def test_what_has_no_doubt_is_written_as_before(self):
        done = self.run_alone("edit", str(self.code), "rename first to one", "--write")
        self.assert_succeeds(done)
        self.assertEqual(self.code.read_text(), CODE.replace("first", "one"))

    def test_every_format_shows_all_of_it(self):
        for form, all_of_it in (("diff", "+        self.size += other.size\n"), ("text", ALL)):
            with self.subTest(form):
                self.store.write_text(STORE)
                done = self.rename("--write", "--format", form)
                self.assertEqual(done.returncode, 3)
                self.assertIn(all_of_it, done.stdout.decode())
                self.assertEqual(self.store.read_text(), CERTAIN)

    def test_json_has_each_change_and_what_was_written(self):
        report = json.loads(self.rename("--write", "--format", "json").stdout)
        self.assertEqual(report["text"], ALL)
        self.assertEqual(report["written_text"], CERTAIN)
        self.assertEqual(len(report["changes"]), 4)
        for change in report["changes"]:
            self.assertEqual(change["decided_by"], "tree")
            self.assertEqual(change["written"], change["doubt"] is None)
        self.assertEqual([c["range"] for c in report["changes"] if c["doubt"]], ["5:29-5:34", "6:1-7:1"])
        self.assertEqual([c["new_text"] for c in report["changes"]][0], "    size = 0\n")

    def test_json_without_write(self):
        report = json.loads(self.assert_succeeds(self.rename("--format", "json")))
        self.assertEqual((report["text"], report["written_text"]), (ALL, None))
        self.assertEqual({change["written"] for change in report["changes"]}, {False})

    def test_parts_of_a_change_are_written_one_by_one(self):
        done = self.apply("--write")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.code.read_text(), FIRST_BLOCK)
        self.assertIn("not written: line 8: " + TWICE, done.stderr.decode())
        self.assertIn("wrote 1 of 2 changes", done.stderr.decode())
        self.code.write_text(CODE)
        self.assert_succeeds(self.apply("--write", "--yes"))
        self.assertEqual(self.code.read_text(), FIRST_BLOCK.replace("def second", "def first():\n    return 3\n\n\ndef second"))

    def test_who_decided_an_applied_change(self):
        by = {"lines": BLOCKS, "tree": "```python\ndef first():\n    return os.getpid()\n```\n"}
        for who, change in by.items():
            report = json.loads(self.assert_succeeds(self.apply("--format", "json", change=change)))
            self.assertEqual({each["decided_by"] for each in report["changes"]}, {who})

    def test_where_all_is_doubtful_the_file_stays(self):
        doubtful = BLOCKS.split(">>>>>>> REPLACE\n", 1)[1]
        before = self.code.stat().st_mtime_ns
        done = self.apply("--write", change=doubtful)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("wrote 0 of 1 changes", done.stderr.decode())
        self.assertEqual((self.code.read_text(), self.code.stat().st_mtime_ns), (CODE, before))

    def test_a_file_that_cannot_be_written_is_an_error(self):
        self.store.chmod(0o444)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        done = self.rename("--write")
        if done.returncode == 3:
            self.skipTest("this user may write everywhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"not written", done.stderr)

    def test_standard_input_has_no_file_to_write(self):
        done = run("edit", "-", "--language", "python", "rename count to size", "--write", input=STORE)
        self.assert_fails(done, 2, "--write cannot write to standard input")


if __name__ == "__main__":
    unittest.main()
