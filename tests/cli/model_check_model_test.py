"""`redraft models check` calls published weights plausible."""

import json
import pathlib
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


if __name__ == "__main__":
    unittest.main()
