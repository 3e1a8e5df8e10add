"""Every line of the command-line contract, with `redraft` beside `redraft-lab` and with `redraft` alone.

The programs are those that editors and other tools start, so lines, exit codes and the members of what is printed stay as
they are. Lines of the laboratory work through `redraft` where redraft-lab is beside it, and say what is missing elsewhere.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from redraft_process import PROGRAM, TIME_LIMIT, InFolder  # noqa: E402

SOURCE = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
TASK = {"id": "one", "before": SOURCE, "after": SOURCE.replace("a + b", "b + a"), "path": "calc.py", "language": "python",
        "instruction": "swap the operands", "instruction_descriptive": "swap the operands", "instruction_lazy": "swap them"}
DECODED = {"text", "finish_reason", "prompt_tokens", "cached_prompt_tokens", "new_tokens", "passes", "rows", "tokens_per_pass",
           "prefill_seconds", "decode_seconds", "tokens_per_second", "total_tokens_per_second", "accepted_by_source",
           "acceptance_length", "output_sha256", "decoder", "target", "device"}
LSP_EXIT = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}',
    b'{"jsonrpc":"2.0","method":"initialized","params":{}}',
    b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}'))


class Contract(InFolder):
    def setUp(self):
        super().setUp()
        self.model = str(self.folder / "model.gguf")
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], self.model, "1"], check=True)
        self.file = self.write("calc.py", SOURCE.encode())
        self.data = self.write("edits.jsonl", (json.dumps(TASK) + "\n").encode())
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(PROGRAM, alone)
        shutil.copy(pathlib.Path(PROGRAM).with_name("libredraft-transformer.so"), alone)
        self.alone = str(alone / "redraft")

    def line(self, program, *arguments, input=b""):
        environment = {**os.environ, "REDRAFT_PINNED_COST": "1:0.05,64:0.06", "REDRAFT_LSP_IDLE_SECONDS": "0",
                       "XDG_CACHE_HOME": str(self.folder / "cache"), "XDG_DATA_HOME": str(self.folder / "data"),
                       "XDG_RUNTIME_DIR": str(self.folder)}
        return subprocess.run([program, *arguments], input=input, capture_output=True, timeout=TIME_LIMIT, env=environment)

    def json_of(self, program, *arguments, input=b""):
        return json.loads(self.assert_succeeds(self.line(program, *arguments, "--format", "json", input=input)))

    def target(self):
        return ("--target", self.model)

    def edit(self):
        return ("edit", self.file, "--instruction", "swap the operands", "--scope", "whole", "--max-new-tokens", "12", *self.target())

    def test_lines_of_the_product(self):
        for program in (PROGRAM, self.alone):
            with self.subTest(program=program):
                self.assertLessEqual(DECODED, self.json_of(program, *self.edit()).keys())
                ranged = self.json_of(program, "edit", self.file, "--instruction", "swap", "--range", "1:1-2:1", "--scope",
                                      "selection", "--decoder", "ar", "--max-new-tokens", "4", *self.target())
                self.assertEqual(ranged["decoder"], "ar")
                self.assertLessEqual(DECODED, self.json_of(program, "complete", self.file, "--at", "2:5", "--workspace",
                                                           str(self.folder), "--max-new-tokens", "4", *self.target()).keys())
                self.assertLessEqual(DECODED, self.json_of(program, "generate", "--prompt", "x = 1", "--decoder", "redraft",
                                                           "--max-new-tokens", "4", *self.target()).keys())
                ids = self.json_of(program, "tokenize", *self.target(), input=b"x = 1")
                self.assertTrue(ids)
                self.assert_succeeds(self.line(program, "index", str(self.folder), *self.target(), "--format", "json"))
                self.assert_succeeds(self.line(program, "models", "list"))
                self.assertIn(self.line(program, "doctor", *self.target()).returncode, (0, 1))
                self.assertEqual(self.line(program, "lsp", "--stdio", *self.target(), input=LSP_EXIT).returncode, 0)
                self.assert_fails(self.line(program, "edit", self.file, "--instruction", "x", "--decoder", "magic"), 2,
                                  "unknown decoder 'magic'", "redraft", "efficientedit")

    def test_lines_of_the_laboratory(self):
        scored = self.json_of(PROGRAM, "score", self.file, *self.target())
        self.assertLessEqual({"perplexity", "log_probability", "tokens", "scored_tokens"}, scored.keys())
        out = self.folder / "out.json"
        table = self.assert_succeeds(self.line(PROGRAM, "bench", "edits", "--data", self.data, "--decoders", "ar,pld,redraft",
                                               "--limit", "1", "--replay", "--out", str(out), *self.target()))
        self.assertIn("pld", table)
        written = json.loads(out.read_text())
        self.assertEqual([each["decoder"] for each in written["summary"]], ["ar", "pld", "redraft"])
        self.assertLessEqual({"id", "decoder", "new_tokens", "passes", "rows", "seconds", "identical", "cache_asked", "searches"},
                             written["tasks"][0].keys())
        cost = self.json_of(PROGRAM, "bench", "cost", "--rows", "1,8", "--context", "0", "--samples", "1", "--time-limit", "2",
                            *self.target())
        self.assertLessEqual({"machine", "model", "threads", "peak_gmacs", "bandwidth_gbs", "points"}, cost.keys())
        self.assert_fails(self.line(PROGRAM, "bench"), 2, "redraft")
        self.assert_fails(self.line(PROGRAM, "bench", "edits", "--nonsense"), 2, "--nonsense")
        self.assertIn("--data", self.assert_succeeds(self.line(PROGRAM, "bench", "edits", "--help")))
        self.assertIn("head", self.assert_succeeds(self.line(PROGRAM, "tune", "--help")))

    def test_decoders_of_the_laboratory(self):
        for name in ("efficientedit:reuse-only", "fastcoder", "copyspec", "efficientedit:entropy:k=3"):
            needs_draft = name.startswith("efficientedit:entropy")
            draft = ("--draft", self.model) if needs_draft else ()
            self.assertEqual(self.json_of(PROGRAM, *self.edit(), "--decoder", name, *draft)["decoder"], name)
            generated = self.json_of(PROGRAM, "generate", "--prompt", "x", "--max-new-tokens", "4", f"--decoder={name}", *draft,
                                     *self.target())
            self.assertEqual(generated["decoder"], name)
        self.assert_fails(self.line(PROGRAM, *self.edit(), "--decoder", "efficientedit:gamma=x"), 2, "gamma")

    def assert_names_laboratory(self, process):
        self.assert_fails(process, 1, "redraft-lab", "make build")
        self.assertEqual(process.stderr.count(b"\n"), 1, "one sentence")

    def test_without_the_laboratory(self):
        for words in (("bench", "edits", "--data", self.data), ("bench", "cost"), ("score", self.file), ("tune", "run")):
            self.assert_names_laboratory(self.line(self.alone, *words))
        lab = str(pathlib.Path(PROGRAM).with_name("redraft-lab"))
        names = [[line for line in self.assert_succeeds(self.line(program, "decoders")).splitlines()
                  if line and line[0].islower() and " " not in line] for program in (self.alone, lab)]
        self.assertEqual(names[0], ["ar", "sd", "head", "redraft"])
        others = set(names[1]) - set(names[0])
        self.assertEqual(len(others), 11)
        for name in others:
            for command in (self.edit(), ("complete", self.file, "--at", "1:1"), ("generate", "--prompt", "x")):
                self.assert_names_laboratory(self.line(self.alone, *command, "--decoder", name))

    def test_servers_keep_to_their_own_decoders(self):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "processId": None, "rootUri": None, "capabilities": {},
            "initializationOptions": {"redraft": {"decoder": "efficientedit"}}}}).encode()
        asked = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in (
            body, b'{"jsonrpc":"2.0","method":"initialized","params":{}}',
            b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}'))
        told = self.line(PROGRAM, "lsp", "--stdio", *self.target(), input=asked)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn(b"'efficientedit' is part of the laboratory: use redraft-lab", told.stdout)


if __name__ == "__main__":
    unittest.main()
