"""redraft bench skips on a tiny model with random weights."""

import json
import os
import re
import signal
import subprocess
import unittest

from redraft_process import PROGRAM, InFolder, run

TEXT = "".join(f"value_{i} = {i}\n" for i in range(6))
PINNED = "1:0.01,64:0.02"  # what passes cost decides which set is the best


class Skips(InFolder):
    def setUp(self):
        super().setUp()
        for name, seed in (("target", 1), ("other", 2)):
            subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(self.folder / f"{name}.gguf"), str(seed)], check=True)
        self.data = self.folder / "data"
        (self.data / "edit").mkdir(parents=True)
        self.tasks = self.data / "edit" / "canitedit.jsonl"
        self.tasks.write_text("".join(
            json.dumps({"id": name, "instruction_lazy": "Sort.", "instruction_descriptive": "Sort the lines.", "path": "a.py",
                        "before": TEXT, "after": TEXT}) + "\n" for name in ("one", "two", "three")))

    def environment(self, cache="cache"):
        return {"XDG_CACHE_HOME": str(self.folder / cache), "REDRAFT_PINNED_COST": PINNED}

    def command(self, *arguments, model="target", limit="2", tokens="20"):
        return ["bench", "skips", "--data", str(self.tasks), "--target", str(self.folder / f"{model}.gguf"), "--limit", limit,
                "--max-new-tokens", tokens, *arguments]

    def search(self, *arguments, cache="cache", **options):
        return self.assert_succeeds(run(*self.command(*arguments, **options), environment=self.environment(cache)))

    def generate(self, decoder, model="target"):
        return run("generate", "--prompt", "def f(", "--max-new-tokens", "12", "--decoder", decoder, "--target",
                   str(self.folder / f"{model}.gguf"), environment=self.environment())

    def stored(self):
        return [json.loads(file.read_text())["skipped"] for file in (self.folder / "cache" / "redraft" / "skips").iterdir()]

    def test_selfspec_uses_what_was_found_for_its_model(self):
        self.assert_fails(self.generate("selfspec"), 1, "redraft bench skips", "skip=a3-5+m6")
        printed = self.search()
        best = re.findall(r"^set \d+: .* x plain decoding: .* tokens/pass: (\S+)$", printed, re.MULTILINE)[-1]
        self.assertEqual(self.stored(), [best])
        self.assertIn(f"target.gguf: {best}\n", printed)
        written = self.assert_succeeds(self.generate("selfspec"))
        self.assertEqual(written, self.assert_succeeds(self.generate("ar")))
        self.assertEqual(written, self.assert_succeeds(self.generate(f"selfspec:skip={best}")))
        self.assert_fails(self.generate("selfspec", model="other"), 1, "redraft bench skips")

    def test_a_seed_decides_the_search(self):
        first = self.search("--evaluations", "12", "--seed", "3")
        self.assertEqual(self.search("--evaluations", "12", "--seed", "3", cache="elsewhere"), first)
        begun = re.search(r"^set 1: .*: (\S+)$", self.search("--evaluations", "1"), re.MULTILINE).group(1)
        self.assertEqual([begun], self.stored())
        self.assertTrue(first.endswith(f": {begun}\n"), "a later search begins with what is stored")

    def test_interrupted_it_keeps_the_best_so_far(self):
        process = subprocess.Popen([PROGRAM, *self.command(limit="3", tokens="4000")], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, **self.environment()})
        found = process.stdout.readline().decode()
        self.assertTrue(found.startswith("set 1: "), found)
        process.send_signal(signal.SIGINT)
        rest, message = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, message)
        kept = re.search(r"gguf: (\S+)\n$", rest.decode()).group(1)
        self.assertEqual(self.stored(), [kept])

    def test_results_say_what_was_left_out(self):
        def table(name):
            self.assert_succeeds(run("bench", "papers", name, "--data", str(self.data), "--out", str(self.folder / "out"), "--target",
                                     str(self.folder / "target.gguf"), "--draft", str(self.folder / "other.gguf"), "--limit", "1",
                                     "--no-tests", environment=self.environment()))
            return json.loads((self.folder / "out" / "canitedit-lazy.json").read_text())["settings"]

        self.assertNotIn("skipped_layers", table("efficientedit-f5"))
        self.search()
        self.assertEqual([table("efficientedit-3")["skipped_layers"]], self.stored())

    def test_wrong_usage(self):
        self.assert_fails(run("bench", "skips"), 2, "--data")
        self.assert_fails(run(*self.command("--kind", "poems")), 2, "poems")
        missing = run("bench", "skips", "--data", str(self.tasks), "--kind", "dialogue", "--target", str(self.folder / "target.gguf"),
                      environment=self.environment())
        self.assert_fails(missing, 1, "no task can be run as dialogue")


if __name__ == "__main__":
    unittest.main()
