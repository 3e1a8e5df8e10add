"""Downloads a GGUF file from a web server, and continues where an earlier attempt ended, in this process or another.

What has come is in a partial file, and beside it a record of what it is part of: the server's own mark of the file (its ETag,
or when it was changed) and its length. A server continues only the file that has this mark; of a file that has neither a mark
nor a known SHA-256 nothing is continued.
"""

import json
import os
import re
import shutil
import struct
import time

from .common import SetupError
from .download import writing
from .registry import ConnectionBroken
from .web import digest_of, explain, plain, shown

_MAX_ATTEMPTS = 1000  # in all
_PAUSE = 0.1  # the minimum number of seconds before an attempt
_IDLE_ATTEMPTS = 3  # attempts in a row that receive nothing, before the download fails
_MAX_BEGINNINGS = 4  # for a file that differs at every request
_HEADER = 1 << 16  # bytes; they contain the architecture
_SPARE = 1 << 20  # bytes of the disk that stay free


def _scalar_bytes(kind):
    return {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}.get(kind)


def _architecture(head):
    """The architecture that a GGUF file states; None: it is not among the first keys."""
    (count,) = struct.unpack_from("<Q", head, 16)
    at = 24

    def text():
        nonlocal at
        (length,) = struct.unpack_from("<Q", head, at)
        at += 8 + length
        if at > len(head):
            raise struct.error
        return head[at - length:at]

    try:
        for _ in range(min(count, 1000)):
            key = text()
            (kind,) = struct.unpack_from("<I", head, at)
            at += 4
            if kind == 8:
                value = text()
                if key == b"general.architecture":
                    return plain(value.decode("utf-8", "replace"), 60)
            elif _scalar_bytes(kind):
                at += _scalar_bytes(kind)
            else:
                return None  # a list: the vocabulary; the architecture is never behind it
    except struct.error:
        pass
    return None


def problem_of_header(head, architectures):
    """Why redraft cannot run a file with this beginning; None: no reason so far."""
    if head[:4] != b"GGUF":
        return "is no GGUF file" + (" but a page" if head.lstrip()[:1] == b"<" else "")
    if len(head) < 24:
        return "is no whole GGUF file"
    (version,) = struct.unpack_from("<I", head, 4)
    if version not in (2, 3):
        return f"is a GGUF file of version {version}; redraft reads 2 and 3"
    architecture = _architecture(head)
    if architecture is not None and architectures and architecture not in architectures:
        return f"is a model of the architecture '{architecture}', which redraft does not run (it runs {', '.join(architectures)})"
    return None


