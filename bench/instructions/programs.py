"""Runs a task's test on an edited file.

What a model wrote is compiled outside of the sandbox (compilers do not run what they compile; Go's own C is off) and run within
it: that of `redraft bench --pass-at-1`, which build/bench/run_sandboxed is a program for.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import sources
from .judge import CPP, GO, JAVASCRIPT, PYTHON, RUST

OWN_TESTS = "the tests that the file has itself"
COMPILE_SECONDS = 900
RUN_SECONDS = 120  # on a busy machine; the sandbox allows ten of the processor
# Programs that a sandboxed user can run are not in anybody's home.
_COMMON = "/usr/local/bin:/usr/bin:/bin"


class ToolMissing(Exception):
    pass


def _tool(name, for_everyone=False):
    found = shutil.which(name, path=_COMMON) if for_everyone else None
    found = found or shutil.which(name)
    if not found:
        raise ToolMissing(name)
    return found


def _root(path):
    """The folder of the package that a file belongs to; for a file of ours, its folder."""
    for client, name, _, _ in sources.read_lock():
        if path.startswith(f"{client}/{name}/"):
            return sources.locate(f"{client}/{name}")
    return sources.locate(path).parent


def _compiled(command, folder, **environment):
    run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, timeout=COMPILE_SECONDS, env={**os.environ, **environment}, check=False)
    return None if run.returncode == 0 else "it does not compile: " + run.stdout.strip()[-1500:]


class Runner:
    """`sandbox`: the program that confines tests; None: they run as they are, which is for texts that people wrote."""

    def __init__(self, sandbox):
        self.sandbox = sandbox and os.path.abspath(shutil.which(sandbox) or sandbox)  # tests run in folders of their own
        self.missing = set()  # tools that tests needed and this machine has not

    def __call__(self, task, text):
        """(whether it ran, what is wrong or None)"""
        with tempfile.TemporaryDirectory(prefix="redraft-test-") as name:
            folder = pathlib.Path(name)
            folder.chmod(0o755)
            try:
                problem, command = _PREPARE[task.language](task, text, folder)
            except ToolMissing as missing:
                self.missing.add(str(missing))
                return False, None
            except subprocess.TimeoutExpired:
                return True, "compiling it takes too long"
            return True, problem or self._run(command, folder)

    def _run(self, command, folder):
        if self.sandbox:
            command = [self.sandbox, "--seconds", str(RUN_SECONDS), *command]
        try:
            run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, timeout=RUN_SECONDS + 10, check=False)
        except subprocess.TimeoutExpired:
            return "the test takes too long"
        if self.sandbox and run.returncode == 2:
            raise SystemExit(f"tests cannot be run: {run.stdout.strip()}")
        return None if run.returncode == 0 else "the test fails: " + run.stdout.strip()[-1500:]


def _copied(task, text, folder):
    """The package, with the edited file in its place."""
    root = _root(task.file)
    if not task.file.startswith("own/"):
        shutil.copytree(root, folder, dirs_exist_ok=True)
    file = folder / sources.locate(task.file).relative_to(root)
    file.write_bytes(text.encode())
    return file


def _python(task, text, folder):
    _copied(task, text, folder)
    test = folder / "redraft_test.py"
    test.write_text(f"import sys\nsys.path.insert(0, {str(folder)!r})\n" + task.test)
    return None, [_tool("python3", for_everyone=True), "-I", "-B", str(test)]


def _javascript(task, text, folder):
    file = _copied(task, text, folder)
    if task.test != OWN_TESTS:
        file = folder / "redraft_test.js"
        file.write_text("const assert = require('assert')\n" + task.test)
    return None, [_tool("node", for_everyone=True), str(file)]


def _cpp(task, text, folder):
    root = sources.locate("npm/leveldown/deps/leveldb/leveldb-1.20")
    edited, main = folder / ("edited" + pathlib.PurePath(task.file).suffix), folder / "main.cc"
    edited.write_bytes(text.encode())
    main.write_text(task.test)
    command = [_tool("g++"), "-std=c++17", "-O0", "-w", "-DLEVELDB_PLATFORM_POSIX", "-DOS_LINUX", f"-I{root}", f"-I{root}/include",
               f"-I{folder}", "-o", str(folder / "program"), str(main), *(str(root / unit) for unit in task.units), "-lpthread"]
    if "edited.cc" not in task.test:  # else it includes the file
        command.append(str(edited))
    return _compiled(command, folder), [str(folder / "program")]


def _go(task, text, folder):
    package = sources.locate(task.file).parent
    if not task.file.startswith("own/"):
        for file in package.glob("*.go"):
            if not file.name.endswith("_test.go"):
                shutil.copyfile(file, folder / file.name)
    (folder / pathlib.PurePath(task.file).name).write_bytes(text.encode())
    name = re.search(r"^package (\w+)", text, re.MULTILINE)
    (folder / "redraft_test.go").write_text(f"package {name.group(1) if name else 'main'}\n\n{task.test}")
    (folder / "go.mod").write_text("module tested\n\ngo 1.20\n")
    problem = _compiled([_tool("go"), "test", "-c", "-vet=off", "-o", "program", "."], folder, CGO_ENABLED="0", GOFLAGS="-mod=mod",
                        GOPROXY="off", GOTOOLCHAIN="local", GOWORK="off")
    return problem, [str(folder / "program")]


def _rust(task, text, folder):
    file = folder / pathlib.PurePath(task.file).name
    file.write_bytes(text.encode())
    command = [_tool("rustc"), "--edition", "2021", "-A", "warnings", "-o", str(folder / "program")]
    if task.test == OWN_TESTS:
        return _compiled([*command, "--test", str(file)], folder), [str(folder / "program")]
    main = folder / "redraft_main.rs"
    main.write_text(f'#[path = "{file.name}"]\nmod edited;\n\n{task.test}')
    return _compiled([*command, str(main)], folder), [str(folder / "program")]


_PREPARE = {PYTHON: _python, JAVASCRIPT: _javascript, CPP: _cpp, GO: _go, RUST: _rust}
