"""tools/trace_story.py on traces that are written here."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "trace_story.py"
HEAD = {"redraft_token_trace": 1, "version": "0", "target": "m", "device": "cpu"}


def begin(decode=1, **more):
    return {"decode": decode, **more, "purpose": "edit", "decoder": "efficientedit", "prompt_tokens": 9, "original_tokens": 5}


def tokens(*rows, decode=1):
    """Of (pass, phase, origin, text)."""
    return [{"decode": decode, "n": n, "id": 7, "text": text, "origin": origin, "phase": phase, "pass": number, "rows": 3}
            for n, (number, phase, origin, text) in enumerate(rows)]


def end(decode=1):
    return {"decode": decode, "end": "stop", "tokens": 6, "passes": 7, "rows": 21}


EDIT = tokens((1, "reuse", "reuse", "a\n"), (1, "reuse", "reuse", "b\n\n"), (2, "generate", "model", "x"),
              (2, "generate", "target", "y\n"), (4, "generate", "target", "z"), (7, "reuse", "reuse", "c\n"))


class Story(unittest.TestCase):
    def tell(self, *lines, arguments=()):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "t.jsonl"
            file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
            return subprocess.run([sys.executable, "-B", SCRIPT, file, *arguments], capture_output=True, text=True)

    def test_phase_by_phase(self):
        done = self.tell(HEAD, begin(task="t1"), *EDIT, end())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([" ".join(line.split()) for line in done.stdout.splitlines()], [
            "decode 1: edit of t1 by efficientedit; 9 tokens of prompt, 5 of the original",
            "passes phase tokens lines guessed by",
            "1 reuse 2 3 reuse 2",
            "2-4 generate 3 1 target 2, model 1; 1 of the passes wrote nothing",
            "5-7 reuse 1 1 reuse 1; 2 of the passes wrote nothing",
            "reuse: 3 + 1 lines, 3 tokens in 4 passes",
            "generate: 1 lines, 3 tokens in 3 passes",
            "6 tokens in 7 passes of 21 rows together; stop"])

    def test_several_decodes_and_one_of_them(self):
        lines = [HEAD, begin(), *EDIT, end(), begin(2), *tokens((1, "reuse", "reuse", "a"), decode=2)]
        done = self.tell(*lines)
        self.assertEqual(done.stdout.count("decode "), 2)
        self.assertTrue(done.stdout.endswith("the end is missing\n"))
        done = self.tell(*lines, arguments=["--decode", "2", "--text"])
        self.assertTrue(done.stdout.startswith("decode 2:"))
        self.assertIn("    | a\n", done.stdout)
        self.assertEqual(self.tell(*lines, arguments=["--decode", "3"]).returncode, 1)

    def test_what_is_no_trace(self):
        for lines, problem in [(["{}"], "not a trace of tokens"), (["[]"], "line 1"), (["x"], "line 1"),
                               ([HEAD, "{"], "line 2"), ([HEAD, *EDIT], "line 2"), ([HEAD, begin(), "7"], "line 3")]:
            done = self.tell(*lines)
            self.assertEqual(done.returncode, 1)
            self.assertIn(problem, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
