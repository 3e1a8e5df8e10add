"""`redraft models check` and what remembers its result, with a model of random weights, which is what a model looks like that
was loaded wrongly. That models of published weights are plausible is in model_check_model_test.py."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from redraft_process import PROGRAM, InFolder, run

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "lsp"))
from lsp_client import Client  # noqa: E402

FAULT = "is probably loaded wrongly. The model does not predict ordinary code: its perplexity is "


class ModelCheck(InFolder):
    def setUp(self):
        super().setUp()
        self.model = str(self.folder / "tiny.gguf")
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], self.model, "1"], check=True)
        self.environment = {f"XDG_{name.upper()}_HOME": str(self.folder / name) for name in ("cache", "data", "state", "config")}

    def run_here(self, *words, **more):
        return run(*words, environment={**self.environment, **more})

    def check(self, *words, **more):
        return self.run_here("models", "check", self.model, *words, **more)

    def kept(self):
        return list((self.folder / "cache" / "redraft" / "checks").glob("*.json"))

    def doctor(self):
        return self.run_here("doctor", "--quick", "--target", self.model)

    def test_a_model_that_predicts_nothing_is_a_fault(self):
        checked = self.check("--format", "json")
        self.assertEqual(checked.returncode, 1)
        message = checked.stderr.decode()
        self.assertIn(f"redraft: error: {self.model} {FAULT}", message)
        self.assertIn("Compare the SHA-256 of the file with that of its publisher", message)
        report = json.loads(checked.stdout)
        self.assertEqual(list(report), ["model", "device", "tokenizer", "chat", "perplexity", "settings", "drafts",
                                        "rows_per_second", "faults", "seconds"])
        self.assertEqual((report["model"], report["device"]), (self.model, "cpu"))
        self.assertEqual((report["tokenizer"]["not_covered"], report["tokenizer"]["faults"]), (0, []))
        self.assertGreater(report["tokenizer"]["texts"], 10)
        self.assertEqual((report["chat"]["format"], report["chat"]["complete"]), ("ChatML", True))
        perplexity = report["perplexity"]
        self.assertGreater(min(perplexity["code"], perplexity["shuffled"]), perplexity["max_plausible"])
        self.assertEqual((report["settings"]["tokens"], len(report["settings"]["others"])), (512, 2))
        self.assertEqual((report["drafts"]["identical"], report["drafts"]["tokens"]), (True, 96))
        self.assertGreater(min(report["rows_per_second"].values()), 0)
        self.assertTrue(report["faults"][0].startswith("The model does not predict ordinary code"), report["faults"])

    def test_text_says_the_same_and_doctor_remembers_it(self):
        self.assertIn("checked   not yet: `redraft models check ", self.doctor().stdout.decode())
        checked = self.check()
        self.assertEqual(checked.returncode, 1)
        report = checked.stdout.decode()
        self.assertRegex(report, r"(?m)^tokenizer   (\d+) of \1 texts came back as they were$")
        self.assertRegex(report, r"(?m)^chat        ChatML: <\|im_start\|> is token \d+, <\|im_end\|> is token \d+$")
        self.assertRegex(report, r"(?m)^settings    [\d.]+ on 512 tokens of code as the file states them; [\d.]+ with a base of")
        self.assertRegex(report, r"(?m)^drafts      96 tokens in \d+ passes, identical to plain decoding$")
        self.assertNotIn("verdict", report)
        self.assertEqual(len(self.kept()), 1)
        doctor = self.doctor()
        self.assertEqual(doctor.returncode, 1)
        self.assertIn(FAULT, doctor.stderr.decode())
        (file,) = self.kept()
        kept = json.loads(file.read_text())
        file.write_text(json.dumps({**kept, "fault": "", "perplexity": 2.5}))
        self.assertIn("checked   plausible: perplexity 2.50 on built-in code", self.assert_succeeds(self.doctor()))

    def test_nothing_is_remembered_where_the_cost_is_pinned(self):
        self.assertEqual(self.check(REDRAFT_PINNED_COST="1:0.05,64:0.06").returncode, 1)
        self.assertEqual(self.kept(), [])

    def test_bad_input(self):
        self.assert_fails(self.run_here("models", "check"), 2, "NAME")
        self.assert_fails(self.run_here("models", "check", "missing"), 1, "missing")
        broken = self.write("broken.gguf", b"GGUF")
        self.assert_fails(self.run_here("models", "check", broken), 1, "broken.gguf")
        self.assert_fails(self.check("--format", "xml"), 2, "--format")

    # In an editor

    def server(self, *options, **more):
        client = Client([PROGRAM, "lsp", "--no-share", "--no-index", "--target", self.model, *options],
                        env={**os.environ, **self.environment, **more})
        self.addCleanup(client.close)
        client.request("initialize", {"processId": None, "capabilities": {
            "textDocument": {"inlineCompletion": {}}, "experimental": {"redraft": {"streamedEdits": True}}}})
        client.notify("initialized")
        client.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///tmp/a.py", "languageId": "python", "version": 1,
                                                                "text": "x = 1\n"}})
        return client

    def reason_of(self, client):
        """The reason in the status, once the model is loaded."""
        client.notification("$/redraft/status", lambda status: status["state"] == "ready")
        return " ".join(client.request("redraft/status")["reasons"])

    def test_the_first_load_in_an_editor_checks_quietly_and_tells_a_fault_once(self):
        client = self.server()
        self.assertNotIn(FAULT, self.reason_of(client))
        told = client.notification("window/showMessage")
        self.assertEqual(told["type"], 2)
        self.assertIn(f"redraft: The model, {self.model}, {FAULT}", told["message"])
        client.notification("$/redraft/status", lambda status: FAULT in " ".join(status["reasons"]))
        self.assertIn(FAULT, self.reason_of(client))
        client.close()
        self.assertEqual(len(self.kept()), 1)
        before = self.kept()[0].stat().st_mtime_ns
        again = self.server()
        self.assertIn(FAULT, self.reason_of(again))
        self.assertEqual(again.all("window/showMessage"), [], "the user knows it")
        again.close()
        self.assertEqual(self.kept()[0].stat().st_mtime_ns, before)
        self.assertIn(FAULT, self.doctor().stderr.decode())

    def test_a_model_for_completions_is_checked_too(self):
        other = str(self.folder / "other.gguf")
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], other, "2"], check=True)
        self.check()
        client = self.server("--completion-model", other)
        client.request("textDocument/inlineCompletion", {"textDocument": {"uri": "file:///tmp/a.py"},
                                                         "position": {"line": 0, "character": 5}, "context": {"triggerKind": 1}})
        told = client.notification("window/showMessage")
        self.assertIn(f"redraft: The model for completions, {other}, {FAULT}", told["message"])


if __name__ == "__main__":
    unittest.main()
