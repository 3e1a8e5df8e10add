"""redraft bench quality with real weights: the 0.5B model on edits of our own."""

import json
import re
import unittest

from redraft_process import InFolder, run

TARGET = ("--target", "qwen2.5-coder-0.5b")
BEFORE = "import os\n\n\n" + "".join(
    f"def size_{i}(path):\n    value = os.path.getsize(path)\n    return value + {i}\n\n\n" for i in range(40))
TASKS = [{"id": "rename", "language": "python", "path": "sizes.py", "before": BEFORE,
          "after": BEFORE.replace("    value = os.path.getsize(path)\n    return value + 20\n",
                                  "    size = os.path.getsize(path)\n    return size + 20\n"),
          "instruction": "Rename value to size."},
         {"id": "no reference", "language": "python", "path": "b.py", "before": "a = 1\n", "instruction": "Go."}]


class QualityBench(InFolder):
    def setUp(self):
        super().setUp()
        self.tasks = self.folder / "tasks.jsonl"
        self.tasks.write_text("".join(json.dumps(task) + "\n" for task in TASKS))
        self.out = self.folder / "records.jsonl"

    def bench(self, *arguments):
        return run("bench", "quality", "--data", str(self.tasks), "--out", str(self.out), *TARGET, *arguments)

    def record(self):
        return json.loads(self.out.read_text())

    def test_an_edit_is_compared_with_its_reference(self):
        result = self.bench()
        self.assertRegex(self.assert_succeeds(result), r"1 tasks .* changed lines in the region 100 % .* left out 1")
        self.assertIn("left out: no reference", result.stderr.decode())
        record = self.record()
        self.assertEqual((record["id"], record["region_lines"], record["changed_lines"]), ("rename", 3, 4))
        self.assertEqual(record["changed_lines_in_region"], 4)
        self.assertGreater(record["new_tokens"], 10)
        self.assertIn("os.path.getsize(path)\n", record["written"])

    def test_a_dry_run_asks_nothing_of_the_model(self):
        self.assert_succeeds(self.bench("--dry-run"))
        whole = self.record()
        self.assertEqual((whole["passes"], whole["made_hunks"]), (0, 0))
        self.out.unlink()
        self.assert_succeeds(self.bench("--dry-run", "--context-tokens", "0"))
        self.assertLess(self.record()["prompt_tokens"], whole["prompt_tokens"])

    def test_figures_of_another_run_are_not_overwritten(self):
        self.out.write_text("precious")
        result = self.bench("--dry-run")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(re.search("is there already", result.stderr.decode()), result.stderr.decode())
        self.assertEqual(self.out.read_text(), "precious")

    def test_a_file_without_tasks_is_refused(self):
        self.tasks.write_text("")
        self.assertNotEqual(self.bench().returncode, 0)


if __name__ == "__main__":
    unittest.main()
