"""`redraft models check` finds faults of sliding windows, of sinks and of the rotation in the small models that
`tools/setup.py hybrid` trained, and calls these models plausible as they are."""

import json
import os
import pathlib
import subprocess
import unittest

from redraft_process import InFolder, run

MODELS = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "redraft/hybrid-model"
FAULTY_MODEL = pathlib.Path(__file__).resolve().parents[2] / "tools/faulty_model.py"
FAULTS = ("without-window", "window-eighth", "exchanged-rope-bases")
NAMED = {"window-times-8": "with a window of ", "exchanged-rope-bases": "with the rope of layers with and without a window exchanged"}


@unittest.skipUnless((MODELS / "gpt-oss.gguf").exists(), "there are no models: run tools/setup.py hybrid")
class TrainedModels(InFolder):
    def check(self, model):
        checked = run("models", "check", str(model), "--format", "json",
                      environment={"XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertTrue(checked.stdout, checked.stderr.decode())
        return json.loads(checked.stdout)

    def assert_finds(self, architecture, faults):
        model = MODELS / f"{architecture}.gguf"
        sound = self.check(model)
        self.assertEqual(sound["faults"], [])
        self.assertLess(sound["perplexity"]["code"], 2)
        self.assertTrue(sound["drafts"]["identical"])
        for fault in faults:
            with self.subTest(fault=fault):
                changed = self.folder / f"{fault}.gguf"
                subprocess.run([MODELS / "venv/bin/python", FAULTY_MODEL, model, fault, changed], check=True)
                faulty = self.check(changed)
                self.assertTrue(faulty["faults"], faulty["perplexity"])
                self.assertIn("does not predict ordinary code", faulty["faults"][0])
                self.assertIn(NAMED.get(fault, ""), faulty["faults"][-1])
                self.assertTrue(faulty["drafts"]["identical"], "drafts change nothing in a faulty model either")

    def test_gpt_oss(self):
        self.assert_finds("gpt-oss", (*FAULTS, "exchanged-windows", "without-sinks", "window-times-8"))

    def test_mellum(self):
        self.assert_finds("mellum", (*FAULTS, "exchanged-windows", "window-times-8"))

    def test_gemma4(self):
        self.assert_finds("gemma4", FAULTS)


if __name__ == "__main__":
    unittest.main()
