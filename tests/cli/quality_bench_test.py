"""redraft bench quality on a tiny model with random weights: what is measured, kept, continued and compared."""

import json
import os
import signal
import subprocess
import time
import unittest

from redraft_process import PROGRAM, TIME_LIMIT, InFolder, run

PINNED = "1:0.01,64:0.02"  # what passes cost decides regions and prompts
BEFORE = "import os\n\n\n" + "".join(f"def size_{i}(path):\n    value = old(path)\n    return value + {i}\n\n\n" for i in range(6))
AFTER = BEFORE.replace("old(path)", "fresh(path)")
EDITS = [{"id": f"edit/{i}", "language": "python", "path": "sizes.py", "before": BEFORE, "after": AFTER,
          "instruction_descriptive": "Call fresh.", "instruction_lazy": "fresh"} for i in range(4)]
COMMIT = {"id": "commit/1", "language": "python", "path": "sizes.py", "before": BEFORE, "after": AFTER,
          "instruction": "call fresh", "commit": "12", "recent_edits": []}
PLACES = [{"id": f"place/{i}", "language": "python", "prefix": f"def f{i}():\n    x = ", "suffix": "\n", "reference": "1"}
          for i in range(4)]


class QualityBench(InFolder):
    def setUp(self):
        super().setUp()
        for name, seed in (("target", 1), ("other", 2)):
            subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(self.folder / f"{name}.gguf"), str(seed)], check=True)
        self.edits = self.tasks("edits", EDITS)
        self.commits = self.tasks("commits", [COMMIT])
        self.places = self.tasks("places", PLACES)
        self.out = self.folder / "out.jsonl"

    def tasks(self, name, tasks):
        return self.write(f"{name}.jsonl", "".join(json.dumps(task) + "\n" for task in tasks).encode())

    def environment(self):
        return {"XDG_CACHE_HOME": str(self.folder / "cache"), "REDRAFT_PINNED_COST": PINNED}

    def command(self, *data, model="target", out=None):
        return ["bench", "quality", *[argument for file in data for argument in ("--data", file)], "--target",
                str(self.folder / f"{model}.gguf"), "--out", str(out or self.out)]

    def bench(self, *data, options=(), **others):
        return run(*self.command(*data, **others), *options, environment=self.environment())

    def records(self, out=None):
        first, *lines = [json.loads(line) for line in (out or self.out).read_text().splitlines()]
        self.assertIn("quality", first)
        return lines

    def ids(self):
        return [record["id"] for record in self.records()]

    def test_files_are_measured_by_the_fields_of_their_tasks(self):
        printed = self.assert_succeeds(self.bench(self.edits, self.commits, self.places, options=["--gates", "0,0.4"]))
        for title in ("**edits**: 5 tasks;", "**completion**: 4 tasks;", "**next-edits**: 1 tasks, 4 questions;"):
            self.assertIn(title, printed)
        self.assertIn("; `redraft bench quality --data edits.jsonl --data commits.jsonl --data places.jsonl --gates 0,0.4 "
                      "--target target.gguf`", printed)
        records = self.records()
        self.assertEqual([record["measure"] for record in records], ["edits"] * 5 + ["completion"] * 4 + ["next-edits"] * 4)
        self.assertEqual([each["min_probability"] for each in records[5]["suggestions"]], [0, 0.4])
        self.assertEqual(records[-1]["question"], "after the commit")
        self.assertTrue(all(record["passes"] > 0 for record in records[:9]))

    def test_of_commits_one_measure_can_be_chosen(self):
        self.assert_succeeds(self.bench(self.commits, options=["--measure", "next-edits"]))
        self.assertEqual({record["measure"] for record in self.records()}, {"next-edits"})

    def test_the_default_gate_is_that_of_the_setting(self):
        self.assert_succeeds(self.bench(self.places, options=["--limit", "1"]))
        self.assertEqual([each["min_probability"] for each in self.records()[0]["suggestions"]], [0.4])

    def test_a_file_is_continued(self):
        self.assert_succeeds(self.bench(self.places, options=["--limit", "2"]))
        self.assertEqual(self.ids(), ["place/0", "place/1"])
        with self.out.open("a") as file:
            file.write('{"measure": "completion", "id": "pla')
        result = self.bench(self.places)
        self.assertIn("**completion**: 4 tasks;", self.assert_succeeds(result))
        self.assertIn("continuing after the 2 measurements", result.stderr.decode())
        self.assertEqual(self.ids(), ["place/0", "place/1", "place/2", "place/3"])
        kept = self.out.read_bytes()
        again = self.assert_succeeds(self.bench(self.places))
        self.assertEqual(self.out.read_bytes(), kept)
        self.assertEqual(again, self.assert_succeeds(self.bench_of_one_file("--report", self.out)))

    def bench_of_one_file(self, *arguments):
        return run("bench", "quality", *map(str, arguments), environment=self.environment())

    def test_a_file_of_other_settings_is_not_continued(self):
        self.assert_succeeds(self.bench(self.edits, options=["--limit", "1"]))
        kept = self.out.read_bytes()
        for setting, change in (("instruction", {"options": ["--instruction", "lazy"]}),
                                ("context_tokens", {"options": ["--context-tokens", "9"]}), ("target", {"model": "other"})):
            self.assert_fails(self.bench(self.edits, **change), 1, f"another '{setting}'", "--compare")
        self.assert_fails(self.bench(self.edits, self.places), 1, "another 'data'")
        self.assertEqual(self.out.read_bytes(), kept)

    def test_a_file_of_something_else_stays_as_it_is(self):
        for text in ("precious", "precious\n"):
            self.out.write_text(text)
            self.assert_fails(self.bench(self.edits), 1, "out.jsonl")
            self.assertEqual(self.out.read_text(), text)

    def test_interrupted_it_keeps_what_was_measured(self):
        places = self.tasks("many", [{**PLACES[0], "id": f"place/{i}"} for i in range(5000)])
        process = subprocess.Popen([PROGRAM, *self.command(places)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **self.environment()})
        end = time.monotonic() + TIME_LIMIT
        while not (self.out.exists() and self.out.read_bytes().count(b"\n") > 2) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        printed, message = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, 130, message)
        kept = self.ids()
        self.assertLess(len(kept), 5000)
        self.assertIn(f"**completion**: {len(kept)} tasks;", printed.decode())
        self.assertIn(f"{len(kept)} measurements are kept in {self.out}", message.decode())
        self.assert_succeeds(self.bench(places, options=["--limit", str(len(kept) + 1)]))
        self.assertEqual(self.ids(), [*kept, f"place/{len(kept)}"])

    def test_halves_are_told_apart_and_make_the_whole(self):
        def halves():
            return {record["half"] for record in self.records()}

        dev = self.assert_succeeds(self.bench(self.places, options=["--half", "dev"]))
        self.assertEqual(halves(), {"dev"})
        self.assertNotIn("| test |", dev)
        test = self.assert_succeeds(self.bench(self.places, options=["--half", "test"]))
        self.assertNotIn("| dev |", test)
        self.assertEqual(sorted(self.ids()), [task["id"] for task in PLACES])
        both = self.assert_succeeds(self.bench_of_one_file("--report", self.out))
        for line in (dev + test).splitlines():
            if "| gate 0.4 |" in line:
                self.assertIn(line, both)
        self.assert_fails(self.bench(self.places, options=["--half", "0"]), 2, "--half")

    def test_two_files_are_compared(self):
        other = self.folder / "other.jsonl"
        self.assert_succeeds(self.bench(self.edits))
        self.assert_succeeds(self.bench(self.edits, model="other", out=other, options=["--limit", "3"]))
        printed = self.assert_succeeds(self.bench_of_one_file("--compare", self.out, other))
        self.assertIn("Different settings:\n\n- model: \"target.gguf\", then \"other.gguf\"", printed)
        self.assertIn("edits: left out, because the other has not measured them: 1 of the first, 0 of the second.", printed)
        self.assertRegex(printed, r"\| exact hunks \| \d \| \d+ % \| \d+ % \| [+-]\d+\.\d")
        same = self.assert_succeeds(self.bench_of_one_file("--compare", self.out, self.out))
        self.assertIn("The settings are the same.", same)
        self.assert_fails(self.bench_of_one_file("--compare", self.out, self.places), 1, "places.jsonl")

    def test_what_cannot_be_measured_is_left_out_once_and_counted(self):
        tasks = self.tasks("tasks", [EDITS[0], {"id": "no reference", "before": "a = 1\n", "instruction": "Go."},
                                     {"id": "neither", "prompt": "def f"}])
        result = self.bench(tasks)
        self.assertIn("**edits**: 1 tasks (1 left out);", self.assert_succeeds(result))
        self.assertIn("left out: no reference: has no whole file before and after", result.stderr.decode())
        self.assertIn("left out: neither: has no text 'before' to edit, and has no 'prefix'", result.stderr.decode())
        self.assertEqual(self.records()[1]["left_out"], "has no whole file before and after")
        again = self.bench(tasks)  # it is tried again: a file may be there by now
        self.assertIn("**edits**: 1 tasks (1 left out);", self.assert_succeeds(again))
        self.assertIn("left out: no reference", again.stderr.decode())

    def test_a_dry_run_asks_nothing_of_the_model(self):
        self.assert_succeeds(self.bench(self.commits, options=["--dry-run"]))
        [whole] = self.records()
        self.assertEqual((whole["measure"], whole["passes"], whole["made_hunks"]), ("edits", 0, 0))
        self.out.unlink()
        self.assert_succeeds(self.bench(self.commits, options=["--dry-run", "--context-tokens", "0"]))
        self.assertLess(self.records()[0]["prompt_tokens"], whole["prompt_tokens"])

    def test_a_file_without_tasks_is_refused(self):
        self.assert_fails(self.bench(self.tasks("none", [])), 1, "there is no task to measure")
        self.assert_fails(self.bench_of_one_file(), 2, "--data", "--compare", "--report")


if __name__ == "__main__":
    unittest.main()
