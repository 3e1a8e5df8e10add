"""Random sequences of what clients do to a service, and what becomes of them: each step is carried out against the server and
the plain model, which then have to agree."""

import pathlib
import random
import tempfile

from doors import DOORS
from peers import (CANCELLED, ENCODINGS, FAILED, INVALID, MODIFIED, UNKNOWN, WORDS, Peer, as_long, checked, error_of, no_error,
                   some_text)
from plain_service import MAX_EDITS, PLAIN
from plain_text import MARK, boundaries, lines, span

from lsp_client import TIME_LIMIT  # doors knows where that is


def takes_blanks(before, after):
    """Whether a changed line has the text of a line of the file with other blanks at its end: it may have those then."""
    blanks = b" \t\r"
    known = {}
    for line in before:
        known.setdefault(line.strip(blanks), set()).add(line.rstrip(b"\r"))
    return any(old != new and known.get(new.strip(blanks), {new.rstrip(b"\r")}) != {new.rstrip(b"\r")}
               for old, new in zip(before, after))


class Run:
    """One sequence. `limit`: seconds for any wait."""

    def __init__(self, door, limit=TIME_LIMIT):
        self.temporary = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.temporary.name).resolve()
        self.door = DOORS[door](folder, limit)
        self.limit, self.peers = limit, {}

    def run(self, steps):
        try:
            for number, step in enumerate(steps):
                try:
                    self.step(*step)
                except AssertionError as failure:
                    raise AssertionError(f"step {number}, {step}: {failure}") from failure
            self.finish()
        finally:
            for peer in self.peers.values():
                peer.client.close()
            self.door.close()
            self.temporary.cleanup()

    def step(self, what, who, number):
        chosen, peer = random.Random(number), self.peers.get(who)
        if what in ("attach", "hold", "release", "kill"):
            getattr(self, what)(chosen, who)
        elif peer is not None:
            getattr(self, what)(chosen, peer)
        for other in self.peers.values():
            other.pump()

    def finish(self):
        for peer in list(self.peers.values()):
            for uri in list(peer.model.documents):
                self.check_text(peer, uri)
        for i, peer in enumerate(list(self.peers.values())):
            (self.detach if i % 2 else self.cut)(random.Random(i), peer)
        self.door.end()

    # Clients that come and go

    def attach(self, chosen, who):
        if who in self.peers:
            return
        peer = Peer(self.door.attach(), chosen.choice(ENCODINGS), who)
        self.peers[who] = peer
        edits = {"workspaceEdit": {"documentChanges": True}, "applyEdit": True}
        peer.ask("initialize", {
            "processId": None, "initializationOptions": self.door.initialization(), "capabilities": {
                "general": {"positionEncodings": [peer.model.encoding]}, "workspace": edits,
                "textDocument": {"inlineCompletion": {}, "codeAction": {
                    "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}, "dataSupport": True,
                    "resolveSupport": {"properties": ["edit"]}}},
                "experimental": {"redraft": {"streamedEdits": True, "prepare": True}}}},
            lambda result, error: self.check_encoding(peer, result, error))
        peer.wait(lambda: not peer.pending, "initialize", self.limit)
        peer.notify("initialized", {})
        self.open(chosen, peer)

    @staticmethod
    def check_encoding(peer, result, error):
        assert not error, error
        assert result["capabilities"]["positionEncoding"] == peer.model.encoding, result

    def detach(self, chosen, peer):
        orderly = chosen.random() < 0.8
        for edit in peer.model.edits.values():
            edit.cancelled = True
        if orderly:
            asked = peer.ask("shutdown", None, no_error)
            peer.wait(lambda: asked not in peer.pending, "shutdown", self.limit)
        peer.notify("exit", {})
        self.door.leave(peer.client, 0 if orderly else 1)
        self.forget(peer)

    def cut(self, chosen, peer):
        """In the middle of a message."""
        try:
            if chosen.random() < 0.7:
                peer.client.send_bytes(b'Content-Length: 4000\r\n\r\n{"jsonrpc": "2.0", "method": "textDocument/didCha')
            else:
                peer.client.send_bytes(b"Content-Le")
        except OSError:
            pass
        self.door.cut(peer.client)
        self.forget(peer)

    def forget(self, peer):
        peer.client.close()
        del self.peers[peer.number]

    def kill(self, chosen, who):
        self.door.kill()
        for peer in list(self.peers.values()):
            self.door.leave(peer.client, None)
            self.forget(peer)

    # Texts

    def open(self, chosen, peer):
        if len(peer.model.documents) < 2:
            peer.names += 1
            uri = f"file:///work%20of/{peer.number}/{peer.names}.txt"
        else:
            uri = chosen.choice(list(peer.model.documents))  # again
        language = chosen.choice((PLAIN, PLAIN, "python"))
        text = some_text(chosen)
        peer.model.opened(uri, language, text)
        peer.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1,
                                                              "text": text.decode()}})

    def document(self, chosen, peer):
        documents = peer.model.documents
        return documents[chosen.choice(list(documents))] if documents else None

    def send_change(self, chosen, peer, document, edits, whole=False):
        """(begin, end, new), one after the other; sometimes as one whole text."""
        sent, text = [], document.text
        for begin, end, new in edits:
            sent.append({"range": span(text, begin, end, peer.model.encoding), "text": new.decode()})
            text = text[:begin] + new + text[end:]
        if whole:
            edits, sent = [(0, len(document.text), text)], [{"text": text.decode()}]
        version = document.version + chosen.choice((1, 1, 1, 5))
        document.change(version, edits)
        peer.notify("textDocument/didChange", {"textDocument": {"uri": document.uri, "version": version},
                                               "contentChanges": sent})

    def change(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is None:
            return
        edits, text = [], document.text
        for _ in range(chosen.choice((1, 1, 1, 2, 4))):
            places = boundaries(text)
            begin = chosen.choice(places)
            near = [place for place in places if abs(place - begin) < 8]
            end = begin if chosen.random() < 0.5 else chosen.choice(places if chosen.random() < 0.2 else near)
            begin, end = min(begin, end), max(begin, end)
            new = chosen.choice(WORDS + ("\n", "\r\n", "ab\n", "é")).encode() if len(text) < 600 else b""
            edits.append((begin, end, new))
            text = text[:begin] + new + text[end:]
        self.send_change(chosen, peer, document, edits, whole=chosen.random() < 0.15)

    def type_inside(self, chosen, peer):
        """Of a hunk that waits, or right beside one."""
        hunks = [(edit, hunk) for edit in peer.model.edits.values() if edit.document.open
                 for hunk in edit.waiting().values()]
        if not hunks:
            return
        edit, hunk = chosen.choice(hunks)
        hunk = hunk.now(edit.document)
        if hunk.touched:
            return
        places = [place for place in boundaries(edit.document.text) if hunk.begin - 1 <= place <= hunk.end + 1]
        place = chosen.choice(places)
        self.send_change(chosen, peer, edit.document, [(place, place, chosen.choice((b"y", b"\n", b"zz\n", b"")))])

    def replace_before(self, chosen, peer):
        """Before a hunk that waits, by as many bytes: the hunk has the same bytes, perhaps in other lines."""
        hunks = [(edit, hunk) for edit in peer.model.edits.values() if edit.document.open
                 for hunk in edit.waiting().values()]
        if not hunks:
            return
        edit, hunk = chosen.choice(hunks)
        hunk = hunk.now(edit.document)
        places = [place for place in boundaries(edit.document.text) if hunk.begin - 12 <= place < hunk.begin]
        if hunk.touched or not places:
            return
        begin, end = sorted(chosen.choice(places) for _ in range(2))
        self.send_change(chosen, peer, edit.document, [(begin, end, as_long(chosen, end - begin))])

    def replace_all(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is None:
            return
        text = some_text(chosen)
        self.send_change(chosen, peer, document, [(0, len(document.text), text)], whole=True)

    def save(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is not None:
            peer.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}})

    def close(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is not None:
            peer.model.closed(document.uri)
            peer.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    def rename_file(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is None:
            return
        uri = document.uri
        peer.model.closed(uri)
        told = {"files": [{"oldUri": uri, "newUri": uri + ".new"}]}
        if chosen.random() < 0.5:
            peer.notify("workspace/didRenameFiles", told)
            peer.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        else:
            peer.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            peer.notify("workspace/didRenameFiles", told)

    # Edits

    def edit_request(self, chosen, peer, document):
        """The command's argument, and what becomes of the text; None where nothing is promised."""
        rename = ("rename it", b"old", b"fresh")
        instruction, find, new = chosen.choice((rename, rename, rename, ("grow it", None, None), ("do nothing", b"\0", b"\0")))
        text = document.text
        argument = {"textDocument": {"uri": document.uri}, "instruction": instruction}
        if chosen.random() < 0.7:
            argument["textDocument"]["version"] = document.version
        expected = None
        kind = chosen.choice(("whole", "whole", "selection", "selection", "auto", "symbol", "file"))
        if kind == "selection":
            all_lines = lines(text)
            first, last = sorted(chosen.choice(range(len(all_lines))) for _ in range(2))
            begin, end = all_lines[first][0], all_lines[last][2]
            if begin == end:
                kind = "whole"
            else:
                argument["range"] = span(text, begin, end, peer.model.encoding)
        if kind in ("auto", "symbol"):
            at = chosen.choice(boundaries(text))
            argument["range"] = span(text, at, at, peer.model.encoding)
        argument["scope"] = kind
        if kind == "whole" and find is not None and document.language == PLAIN:
            expected = text.replace(find, new)
            if takes_blanks(text.split(b"\n"), expected.split(b"\n")):
                expected = None
        return argument, expected

    def edit(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is None:
            return None
        argument, expected = self.edit_request(chosen, peer, document)
        return self.start_edit(peer, document, argument, expected)

    def start_edit(self, peer, document, argument, expected):
        number = []
        peer.model.overshadow(document)
        full = len(peer.model.alive_edits(document)) + document.acts >= MAX_EDITS

        def on_answer(result, error):
            if error:
                assert error["code"] == FAILED and full and "run or wait" in error["message"], error
                return
            peer.model.started(result["editId"], document, expected)
            number.append(result["editId"])

        asked = peer.ask("workspace/executeCommand", {"command": "redraft.edit", "arguments": [argument]}, on_answer)
        peer.wait(lambda: asked not in peer.pending, "an edit begins", self.limit)
        return number[0] if number else None

    def stale_edit(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is None:
            return
        stale = chosen.random() < 0.5
        argument = {"textDocument": {"uri": document.uri if stale else document.uri + ".no",
                                     "version": document.version + 1 if stale else None}, "instruction": "rename"}
        peer.ask("workspace/executeCommand", {"command": "redraft.edit", "arguments": [argument]},
                 error_of(MODIFIED if stale else INVALID))

    def act(self, chosen, peer):
        """A code action that is resolved: the answer has the edit. It is an edit like others until then."""
        document = self.document(chosen, peer)
        if document is None:
            return
        argument, _ = self.edit_request(chosen, peer, document)
        document.acts += 1
        peer.model.overshadow(document)

        def on_answer(result, error):
            document.acts -= 1
            if error:
                assert error["code"] in (CANCELLED, MODIFIED, FAILED), error
                return
            for change_of in result["edit"]["documentChanges"]:
                assert change_of["textDocument"]["uri"] == document.uri
                text = document.texts[change_of["textDocument"]["version"]]
                for edit in change_of["edits"]:
                    peer.model.check_place(text, edit["range"])

        peer.ask("codeAction/resolve", {"title": "x", "kind": "refactor.rewrite", "data": argument}, on_answer)

    def resolve(self, chosen, peer):
        """As an editor does it: asks for the edits, applies them, and says so. What is typed meanwhile moves them."""
        edits = [edit for edit in peer.model.edits.values() if edit.waiting() or chosen.random() < 0.1]
        if not edits:
            return
        edit = chosen.choice(edits)
        ids = None if chosen.random() < 0.5 else [i for i in edit.hunks if chosen.random() < 0.6]
        accept, doubtful = chosen.random() < 0.7, chosen.random() < 0.7
        given = []

        def on_answer(result, error):
            if error:
                assert error["code"] == INVALID and peer.model.may_be_forgotten(edit.number), error
            else:
                given.append(peer.model.taken(edit.number, ids, result, accept, doubtful))

        asked = peer.ask("redraft/resolveEdit", {"editId": edit.number, "hunkIds": ids, "doubtful": doubtful,
                                                 "action": "accept" if accept else "reject"}, on_answer)
        if chosen.random() < 0.2:
            self.change(chosen, peer)
        peer.wait(lambda: asked not in peer.pending, "hunks are resolved", self.limit)
        if given and edit.document.open:
            self.apply(chosen, peer, edit.document, *given[0])

    def apply(self, chosen, peer, document, edits, version):
        edits = document.moved_since(version, edits)
        if edits:
            self.send_change(chosen, peer, document, sorted(edits, reverse=True), whole=chosen.random() < 0.1)

    def cancel(self, chosen, peer):
        if chosen.random() < 0.3 and peer.pending:
            peer.notify("$/cancelRequest", {"id": chosen.choice(list(peer.pending))})
            return
        if not peer.model.edits:
            return
        edit = chosen.choice(list(peer.model.edits.values())[-6:])
        had_ended = edit.state is not None
        edit.cancelled = edit.cancelled or not had_ended

        def on_answer(result, error):
            assert not error, error
            assert not (had_ended and result["cancelled"]), "an edit that has ended was cancelled"

        peer.ask("workspace/executeCommand", {"command": "redraft.cancel", "arguments": [{"editId": edit.number}]},
                 on_answer)

    # Other requests, which are answered at some time

    def at_a_place(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is None:
            return None, None
        at = chosen.choice(boundaries(document.text))
        return document, span(document.text, at, at, peer.model.encoding)

    def complete(self, chosen, peer):
        document, place = self.at_a_place(chosen, peer)
        if document is None:
            return
        version = document.version
        method = chosen.choice(("textDocument/inlineCompletion", "textDocument/completion"))
        peer.ask(method, {"textDocument": {"uri": document.uri}, "position": place["start"],
                          "context": {"triggerKind": chosen.choice((1, 2))}},
                 checked(lambda result: peer.model.check_completion(document, version, result)))

    def next_edit(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is not None:
            peer.ask("redraft/nextEdit", {"textDocument": {"uri": document.uri}},
                     checked(peer.model.check_next_edits, CANCELLED, MODIFIED, INVALID))

    def region(self, chosen, peer):
        document, place = self.at_a_place(chosen, peer)
        if document is not None:
            peer.ask("redraft/region", {"textDocument": {"uri": document.uri, "version": document.version}, "range": place},
                     checked(lambda result: peer.model.check_regions(document, result)))

    def prepare(self, chosen, peer):
        document, place = self.at_a_place(chosen, peer)
        if document is None:
            return
        peer.ask("redraft/prepare", {"textDocument": {"uri": document.uri, "version": document.version}, "range": place,
                                     "scope": "auto"},
                 checked(lambda result: peer.model.check_place(document.texts[result["version"]], result["range"]),
                         CANCELLED, MODIFIED, FAILED))
        if chosen.random() < 0.5:
            peer.notify("redraft/stopPreparing", {})

    def settings(self, chosen, peer):
        peer.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {
            "completion": {"delay": chosen.choice((0, 1, 20)), "enabled": chosen.random() < 0.8},
            "nextEdit": {"enabled": chosen.random() < 0.8}, "readAhead": chosen.choice(("off", "prompt", "idle")),
            "loadEarly": chosen.random() < 0.5}}})

    def nonsense(self, chosen, peer):
        method, code = chosen.choice((("no/such/method", UNKNOWN), ("textDocument/completion", INVALID),
                                      ("redraft/resolveEdit", INVALID)))
        peer.ask(method, chosen.choice(({}, {"textDocument": 1}, {"position": {"line": -1}})), error_of(code))

    # The model that the server has

    def hold(self, chosen, who):
        self.door.hold.touch()

    def release(self, chosen, who):
        self.door.hold.unlink(missing_ok=True)

    def sync(self, chosen, peer):
        """The server has read everything, and has said what follows from it."""
        asked = peer.ask("redraft/status", {}, no_error)
        peer.wait(lambda: asked not in peer.pending, "status", self.limit)
        peer.model.check_settled()

    def watch(self, chosen, peer):
        """Until no edit runs, unless one is held."""
        if not self.door.hold.exists():
            peer.wait(lambda: all(edit.state for edit in peer.model.edits.values()), "the end of all edits", self.limit)

    def settle(self, chosen, peer):
        """Nothing runs any more."""
        self.door.hold.unlink(missing_ok=True)
        peer.wait(lambda: not peer.pending, "all answers", self.limit)
        peer.wait(lambda: all(edit.state for edit in peer.model.edits.values()), "the end of all edits", self.limit)
        self.sync(chosen, peer)

    def reveal(self, chosen, peer):
        document = self.document(chosen, peer)
        if document is not None:
            self.check_text(peer, document.uri)

    def check_text(self, peer, uri):
        """An edit that changes the end of each line shows all lines that the server has."""
        self.settle(random.Random(0), peer)
        document = peer.model.documents[uri]
        argument = {"textDocument": {"uri": uri, "version": document.version}, "instruction": "reveal", "scope": "whole"}
        for edit in peer.model.alive_edits(document):  # they would make room only one by one
            edit.newer = True
            peer.ask("redraft/resolveEdit", {"editId": edit.number, "hunkIds": None, "action": "reject"},
                     lambda result, error, edit=edit: error or peer.model.taken(edit.number, None, result, False))
        number = self.start_edit(peer, document, argument, None)
        self.settle(random.Random(0), peer)
        edit = peer.model.edits[number]
        shown = bytearray(len(document.text))
        if document.text.startswith(MARK):  # it is of no line that a model sees
            shown[:len(MARK)] = b"\1" * len(MARK)
        for hunk in edit.waiting().values():
            for i in range(hunk.begin, hunk.end):
                shown[i] = 1
        for begin, _, end in lines(document.text)[:-1]:
            assert document.language != PLAIN or all(shown[begin:end]), \
                f"a line is not the server's: {document.text[begin:end]!r} of {document.text!r}; {edit.hunks}"
        peer.ask("redraft/resolveEdit", {"editId": number, "hunkIds": None, "action": "reject"},
                 lambda result, error: error or peer.model.taken(number, None, result, False))
        self.sync(random.Random(0), peer)
