"""The package redraft-vllm as `make wheel` builds it: what is in it, and what its proposer does with a batch as vLLM keeps one.

vLLM itself is not here (vllm_test.py, label long, runs the real one).
"""

import array
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("REDRAFT_BUILD")
WRITE_MODEL = os.environ.get("REDRAFT_WRITE_MODEL")
MAX_LENGTH = 4096
CODE = "".join(f"value{i * i} = f{i}(value)\n" for i in range(30))
PROMPT = f"Edit this:\n```\n{CODE}```\n"


def can_build():
    try:
        import pybind11  # noqa: F401
        import scikit_build_core  # noqa: F401
        import sysconfig
    except ImportError:
        return False
    return (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists()


def config(longest=28, **choices):
    """What vLLM hands to a proposer, as far as it is looked at."""
    return types.SimpleNamespace(
        speculative_config=types.SimpleNamespace(num_speculative_tokens=longest),
        model_config=types.SimpleNamespace(max_model_len=MAX_LENGTH, tokenizer="nowhere", tokenizer_revision=None),
        additional_config={"redraft": choices} if choices else {})


class Batch:
    """Token ids in rows of fixed length, as vLLM keeps them. A token is a byte here."""

    def __init__(self, rows):
        self.ids = array.array("i", bytes(4 * rows * MAX_LENGTH))
        self.lengths = [0] * rows

    def write(self, row, text):
        for byte in text.encode():
            self.ids[row * MAX_LENGTH + self.lengths[row]] = byte
            self.lengths[row] += 1
        return list(text.encode())

    def view(self):
        return memoryview(self.ids).cast("B").cast("i", shape=[len(self.lengths), MAX_LENGTH])


@unittest.skipUnless(BUILD and WRITE_MODEL, "REDRAFT_BUILD and REDRAFT_WRITE_MODEL must be set")
@unittest.skipUnless(can_build(), "needs pybind11, scikit-build-core and the headers of this Python")
class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # The build folder stays, so that a second run compiles nothing.
        cls.pip("wheel", "--no-build-isolation", "--wheel-dir", cls.folder, "-C", f"build-dir={BUILD}/wheel",
                REPOSITORY / "serving/python")
        cls.wheel, = cls.folder.glob("*.whl")
        site = cls.folder / "site"
        cls.pip("install", "--no-index", "--target", site, cls.wheel)
        sys.path.insert(0, str(site))
        cls.addClassCleanup(sys.path.remove, str(site))
        import redraft_vllm

        cls.Proposer = redraft_vllm.RedraftProposer
        cls.model = cls.folder / "tiny.gguf"
        subprocess.run([WRITE_MODEL, cls.model, "1"], check=True)

    @staticmethod
    def pip(command, *arguments):
        run = subprocess.run([sys.executable, "-m", "pip", command, "--quiet", "--disable-pip-version-check", "--no-deps",
                              *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]

    def proposer(self, **choices):
        return self.Proposer(config(tokenizer=str(self.model), **choices))

    def steps_for(self, proposer, prompt, answer):
        """How many steps an engine takes for an answer, whose model writes just that."""
        batch = Batch(2)
        batch.write(0, prompt)
        draft, steps, answer = [], 0, answer.encode()
        at = 0
        while at < len(answer):
            right = 0
            while right < len(draft) and at + right < len(answer) - 1 and draft[right] == answer[at + right]:
                right += 1
            written = batch.write(0, answer[at:at + right + 1].decode())
            at += right + 1
            steps += 1
            draft, = proposer.propose([written], batch.lengths, batch.view())
        return steps

    def test_the_wheel_holds_the_package_and_nothing_else(self):
        names = zipfile.ZipFile(self.wheel).namelist()
        self.assertEqual({name.split("/")[0] for name in names} - {"redraft_vllm"},
                         {"redraft_vllm-0.1.0.dist-info"})
        self.assertTrue(any(name.startswith("redraft_vllm/_core") for name in names), names)
        self.assertTrue(any("licenses" in name for name in names), names)
        self.assertLess(self.wheel.stat().st_size, 5 << 20)

    def test_an_edit_takes_few_steps(self):
        edited = CODE.replace("f7(", "g(")
        self.assertLess(self.steps_for(self.proposer(), PROMPT, edited) * 15, len(edited))

    def test_drafts_are_as_long_as_vllm_was_told(self):
        proposer = self.Proposer(config(longest=3, tokenizer=str(self.model)))
        self.assertGreaterEqual(self.steps_for(proposer, PROMPT, CODE) * 4, len(CODE))

    def test_a_prompt_that_is_still_read_gets_no_draft(self):
        batch = Batch(3)
        for row in range(3):
            batch.write(row, PROMPT)
        first = batch.write(1, CODE[:1])
        drafts = self.proposer().propose([[], first, []], batch.lengths, batch.view())
        self.assertEqual([len(draft) > 0 for draft in drafts], [False, True, False])
        # vLLM keeps more rows than are in use.
        self.assertEqual(self.proposer().propose([], batch.lengths, batch.view()), [])

    def test_what_may_be_forgotten(self):
        remembers, forgets = self.proposer(), self.proposer(forget=True)
        steps = {}
        for proposer in (remembers, forgets):
            self.steps_for(proposer, "Write.", CODE)
            steps[proposer] = self.steps_for(proposer, "Write.", CODE)
        self.assertLess(steps[remembers] * 2, steps[forgets])

    def test_it_works_without_a_tokenizer_and_says_so(self):
        broken = self.folder / "broken"
        broken.mkdir(exist_ok=True)
        (broken / "tokenizer.json").write_text("{}")
        served = config()
        served.model_config.tokenizer = str(broken)
        with self.assertLogs("redraft_vllm", "WARNING") as logs:
            proposer = self.Proposer(served)
        self.assertIn("does without a tokenizer", logs.output[0])
        self.assertLess(self.steps_for(proposer, PROMPT, CODE) * 8, len(CODE))

    def test_wrong_choices_are_named(self):
        for choices, words in (({"costs": "1:1"}, "knows no 'costs'"), ({"cost": "cheap"}, "cheap"),
                               ({"tokenizer": str(self.folder / "none")}, "none")):
            with self.assertRaisesRegex(ValueError, words):
                self.Proposer(config(**choices))

    def test_a_batch_that_is_none_is_refused(self):
        proposer = self.proposer()
        batch = Batch(1)
        written = batch.write(0, "abc")
        longs = memoryview(array.array("q", [0] * 8)).cast("B").cast("q", shape=[1, 8])
        for arguments in (([written], [2], batch.view()), ([written], [MAX_LENGTH + 1], batch.view()),
                          ([written, written], [3, 3], batch.view()), ([written], [3], memoryview(batch.ids)),
                          ([written], [3], longs)):
            with self.assertRaises(ValueError):
                proposer.propose(*arguments)


if __name__ == "__main__":
    unittest.main()
