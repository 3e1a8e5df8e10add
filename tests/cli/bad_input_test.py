"""The command line's answers to wrong usage and bad input. Needs no weights: everything fails before they matter."""

import os
import pathlib
import re
import struct
import subprocess
import unittest

from redraft_process import PROGRAM, TIME_LIMIT, InFolder, RedraftCase, run


class Help(RedraftCase):
    def options(self, *command):
        return set(re.findall(r"^ +(?:-\w, ?)?(--[a-z-]+)", self.assert_succeeds(run(*command, "--help")), re.MULTILINE))

    def test_only_options_that_count(self):
        every = {"--target", "--draft", "--head", "--device", "--threads", "--kernels", "--log-level"}
        for command, common in (("models list", set()), ("models add", set()), ("models pull", set()), ("models verify", set()),
                                ("models check", {"--device", "--threads", "--kernels", "--log-level"}),
                                ("tokenize", {"--target", "--log-level"}), ("index", {"--target", "--threads", "--log-level"}),
                                ("score", every - {"--draft", "--head"}),
                                ("doctor", every - {"--draft", "--head"}),
                                ("bench cost", every - {"--draft", "--head"}), ("edit", every), ("lsp", every)):
            self.assertEqual(self.options(*command.split()) & every, common, command)


class LostOutput(InFolder):
    """A full disk is a failure, whatever the command."""

    def setUp(self):
        super().setUp()
        self.environment = {"XDG_DATA_HOME": str(self.folder / "data"), "XDG_CACHE_HOME": str(self.folder / "cache")}

    def test_is_a_failure_of_every_command(self):
        file = self.folder / "a.py"
        file.write_text("def f(count):\n    return count\n")
        rename = ("edit", str(file), "--instruction", "rename count to n")
        commands = [("--version",), ("--help",), ("edit", "--help"), ("models", "list"), ("models", "list", "--format", "json"),
                    ("decoders",), ("cache",), ("completions", "bash"), ("manual",), rename, (*rename, "--format", "text"),
                    (*rename, "--format", "json")]
        for command in commands:
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                self.assert_succeeds(run(*command, environment=self.environment))
                done = subprocess.run([PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, timeout=TIME_LIMIT,
                                      env={**os.environ, **self.environment})
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(b"redraft: error: cannot write all of the output to standard output\n", done.stderr)

    def test_a_failed_index_prints_no_summary(self):
        for form in ("json", "text"):
            self.assert_fails(run("index", str(self.folder), "--format", form, environment=self.environment), 1)


class WrongUsage(RedraftCase):
    """Exit code 2, before anything is read."""

    def test_no_or_unknown_subcommand(self):
        self.assert_fails(run(), 2, "subcommand is required")
        self.assert_fails(run("frobnicate"), 2, "`redraft` has no command frobnicate")

    def test_what_was_probably_meant(self):
        for words, meant in ((("edti", "x"), "no command edti; did you mean edit?"),
                             (("models", "lst"), "`redraft models` has no command lst; did you mean list?"),
                             (("edit", "--instruct", "x", "file"), "no option --instruct; did you mean --instruction?"),
                             (("edit", "file", "-i", "x", "--scop=file"), "no option --scop; did you mean --scope?"),
                             (("edit", "file", "-i", "--frob", "--thread", "2"), "no option --thread; did you mean --threads?"),
                             (("edit", "file", "x", "--scope", "symbl"), "selection, symbol, file, whole; did you mean symbol?"),
                             (("edit", "file", "x", "--log-level", "inf"), "did you mean info?")):
            failed = run(*words)
            self.assert_fails(failed, 2, meant)
        self.assertNotIn(b"did you mean", run("xyzzy").stderr)

    def test_an_instruction_is_given_once(self):
        self.assert_fails(run("edit", "file", "x", "-i", "y"), 2, "excludes --instruction")
        self.assert_fails(run("edit", "-", "x", "--write"), 2, "cannot write to standard input")
        self.assert_fails(run("edit", "file", "x", "--language", "python"), 2, "--language")

    def test_missing_or_unknown_options(self):
        self.assert_fails(run("edit"), 2, "FILE", "redraft edit --help")
        self.assert_fails(run("edit", "file"), 2, "--instruction")
        self.assert_fails(run("edit", "file", "--instruction", "x", "--frobnicate"), 2, "frobnicate")
        self.assert_fails(run("generate"), 2)
        self.assert_fails(run("generate", "--prompt", "x", "--prompt-file", "y"), 2)
        self.assert_fails(run("models"), 2)

    def test_values_that_are_none(self):
        edit = ("edit", "file", "--instruction", "x")
        self.assert_fails(run(*edit, "--threads", "0"), 2, "--threads")
        self.assert_fails(run(*edit, "--kernels", "mmx"), 2, "this machine does not support the kernels 'mmx'. It supports portable")
        self.assert_fails(run(*edit, "--device", "abacus"), 2, "abacus")
        self.assert_fails(run(*edit, "--scope", "galaxy"), 2, "galaxy")
        self.assert_fails(run(*edit, "--format", "xml"), 2, "xml")
        self.assert_fails(run(*edit, "--max-new-tokens", "-3"), 2)
        self.assert_fails(run(*edit, "--range", "1-2"), 2, "L1:C1-L2:C2")
        self.assert_fails(run(*edit, "--range", "2:1-1:1"), 2, "ends before it begins")
        self.assert_fails(run(*edit, "--scope", "selection"), 2, "--range")
        self.assert_fails(run(*edit, "--scope", "symbol"), 2, "--range")
        self.assert_fails(run(*edit, "--decoder", "magic"), 2, "unknown decoder 'magic'", "efficientedit")
        self.assert_fails(run(*edit, "--decoder", "efficientedit:gamma=x"), 2, "gamma")
        self.assert_fails(run("models", "verify", "gpt-9"), 2, "gpt-9", "qwen2.5-coder-1.5b")
        self.assert_fails(run("models", "pull", "gpt-9"), 2, "gpt-9")

    def test_values_that_are_no_measurement(self):
        self.assert_fails(run("bench"), 2)
        self.assert_fails(run("bench", "frobnicate"), 2)
        cost = ("bench", "cost")
        self.assert_fails(run(*cost, "--rows", "0"), 2, "--rows")
        self.assert_fails(run(*cost, "--rows", "1,x"), 2, "--rows")
        self.assert_fails(run(*cost, "--rows", "1,-4"), 2, "--rows")
        self.assert_fails(run(*cost, "--rows", "99999999999"), 2, "--rows")
        self.assert_fails(run(*cost, "--context", "-1"), 2, "--context")
        self.assert_fails(run(*cost, "--samples", "0"), 2, "--samples")
        self.assert_fails(run(*cost, "--format", "xml"), 2, "xml")

    def test_values_that_are_no_bench(self):
        edits = ("bench", "edits", "--data", "tasks.jsonl")
        self.assert_fails(run("bench", "edits"), 2, "--data")
        self.assert_fails(run(*edits, "--decoders", "ar,magic"), 2, "unknown decoder 'magic'")
        self.assert_fails(run(*edits, "--limit", "0"), 2, "--limit")
        self.assert_fails(run(*edits, "--prompt-order", "random"), 2, "random")
        self.assert_fails(run(*edits, "--instruction", "rude"), 2, "rude")
        self.assert_fails(run(*edits, "--replay", "--margins"), 2, "--margins")
        self.assert_fails(run(*edits, "--curve", "1:1"), 2, "--replay")
        for curve in ("", "1", "1:", "0:1", "1.5:2", "1:-1", "1:1,,2:2", "1:1,x:2"):
            self.assert_fails(run(*edits, "--replay", "--curve", curve), 2, "--curve")
        self.assert_fails(run(*edits, "--replay-draft", "70"), 2, "--replay")
        self.assert_fails(run(*edits, "--replay", "--replay-draft", "101"), 2, "--replay-draft")
        self.assert_fails(run("bench", "dialogue", "--data", "x", "--pass-at-1"), 2, "--pass-at-1")

    def test_empty_instruction_or_prompt(self):
        self.assert_fails(run("edit", "file", "--instruction", " \n"), 2, "empty")
        self.assert_fails(run("generate", "--prompt", ""), 2, "empty")

    def test_help_and_version_are_no_errors(self):
        self.assertIn("edit", self.assert_succeeds(run("--help")))
        self.assertIn("--instruction", self.assert_succeeds(run("edit", "--help")))
        self.assertRegex(self.assert_succeeds(run("--version")), r"redraft \d+\.\d+")


class OfFiles(InFolder):
    def edit(self, file, *arguments):
        return self.run_alone("edit", file, "--instruction", "rename a to b", *arguments)


class BadFiles(OfFiles):
    def test_missing_file(self):
        self.assert_fails(self.edit(str(self.folder / "none.py")), 1, "none.py", "no such file")

    def test_directory(self):
        self.assert_fails(self.edit(str(self.folder)), 1, "directory")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable_file(self):
        file = self.write("secret.py", b"a = 1\n")
        os.chmod(file, 0)
        self.assert_fails(self.edit(file), 1, "secret.py", "ermission denied")

    def test_binary_file(self):
        self.assert_fails(self.edit(self.write("image.png", b"\x89PNG\0\0\0\r")), 1, "image.png", "binary")

    def test_text_that_is_not_utf8(self):
        self.assert_fails(self.edit(self.write("old.c", b"int \xe9;\n")), 1, "old.c", "UTF-8")

    def test_range_outside_the_file(self):
        file = self.write("short.py", b"a = 1\n")
        self.assert_fails(self.edit(file, "--range", "1:1-7:1"), 1, "line 7 is outside the file")
        self.assert_fails(self.edit(file, "--range", "1:1-1:70"), 1, "column 70 is outside line 1")

    def test_missing_prompt_file(self):
        self.assert_fails(self.run_alone("generate", "--prompt-file", str(self.folder / "none")), 1, "none")

    def test_nothing_to_score(self):
        self.assert_fails(self.run_alone("score", str(self.folder / "none")), 1, "none")

    def test_task_files(self):
        def bench(kind, *files):
            return self.run_alone("bench", kind, "--data", *files)
        self.assert_fails(bench("edits", str(self.folder / "none.jsonl")), 1, "none.jsonl")
        self.assert_fails(bench("edits", str(self.folder)), 1, "is a folder")
        self.assert_fails(bench("edits", self.write("a.jsonl", b'{"id": "a"}\n{"id": \n')), 1, "a.jsonl:2", "malformed")
        self.assert_fails(bench("edits", self.write("b.jsonl", b"")), 1, "no task can be run as edits")
        prompts = self.write("c.jsonl", b'{"id": "a", "prompt": "x"}\n{"id": "b", "prompt": "y"}\n')
        self.assert_fails(bench("edits", prompts), 1, "2: has no text 'before'")
        self.assert_fails(bench("generation", prompts, prompts), 1, "'a' is in an earlier file too")
        self.assert_fails(self.run_alone("bench", "generation", "--data", prompts, "--replay-outputs", prompts), 1,
                          "--replay-outputs", "malformed JSON")


def gguf(architecture=None):
    """The smallest file with GGUF's magic: version 3, no tensor, at most one key."""
    def text(content):
        return struct.pack("<Q", len(content)) + content.encode()
    header = b"GGUF" + struct.pack("<IQQ", 3, 0, 1 if architecture else 0)
    return header + (text("general.architecture") + struct.pack("<I", 8) + text(architecture) if architecture else b"")


class BadModels(OfFiles):
    def setUp(self):
        super().setUp()
        self.source = self.write("a.py", b"a = 1\n")

    def assert_target_fails(self, content, *fragments):
        model = self.write("model.gguf", content)
        self.assert_fails(self.edit(self.source, "--target", model), 1, "model.gguf", *fragments)

    def test_absent_model_says_how_to_get_it(self):
        asked = self.run_alone("edit", self.source, "--instruction", "add a comment")
        self.assert_fails(asked, 1, "qwen2.5-coder-1.5b", "models pull")

    def test_measuring_an_absent_model(self):
        self.assert_fails(self.run_alone("bench", "cost"), 1, "qwen2.5-coder-1.5b", "models pull")

    def test_unknown_model_lists_the_known(self):
        self.assert_fails(self.edit(self.source, "--target", "gpt-9"), 1, "gpt-9", "qwen2.5-coder-1.5b")

    def test_file_that_is_no_model(self):
        self.assert_target_fails(b"#!/bin/sh\necho not a model\n", "GGUF")

    def test_empty_file(self):
        self.assert_target_fails(b"", "empty")

    def test_truncated_model(self):
        self.assert_target_fails(gguf("qwen2")[:30])

    def test_other_architecture_by_name(self):
        self.assert_target_fails(gguf("mamba"), "mamba")

    @unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "there is a GPU")
    def test_a_gpu_that_is_not_there(self):
        self.assert_fails(self.edit(self.source, "--device", "cuda"), 1, "--device cuda: ", "--device cpu")

    def test_adding_a_file_nobody_knows(self):
        file = self.write("mine.gguf", b"GGUF of mine")
        self.assert_fails(self.run_alone("models", "add", file), 1, "mine.gguf")

    def test_verifying_an_empty_store(self):
        self.assert_fails(self.run_alone("models", "verify"), 1, "no model")

    def test_listing_an_empty_store_is_no_error(self):
        listing = self.assert_succeeds(self.run_alone("models", "list"))
        self.assertIn("absent", listing)
        self.assertNotIn("present", listing)

    def test_a_damaged_model_is_found(self):
        store = self.folder / "data" / "redraft" / "models"
        store.mkdir(parents=True)
        (store / "smollm2-135m-instruct-q4_1.gguf").write_bytes(b"GGUF, but not that one")
        self.assert_fails(self.run_alone("models", "verify", "smollm2-135m"), 1, "smollm2-135m")
        report = self.run_alone("doctor")
        self.assertEqual(report.returncode, 1)
        self.assertIn("damaged", report.stdout.decode())


if __name__ == "__main__":
    unittest.main()
