"""The command line with real weights: the 0.5B model, small inputs."""

import contextlib
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import tempfile
import unittest

from redraft_process import PROGRAM, TIME_LIMIT, RedraftCase, run

TARGET = ("--target", "qwen2.5-coder-0.5b")
SOURCE = """def area(width, height):
    return width * height


def perimeter(width, height):
    return 2 * (width + height)
"""
INSTRUCTION = "Rename the parameter width to w in both functions."


class InFolder(RedraftCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, content, name="shapes.py"):
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def edit(self, file, *arguments, instruction=INSTRUCTION):
        return run("edit", str(file), "--instruction", instruction, *TARGET, *arguments)

    def edit_json(self, file, *arguments, **options):
        return json.loads(self.assert_succeeds(self.edit(file, "--format", "json", *arguments, **options)))


class Complete(InFolder):
    def complete(self, file, place, *arguments):
        return run("complete", str(file), "--at", place, *TARGET, *arguments)

    def test_fills_in_what_is_missing_with_any_decoder_alike(self):
        file = self.write(SOURCE.replace("return width * height", "return "))
        texts = {}
        for decoder in ("ar", "redraft"):
            result = json.loads(self.assert_succeeds(self.complete(file, "2:12", "--decoder", decoder, "--format", "json")))
            texts[decoder] = result["text"]
        self.assertEqual(texts["redraft"], texts["ar"])
        self.assertEqual(texts["ar"], "width * height")
        self.assertEqual(file.read_text(), SOURCE.replace("return width * height", "return "))

    def test_shows_the_model_other_files_of_the_project(self):
        self.write("class Ledger:\n    def __init__(self, owner, opening_balance):\n        self.owner = owner\n", "ledger.py")
        file = self.write("from ledger import Ledger\n\nmine = Ledger()\n", "main.py")
        alone, shown = (json.loads(self.assert_succeeds(self.complete(file, "3:15", "--format", "json", *more)))
                        for more in ((), ("--workspace", str(self.folder))))
        self.assertGreater(shown["prompt_tokens"], alone["prompt_tokens"] + 20)
        self.assertIn(",", shown["text"], "it takes two arguments")

    def test_wrong_places(self):
        file = self.write(SOURCE)
        self.assert_fails(self.complete(file, "900:1"), 1, "--at: line 900 is outside the file")
        self.assert_fails(self.complete(file, "1-2"), 2, "is not LINE:COLUMN")
        self.assert_fails(self.complete(self.folder / "missing.py", "1:1"), 1, "no such file")
        self.assert_fails(self.complete(file, "1:1", "--workspace", str(self.folder / "missing")), 1, "no such folder")