class Transfer:
    """`source`: a hub.Source; the transfer sets its length and SHA-256 if the server states them. `model`: what reports show.
    `architectures`: those that redraft runs; empty: not known."""

    def __init__(self, web, source, model, partial, report, architectures):
        self._web, self._source, self._model, self._partial, self._report = web, source, model, partial, report
        self._architectures = architectures
        self._record = partial.with_name(partial.name + ".json")
        self._begun = self._judged = False
        self._beginnings = 0

    def run(self):
        """Afterwards the partial file is as long as the server says. Only the beginning of its content is checked yet."""
        known = self._read_record()
        if known.get("bytes") == self._size() > 0 and self._source.bytes in (None, known.get("bytes")):
            self._source.bytes = known["bytes"]
            self._source.sha256 = self._source.sha256 or known.get("sha256")
            return self._begin(self._size())
        idle = attempts = 0
        while True:
            before = self._size()
            try:
                return self._go_on()
            except ConnectionBroken as error:
                idle = 0 if self._size() > before else idle + 1
                attempts += 1
                if idle == _IDLE_ATTEMPTS or attempts == _MAX_ATTEMPTS:
                    kept = "; the received part is kept, and the same command continues from there" if self._size() else ""
                    raise SetupError(f"the connection broke ({error}){kept}") from error
                time.sleep(max(idle, _PAUSE))

    def remove(self):
        self._partial.unlink(missing_ok=True)
        self._record.unlink(missing_ok=True)

    def _size(self):
        return self._partial.stat().st_size if self._partial.exists() else 0

    def _read_record(self):
        try:
            found = json.loads(self._record.read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _refuse(self, why):
        self.remove()
        raise SetupError(f"the file from the server {why}; nothing was kept ({shown(self._source.address)})")

    def _begin(self, have):
        if not self._begun:
            self._begun = True
            self._model.update(bytes=self._source.bytes, licence=self._source.licence)
            self._report.begin(self._model, have, self._partial.parent)

    def _go_on(self):
        known = self._read_record()
        mark = known.get("mark")
        have = self._size() if mark or self._source.sha256 else 0
        headers = {"Range": f"bytes={have}-"} if have else {}
        if have and mark:
            headers["If-Range"] = mark
        with self._web.opened(self._source.address, headers) as answer:
            if answer.status not in (200, 206, 416):
                explain(answer, self._source.of_hub)
            if self._source.of_hub and not self._source.sha256:
                self._source.sha256 = digest_of(answer.first.get("X-Linked-Etag"))
            have = self._agreed_start(answer, have, known)
            total = self._length(answer, have)
            self._begin(have)
            self._check_room(total - have)
            self._write_record(_mark(answer) or (mark if have else None), total)
            self._take(answer, have, total)

    def _agreed_start(self, answer, have, known):
        """The byte of the file at which the answer begins."""
        now = _mark(answer)
        if answer.status == 206:
            sent = re.match(r"bytes (\d+)-\d+/(\d+|\*)", answer.headers.get("Content-Range", ""))
            was = known.get("mark")
            # A partial answer must repeat an ETag, but not a date (RFC 9110, 15.3.7).
            same = not was or now == was or (not now and not was.startswith('"'))
            if have and sent and int(sent.group(1)) == have and sent.group(2) in ("*", str(known.get("bytes"))) and same:
                return have
        if answer.status in (206, 416):  # the partial file does not fit the file on the server
            self._count_beginning()
            self.remove()
            raise ConnectionBroken(f"the server answers {answer.status} with other bytes than the requested ones")
        if self._size() > 0:
            changed = now and known.get("mark") and now != known["mark"]
            self._report.note("the file at that address has changed: the download begins again" if changed else
                              "the server cannot continue a download: it begins again")
            self._count_beginning()
        self._judged = False
        return 0

    def _count_beginning(self):
        self._beginnings += 1
        if self._beginnings == _MAX_BEGINNINGS:
            self._refuse("changes at every request")

    def _length(self, answer, have):
        """The length of the whole file. All sources that state one must agree."""
        length = answer.headers.get("Content-Length", "")
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise SetupError(f"{shown(answer.address)}: the server compresses the file, although it must not")
        if not re.fullmatch(r"\d{1,18}", length):
            raise SetupError(f"{shown(answer.address)}: the server does not say how long the file is")
        total = have + int(length)
        stated = {total, self._source.bytes or total}
        if have:
            stated.add(self._read_record().get("bytes") or total)
        if len(stated) > 1:
            self._refuse(f"would be {total} bytes where {min(stated - {total})} are expected")
        self._source.bytes = total
        return total

    def _check_room(self, needed):
        free = shutil.disk_usage(self._partial.parent).free
        if free < needed + _SPARE:
            raise SetupError(f"{self._partial.parent} has {free / 1e6:.0f} MB free where {needed / 1e6:.0f} MB are needed")

    def _write_record(self, mark, total):
        record = {"address": shown(self._source.address), "mark": mark, "bytes": total, "sha256": self._source.sha256}
        written = self._record.with_name(self._record.name + ".new")
        with writing(written):
            written.write_text(json.dumps(record))
        os.replace(written, self._record)

    def _take(self, answer, have, total):
        with writing(self._partial), open(self._partial, "r+b" if have else "wb") as file:
            file.seek(have)
            for piece in answer.pieces():
                have += len(piece)
                if have > total:
                    self._refuse(f"is longer than the {total} bytes that were announced")
                file.write(piece)
                file.flush()  # so that the piece is kept, however this ends
                if not self._judged and have >= min(total, _HEADER):
                    self._judge()
                self._report.progress(self._model, "downloading", have)
        if have < total:
            raise ConnectionBroken(f"{have} of {total} bytes came")
        if not self._judged:
            self._judge()

    def _judge(self):
        """Refuses a web page, or a model that redraft cannot run, before gigabytes are downloaded."""
        with open(self._partial, "rb") as file:
            problem = problem_of_header(file.read(_HEADER), self._architectures)
        if problem:
            self._refuse(problem)
        self._judged = True


def _mark(answer):
    """What identifies this version of the file for the server; None: it sends nothing reliable."""
    tag = answer.headers.get("ETag", "").strip()
    if re.fullmatch(r'"[!-~]{1,200}"', tag):
        return tag
    changed = answer.headers.get("Last-Modified", "").strip()
    return changed if re.fullmatch(r"[ -~]{1,60}", changed) else None
