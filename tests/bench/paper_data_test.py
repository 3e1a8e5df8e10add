"""bench/paper_data.py on data made up here."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "paper_data.py"
SUM = {"task_id": 7, "prompt": "Add up.", "code": "def add(a, b):\n    return a + b\n", "test": ["assert add(1, 2) == 3"],
       "requirements": {"Exception Handling": {"requirement": "Refuse text.", "unit_test": "assert add"},
                        "Code Standard": {"requirement": "Docstrings.", "unit_test": ["assert add.__doc__"]}}}
REPO = {"namespace": "a.b.c", "code": "def c():\n    pass\n", "test": ["tests/test_c.py::test_c"],
        "requirements": {"Edge Case Handling": {"requirement": "Empty text too.", "unit_test": "def test_c(): assert 1"}}}


class PaperData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "new" / "tasks.jsonl"

    def convert(self, kind, content, *arguments):
        file = self.folder / "own.jsonl"
        lines = content if isinstance(content, str) else "".join(json.dumps(each) + "\n" for each in content)
        file.write_bytes(lines.encode(errors="surrogateescape"))
        return subprocess.run([sys.executable, str(SCRIPT), kind, str(file), "--out", str(self.out), *arguments],
                              capture_output=True, text=True)

    def tasks(self, *arguments):
        done = self.convert(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def problem(self, *arguments):
        done = self.convert(*arguments)
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(self.out.exists())
        return done.stderr

    def test_an_edit_for_each_requirement(self):
        first, second, third = self.tasks("codeif", [SUM, REPO], "--level", "1")
        self.assertEqual(first["id"], "codeif-l1/7/Exception Handling")
        self.assertEqual((first["instruction"], first["before"]), ("Refuse text.", SUM["code"]))
        self.assertEqual(first["tests"], "assert add(1, 2) == 3\n\nassert add\n")
        self.assertEqual((second["category"], second["language"]), ("Code Standard", "python"))
        self.assertIsNone(third["tests"], "a repository's tests are names")

    def test_the_code_of_a_models_first_round(self):
        answers = self.folder / "answers.jsonl"
        answers.write_text(json.dumps({"task_id": "7", "completion": "Sure:\n```python\nadd = sum\n```\nDone."}) + "\n")
        first = self.tasks("codeif", [SUM], "--level", "2", "--answers", str(answers))[0]
        self.assertEqual((first["before"], first["id"][:9]), ("add = sum\n", "codeif-l2"))
        self.out.unlink()
        self.assertIn("no answer to a.b.c", self.problem("codeif", [SUM, REPO], "--level", "2", "--answers", str(answers)))

    def test_dialogues(self):
        tasks = self.tasks("gsm8k", [{"question": f"How many {{article}} {i}?", "answer": "1"} for i in range(120)])
        self.assertEqual(len(tasks), 100)
        self.assertEqual(len(tasks[0]["turns"]), 3)
        self.assertTrue(tasks[3]["turns"][0].endswith("How many {article} 3?"))
        self.assertEqual(len(self.tasks("gsm8k", [{"question": "x"}] * 9, "--limit", "4")), 4)
        self.assertEqual(len(self.tasks("cnn-dm", [{"article": "It rained."}])[0]["turns"]), 1)

    def test_bad_input_is_named(self):
        self.assertIn("own.jsonl:2: not JSON", self.problem("gsm8k", '{"question": "x"}\n{"question"\n'))
        self.assertIn("has no text 'question'", self.problem("gsm8k", [{"question": 3}]))
        self.assertIn("not an object", self.problem("cnn-dm", "[]\n"))
        self.assertIn("nothing to convert", self.problem("cnn-dm", "\n"))
        self.assertIn("not UTF-8", self.problem("cnn-dm", "\udcff\n"))
        self.assertIn("neither", self.problem("codeif", [{"code": "x"}], "--level", "1"))
        self.assertIn("requirements", self.problem("codeif", [{"task_id": 1, "code": "x"}], "--level", "1"))
        self.assertIn("twice", self.problem("codeif", [SUM, SUM], "--level", "1"))
        self.assertIn("No such file", subprocess.run(
            [sys.executable, str(SCRIPT), "gsm8k", str(self.folder / "none"), "--out", str(self.out)],
            capture_output=True, text=True).stderr)

    def test_whatever_the_file_holds(self):
        chosen = random.Random(4)
        sound = json.dumps(SUM) + "\n"
        for _ in range(12):
            text = list(sound)
            for _ in range(3):
                text[chosen.randrange(len(text))] = chosen.choice('{}[],:"0x\n')
            done = self.convert("codeif", "".join(text), "--level", "1")
            self.assertIn(done.returncode, (0, 1))
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
