"""`redraft models check` calls published weights plausible."""

import json
import os
import pathlib
import struct
import tempfile
import unittest

from redraft_process import RedraftCase, run


class PublishedWeights(RedraftCase):
    def check(self, name):
        with tempfile.TemporaryDirectory() as folder:
            checked = run("models", "check", name, "--format", "json",
                          environment={"XDG_CACHE_HOME": str(pathlib.Path(folder) / "cache")})
        return json.loads(self.assert_succeeds(checked))

    def test_are_plausible(self):
        for name, perplexity, passes in (("smollm2-135m", 5.5, 96), ("qwen2.5-coder-0.5b", 4, 48)):
            with self.subTest(model=name):
                report = self.check(name)
                self.assertEqual(report["faults"], [])
                self.assertEqual(report["tokenizer"]["faults"], [])
                self.assertEqual((report["chat"]["format"], report["chat"]["complete"]), ("ChatML", True))
                found = report["perplexity"]
                self.assertLess(found["code"], perplexity)
                self.assertGreater(found["shuffled"], 2 * found["code"])
                self.assertTrue(report["drafts"]["identical"])
                self.assertEqual(report["drafts"]["tokens"], 96)
                self.assertLessEqual(report["drafts"]["passes"], passes)

    def test_a_wrong_base_of_the_rope_is_found_and_named(self):
        """Its perplexity alone, 4.9 to 5.3 instead of 4.6, would be plausible."""
        store = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share") / "redraft/models"
        content = (store / "smollm2-135m-instruct-q4_1.gguf").read_bytes()
        key = b"llama.rope.freq_base" + struct.pack("<I", 6)
        at = content.index(key) + len(key)
        (base,) = struct.unpack_from("<f", content, at)
        with tempfile.TemporaryDirectory() as folder:
            for factor, better in ((8, "that is an eighth as large"), (1 / 8, "that is 8 times as large")):
                with self.subTest(factor=factor):
                    file = pathlib.Path(folder) / "faulty.gguf"
                    file.write_bytes(content[:at] + struct.pack("<f", base * factor) + content[at + 4:])
                    checked = run("models", "check", str(file), environment={"XDG_CACHE_HOME": folder})
                    self.assertEqual(checked.returncode, 1)
                    self.assertIn(f"The model predicts the code better with a base of the rope {better}", checked.stderr.decode())


if __name__ == "__main__":
    unittest.main()
