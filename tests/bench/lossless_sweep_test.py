"""tools/lossless_sweep.py with a fake redraft whose decoders each differ from plain decoding in one way."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "lossless_sweep.py"
REDRAFT = """#!{python}
import json, sys
decoder = sys.argv[sys.argv.index("--decoder") + 1]
result = {{"output_sha256": "00", "text": "text", "new_tokens": 4, "finish_reason": "stop", "passes": 2, "rows": 4,
          "tokens_per_pass": 2.0, "decode_seconds": 1.0}}
if decoder == "fails": sys.exit("out of memory")
key, _, value = decoder.partition(":")
if value: result[key] = int(value) if key == "new_tokens" else value
print(json.dumps(result))
"""


class Sweep(unittest.TestCase):
    def sweep(self, *decoders):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = folder / "redraft"
            program.write_text(REDRAFT.format(python=sys.executable))
            program.chmod(0o755)
            (folder / "edit").mkdir()
            (folder / "edit" / "canitedit.jsonl").write_text(json.dumps({"id": "one", "before": "x = 1\n" * 50}) + "\n")
            report = folder / "r.json"
            done = subprocess.run([sys.executable, "-B", SCRIPT, "--redraft", program, "--data", folder, "--json", report,
                                   "--decoders", ",".join(decoders)], capture_output=True, text=True)
            return done, [(row["decoder"], row["identical"]) for row in json.loads(report.read_text())]

    def test_what_is_the_same_is_called_identical(self):
        done, verdicts = self.sweep("same")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(verdicts, [("ar", True), ("same", True)])

    def test_each_difference_is_told_of_the_decoder_that_has_it(self):
        flaws = ["output_sha256:01", "text:Text", "same", "new_tokens:5", "finish_reason:length", "alike", "fails"]
        done, verdicts = self.sweep(*flaws)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(verdicts, [(decoder, decoder in ("ar", "same", "alike")) for decoder in ("ar", *flaws)])
        self.assertIn("one: DIFFERENT", done.stdout)

    def test_one_difference_is_enough(self):
        done, _ = self.sweep("same", "finish_reason:length")
        self.assertEqual(done.returncode, 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
