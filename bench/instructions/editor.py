"""Edits as an editor requests them: a language server, the cursor or a selection, an instruction, and all of its hunks accepted.

Only what servers of commit e3d2645 know already is used: the scope `auto`, which editors send for a cursor.
"""

import dataclasses
import os
import pathlib
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "lsp"))

import lsp_client  # noqa: E402

INDEX_SECONDS = 600  # its threads run only where nothing else wants to
lsp_client.TIME_LIMIT = 1800  # seconds; a whole file with a large model takes minutes
PROMPT_SIZES = ("small", "medium", "large", "huge")
STATISTICS = ("promptTokens", "cachedPromptTokens", "newTokens", "passes", "prefillSeconds", "decodeSeconds")


@dataclasses.dataclass
class Outcome:
    text: str  # with what was accepted
    seconds: float  # from the request to the end
    state: str
    error: str
    doubts: list  # the reasons shown beside hunks; servers before them show none
    region: tuple  # the lines that might change, where the server told
    statistics: dict


def applied(text, edits):
    """LSP's TextEdits, in characters (UTF-32)."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    ends = [len(text)] * 2  # a place beyond the last line

    def offset(at):
        line = at["line"]
        first, end = (starts[line], starts[line + 1] - 1) if line + 1 < len(starts) else ends
        return min(first + at["character"], end)
    for edit in sorted(edits, key=lambda each: offset(each["range"]["start"]), reverse=True):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


class Editor:
    """`root`: a workspace, of which an index is made before this returns. `takes_doubtful`: whether hunks with a doubt are
    accepted, too; an editor's "accept all" leaves them. `prompt_size`: a setting, none: the server chooses."""

    def __init__(self, program, target=None, threads=None, root=None, takes_doubtful=True, prompt_size=None):
        self.takes_doubtful = takes_doubtful
        self.folder = tempfile.TemporaryDirectory()  # of caches: nothing is remembered from earlier runs
        command = [str(program), "lsp", "--no-share", *([] if root else ["--no-index"]), "--log-level", "error",
                   *(["--target", target] if target else []), *(["--threads", str(threads)] if threads else [])]
        self.client = lsp_client.Client(command, env={**os.environ, "XDG_CACHE_HOME": self.folder.name})
        self.files = 0
        self.client.request("initialize", {"processId": None, "rootUri": root.as_uri() if root else None, "capabilities": {
            "general": {"positionEncodings": ["utf-32"]}, "experimental": {"redraft": {"streamedEdits": True}}},
            **({"initializationOptions": {"redraft": {"promptSize": prompt_size}}} if prompt_size else {})})
        self.client.notify("initialized", {})
        self._wait_for_index(bool(root))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()
        self.folder.cleanup()

    def _wait_for_index(self, is_made):
        until = time.monotonic() + INDEX_SECONDS
        while is_made and ((self.client.request("redraft/status", {}).get("index") or {}).get("state") != "ready"):
            if time.monotonic() > until:
                raise SystemExit("the index is not made")
            time.sleep(0.05)

    def model(self):
        return self.client.request("redraft/status", {}).get("target")

    def warm_up(self):
        """Loads the model, so that the first task does not pay for that."""
        outcome = self.edit("warm.py", "python", "a = 1\nb = 2\n", ((0, 0), (0, 0)), "Rename a to c and add a comment.")
        if outcome.state == "failed":
            raise SystemExit(f"nothing can be measured: {outcome.error}")

    def edit(self, name, language, text, span, instruction, diagnostics=(), uri=None):
        """Without a URI the file is opened under a name that the server has not seen. A span of None means the file."""
        self.files += 1
        uri = uri or f"file:///{self.files}/{name}"
        self.client.notify("textDocument/didOpen", {
            "textDocument": {"uri": uri, "version": 1, "languageId": language, "text": text}})
        request = {"textDocument": {"uri": uri, "version": 1}, "instruction": instruction}
        if span:
            begin, end = ({"line": line, "character": character} for line, character in span)
            request["range"] = {"start": begin, "end": end}
        if not span or begin == end:
            request["scope"] = "auto" if span else "file"
        if diagnostics:
            request["diagnostics"] = list(diagnostics)
        start, began = self.client.count(), time.monotonic()
        edit = self._command("redraft.edit", request)["editId"]
        told = self.client.notification("$/redraft/edit", lambda news: (news["editId"], news["kind"]) == (edit, "end"), start)
        seconds = time.monotonic() - began
        outcome = Outcome(self._accepted(text, uri, edit), seconds, told["state"], told.get("error") or "",
                          [doubt["reason"] for doubt in told.get("doubts") or []], self._region(edit),
                          {key: (told.get("statistics") or {}).get(key, 0) for key in STATISTICS})
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        return outcome

    def _command(self, command, argument):
        return self.client.request("workspace/executeCommand", {"command": command, "arguments": [argument]})

    def _accepted(self, text, uri, edit):
        hunks = [news for news in self.client.all("$/redraft/edit") if news["editId"] == edit and news["kind"] == "hunk"]
        if not hunks:
            return text
        answer = self.client.request("redraft/resolveEdit", {"editId": edit, "hunkIds": None, "action": "accept",
                                                               "doubtful": self.takes_doubtful})
        return applied(text, (answer["edit"] or {"changes": {uri: []}})["changes"][uri])

    def _region(self, edit):
        for news in self.client.all("$/redraft/edit"):
            if news["editId"] == edit and news["kind"] == "region":
                return news["range"]["start"]["line"], news["range"]["end"]["line"]
        return None
