"""bench/fast_apply_bench.py with a program in redraft's place that writes what each test says."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "fast_apply_bench.py"
# Answers by command and model, and keeps what it was asked.
STUB = """#!{python}
import json, pathlib, sys
here = pathlib.Path(__file__).parent
model = sys.argv[sys.argv.index("--target") + 1]
asked = {{"arguments": sys.argv[1:]}}
if sys.argv[1] == "edit":
    asked["file"] = pathlib.Path(sys.argv[2]).read_text()
else:
    asked["prompt"] = pathlib.Path(sys.argv[sys.argv.index("--prompt-file") + 1]).read_text()
with open(here / "asked.jsonl", "a") as file:
    file.write(json.dumps(asked) + "\\n")
answer = json.loads((here / "answers.json").read_text())[sys.argv[1] + " " + model]
if isinstance(answer, str):
    print("redraft: error: " + answer, file=sys.stderr)
    sys.exit(1)
print(json.dumps(answer))
"""
SANDBOX = '#!/bin/sh\nshift 2\nexec "$@"\n'
BEFORE = "def add(a, b):\n    return a - b\n"
AFTER = "def add(a, b):\n    return a + b\n"
TASK = {"id": "one", "path": "lib/add.py", "language": "python", "instruction_descriptive": "Add up.", "instruction_lazy": "Mend.",
        "before": BEFORE, "after": AFTER, "tests": "def check(f):\n    assert f(1, 2) == 3\n", "entry_point": "add"}


def answer(text, seconds, tokens, **more):
    return {"text": text, "prefill_seconds": seconds / 4, "decode_seconds": 3 * seconds / 4, "new_tokens": tokens, "prompt_tokens": 100,
            **more}


class FastApply(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program, self.sandbox = self.script("redraft", STUB.format(python=sys.executable)), self.script("sandbox", SANDBOX)
        self.answers = {"edit big": answer(AFTER, 8, 40), "edit small": answer(AFTER, 1, 42),
                        "generate big": answer("So:\n```python\n... existing code ...\n    return a + b\n```\nDone.", 3, 12)}

    def script(self, name, text):
        file = self.folder / name
        file.write_text(text)
        file.chmod(0o755)
        return str(file)

    def bench(self, *arguments, tasks=(TASK,), code=0):
        (self.folder / "answers.json").write_text(json.dumps(self.answers))
        data = self.folder / "tasks.jsonl"
        data.write_text("".join(json.dumps(task) + "\n" for task in tasks))
        done = subprocess.run([sys.executable, str(SCRIPT), "--data", str(data), "--program", self.program, "--sandbox", self.sandbox,
                               "--target", "big", "--apply-model", "small", "--out", str(self.folder / "out.jsonl"), *arguments],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def lines(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def test_the_target_plans_and_the_small_model_applies(self):
        printed = self.bench("--pass-at-1")
        direct, plan, apply = self.lines("asked.jsonl")
        for edit, model in ((direct, "big"), (apply, "small")):
            self.assertEqual(edit["arguments"][0], "edit")
            self.assertEqual(edit["arguments"][1].rpartition("/")[2], "add.py")
            self.assertEqual(edit["file"], BEFORE)
            self.assertEqual(edit["arguments"][edit["arguments"].index("--target") + 1], model)
        self.assertIn("Add up.", direct["arguments"])
        for part in ("add.py", BEFORE, "Add up.", "... existing code ..."):
            self.assertIn(part, plan["prompt"])
        instruction = apply["arguments"][apply["arguments"].index("--instruction") + 1]
        self.assertTrue(instruction.endswith("... existing code ...\n    return a + b\n"), instruction)
        self.assertNotIn("Add up.", instruction)
        self.assertNotIn("```", instruction)
        directly, in_two = self.lines("out.jsonl")
        self.assertEqual((directly["seconds"], directly["tokens"], directly["exact"], directly["passed"]), (8, 40, True, True))
        self.assertEqual((in_two["seconds"], in_two["tokens"], in_two["exact"], in_two["passed"]), (4, 54, True, True))
        self.assertIn("plan and apply takes 0.50 times as long, by 1 tasks", printed)
        self.assertIn("plan 3.00 s, apply 1.00 s", printed)
        self.assertIn("1 of 1 passed", printed)

    def test_what_comes_out_is_judged(self):
        self.answers["edit small"] = answer(BEFORE, 1, 42)
        self.answers["edit big"] = answer("def add(a, b): return b + a \n", 8, 40)
        self.bench("--pass-at-1")
        directly, in_two = self.lines("out.jsonl")
        self.assertEqual((directly["exact"], directly["passed"]), (False, True))
        self.assertEqual((in_two["exact"], in_two["passed"]), (False, False))
        self.bench()
        self.assertEqual([record["passed"] for record in self.lines("out.jsonl")], [None, None])

    def test_blanks_at_the_ends_of_lines_do_not_count(self):
        self.answers["edit big"] = answer(AFTER.replace("b):", "b):  ") + "\n", 8, 40)
        self.bench()
        self.assertTrue(self.lines("out.jsonl")[0]["exact"])

    def test_a_second_answer_is_paid_for(self):
        self.answers["edit big"]["repair"] = {"seconds": 2, "new_tokens": 5}
        self.bench()
        directly = self.lines("out.jsonl")[0]
        self.assertEqual((directly["seconds"], directly["tokens"]), (10, 45))

    def test_what_fails_is_counted_apart(self):
        self.answers["edit small"] = "the prompt is too long"
        printed = self.bench("--pass-at-1", tasks=[TASK, {**TASK, "id": "two"}])
        self.assertEqual([record["failed"] for record in self.lines("out.jsonl")],
                         [None, "redraft: error: the prompt is too long"] * 2)
        self.assertIn("   2 failed", printed)
        self.assertIn("0 of 2 passed", printed)
        self.assertIn("nothing to compare", printed)
        self.answers["generate big"] = answer("```\n```\n", 1, 3)
        self.bench()
        self.assertEqual(self.lines("out.jsonl")[1]["failed"], "the plan is empty")

    def test_which_tasks_are_run(self):
        tasks = [{**TASK, "id": "none", "before": None}, TASK, {**TASK, "id": "two"}]
        self.bench("--limit", "1", "--instruction", "lazy", tasks=tasks)
        self.assertEqual([record["id"] for record in self.lines("out.jsonl")], ["one", "one"])
        self.assertIn("Mend.", self.lines("asked.jsonl")[0]["arguments"])
        self.assertIn("no task has a text", self.bench(tasks=tasks[:1], code=2))
        self.assertIn("--program", self.bench("--program", "/none", code=2))


if __name__ == "__main__":
    unittest.main()