class Memory(RedraftCase):
    def test_a_model_takes_little_more_than_its_file(self):
        data = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share")
        file = data / "redraft" / "models" / "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
        process = subprocess.Popen([PROGRAM, "generate", *TARGET, "--chat", "--prompt", "Count to a thousand."],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        try:
            self.assertEqual(len(process.stdout.read(1)), 1)
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        finally:
            process.kill()
            process.communicate()
        kibibytes = int(re.search(r"RssAnon:\s+(\d+) kB", status).group(1))
        self.assertLess(kibibytes * 1024, 1.2 * file.stat().st_size)


class Edit(InFolder):
    def test_json_has_the_promised_fields(self):
        result = self.edit_json(self.write(SOURCE), "--compare")
        for key in ("text", "finish_reason", "prompt_tokens", "cached_prompt_tokens", "new_tokens", "passes", "rows",
                    "tokens_per_pass", "prefill_seconds", "decode_seconds", "tokens_per_second",
                    "total_tokens_per_second", "accepted_by_source", "acceptance_length", "output_sha256", "decoder",
                    "target", "device"):
            self.assertIn(key, result)
        self.assertEqual((result["decoder"], result["target"], result["device"]),
                         ("redraft", "qwen2.5-coder-0.5b", "cpu"))
        self.assertRegex(result["output_sha256"], "^[0-9a-f]{64}$")
        self.assertLess(result["passes"], result["new_tokens"])
        self.assertTrue(result["plain"]["identical"])

    def test_every_strict_decoder_gives_the_same_text(self):
        file = self.write(SOURCE)
        plain = self.edit_json(file, "--decoder", "ar")
        self.assertEqual(plain["passes"], plain["new_tokens"] + (plain["finish_reason"] == "stop"))
        for decoder in ("redraft", "efficientedit:reuse-only", "efficientedit"):
            other = self.edit_json(file, "--decoder", decoder)
            self.assertEqual((decoder, other["text"]), (decoder, plain["text"]))
            self.assertEqual(other["output_sha256"], plain["output_sha256"])

    def test_a_draft_model_that_is_given_is_asked(self):
        file = self.write(SOURCE)
        drafted = self.edit_json(file, "--draft", "qwen2.5-coder-0.5b")
        self.assertEqual(drafted["decoder"], "redraft:model")
        self.assertEqual(drafted["text"], self.edit_json(file)["text"])

    def test_diff_text_and_file_agree(self):
        file = self.write(SOURCE)
        expected = self.edit_json(file)["text"]
        self.assertNotEqual(expected, SOURCE)
        self.assertEqual(self.assert_succeeds(self.edit(file, "--format", "text")), expected)
        self.assertEqual(file.read_text(), SOURCE)
        process = self.edit(file, "--write")
        diff = self.assert_succeeds(process)
        self.assertEqual(file.read_text(), expected)
        self.assertRegex(process.stderr.decode(), r"\d+ tokens · \d+ passes · [\d.]+ tokens/pass · [\d.]+ tokens/s")
        self.assertNotIn("\033", diff)
        removed = [line[1:] for line in diff.splitlines()[2:] if line.startswith("-")]
        self.assertNotEqual(removed, [])
        self.assertTrue(all(line in SOURCE.splitlines() for line in removed), diff)

    def test_line_endings_mark_and_missing_newline_survive(self):
        original = ("\ufeff" + SOURCE.rstrip("\n").replace("\n", "\r\n")).encode()
        file = self.write(original)
        file.chmod(0o640)
        self.assert_succeeds(self.edit(file, "--write"))
        written = file.read_bytes()
        self.assertNotEqual(written, original)
        self.assertTrue(written.startswith(b"\xef\xbb\xbf"))
        self.assertEqual(written.count(b"\n"), written.count(b"\r\n"))
        self.assertFalse(written.endswith(b"\n"))
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o640)

    def test_only_the_range_changes(self):
        file = self.write(SOURCE)
        text = self.edit_json(file, "--range", "5:1-7:1")["text"]
        self.assertTrue(text.startswith("".join(SOURCE.splitlines(keepends=True)[:4])))

    def test_in_a_large_file_only_what_the_instruction_names_is_written(self):
        parts = [f"def area_{i}(width, height):\n    # in square metres, as everywhere\n    return width * height + {i}\n"
                 for i in range(200)]
        file = self.write("\n\n".join(parts))
        process = self.edit(file, "--format", "text", instruction="Rename the parameter width of area_77 to w")
        text = self.assert_succeeds(process)
        self.assertIn("editing 1 of 200 parts", process.stderr.decode())
        self.assertIn("area_77", process.stderr.decode())
        changed = [i for i, part in enumerate(text.split("\n\n")) if part.strip() != parts[i].strip()]
        self.assertEqual(changed, [77])
        self.assertIn("def area_77(w, height):", text)
        nothing = self.edit(file, instruction="Polish")
        self.assert_fails(nothing, 1, "found no part of the file", "scope 'whole'")

    def test_an_empty_file_can_be_edited(self):
        result = self.edit_json(self.write(""), "--max-new-tokens", "60",
                                instruction="Write a Python function that returns 42.")
        self.assertGreater(result["new_tokens"], 0)

    def test_a_cut_off_edit_is_not_written(self):
        file = self.write(SOURCE)
        process = self.edit(file, "--write", "--max-new-tokens", "5")
        self.assertEqual(process.returncode, 1)
        self.assertIn("not written", process.stderr.decode())
        self.assertEqual(file.read_text(), SOURCE)

    def test_a_line_beyond_the_context_is_refused(self):
        file = self.write("values = [" + ", ".join(str(i * 7919) for i in range(20000)) + "]\n")
        self.assert_fails(self.edit(file, "--scope", "whole"), 1, "context")

    def test_an_interrupt_ends_it_and_writes_nothing(self):
        long_source = "".join(f"def f{i}(width):\n    return width * {i}\n\n\n" for i in range(60))
        file = self.write(long_source)
        terminal, stderr = os.openpty()
        process = subprocess.Popen([PROGRAM, "edit", str(file), "--instruction", INSTRUCTION, *TARGET, "--write",
                                    "--scope", "whole"], stdout=subprocess.DEVNULL, stderr=stderr)
        os.close(stderr)
        message = b""
        while b"reading" not in message:  # printed on a terminal once the model is loaded
            message += os.read(terminal, 1000)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=TIME_LIMIT), 130)
        with contextlib.suppress(OSError):  # a terminal whose other end is closed
            while chunk := os.read(terminal, 1000):
                message += chunk
        os.close(terminal)
        self.assertIn(b"nothing was written", message)
        self.assertEqual(file.read_text(), long_source)


    def test_an_interrupt_while_the_model_loads_ends_it(self):
        terminal, stderr = os.openpty()
        process = subprocess.Popen([PROGRAM, "generate", "--prompt", "x", "--max-new-tokens", "20000", *TARGET],
                                   stdout=subprocess.PIPE, stderr=stderr)
        os.close(stderr)
        message = b""
        while b"loading the model" not in message:
            message += os.read(terminal, 1000)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=TIME_LIMIT)
        os.close(terminal)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(output, b"")


