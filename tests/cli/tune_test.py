"""`redraft tune run` and `redraft tune eval` with a tiny model that knows nothing: files, going on, and refusals."""

import json
import os
import pathlib
import signal
import subprocess
import unittest
import xml.dom.minidom

import tune_examples
from redraft_process import PROGRAM, TIME_LIMIT, InFolder, run

WRITE_MODEL = os.environ["REDRAFT_WRITE_MODEL"]
SMALL = ("--rank", "2", "--warmup", "1", "--learning-rate", "0.02", "--threads", "1")


class Tune(InFolder):
    def setUp(self):
        super().setUp()
        self.model = str(self.folder / "tiny.gguf")
        subprocess.run([WRITE_MODEL, self.model, "1"], check=True)
        self.data = self.write("data.jsonl", tune_examples.lines(range(5)).encode())
        self.out = self.folder / "out"

    def arguments(self, *options, out=None, data=None):
        return ("tune", "run", "--model", self.model, "--data", data or self.data, "--out", str(out or self.out), *SMALL,
                *options)

    def tune(self, *options, **places):
        return run(*self.arguments("--batch", "2", "--epochs", "3", *options, **places))


class Runs(Tune):
    def test_a_run_leaves_an_adapter_and_its_losses(self):
        report = json.loads(self.assert_succeeds(self.tune("--format", "json", "--held-out", self.data, "--evaluate-every", "4")))
        self.assertEqual((report["finished"], report["steps"], report["steps_in_all"]), (True, 9, 9))
        table = [line.split(",") for line in (self.out / "losses.csv").read_text().splitlines()]
        self.assertEqual(len(table), 10)
        held_out = [row[0] for row in table[1:] if row[7]]
        self.assertEqual(held_out, ["4", "8", "9"])
        self.assertLess(float(table[9][7]), float(table[1][1]))
        self.assertAlmostEqual(report["held_out"], float(table[9][7]), places=5)
        xml.dom.minidom.parse(str(self.out / "loss.svg"))
        config = json.loads((self.out / "adapter_config.json").read_text())
        self.assertEqual((config["r"], config["peft_type"], config["base_model_name_or_path"]), (2, "LORA", self.model))
        self.assertEqual({path.name for path in self.out.iterdir()},
                         {"adapter_config.json", "adapter_model.safetensors", "checkpoint", "loss.svg", "losses.csv"})

    def test_progress_says_what_is_left(self):
        process = self.tune()
        self.assert_succeeds(process)
        lines = process.stderr.decode().splitlines()
        self.assertEqual(len(lines), 9)
        self.assertRegex(lines[0], r"^step 1/9 · loss \d+\.\d+ · right \d+\.\d % · rate 0 · \d+\.\d s · .* left$")

    def test_the_same_run_gives_the_same_bytes(self):
        adapters = []
        for name, options in (("a", ()), ("b", ()), ("c", ("--seed", "2")), ("d", ("--loss", "sft"))):
            self.assert_succeeds(self.tune(*options, out=self.folder / name))
            adapters.append((self.folder / name / "adapter_model.safetensors").read_bytes())
        self.assertEqual(adapters[0], adapters[1])
        self.assertEqual(len(set(adapters)), 3)

    def test_an_interrupted_run_goes_on(self):
        self.assert_succeeds(self.tune("--steps", "40"))
        whole = (self.out / "adapter_model.safetensors").read_bytes()
        out = self.folder / "interrupted"
        arguments = self.arguments("--batch", "2", "--epochs", "3", "--steps", "40", out=out)
        stops = 0
        for last in (3, 20, 40):
            process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for line in process.stderr:
                if line.startswith(f"step {last}/"):
                    process.send_signal(signal.SIGINT)
                    break
            stdout, _ = process.communicate(timeout=TIME_LIMIT)
            stops += process.returncode == 130
            if process.returncode == 130:
                self.assertIn("the same command continues from there", stdout)
                self.assertTrue((out / "adapter_model.safetensors").exists())
        self.assertGreaterEqual(stops, 1)
        self.assert_succeeds(run(*arguments))
        self.assertEqual((out / "adapter_model.safetensors").read_bytes(), whole)

    def test_a_finished_run_is_not_repeated(self):
        self.assert_succeeds(self.tune())
        again = self.tune()
        self.assertIn("9 steps in", self.assert_succeeds(again))
        self.assertNotIn("step 1/", again.stderr.decode())


