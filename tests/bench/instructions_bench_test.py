"""bench/instructions_bench.py against the language server with a scripted model: what it requests, counts and reports.

Exits with 77 (skipped) where tree-sitter is not installed (requirements.lock)."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
SERVER = os.environ["REDRAFT_SCRIPTED_SERVER"]
EDITS = [{"instruction": "make it const", "find": "size() {", "replace": "size() const {"},
         {"instruction": "mark it override", "find": '  std::string name() const { return "square"; }\n', "replace": "  // the name\n"},
         {"instruction": "list", "find": "    return sum(values)", "replace": "    return sum(values)"},
         {"instruction": "comprehension", "find": "    names = []", "replace": "    names = list()"}]
RIGHT, LOST, SAME, WRONG = "cpp/make-const", "cpp/mark-override", "python/handle-empty", "python/comprehension"


class InstructionsBench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        script = self.folder / "script.json"
        script.write_text(json.dumps({"edits": EDITS, "record": str(self.folder / "shown")}))
        self.program = self.folder / "redraft"  # `redraft lsp …`, whatever the options
        self.program.write_text(f'#!/bin/sh\nexec "{SERVER}" "{script}"\n')
        self.program.chmod(0o755)

    def run_bench(self, *options, code=0):
        run = subprocess.run([sys.executable, "-B", str(REPOSITORY / "bench" / "instructions_bench.py"), "--program", str(self.program),
                              *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def test_what_came_of_each(self):
        out = self.folder / "out.jsonl"
        run = self.run_bench("--no-tests", "--out", str(out), *(f"--task={name}" for name in (RIGHT, LOST, SAME, WRONG)))
        told = {record["id"]: record for record in map(json.loads, out.read_text().splitlines())}
        self.assertEqual({name: record["accepted"] for name, record in told.items()},
                         {RIGHT: True, LOST: False, SAME: False, WRONG: False})
        self.assertEqual(told[SAME]["faults"], ["nothing changed"])
        self.assertEqual([name for name, record in told.items() if record["destructive"]], [LOST])
        self.assertIn("Square.name is gone", told[LOST]["destructive"])
        self.assertTrue(told[LOST]["doubts"])  # the server noticed too
        self.assertIn("+  std::size_t size() const {", told[RIGHT]["change"])
        self.assertGreater(told[RIGHT]["newTokens"], 0)
        of_all = {line.split()[1]: line.split()[2:7] for line in run.stdout.splitlines() if line.startswith("all ")}
        self.assertEqual(of_all, {"dev": ["1", "0", "0", "0", "0"], "test": ["3", "1", "1", "0", "1"]})
        self.assertRegex(run.stdout, r"4 tasks · digest [0-9a-f]{12} · ")

    def test_a_half_and_a_language(self):
        out = self.folder / "out.jsonl"
        self.run_bench("--no-tests", "--half=test", "--language=cpp", "--out", str(out))
        told = [json.loads(line) for line in out.read_text().splitlines()]
        self.assertTrue(all(record["half"] == 1 and record["language"] == "cpp" for record in told))
        self.assertIn(RIGHT, [record["id"] for record in told])
        self.assertNotIn("cpp/rename-variable", [record["id"] for record in told])

    def test_the_cursor_alone_or_a_selection(self):
        out = self.folder / "out.jsonl"
        self.run_bench("--no-tests", "--out", str(out), f"--task={SAME}", f"--task={WRONG}")
        cursor, selection = map(json.loads, out.read_text().splitlines())
        self.assertEqual(cursor["region"], [41, 44])  # the function, which the server found
        self.assertIsNone(selection["region"])
        shown = (self.folder / "shown").read_text(errors="replace")
        self.assertIn("replace the loop by a comprehension", shown)

    def test_wrong_options_say_what_to_do(self):
        self.assertIn("there is no task python/nothing; there are python/add-docstring, ",
                      self.run_bench("--no-tests", "--task=python/nothing", code=2).stderr)
        self.assertIn("ninja -C build run_sandboxed", self.run_bench("--sandbox=/nowhere", code=2).stderr)
        self.assertIn("is there already", self.run_bench("--no-tests", f"--out={self.program}", code=2).stderr)


if __name__ == "__main__":
    if importlib.util.find_spec("tree_sitter") is None:
        print("SKIPPED: tree-sitter is not installed; tools/setup.py tests installs it")
        sys.exit(77)
    unittest.main()
