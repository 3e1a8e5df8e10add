"""The completions and the manual page have every command and every option that the help shows; shells read them."""

import re
import shutil
import subprocess
import tempfile
import unittest

import packaging_kit  # noqa: F401
from redraft_process import PROGRAM, RedraftCase

SHELLS = ("bash", "zsh", "fish")


def complete_in_bash(script, *words):
    """What the last of the words may become."""
    call = 'source "$0"; COMP_WORDS=(redraft "$@"); COMP_CWORD=$#; _redraft; printf "%s\\n" "${COMPREPLY[@]}"'
    shown = subprocess.run(["bash", "--norc", "-c", call, script, *words], capture_output=True, text=True, check=True)
    return set(shown.stdout.split())


class Described(RedraftCase):
    program = PROGRAM
    has = {"edit", "lsp", "models pull"}

    @classmethod
    def run_program(cls, *arguments):
        return subprocess.run([cls.program, *arguments], capture_output=True)

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.files, cls.texts = {}, {}
        for shell in SHELLS:
            cls.files[shell] = f"{cls.folder.name}/{shell}"
            cls.texts[shell] = cls.run_program("completions", shell).stdout.decode()
            with open(cls.files[shell], "w") as file:
                file.write(cls.texts[shell])
        cls.manual = cls.run_program("manual").stdout.decode().replace("\\-", "-")

    def commands(self, *above):
        """(path, options) of a command and of all below it, as its help has them."""
        text = self.assert_succeeds(self.run_program(*above, "--help"))
        found = [(above, set(re.findall(r"^ +(?:-\w, ?)?(--[a-z0-9-]+)", text, re.MULTILINE)))]
        _, _, listed = text.partition("\nSubcommands:\n")
        for name in re.findall(r"^  ([a-z]\S*)(?!.*\(redraft-lab\)$)", listed, re.MULTILINE):
            found += self.commands(*above, name)
        return found

    def test_nothing_is_missing(self):
        commands = self.commands()
        names = {" ".join(path) for path, _ in commands}
        self.assertLessEqual(self.has, names)
        for path, options in commands:
            self.assertLessEqual({"--help"}, options)
            name = " ".join(("redraft", *path))
            function = "_".join(("_redraft", *path))
            in_zsh = self.texts["zsh"].partition(f"\n{function}() {{")[2].partition("\n}\n")[0]
            section = re.split(r"^\.S[SH] ", self.manual.partition(f".SS {name}\n")[2] if path else self.manual,
                               flags=re.MULTILINE)
            on_page = section[0] if path else next(each for each in section if each.startswith("OPTIONS"))
            in_bash = re.search(rf"'{re.escape(name)}'\) options='([^']*)'", self.texts["bash"])[1].split()
            for option in options:
                with self.subTest(command=name, option=option):
                    self.assertIn(option, in_bash)
                    self.assertIn(f"){option}[" if f"*{option}[" not in in_zsh else f"*{option}[", in_zsh)
                    self.assertRegex(self.texts["fish"], rf"__redraft_at {name}'.* -l {option[2:]} ")
                    self.assertIn(f"\\fB{option}\\fR", on_page)

    def test_they_are_not_in_the_help(self):
        shown = self.assert_succeeds(self.run_program("--help"))
        self.assertNotIn("completions", shown)
        self.assertNotIn("completions", self.texts["bash"].partition("_redraft()")[2])

    def test_bash_completes(self):
        script = self.files["bash"]
        self.assertEqual(complete_in_bash(script, "mod"), {"models"})
        self.assertEqual(complete_in_bash(script, "models", ""), {"list", "show", "add", "pull", "check", "verify"})
        self.assertEqual(complete_in_bash(script, "edit", "a.py", "--wr"), {"--write"})
        self.assertEqual(complete_in_bash(script, "edit", "--scope", ""), {"selection", "symbol", "file", "whole"})
        self.assertEqual(complete_in_bash(script, "edit", "--trace-file", ""), set())  # a file, which bash itself completes

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        shown = subprocess.run(["fish", "--no-config", "-c", f"source {self.files['fish']}; complete -C 'redraft models '; "
                                "complete -C 'redraft edit --scope s'"], capture_output=True, text=True, check=True).stdout
        words = [line.partition("\t")[0] for line in shown.splitlines()]
        self.assertEqual(sorted(words), ["add", "list", "pull", "selection", "show", "symbol", "verify"])

    def test_zsh_reads_it(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        subprocess.run(["zsh", "-f", "-n", self.files["zsh"]], check=True)

    def test_the_manual_is_one(self):
        self.assertRegex(self.manual, r"\n\.TH REDRAFT 1 ")
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        page = f"{self.folder.name}/redraft.1"
        with open(page, "wb") as file:
            file.write(self.run_program("manual").stdout)
        shown = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                               env={"MANWIDTH": "80", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("redraft models pull", shown.stdout)

    def test_an_unknown_shell_is_told(self):
        self.assert_fails(self.run_program("completions", "csh"), 2, "csh")


class OfTheLaboratory(Described):
    program = PROGRAM + "-lab"
    has = {"edit", "lsp", "models pull", "bench edits", "tune head"}

    def test_bash_completes_a_bench(self):
        self.assertEqual(complete_in_bash(self.files["bash"], "bench", "edits", "--data", "x", "--dec"), {"--decoders"})


if __name__ == "__main__":
    unittest.main()
