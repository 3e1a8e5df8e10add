"""What `make lint` checks, and that each of its checks finds what it is for."""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from lint_steps import clang_tidy, sources, style  # noqa: E402
from setup_steps import ruff  # noqa: E402

NAMING = """Checks: '-*,readability-identifier-naming'
WarningsAsErrors: '*'
HeaderFilterRegex: '(one|two)/.*'
CheckOptions:
  - {key: readability-identifier-naming.FunctionCase, value: lower_case}
"""


class OurHeaders(unittest.TestCase):
    """The header filter of .clang-tidy lets clang-tidy report what it finds in a header."""

    def test_the_filter_leaves_out_no_header_of_the_project(self):
        (line,) = re.findall(r"^HeaderFilterRegex: '([^']*)'", (ROOT / ".clang-tidy").read_text(), re.MULTILINE)
        listed = subprocess.run(["git", "ls-files", "*.h", "*.cuh"], cwd=ROOT, capture_output=True, text=True, check=True)
        headers = listed.stdout.split()
        self.assertGreater(len(headers), 500)
        self.assertEqual([header for header in headers if not re.search(line, str(ROOT / header))], [])


class ATree(unittest.TestCase):
    """A small source tree, which is the working folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        cache = mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "cache")})
        cache.start()
        self.addCleanup(cache.stop)
        self.write(".gitignore", "cache/\nbuild/\n")
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments], check=True)

    def commit(self, **texts):
        for name, text in texts.items():
            self.write(name + ".cpp", text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def build(self, commands):
        """A build folder that compiles these sources: {path: the beginning of the command}."""
        entries = [{"directory": str(self.folder), "file": str(self.folder / path),
                    "command": f"{start} -I{self.folder} -c {self.folder / path}"} for path, start in commands.items()]
        self.write("build/compile_commands.json", json.dumps(entries))
        return clang_tidy.Units("build")


class WhatChanged(ATree):
    def test_on_main_is_the_last_commit_and_what_is_not_committed(self):
        self.commit(first="", second="")
        self.commit(second="2")
        self.write("third.cpp", "")
        self.write("build/ignored.cpp", "")
        self.assertEqual(sources.changed_files(), ["second.cpp", "third.cpp"])

    def test_on_a_branch_is_all_since_its_start(self):
        self.commit(first="")
        self.git("switch", "--quiet", "--create", "branch")
        self.commit(second="")
        self.commit(third="")
        self.assertEqual(sources.changed_files(), ["second.cpp", "third.cpp"])

    def test_in_a_clone_without_a_branch_main_is_all_since_the_remote_main(self):
        self.commit(first="")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.git("switch", "--quiet", "--create", "branch")
        self.git("branch", "--quiet", "--delete", "main")
        self.commit(second="")
        self.commit(third="")
        self.assertEqual(sources.changed_files(), ["second.cpp", "third.cpp"])

    def test_in_a_clone_of_one_commit_is_everything(self):
        self.commit(first="", second="")
        self.assertEqual(sources.changed_files(), [".gitignore", "first.cpp", "second.cpp"])

    def test_lately_comes_first(self):
        self.commit(first="", second="", third="")
        self.commit(second="2")
        ages = sources.commit_ages()
        self.assertLess(ages["second.cpp"], ages["first.cpp"])
        units = self.build({f"{name}.cpp": "c++" for name in ("first", "second", "third")})
        self.assertEqual(clang_tidy.newest_first(units, ["first.cpp", "second.cpp", "third.cpp"], ages),
                         ["second.cpp", "first.cpp", "third.cpp"])


class WhatAUnitIs(ATree):
    def setUp(self):
        super().setUp()
        self.write(".clang-tidy", NAMING)
        self.write("one/a.h", "#pragma once\n")
        self.write("one/a.cpp", '#include "one/a.h"\n')
        self.write("two/b.cpp", '#include "one/a.h"\n#include "b.inc"\n')
        self.write("two/b.inc", "")
        self.write("two/lonely.h", "#pragma once\n")
        self.write("cuda/kernel.cu", "")
        self.write("cuda/runtime.cu", "")
        self.write("two/emulated.cpp", '#include "cuda/kernel.cu"\n')
        self.units = self.build({"one/a.cpp": "c++ -Werror", "two/b.cpp": "c++", "two/emulated.cpp": 'c++ -DDEVICE=\\"one/a.h\\"',
                                 "cuda/kernel.cu": "/opt/cuda/bin/nvcc -x cu", "cuda/runtime.cu": "/opt/cuda/bin/nvcc -x cu"})

    def test_includes_by_path_from_the_top_from_beside_and_by_a_defined_name(self):
        self.assertEqual(self.units.closure("two/b.cpp"), {"two/b.cpp", "one/a.h", "two/b.inc"})
        self.assertEqual(self.units.closure("two/emulated.cpp"), {"two/emulated.cpp", "cuda/kernel.cu", "one/a.h"})

    def test_a_header_is_checked_through_its_own_source_unless_another_is_checked_anyway(self):
        self.assertEqual(self.units.covering(["one/a.h"]), (["one/a.cpp"], []))
        self.assertEqual(self.units.covering(["one/a.h", "two/b.cpp"]), (["two/b.cpp"], []))

    def test_what_nothing_includes_is_named(self):
        self.assertEqual(self.units.covering(["two/lonely.h"]), ([], ["two/lonely.h"]))

    def test_a_kernel_is_checked_where_it_is_cpp_and_as_plain_cpp_where_it_never_is(self):
        self.assertEqual(self.units.covering(["cuda/kernel.cu"]), (["two/emulated.cpp"], []))
        self.assertEqual(self.units.covering(["cuda/runtime.cu"]), (["cuda/runtime.cu"], []))
        command = self.units.commands["cuda/runtime.cu"][0]["command"]
        self.assertRegex(command, r"^clang\+\+ -x c\+\+ .*-isystem /opt/cuda/include ")

    def test_its_key_is_of_all_that_it_includes_of_the_rules_and_of_the_command(self):
        def keys(changed="one/a.cpp", text=None):
            before = pathlib.Path(changed).read_text()
            if text is not None:
                self.write(changed, text)
            units = clang_tidy.Units("build")
            found = [units.key(unit, "14") for unit in ("one/a.cpp", "two/b.cpp")]
            self.write(changed, before)
            return found

        def differ(*changes):
            return [now != then for now, then in zip(keys(*changes), keys())]

        self.assertEqual(differ(), [False, False])
        self.assertEqual(differ("one/a.h", "#pragma once\nint a();\n"), [True, True])
        self.assertEqual(differ("two/b.inc", "1"), [False, True])
        self.assertEqual(differ(".clang-tidy", ""), [True, True])
        self.write("two/.clang-tidy", NAMING)
        self.assertEqual(differ("two/.clang-tidy", ""), [False, True])
        commands = pathlib.Path("build/compile_commands.json").read_text()
        self.assertEqual(differ("build/compile_commands.json", commands.replace("-Werror", "-DX")), [True, False])
        self.assertEqual(differ("build/compile_commands.json", commands.replace(" -Werror", "")), [False, False])


@unittest.skipUnless(shutil.which("clang-tidy"), "no clang-tidy")
class Tidying(ATree):
    def setUp(self):
        super().setUp()
        self.write(".clang-tidy", NAMING)
        self.write("one/good.cpp", "int good_name() { return 1; }\n")
        self.write("two/bad.h", "#pragma once\ninline int BadName() { return 1; }\n")
        self.write("two/bad.cpp", '#include "two/bad.h"\n')
        self.units = self.build({"one/good.cpp": "c++", "two/bad.cpp": "c++"})

    def check(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            clean = clang_tidy.check(self.units, ["one/good.cpp", "two/bad.cpp"], *arguments)
        return clean, said.getvalue()

    def test_finds_a_name_in_a_header_and_remembers_only_what_was_clean(self):
        clean, said = self.check()
        self.assertFalse(clean)
        self.assertIn("BadName", said)
        self.assertIn("2 units: 0 known to be clean, 1 found clean, 1 not", said)
        clean, said = self.check()
        self.assertFalse(clean)
        self.assertIn("2 units: 1 known to be clean, 0 found clean, 1 not", said)

    def test_starts_on_nothing_when_time_is_up_and_says_so(self):
        clean, said = self.check(-1)
        self.assertTrue(clean)
        self.assertIn("no time for the 2 that changed longest ago", said)
        self.assertIn("0 known to be clean", self.check()[1])


class Style(ATree):
    def finds(self, check, **files):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            for path, text in files.items():
                path = path.replace("__", ".")
                self.write(path, text)
                self.assertFalse(check([path]), path)
        return said.getvalue()

    def accepts(self, check, **files):
        for path, text in files.items():
            path = path.replace("__", ".")
            self.write(path, text)
            self.assertTrue(check([path]), path)

    @unittest.skipUnless(shutil.which("clang-format"), "no clang-format")
    def test_format_is_held_in_sources_headers_and_kernels(self):
        self.write(".clang-format", "BasedOnStyle: Google\n")
        names = ("a__h", "a__cpp", "a__cu", "a__cuh")
        self.accepts(style.check_format, **dict.fromkeys(names, "int a;\n"))
        said = self.finds(style.check_format, **dict.fromkeys(names, "int  a;\n"))
        self.assertEqual(said.count("should be clang-formatted"), 4)

    def test_a_guard_is_the_first_directive(self):
        self.accepts(style.check_guards, a__h="// Why.\n#pragma once\n#include <a>\n", a__cuh="#pragma once\n", a__cpp="int a;\n")
        said = self.finds(style.check_guards, a__h="int a;\n", b__h="#include <a>\n#pragma once\n",
                          c__cuh="#ifndef C_CUH\n#define C_CUH\n#endif\n")
        self.assertEqual([line.split(":")[0] for line in said.splitlines()], ["a.h", "b.h", "c.cuh"])

    def test_views_are_named(self):
        self.accepts(style.check_views, a__cpp="std::ranges::sort(a);\nstd::unique(a.begin(), a.end());\n", a__md="std::views::\n")
        said = self.finds(style.check_views, a__cpp="int a;\nfor (int x : y | std::views::reverse) {}\n", b__h="std::ranges::unique(a);\n")
        self.assertEqual([line.split(": ")[0] for line in said.splitlines()], ["a.cpp:2", "b.h:1"])

    def test_lines_end_with_a_line_feed_and_nothing_before_it(self):
        self.accepts(style.check_whitespace, a__md="one\n\ntwo\n", a__bin="one ", a__py="")
        self.assertIn("a.md:2: blanks", self.finds(style.check_whitespace, a__md="one\ntwo \n"))
        self.assertIn("a.md:1: blanks", self.finds(style.check_whitespace, a__md="one\r\n"))
        self.assertIn("a.py: no line feed", self.finds(style.check_whitespace, a__py="one"))

    def test_python_is_held_to_what_shows_without_running_it(self):
        command = ruff.command()
        with mock.patch.dict(os.environ):
            os.environ.pop("XDG_CACHE_HOME")
            command = ruff.command()
        if not command.exists():
            self.skipTest("no ruff: tools/setup.py lint")
        shutil.copyfile(ROOT / "ruff.toml", self.folder / "ruff.toml")
        with mock.patch.object(ruff, "command", lambda: command):
            self.accepts(style.check_python, a__py="print(1)\n")
            self.assertIn("F821", self.finds(style.check_python, a__py="print(missing)\n"))

    @unittest.skipUnless(shutil.which("luacheck"), "no luacheck")
    def test_lua_is_held_to_known_names(self):
        shutil.copyfile(ROOT / ".luacheckrc", self.folder / ".luacheckrc")
        self.accepts(style.check_lua, a__lua="vim.print(1)\n")
        self.assertIn("undefined variable", self.finds(style.check_lua, a__lua="missing()\n"))

    @unittest.skipUnless(shutil.which("shellcheck"), "no ShellCheck")
    def test_shell_scripts_are_held_to_sound_conditions(self):
        self.accepts(style.check_shell, a__sh="#!/bin/sh\necho 1\n")
        self.assertIn("SC2034", self.finds(style.check_shell, a__sh="#!/bin/sh\nunused=1\n"))

    def test_a_linter_that_is_not_there_is_a_failure_that_says_what_to_do(self):
        with mock.patch.object(ruff, "command", lambda: pathlib.Path("/nowhere/ruff")):
            self.assertIn("tools/setup.py lint", self.finds(style.check_python, a__py="print(1)\n"))


if __name__ == "__main__":
    unittest.main()