class Refusals(Tune):
    def test_another_run_in_the_folder(self):
        self.assert_succeeds(self.tune())
        self.assert_fails(self.tune("--seed", "7"), 1, "seed 1, not 7", "--out")
        other = self.write("other.jsonl", tune_examples.lines(range(5, 10)).encode())
        self.assert_fails(self.tune(data=other), 1, "its run has data ")
        self.assert_succeeds(self.tune("--seed", "7", "--restart"))

    def test_an_adapter_from_elsewhere_is_not_replaced(self):
        self.out.mkdir()
        (self.out / "adapter_model.safetensors").write_bytes(b"precious")
        self.assert_fails(self.tune(), 1, "has an adapter without a checkpoint", "--restart")
        self.assertEqual((self.out / "adapter_model.safetensors").read_bytes(), b"precious")

    def test_a_damaged_checkpoint(self):
        self.assert_succeeds(self.tune())
        checkpoint = self.out / "checkpoint"
        checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
        self.assert_fails(self.tune(), 1, "damaged")

    def test_bad_examples(self):
        for text, said in ((b"", "empty"), (b"{}\n", "has no prompt"), (b"[1]\n", "data.jsonl:1"),
                           (tune_examples.lines([1]).encode() + b"x\n", "data.jsonl:2")):
            self.assert_fails(self.tune(data=self.write("bad-data.jsonl", text)), 1, said)
        self.assert_fails(self.tune(data=str(self.folder / "none")), 1, "none")
        self.assertFalse((self.out / "checkpoint").exists())

    def test_long_examples_are_left_out(self):
        process = self.tune("--max-tokens", "16")
        self.assertEqual(process.returncode, 1)
        self.assertIn("5 of 5 examples are longer than 16 tokens and left out", process.stderr.decode())
        self.assertIn("no example is left to learn from", process.stderr.decode())

    def test_linear_layers_that_do_not_exist(self):
        self.assert_fails(self.tune("--adapt", "q_proj,k_prj"), 2, "did you mean k_proj?")
        self.assert_fails(self.tune("--adapt", "q_proj,q_proj"), 2, "twice")

    def test_models_that_do_not_exist(self):
        self.assert_fails(self.run_alone("tune", "run", "--model", "none", "--data", self.data, "--out", str(self.out)), 1, "none")


class Evaluation(Tune):
    def evaluate(self, *options):
        return run("tune", "eval", "--draft", self.model, "--data", self.data, "--threads", "1", *options)

    def test_a_model_that_knows_nothing(self):
        report = json.loads(self.assert_succeeds(self.evaluate("--format", "json")))
        self.assertEqual((report["examples"], report["gamma"], report["phases"]), (5, 7, 10))
        self.assertGreater(report["all"]["tokens"], report["learnt"]["tokens"])
        self.assertGreaterEqual(report["tokens_per_pass"], 1)
        self.assertLess(report["acceptance"], 0.5)
        # Its loss is about that of a guess among all of its 300 tokens.
        self.assertAlmostEqual(report["learnt"]["loss"], 5.7, delta=2)

    def test_a_model_drafts_perfectly_for_itself(self):
        report = json.loads(self.assert_succeeds(self.evaluate("--target", self.model, "--format", "json", "--gamma", "3")))
        self.assertEqual(report["acceptance"], 1)
        self.assertGreater(report["tokens_per_pass"], 3)
        self.assertLess(report["target_agreement"], 1)

    def test_limits_and_text(self):
        text = self.assert_succeeds(self.evaluate("--limit", "2"))
        self.assertRegex(text, r"generate \d\.\d\d tokens a pass, .* 4 phases in 2 examples")

    def test_other_vocabularies_cannot_draft(self):
        folder = pathlib.Path(__file__).resolve().parents[1] / "cases" / "tiny_models" / "qwen2"
        self.assertEqual(self.evaluate("--target", str(folder)).returncode, 1)


if __name__ == "__main__":
    unittest.main()
