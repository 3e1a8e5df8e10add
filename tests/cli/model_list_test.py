"""`redraft models list` and `models show`, and the advice of `redraft doctor`: what is in the store, whether it runs, what it
needs and how fast it would be here."""

import json
import os
import shutil
import struct
import subprocess
import unittest

from pull_any_test import header
from redraft_process import InFolder, run


def without_training_to_fill_in(content):
    """The same model with the pre-tokenizer of Qwen3.5. Its tensors stay where they are, because the name gets shorter."""
    def value(key, text):
        return key + struct.pack("<IQ", 8, len(text)) + text
    for key, old, new in ((b"general.name", b"tiny", b"tin"), (b"tokenizer.ggml.pre", b"qwen2", b"qwen35")):
        assert content.count(value(key, old)) == 1
        content = content.replace(value(key, old), value(key, new))
    return content


class Listing(InFolder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "data" / "redraft" / "models"
        self.store.mkdir(parents=True)
        self.tiny = self.store / "tiny.gguf"
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], self.tiny, "1"], check=True)

    def run_here(self, *words):
        return run(*words, environment={"XDG_DATA_HOME": str(self.folder / "data"), "XDG_CACHE_HOME": str(self.folder / "cache")})

    def listed(self):
        models = json.loads(self.assert_succeeds(self.run_here("models", "list", "--format", "json")))
        return {model["name"]: model for model in models}

    def measure(self):
        """Costs of passes are measured with the first decode, and kept."""
        run = self.run_here("generate", "--target", "tiny.gguf", "--prompt", "x", "--max-new-tokens", "2")
        self.assertEqual(run.returncode, 0, run.stderr)  # what it writes may be no UTF-8

    def test_what_a_file_is(self):
        tiny = self.listed()["tiny.gguf"]
        self.assertEqual({name: tiny[name] for name in ("present", "known", "architecture", "supported", "context_length")},
                         {"present": True, "known": False, "architecture": "qwen2", "supported": True, "context_length": 8192})
        self.assertEqual(tiny["bytes"], self.tiny.stat().st_size)
        # Of layers: attention, whose keys and values have one head, the feed-forward block, norms and biases.
        layer = 64 * (128 + 64 + 64 + 128) + 3 * 64 * 96 + 2 * 64 + 128 + 64 + 64
        self.assertEqual(tiny["parameters"], 2 * 300 * 64 + 2 * layer + 64)
        self.assertGreater(tiny["memory_needed"], tiny["bytes"])

    def test_those_that_are_known_come_first_and_say_what_they_would_need(self):
        names = list(self.listed())
        self.assertEqual(names[-1], "tiny.gguf")
        first = self.listed()[names[0]]
        self.assertEqual((first["present"], first["known"]), (False, True))
        self.assertGreater(first["memory_needed"], first["bytes"])

    def test_what_does_not_run_says_why(self):
        (self.store / "state.gguf").write_bytes(header("mamba"))
        (self.store / "cut.GGUF").write_bytes(self.tiny.read_bytes()[:-1])
        (self.store / "page.gguf").write_bytes(b"<!DOCTYPE html>")
        (self.store / ".hidden.gguf").write_bytes(b"")
        (self.store / "notes.txt").write_bytes(b"")
        folder = self.store / "folder"
        folder.mkdir()
        (folder / "config.json").write_text('{"model_type": "mamba"}')
        listed = self.listed()
        why = {name: model["why_not"] for name, model in listed.items() if "why_not" in model}
        self.assertEqual(sorted(why), ["cut.GGUF", "folder", "page.gguf", "state.gguf"])
        self.assertIn("architecture 'mamba' is not supported", why["state.gguf"])
        self.assertEqual(listed["state.gguf"]["architecture"], "mamba")
        self.assertIn("truncated?", why["cut.GGUF"])
        self.assertEqual(why["page.gguf"], "not a GGUF file")
        self.assertNotIn("memory_needed", listed["page.gguf"])

    def test_a_speed_is_known_once_something_was_measured(self):
        self.assertIsNone(self.listed()["tiny.gguf"]["tokens_per_second"])
        self.assertIn("its speed on this machine is unknown", self.assert_succeeds(self.run_here("models", "list")))
        shutil.copy(self.tiny, self.store / "twin.gguf")
        self.measure()
        listed = self.listed()
        tiny, twin = listed["tiny.gguf"], listed["twin.gguf"]
        self.assertEqual((tiny["speed_measured"], twin["speed_measured"]), (True, False))
        self.assertAlmostEqual(twin["tokens_per_second"] / tiny["tokens_per_second"], 1)  # it has as many bytes
        larger = listed["qwen2.5-coder-1.5b"]["tokens_per_second"]
        self.assertLess(larger, tiny["tokens_per_second"] / 1000)

    def test_a_cost_of_another_program_counts_as_none_and_says_nothing(self):
        self.measure()
        (file,) = (self.folder / "cache" / "redraft" / "cost").glob("*.json")
        cost = json.loads(file.read_text())
        cost["key"]["program"] = "another"
        file.write_text(json.dumps(cost))
        listing = self.run_here("models", "list")
        self.assertIn("its speed on this machine is unknown", self.assert_succeeds(listing))
        self.assertEqual(listing.stderr, b"")

    def test_recommends_models_by_memory(self):
        listing = self.assert_succeeds(self.run_here("models", "list"))
        self.assertIn("recommended by memory (this machine has ", listing)
        for fragment in ("`redraft models pull qwen2.5-coder-1.5b` (the default; no account is needed)",
                         "from 8 GB: Qwen3.5-4B", "from 16 GB: Qwen3.5-9B", "from 32 GB: Qwen3.6-35B-A3B",
                         "`redraft models pull unsloth/Qwen3.6-35B-A3B-GGUF:Q4_K_M`", "21.3 GB, Apache-2.0; needs ",
                         "completions need `--completion-model qwen2.5-coder-1.5b`",
                         "never run by redraft's authors with published weights"):
            self.assertIn(fragment, listing)
        self.assertNotIn("tokens/s", listing.split("recommended", 1)[1])
        self.measure()
        self.assertRegex(self.assert_succeeds(self.run_here("models", "list")).split("recommended", 1)[1],
                         r"about [\d.]+ tokens/s without drafts \(by another model's passes\)")

    def test_show(self):
        shown = self.assert_succeeds(self.run_here("models", "show", "tiny.gguf"))
        self.assertRegex(shown, r"^qwen2, \d+ k parameters, Q\d\w*; needs 1\.0 GiB")
        (self.store / "state.gguf").write_bytes(header("mamba"))
        self.assert_fails(self.run_here("models", "show", "state.gguf"), 1, "architecture 'mamba' is not supported")
        self.assert_fails(self.run_here("models", "show", "none.gguf"), 1, "none.gguf")

    def test_doctor_names_a_model_that_fits(self):
        advice = self.advice()
        self.assertIn("tiny.gguf, the largest here that fits: below", advice)  # by the bandwidth of the memory alone
        self.measure()
        self.assertIn("about", self.advice())
        self.tiny.unlink()
        self.assertRegex(self.advice(), "`redraft models pull |none: ")

    def test_a_model_that_was_not_trained_to_fill_in(self):
        self.assertTrue(self.listed()["tiny.gguf"]["completes"])
        self.assertNotIn("complete ", self.doctor("tiny.gguf"))
        (self.store / "hybrid.gguf").write_bytes(without_training_to_fill_in(self.tiny.read_bytes()))
        listed = self.listed()["hybrid.gguf"]
        self.assertFalse(listed["completes"])
        self.assertIn("do not document that it was trained", listed["why_no_completions"])
        self.assertRegex(self.assert_succeeds(self.run_here("models", "show", "hybrid.gguf")),
                         r"completions need another model \(completion.model\)\nno completions: .*Set completion.model ")
        self.assertRegex(self.doctor("hybrid.gguf"), r"(?m)^complete  not with hybrid.gguf: .*Set completion.model ")
        self.assertRegex(self.doctor("hybrid.gguf", "--completion-model", "tiny.gguf"),
                         "(?m)^complete  with tiny.gguf, because hybrid.gguf is not known")
        code = self.write("a.py", b"x = \ny = 2\n")
        self.assert_fails(self.run_here("complete", code, "--at", "1:5", "--target", "hybrid.gguf"), 1,
                          "do not document that it was trained", "Set completion.model ")
        edit = self.run_here("generate", "--target", "hybrid.gguf", "--prompt", "x", "--max-new-tokens", "2")
        self.assertEqual(edit.returncode, 0, edit.stderr)

    def doctor(self, target, *words):
        return self.run_here("doctor", "--quick", "--target", target, *words).stdout.decode()

    def advice(self):
        report = self.run_here("doctor", "--quick").stdout.decode().splitlines()
        (line,) = [line for line in report if line.startswith("advice ")]
        return line


if __name__ == "__main__":
    unittest.main()
