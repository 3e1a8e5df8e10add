"""redraft bench papers on a tiny model with random weights and tasks of our own."""

import json
import os
import subprocess
import unittest

from redraft_process import InFolder, run

TEXT = "".join(f"value_{i} = {i}\n" for i in range(6))
K_SWEEP = ["ar", "efficientedit:entropy", "efficientedit:entropy:k=5", "efficientedit:entropy:k=7"]


class Papers(InFolder):
    def setUp(self):
        super().setUp()
        for name, seed in (("target", 1), ("draft", 2)):
            subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(self.folder / f"{name}.gguf"), str(seed)], check=True)
        self.data = self.folder / "data"
        (self.data / "edit").mkdir(parents=True)
        (self.data / "edit" / "canitedit.jsonl").write_text("".join(
            json.dumps({"id": name, "instruction_lazy": "Sort.", "instruction_descriptive": "Sort the lines.",
                        "path": "a.py", "before": TEXT, "after": TEXT}) + "\n" for name in ("one", "two")))
        self.out = self.folder / "out"

    def papers(self, *arguments):
        return run("bench", "papers", *arguments, environment={"XDG_CACHE_HOME": str(self.folder / "cache")})

    def table(self, name, *arguments, limit="1"):
        self.assert_succeeds(self.papers(
            name, "--data", str(self.data), "--out", str(self.out), "--target", str(self.folder / "target.gguf"),
            "--draft", str(self.folder / "draft.gguf"), "--limit", limit, "--no-tests", *arguments))
        return (self.out / f"{name}.md").read_text()

    def results(self, name="canitedit-lazy"):
        return json.loads((self.out / f"{name}.json").read_text())

    def seconds(self):
        return {task["decoder"]: task["seconds"] for task in self.results()["tasks"]}

    def test_tables_share_their_runs(self):
        text = self.table("efficientedit-f5")
        self.assertIn("| 5 | `efficientedit:entropy:k=5` | ", text)
        self.assertIn("the first 1 tasks", text)
        self.assertIn("Priced, not measured", text)
        self.assertIn("</svg>", (self.out / "efficientedit-f5.svg").read_text())
        before = self.seconds()
        self.assertEqual(sorted(before), K_SWEEP)
        text = self.table("efficientedit-3")
        after = self.seconds()
        self.assertEqual({name: after[name] for name in before}, before, "nothing is decoded again")
        self.assertEqual(set(after) - set(before), {"efficientedit", "efficientedit:direct", "efficientedit:top-k:k=3",
                                                    "efficientedit:top-k:k=5"})
        self.assertIn("- `codeif-l1`: not run, the task file is missing.", text)
        self.assertIn("DeepSeek-Coder 33B and 6.7B: Direct, Top-k=5, Top-k=3, Entropy, Greedy.", text)
        (self.out / "efficientedit-3.md").unlink()
        self.assert_succeeds(self.papers("efficientedit-3", "--out", str(self.out), "--no-run"))
        self.assertEqual(self.seconds(), after)
        self.assertIn("| Direct | `efficientedit:direct` | ", (self.out / "efficientedit-3.md").read_text())
        self.assert_fails(self.papers("efficientedit-3", "--data", str(self.data), "--out", str(self.out), "--target",
                                      str(self.folder / "target.gguf"), "--draft", str(self.folder / "draft.gguf"),
                                      "--no-tests"), 1, "another 'limit'", "--no-run")

    def test_what_an_interrupted_run_had_begun_is_finished(self):
        self.table("efficientedit-f5", limit="2")
        report = self.results()
        log = {key: value for key, value in report["settings"].items() if key != "decoders"}
        begun = [task for task in report["tasks"] if task["id"] == "one"]
        (self.out / "canitedit-lazy.json").unlink()
        (self.out / "canitedit-lazy.json.partial").write_text(
            "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [log, *begun]))
        self.table("efficientedit-3", limit="2")
        tasks = self.results()["tasks"]
        self.assertEqual(len(tasks), 2 * 8)
        kept = {task["decoder"]: task["seconds"] for task in begun}
        self.assertEqual({task["decoder"]: task["seconds"] for task in tasks
                          if task["id"] == "one" and task["decoder"] in kept}, kept)
        self.assertFalse((self.out / "canitedit-lazy.json.partial").exists())

    def test_the_list_and_wrong_usage(self):
        listed = self.assert_succeeds(self.papers())
        for name in ("efficientedit-3", "fastcoder-cache", "copyspec-19", "CoEdPilot"):
            self.assertIn(name, listed)
        self.assert_fails(self.papers("efficientedit-9", "--out", "x"), 2, "no table 'efficientedit-9'", "lists them")
        self.assert_fails(self.papers("efficientedit-4", "--out", "x"), 2, "not reproduced", "CoEdPilot")
        self.assert_fails(self.papers("efficientedit-3"), 2, "--out is missing")
        self.assert_fails(self.papers("efficientedit-3", "--out", str(self.out)), 2, "--data is missing")
        self.assert_fails(self.papers("efficientedit-3", "--out", str(self.out), "--no-run", "--curve", "1:x"), 2, "--curve")

    def test_a_file_that_holds_something_else_is_refused(self):
        self.out.mkdir()
        for content, reason in (("{", "canitedit-lazy.json"), ('{"settings": {"bench": "dialogue"}}', "bench dialogue")):
            (self.out / "canitedit-lazy.json").write_text(content)
            self.assert_fails(self.papers("efficientedit-f5", "--out", str(self.out), "--no-run"), 1, reason)


if __name__ == "__main__":
    unittest.main()
