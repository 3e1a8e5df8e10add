"""What one client of the service may expect: its texts, its edits, and the events that may come. The model beside the server
in service_model_test.py; each check is an assertion."""

import dataclasses

from plain_text import change, followed, offset, offsets, overlap, span

TOUCHED = "the text it replaces was changed"
OVERTAKEN = "a newer edit changes this place"
REPLACED = "a newer edit of these lines took its place"
REPAIRED = "redraft corrected it: other changes take its place"
MAX_EDITS = 16
PLAIN = "ini"  # a language in which the server finds nothing doubtful and puts nothing right


class PlainDocument:
    """An open document, from its opening to its end; another under the same name is another object."""

    def __init__(self, uri, language, text, version=1):
        self.uri, self.language, self.version = uri, language, version
        self.texts, self.changes = {version: text}, {}
        self.open, self.acts = True, 0  # code actions that are being resolved

    @property
    def text(self):
        return self.texts[self.version]

    def change(self, version, edits):
        """(begin, end, new) one after the other, each in the text that the one before left."""
        text, made = self.text, []
        for begin, end, new in edits:
            text, one = change(text, begin, end, new)
            made.append(one)
        self.version = version
        self.texts[version], self.changes[version] = text, made


    def moved_since(self, version, edits):
        """Edits of an earlier version where they are now; without those whose place was changed."""
        for later in sorted(v for v in self.changes if v > version):
            for made in self.changes[later]:
                places = [(followed(made, begin, end), new) for begin, end, new in edits]
                edits = [(*place, new) for place, new in places if place is not None]
        return edits


@dataclasses.dataclass
class PlainHunk:
    begin: int
    end: int
    version: int  # of the document, to which begin and end belong
    old: bytes
    new: bytes
    reported: dict  # the range that the server named last
    waits: bool = True
    touched: bool = False

    def advance(self, document, version):
        """To a later version of the document."""
        while self.version < version:
            later = min(v for v in document.changes if v > self.version)
            self.version = later
            for made in document.changes[later]:
                if self.touched:
                    break
                place = followed(made, self.begin, self.end)
                if place is None:
                    self.touched = True
                else:
                    self.begin, self.end = place


    def now(self, document):
        """As it will be once the server has read all that was sent. What it says meanwhile is about this one as it is."""
        later = dataclasses.replace(self)
        later.advance(document, document.version)
        return later


class PlainEdit:
    def __init__(self, number, document, expected=None):
        self.number, self.document, self.started = number, document, document.version
        self.expected = expected  # the text with all hunks, if nothing comes between
        self.hunks, self.first, self.sequence = {}, {}, 0
        self.state, self.cancelled, self.newer = None, False, False

    def waiting(self):
        return {number: hunk for number, hunk in self.hunks.items() if hunk.waits}

    def alive(self):
        return self.state is None or bool(self.waiting())


