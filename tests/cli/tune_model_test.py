"""`redraft tune run` with real weights: the 135M model learns a handful of examples by heart."""

import json
import unittest

import tune_examples
from redraft_process import InFolder, run

MODEL = "smollm2-135m"


class Overfitting(InFolder):
    def test_a_handful_of_examples(self):
        data = self.write("data.jsonl", tune_examples.lines(range(4)).encode())
        out = self.folder / "out"
        report = json.loads(self.assert_succeeds(run(
            "tune", "run", "--model", MODEL, "--data", data, "--out", str(out), "--batch", "4", "--steps", "12",
            "--warmup", "2", "--learning-rate", "1e-3", "--dropout", "0", "--format", "json", timeout=3000)))
        losses = [float(line.split(",")[1]) for line in (out / "losses.csv").read_text().splitlines()[1:]]
        self.assertEqual(len(losses), 12)
        self.assertEqual(losses[0], losses[1])  # the rate of the first step is 0
        self.assertGreater(losses[0], 0.5)
        self.assertLess(report["loss"], 0.05)
        self.assertEqual(report["accuracy"], 1)

    def test_precisions_agree(self):
        data = self.write("data.jsonl", tune_examples.lines(range(2)).encode())
        losses = []
        for precision in ("f32", "bf16"):
            out = self.folder / precision
            report = json.loads(self.assert_succeeds(run(
                "tune", "run", "--model", MODEL, "--data", data, "--out", str(out), "--batch", "2", "--steps", "2",
                "--warmup", "1", "--dropout", "0", "--precision", precision, "--format", "json", timeout=3000)))
            losses.append(report["loss"])
        self.assertAlmostEqual(losses[0], losses[1], delta=0.02 * losses[0])
        self.assertNotEqual(losses[0], losses[1])


if __name__ == "__main__":
    unittest.main()
