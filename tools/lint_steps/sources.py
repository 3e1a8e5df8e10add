"""The project's files, the changed ones, and the project files that a C++ source includes."""

import os
import pathlib
import re
import subprocess

CPP = (".h", ".cpp", ".cu", ".cuh")
HEADERS = (".h", ".cuh")


def git(*arguments):
    """The lines of git's output, or None if git fails."""
    run = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return run.stdout.splitlines() if run.returncode == 0 else None


def all_files():
    """Committed files, and new files that are not ignored."""
    files = git("ls-files", "--cached", "--others", "--exclude-standard") or []
    return sorted({file for file in files if os.path.isfile(file)})


def with_suffix(files, *suffixes):
    return [file for file in files if file.endswith(suffixes)]


def _start():
    """Where this branch left main; on main itself, the previous commit. None if there is nothing to compare with."""
    head = git("rev-parse", "HEAD")
    for main in ("main", "origin/main"):
        base = git("merge-base", "HEAD", main)
        if base and base != head:
            return base[0]
    before = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    return before[0] if before else None


def changed_files(commits=None):
    """Files changed since the branch's start, or by the last `commits`, committed or not; all files if the start is
    unknown (a shallow clone)."""
    start = _start() if commits is None else (git("rev-parse", "--verify", "--quiet", f"HEAD~{commits}") or [None])[0]
    if start is None:
        return all_files()
    changed = git("diff", "--name-only", "--diff-filter=d", start) or []
    changed += git("ls-files", "--others", "--exclude-standard") or []
    return sorted({file for file in changed if os.path.isfile(file)})


def commit_ages():
    """{file: the number of commits since its last change}, for committed files."""
    ages, age = {}, 0
    for line in git("log", "--format=%x00", "--name-only", "--no-renames") or []:
        if line == "\0":
            age += 1
        elif line:
            ages.setdefault(line, age)
    return ages


class Includes:
    """The project files that a file includes, directly or not, as #include lines name them."""

    def __init__(self):
        self._direct = {}

    def closure(self, file):
        """All of these files, and the file itself."""
        found, waiting = {file}, [file]
        while waiting:
            for each in self._of(waiting.pop()) - found:
                found.add(each)
                waiting.append(each)
        return found

    def _of(self, file):
        if file not in self._direct:
            names = re.findall(r'^\s*#\s*include\s*"([^"]+)"', pathlib.Path(file).read_text(), re.MULTILINE)
            beside = pathlib.Path(file).parent
            self._direct[file] = {path for name in names for path in (name, (beside / name).as_posix())
                                  if os.path.isfile(path)}
        return self._direct[file]
