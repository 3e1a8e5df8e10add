"""Downloads a file with a known SHA-256, and continues where an earlier attempt ended, in this process or another."""

import contextlib
import errno
import re

from .common import SetupError, sha256_of
from .registry import ConnectionBroken

_IDLE_ATTEMPTS = 3  # attempts in a row that receive nothing, before the download fails
_FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "your share of the disk is used up",
         errno.EFBIG: "larger files are not allowed here"}


@contextlib.contextmanager
def writing(path):
    """Reports a full disk as an error that the user can fix. The written part stays."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise SetupError(f"{path}: {_FULL[error.errno]}; make room and run the same command, which continues "
                         "from here") from error


class Download:
    """`on_bytes(have, whole)` is told after each piece (`whole` is None if the server does not say it), `on_note(text)` what
    the user should know. If a server sends more than `at_most` bytes, the download fails."""

    def __init__(self, registry, address, path, sha256, at_most, on_bytes, on_note):
        self._registry, self._address, self._path = registry, address, path
        self._sha256, self._at_most = sha256, at_most
        self._on_bytes, self._on_note = on_bytes, on_note

    def run(self):
        if self._path.exists() and sha256_of(self._path) == self._sha256:
            return
        idle = 0
        while True:
            before = self._size()
            try:
                self._go_on()
                break
            except ConnectionBroken as error:
                idle = 0 if self._size() > before else idle + 1
                if idle == _IDLE_ATTEMPTS:
                    raise SetupError(f"the connection broke ({error}); the received part is kept, and the same command "
                                     "continues from there") from error
        found = sha256_of(self._path)
        if found != self._sha256:
            self._refuse(f"has the SHA-256 {found} where {self._sha256} is expected")

    def _size(self):
        return self._path.stat().st_size if self._path.exists() else 0

    def _refuse(self, why):
        self._path.unlink(missing_ok=True)
        raise SetupError(f"the file from the server {why}; it was removed ({self._address})")

    def _go_on(self):
        with self._registry.opened(self._address, self._size()) as response:
            have = self._agreed_start(response)
            length = response.headers.get("Content-Length", "")
            whole = have + int(length) if length.isdigit() else None
            self._refuse_too_much(whole or 0)
            with writing(self._path), open(self._path, "r+b" if have else "wb") as file:
                file.seek(have)
                for piece in response.iter_content(1 << 14):
                    have += len(piece)
                    self._refuse_too_much(have)
                    file.write(piece)
                    self._on_bytes(have, whole)
            if whole is not None and have < whole:
                raise ConnectionBroken(f"{have} of {whole} bytes came")

    def _agreed_start(self, response):
        """The byte of the file at which the response begins."""
        start, status = self._size(), response.status_code
        if status == 206:
            sent = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
            if sent and int(sent.group(1)) == start:
                return start
        if status in (206, 416):  # the partial file does not fit the file on the server
            self._path.unlink(missing_ok=True)
            raise ConnectionBroken(f"the server answers {status} with other bytes than the requested ones")
        if status >= 400:
            raise SetupError(f"the server answers {status} {response.reason} ({self._address})")
        if start > 0:
            self._on_note("the server cannot continue a download: this part begins again")
        return 0

    def _refuse_too_much(self, size):
        if size > self._at_most:
            self._refuse(f"is longer than the {self._at_most} bytes that it may have")
