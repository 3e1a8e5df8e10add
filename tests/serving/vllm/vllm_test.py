"""A real vLLM on the processor: edits through `redraft edit --remote`, with and without redraft's drafts.

What a server writes is the server's: with drafts, rows of another number go through its kernels, and a token may differ from
its plain run. So this test wants the same text of a small edit that is certain, and counts steps.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import unittest

import vllm_server

REDRAFT = os.environ.get("REDRAFT")
CODE = "".join(f"def area_{i}(width, height):\n    return width * height + {i}\n\n\n" for i in range(12))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


@unittest.skipUnless(REDRAFT, "REDRAFT must name the program")
@unittest.skipIf(vllm_server.why_not(), vllm_server.why_not())
class VllmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.addresses = {}
        for drafts in ("none", "redraft"):
            log = cls.enterClassContext((cls.folder / f"{drafts}.log").open("w+"))
            with contextlib.ExitStack() as stack:
                try:
                    cls.addresses[drafts] = stack.enter_context(vllm_server.running(free_port(), drafts, log))
                except RuntimeError as error:
                    log.seek(0)
                    raise AssertionError(f"{error}:\n{log.read()[-4000:]}") from error
                cls.addClassCleanup(stack.pop_all().close)

    def edit(self, drafts, instruction):
        file = self.folder / "areas.py"
        file.write_text(CODE)
        run = subprocess.run([REDRAFT, "edit", file, "--instruction", instruction, "--scope", "whole", "--format", "json",
                              "--remote", self.addresses[drafts]], capture_output=True, text=True, timeout=1200)
        self.assertNotEqual(run.stdout, "", run.stderr)
        return json.loads(run.stdout)

    def test_an_edit_takes_few_steps_and_is_the_same(self):
        instruction = "Repeat the file unchanged."
        plain, drafted = self.edit("none", instruction), self.edit("redraft", instruction)
        self.assertEqual(drafted["output_sha256"], plain["output_sha256"])
        self.assertGreater(plain["new_tokens"], 200)
        self.assertLess(drafted["passes"] * 8, plain["passes"])

    def test_the_server_counts_the_drafts(self):
        name = "vllm:spec_decode_num_accepted_tokens_total"
        before = vllm_server.counter(self.addresses["redraft"], name)
        written = self.edit("redraft", "Add a docstring to area_3.")["new_tokens"]
        self.assertGreater(vllm_server.counter(self.addresses["redraft"], name) - before, written / 2)


if __name__ == "__main__":
    unittest.main()