class OtherSubcommands(InFolder):
    def test_generate_streams_text_and_reports(self):
        process = run("generate", "--prompt", "def fibonacci(n):\n", *TARGET, "--max-new-tokens", "24")
        text = self.assert_succeeds(process)
        self.assertIn("return", text)
        self.assertIn("24 tokens", process.stderr.decode())
        result = json.loads(self.assert_succeeds(
            run("generate", "--prompt", "def fibonacci(n):\n", *TARGET, "--max-new-tokens", "24", "--format", "json")))
        self.assertEqual(result["text"], text[:-1])

    def test_chat_answers(self):
        answer = self.assert_succeeds(run("generate", "--chat", "--prompt", "Reply with the single word yes.", *TARGET,
                                          "--max-new-tokens", "10"))
        self.assertIn("yes", answer.lower())

    def test_a_prompt_beyond_the_context_is_refused(self):
        file = self.write("many words " * 40000)
        self.assert_fails(run("generate", "--prompt-file", str(file), *TARGET), 1, "context")

    def test_tokens_come_back_as_the_same_bytes(self):
        text = "naïve = '日本語 👩‍💻'\r\n\tif x<|im_end|>:\n" + bytes(range(1, 256)).decode("latin-1")
        for kind in ("text", "json"):
            ids = run("tokenize", *TARGET, "--format", kind, input=text)
            back = run("tokenize", "--detokenize", *TARGET, input=ids.stdout)
            self.assertEqual(back.stdout.decode(), text)
        invalid = b"\xff\xfe broken \xc3"
        ids = run("tokenize", *TARGET, input=invalid)
        self.assertEqual(run("tokenize", "--detokenize", *TARGET, input=ids.stdout).stdout, invalid)

    def test_ids_that_are_none(self):
        self.assert_fails(run("tokenize", "--detokenize", *TARGET, input="12 twelve"), 1, "not a list")
        self.assert_fails(run("tokenize", "--detokenize", *TARGET, input="99999999"), 1, "outside the vocabulary")
        self.assert_fails(run("tokenize", "--detokenize", *TARGET, input='{"ids": "x"}'), 1, "not a list")

    def test_score_prefers_sense_to_nonsense(self):
        def perplexity(text):
            file = self.write(text, "text.txt")
            return json.loads(self.assert_succeeds(run("score", str(file), *TARGET, "--format", "json")))["perplexity"]
        sense = perplexity("The quick brown fox jumps over the lazy dog. It was a bright cold day in April.")
        nonsense = perplexity("dog. The over bright lazy was jumps cold It fox April a brown in the quick day")
        self.assertGreater(sense, 1)
        self.assertLess(sense * 3, nonsense)

    def test_score_counts_every_token_but_the_first(self):
        file = self.write("".join(f"line {i} of a longer text\n" for i in range(60)), "text.txt")
        score = json.loads(self.assert_succeeds(run("score", str(file), *TARGET, "--format", "json")))
        self.assertEqual(score["scored_tokens"], score["tokens"] - 1)
        self.assertEqual(score["windows"], 1)
        pieces = json.loads(self.assert_succeeds(
            run("score", str(file), *TARGET, "--format", "json", "--context", "200")))
        self.assertEqual(pieces["scored_tokens"], pieces["tokens"] - pieces["windows"])

    def test_score_needs_two_tokens(self):
        self.assert_fails(run("score", str(self.write("")), *TARGET), 1, "two or more")

    def test_doctor_finds_the_machine_ready(self):
        report = self.assert_succeeds(run("doctor", "--quick", *TARGET))
        for word in ("kernels", "libtorch", "2.11.0", "GB/s", "ready to edit with qwen2.5-coder-0.5b"):
            self.assertIn(word, report)

    def test_models_are_verified(self):
        verified = self.assert_succeeds(run("models", "verify", "smollm2-135m"))
        self.assertIn("SHA-256 matches", verified)

    def test_a_model_from_anywhere_is_taken_by_its_hash(self):
        from_store = json.loads(self.assert_succeeds(run("models", "list", "--format", "json")))
        tiny = next(model for model in from_store if model["name"] == "smollm2-135m")
        elsewhere = self.folder / "download (1).gguf"
        os.symlink(tiny["file"], elsewhere)
        environment = {"XDG_DATA_HOME": str(self.folder / "data")}
        self.assert_succeeds(run("models", "add", str(elsewhere), environment=environment))
        listing = self.assert_succeeds(run("models", "list", environment=environment))
        self.assertRegex(listing, r"smollm2-135m +present")


if __name__ == "__main__":
    unittest.main()
