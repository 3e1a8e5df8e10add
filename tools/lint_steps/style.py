"""The checks that take seconds and cover all files: format, guards, the scripts' own linters. Each returns True if clean."""

import pathlib
import re
import subprocess

from setup_steps import ruff

from .sources import CPP, HEADERS, with_suffix

TEXT = (*CPP, ".cmake", ".el", ".js", ".json", ".lua", ".md", ".py", ".sh", ".toml", ".ts", ".txt", ".yml", "Makefile")
VERBATIM = ("tests/cases/", "tests/fuzz/corpus/", "tests/text/data/")  # bytes that tests compare


def _is_clean(command, files):
    if not files:
        return True
    try:
        run = subprocess.run([*command, *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except FileNotFoundError:
        print(f"{command[0]} is not there: tools/setup.py lint")
        return False
    if run.returncode != 0:
        print(run.stdout.strip())
    return run.returncode == 0


def check_format(files):
    return _is_clean(["clang-format", "--dry-run", "-Werror"], with_suffix(files, *CPP))


def unguarded(text):
    """Whether a header can be included twice, because its first directive is not `#pragma once`."""
    directive = re.search(r"^\s*#.*$", text, re.MULTILINE)
    return directive is None or directive.group().split() != ["#pragma", "once"]


def check_guards(files):
    bad = [file for file in with_suffix(files, *HEADERS) if unguarded(pathlib.Path(file).read_text())]
    for file in bad:
        print(f"{file}: its first directive is not #pragma once")
    return not bad


# What clang 14, which builds the fuzzers, cannot compile with GCC 12's library.
VIEWS = re.compile(r"std::(ranges::)?views\b|std::ranges::(\w+_view|subrange|unique|remove_if|remove|partition|stable_partition|rotate|"
                   r"search|search_n|find_end|equal_range)\b")


def views_used(text):
    """The numbers of lines that use views, or algorithms that return one."""
    return [number for number, line in enumerate(text.splitlines(), 1) if VIEWS.search(line)]


def check_views(files):
    bad = [f"{file}:{number}: clang 14 has no ranges that are views; use the algorithm of iterators"
           for file in with_suffix(files, *CPP) for number in views_used(pathlib.Path(file).read_text())]
    print(*bad, sep="\n", end="\n" if bad else "")
    return not bad


def check_whitespace(files):
    """Follows .editorconfig: every line, including the last one, ends with a line feed and has no trailing blanks."""
    bad = []
    for file in with_suffix(files, *TEXT):
        content = b"" if file.startswith(VERBATIM) else pathlib.Path(file).read_bytes()
        bad += [f"{file}:{number}: blanks at the end of the line" for number, line in enumerate(content.split(b"\n"), 1)
                if line != line.rstrip()]
        if content and not content.endswith(b"\n"):
            bad.append(f"{file}: no line feed at the end")
    print(*bad, sep="\n", end="\n" if bad else "")
    return not bad


def check_python(files):
    return _is_clean([str(ruff.command()), "check", "--quiet", "--force-exclude", "--output-format", "concise"], with_suffix(files, ".py"))


def check_lua(files):
    return _is_clean(["luacheck", "--quiet", "--no-color"], with_suffix(files, ".lua"))


def check_shell(files):
    scripts = [file for file in files if file.endswith(".sh") or file == ".ci/run"]
    return _is_clean(["shellcheck", "--severity=warning"], scripts)


CHECKS = {"format": check_format, "guards": check_guards, "views": check_views, "whitespace": check_whitespace, "Python": check_python,
          "Lua": check_lua, "shell": check_shell}
