"""tools/compare_llama_cpp.py with two fake engines. Needs neither llama.cpp nor weights."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "compare_llama_cpp.py"
# Answers with times of `scale` per row; `quiet` decides what its probe says.
ENGINE = """#!{python}
import sys
print("ready beads", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "probe":
        print("200.0 20.0 {quiet}", flush=True)
    else:
        print({answer}, flush=True)
"""


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "model.gguf"
        self.model.write_bytes(b"weights")

    def engine(self, name, answer="float(words[1]) * 0.1", quiet=1):
        file = self.folder / name
        file.write_text(ENGINE.format(python=sys.executable, answer=answer, quiet=quiet))
        file.chmod(0o755)
        return str(file)

    def compare(self, ours, theirs, *arguments):
        return subprocess.run([sys.executable, str(SCRIPT), "--model", str(self.model), "--pass-timer", ours,
                               "--llama-pass-timer", theirs, "--rows", "1,4", "--prompts", "128", "--rounds", "2",
                               *arguments], capture_output=True, text=True, timeout=120)

    def test_ratios_and_marks(self):
        done = self.compare(self.engine("ours"), self.engine("theirs", "float(words[1]) * 0.2"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\| decode +\| +5\.0 \| +10\.0 \| +2\.00 \| +1\.4 \|")
        self.assertIn("marks reached: 2 of 3; not: 4 rows (2.00 of 2.2)", done.stdout)

    def test_json(self):
        done = self.compare(self.engine("ours"), self.engine("theirs"), "--format", "json")
        report = json.loads(done.stdout)
        self.assertEqual([result["rows"] for result in report["results"]], [1, 4, 128])
        self.assertEqual({result["quiet_samples"] for result in report["results"]}, {2})
        self.assertAlmostEqual(report["results"][0]["ratio"], 1.0)

    def test_a_busy_machine_is_reported(self):
        done = self.compare(self.engine("ours", quiet=0), self.engine("theirs"), "--time-limit", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the machine was never quiet", done.stdout)

    def test_an_engine_that_refuses_or_dies(self):
        refuses = self.compare(self.engine("ours"), self.engine("theirs", "-1.0"))
        self.assertEqual(refuses.returncode, 1)
        self.assertIn("theirs rejects the request: pass 1 32 all", refuses.stderr)
        dies = self.compare(self.engine("ours"), self.engine("theirs", "sys.exit(3)"))
        self.assertEqual(dies.returncode, 1)
        self.assertIn("theirs ended with exit code 3", dies.stderr)

    def test_wrong_numbers_and_missing_programs(self):
        self.assertIn("at least 1", self.compare(self.engine("a"), self.engine("b"), "--rounds", "0").stderr)
        self.assertIn("is missing", self.compare(str(self.folder / "none"), self.engine("b")).stderr)

    def test_if_built_says_how_to_build(self):
        done = subprocess.run([sys.executable, str(SCRIPT), "--if-built", "--llama-cpp", str(self.folder),
                               "--pass-timer", self.engine("ours")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("12 minutes", done.stdout)


if __name__ == "__main__":
    unittest.main()
