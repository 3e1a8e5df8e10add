"""Editors of the terminal as a person has them: set up by the lines of docs/editors.md, given keys, looked at.

tmux is the terminal: it has a screen that can be read. The server is the real one, with a model that carries out a script.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SERVER = os.environ["REDRAFT_SCRIPTED_SERVER"]
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "kit"))
from hang_limit import HANG_SECONDS  # noqa: E402

PATIENCE = HANG_SECONDS


def lines_of(heading, language):
    """The first code block of `language` below a heading of docs/editors.md."""
    text = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.search(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL).group(1)


def runs(pid):
    """Whether the process runs; a zombie does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class EditorTest(unittest.TestCase):
    """Has a home folder of its own, with a program `redraft` in PATH and a file in a project."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="redraft-")
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.file = self.home / "project" / "a.py"
        self.file.parent.mkdir()
        (self.home / "bin").mkdir()

    def tmux(self, *arguments):
        environment = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config"), "TERM": "xterm-256color",
                       "LANG": "C.UTF-8", "PATH": f"{self.home / 'bin'}:{os.environ['PATH']}"}
        command = ["tmux", "-f", "/dev/null", "-S", str(self.home / "tmux"), *arguments]
        return subprocess.run(command, env=environment, cwd=self.file.parent, check=True, timeout=PATIENCE,
                              capture_output=True, text=True).stdout

    def start(self, command, text, edits=(), fills=()):
        """Opens a file that holds `text` with the editor."""
        self.file.write_text(text, encoding="utf-8")
        script = self.home / "script.json"
        script.write_text(json.dumps({"edits": list(edits), "fills": list(fills)}), encoding="utf-8")
        program = self.home / "bin" / "redraft"
        program.write_text(f"#!/bin/sh\necho $$ >>{shlex.quote(str(self.home / 'servers'))}\n"
                           f"exec {shlex.quote(SERVER)} {shlex.quote(str(script))} --index --log-level warn\n", encoding="utf-8")
        program.chmod(0o755)
        self.tmux("new-session", "-d", "-x", "100", "-y", "40", shlex.join([*command, self.file.name]))
        self.addCleanup(self.end)
        self.until("the editor has a process", lambda: self.tmux("list-panes", "-F", "#{pane_pid}").strip())
        self.editor = int(self.tmux("list-panes", "-F", "#{pane_pid}"))
        self.until("the server runs", self.servers)

    def end(self):
        """What is left when a test failed."""
        if runs(self.editor):
            self.tmux("kill-server")
            self.until("the editor ends", lambda: not any(runs(pid) for pid in (self.editor, *self.servers())))

    def servers(self):
        """The processes of servers that were started."""
        file = self.home / "servers"
        return [int(line) for line in file.read_text(encoding="utf-8").split()] if file.exists() else []

    def keys(self, *keys):
        """Named keys, such as Escape and C-x, and texts."""
        for key in keys:
            named = re.fullmatch(r"([CM]-.|Escape|Enter|Tab|Down|Up|Home|End|BSpace)", key)
            self.tmux("send-keys", *([] if named else ["-l"]), key)

    def screen(self):
        """What it shows; nothing once the editor has ended."""
        try:
            return self.tmux("capture-pane", "-p")
        except subprocess.CalledProcessError:
            return ""

    def until(self, what, holds):
        deadline = time.monotonic() + PATIENCE
        while not (held := holds()):
            if time.monotonic() > deadline:
                self.fail(f"not in time: {what}\n{self.screen()}")
            time.sleep(0.05)
        return held

    def until_shown(self, *texts):
        self.until(f"the screen shows {texts}", lambda: all(text in self.screen() for text in texts))

    def until_saved(self, text):
        """Saves the file once its lines are shown, and checks that it holds them and nothing else."""
        self.until_shown(*text.splitlines())
        self.save()
        self.until("the file is written", lambda: self.file.exists() and self.file.read_text(encoding="utf-8") == text)

    def quit(self, *keys):
        """Types what ends the editor; nothing of it may be left."""
        self.keys(*keys)
        self.until("the editor ends", lambda: not runs(self.editor))
        self.until("the server ends", lambda: not any(runs(pid) for pid in self.servers()))