class PlainClient:
    def __init__(self, encoding):
        self.encoding = encoding
        self.documents, self.edits = {}, {}

    # What the client does

    def opened(self, uri, language, text):
        self.closed(uri)
        self.documents[uri] = PlainDocument(uri, language, text)
        return self.documents[uri]

    def closed(self, uri):
        gone = self.documents.pop(uri, None)
        if gone:
            gone.open = False

    def started(self, number, document, expected):
        assert number not in self.edits, f"edit {number} began twice"
        if any(edit.document is document and edit.alive() for edit in self.edits.values()):
            expected = None
        self.edits[number] = PlainEdit(number, document, expected)

    def overshadow(self, document):
        """A newer edit may take the place of any other."""
        for edit in self.edits.values():
            if edit.document is document:
                edit.newer = True

    def alive_edits(self, document):
        return [edit for edit in self.edits.values() if edit.document is document and edit.alive()]

    def taken(self, number, hunk_ids, answer, accept, doubtful=False):
        """redraft/resolveEdit was answered. The edits to apply, as (begin, end, new) in the version that is returned."""
        edit = self.edits[number]
        version = answer["version"]
        waiting = edit.waiting()
        left = [each["hunkId"] for each in answer.get("left", ()) if each["reason"]]
        assert set(left) <= set(waiting) and len(set(left)) == len(answer.get("left", ())), (answer, sorted(waiting))
        assert not left or (accept and hunk_ids is None and not doubtful), answer
        named = {i: hunk for i, hunk in waiting.items() if i not in left and (hunk_ids is None or i in hunk_ids)}
        places = []
        for hunk in named.values():
            hunk.advance(edit.document, version)
            assert not hunk.touched, "a hunk is given though its place was changed"
            hunk.waits = False
            places.append((hunk.begin, hunk.end, hunk.new))
        assert sorted(answer["hunkIds"]) == sorted(named), (answer, sorted(named))
        if not accept or not named:
            assert answer["edit"] is None, answer
            return [], version
        (change_of,) = answer["edit"]["documentChanges"]
        assert change_of["textDocument"] == {"uri": edit.document.uri, "version": version}, change_of
        text = edit.document.texts[version]
        given = [(*offsets(text, e["range"], self.encoding), e["newText"].encode()) for e in change_of["edits"]]
        assert sorted(given) == sorted(places), (given, places)
        return given, version

    def may_be_forgotten(self, number):
        """Whether the server may say that it knows no such edit."""
        edit = self.edits[number]
        return not edit.alive() or not edit.document.open or edit.newer

    # What the server says

    def on_event(self, params):
        edit = self.edits.get(params["editId"])
        assert edit is not None, f"an event of an edit that this client did not begin: {params}"
        assert params["seq"] == edit.sequence, (params, edit.sequence)
        edit.sequence += 1
        if "uri" in params:
            assert params["uri"] == edit.document.uri, f"an event of another document: {params}"
        ended = edit.state is not None
        assert not ended or params["kind"] in ("moved", "dropped"), f"after the end of the edit: {params}"
        getattr(self, "_on_" + params["kind"])(edit, params)

    def _on_region(self, edit, params):
        offsets(edit.document.texts[params["version"]], params["range"], self.encoding)

    def _on_places(self, edit, params):
        for place in params["chosen"] + params["others"]:
            offsets(edit.document.texts[params["version"]], place["range"], self.encoding)

    def _on_progress(self, edit, params):
        assert 0 <= params["fraction"] <= 1, params

    def _on_hunk(self, edit, params):
        assert all(params["hunkId"] > other for other in edit.hunks), params
        text = edit.document.texts[params["version"]]
        begin, end = offsets(text, params["range"], self.encoding)
        assert text[begin:end] == params["oldText"].encode(), (params, text[begin:end])
        edit.hunks[params["hunkId"]] = PlainHunk(begin, end, params["version"], params["oldText"].encode(),
                                                 params["newText"].encode(), params["range"])
        edit.first[params["hunkId"]] = (begin, end, params["newText"].encode())

    def _on_moved(self, edit, params):
        text = edit.document.texts[params["version"]]
        for moved in params["hunks"]:
            hunk = edit.waiting()[moved["hunkId"]]
            hunk.advance(edit.document, params["version"])
            assert not hunk.touched, f"moved though its place was changed: {params}"
            assert offsets(text, moved["range"], self.encoding) == (hunk.begin, hunk.end), (params, hunk, text)
            hunk.reported = moved["range"]

    def _on_dropped(self, edit, params):
        number, reason, document = params["hunkId"], params["reason"], edit.document
        hunk = edit.hunks.get(number)
        changed = document.version > edit.started
        if hunk is None:  # it was never shown
            edit.expected = None
            assert changed if reason == TOUCHED else edit.newer, params
            return
        assert hunk.waits, f"dropped twice, or after it was decided: {params}"
        hunk.waits = False
        edit.expected = None
        if reason == TOUCHED:
            hunk.advance(document, document.version)
            assert hunk.touched, f"nothing touched it: {params}, {hunk}, {document.text!r}"
        elif reason in (OVERTAKEN, REPLACED):
            assert edit.newer, params
        elif reason == REPAIRED:
            assert params["replaced"] and document.language != PLAIN, params
        else:
            assert not document.open, params

    def _on_end(self, edit, params):
        edit.state = params["state"]
        if edit.state == "cancelled":
            assert edit.cancelled or edit.newer or not edit.document.open, params
            return
        assert edit.state == "done", params
        unchanged = edit.document.version == edit.started and edit.document.open
        if edit.expected is None or not unchanged or edit.newer or any(not hunk.waits for hunk in edit.hunks.values()):
            return
        text = edit.document.text
        for begin, end, new in sorted(edit.first.values(), reverse=True):
            text = text[:begin] + new + text[end:]
        assert text == edit.expected, f"{edit.document.text!r} became {text!r}, not {edit.expected!r}"

    # When the server has read all that was sent

    def check_settled(self):
        for document in self.documents.values():
            self._check_hunks(document)
        for edit in self.edits.values():
            assert edit.document.open or not edit.waiting(), f"hunks of a document that is gone: {edit.waiting()}"

    def _check_hunks(self, document):
        places = []
        for edit in self.alive_edits(document):
            for number, hunk in edit.waiting().items():
                hunk.advance(document, document.version)
                assert not hunk.touched, f"hunk {number} of edit {edit.number} was touched and not dropped: {hunk}"
                assert document.text[hunk.begin:hunk.end] == hunk.old, hunk
                now = span(document.text, hunk.begin, hunk.end, self.encoding)
                assert hunk.reported == now, f"hunk {number} of edit {edit.number} is at {now}, said was {hunk.reported}"
                places.append((edit.number, (hunk.begin, hunk.end)))
        for i, (edit, place) in enumerate(places):
            for other_edit, other in places[:i]:
                assert not overlap(place, other), f"hunks of edits {edit} and {other_edit} overlap: {place}, {other}"

    def check_place(self, text, place):
        offsets(text, place, self.encoding)

    def check_completion(self, document, version, result):
        items = result if isinstance(result, list) else (result or {}).get("items", [])
        if not document.open or document.version != version:
            return
        for item in items:
            place = item.get("range") or item.get("textEdit", {}).get("range")
            if place:
                offsets(document.text, place, self.encoding)

    def check_next_edits(self, result):
        for edit in result["edits"]:
            document = self.documents.get(edit["textDocument"]["uri"])
            if document is None:
                continue
            version = edit["textDocument"]["version"]
            if version == document.version:
                offsets(document.text, edit["range"], self.encoding)

    def check_regions(self, document, result):
        text = document.texts[result["version"]]
        for region in result["regions"]:
            offset(text, region["range"]["start"], self.encoding)
            offset(text, region["range"]["end"], self.encoding)
