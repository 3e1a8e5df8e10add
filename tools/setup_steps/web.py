"""Reads from the web servers that the user names: HTTPS with the system's certificates, through the environment's proxies.

Every redirection is followed here, not by urllib: it may lead to no worse a connection than the one before, and the token
goes to the one origin that it is for.
"""

import contextlib
import http.client
import ipaddress
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request

from .common import SetupError
from .registry import ConnectionBroken

_MAX_REDIRECTIONS = 5
_REDIRECTIONS = {301, 302, 303, 307, 308}
_WAITING = 60  # seconds without a byte, after which the connection counts as broken
_PIECE = 1 << 16
_IN_PATHS = "/%:@!$&'()*+,;=-._~"


def plain(text, at_most=200):
    """A server's text as it may be shown: one line without control characters."""
    return "".join(each if each.isprintable() else " " for each in str(text))[:at_most].strip()


def shown(address):
    """An address without its query, which may be a signature."""
    parts = urllib.parse.urlsplit(address)
    return plain(f"{parts.scheme}://{parts.netloc}{parts.path}", 400)


def origin(address):
    parts = urllib.parse.urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def is_loopback(host):
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def normal(address):
    """The address with its characters escaped; an error for one that redraft does not open."""
    try:
        parts = urllib.parse.urlsplit(address.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise SetupError(f"{plain(address)}: is not an address ({error})") from error
    if parts.username is not None or parts.password is not None:
        raise SetupError(f"{parts.scheme}://…@{plain(host or '')}: redraft does not open an address with a password in it")
    if parts.scheme not in ("https", "http") or not host or not host.isascii() or not plain(host) == host:
        raise SetupError(f"{plain(address)}: is not an address; write it as https://HOST/PATH/FILE.gguf")
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, urllib.parse.quote(parts.path, _IN_PATHS),
                                    urllib.parse.quote(parts.query, _IN_PATHS + "?"), ""))


class Answer:
    """A server's answer. `address`: its origin, after redirections. `first`: the headers of the first answer, which led
    there."""

    def __init__(self, response, address, first):
        self._response, self.address, self.first = response, address, first
        self.status, self.headers = response.status, response.headers
        self.reason = plain(response.reason)

    def pieces(self):
        """The pieces of the body, as they arrive."""
        while True:
            try:
                piece = self._response.read1(_PIECE)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise ConnectionBroken(plain(error) or type(error).__name__) from error
            if not piece:
                return
            yield piece

    def text(self, at_most):
        body = b""
        for piece in self.pieces():
            body += piece
            if len(body) > at_most:
                raise SetupError(f"{shown(self.address)}: the answer is longer than {at_most} bytes")
        return body.decode("utf-8", "replace")


class _EveryAnswer(urllib.request.HTTPErrorProcessor):
    """Treats no status as an error and follows no redirection."""

    def http_response(self, request, response):
        return response

    https_response = http_response


class Web:
    """`token`, if there is one, is sent only to the origin of `token_for`. `reads_plain`: allows http://, because the user
    has stated the SHA-256 of the content. http:// to this machine is always allowed."""

    def __init__(self, token=None, token_for=None, reads_plain=False):
        self._token, self._token_for = token, token_for and origin(token_for)
        self._reads_plain = reads_plain
        self._through_proxies = self._opener()
        self._directly = self._opener(urllib.request.ProxyHandler({}))

    @staticmethod
    def _opener(*handlers):
        secure = urllib.request.HTTPSHandler(context=ssl.create_default_context())
        return urllib.request.build_opener(secure, _EveryAnswer, *handlers)

    @contextlib.contextmanager
    def opened(self, address, headers=None):
        """The Answer for an address, with the bytes as they are stored."""
        address, first = normal(address), None
        for _ in range(_MAX_REDIRECTIONS + 1):
            with self._asked(address, headers or {}) as response:
                first = first or response.headers
                if response.status not in _REDIRECTIONS:
                    yield Answer(response, address, first)
                    return
                address = self._next(address, response.headers.get("Location", ""))
        raise SetupError(f"{shown(address)}: redirected more than {_MAX_REDIRECTIONS} times")

    def _check(self, address):
        scheme, host, _ = origin(address)
        if scheme == "http" and not is_loopback(host) and not self._reads_plain:
            raise SetupError(f"{shown(address)}: http:// can be read and changed on the way; write https://, or state the file's "
                             "SHA-256 with --sha256")

    def _next(self, address, location):
        try:
            target = normal(urllib.parse.urljoin(address, location)) if location else ""
        except ValueError as error:
            raise SetupError(f"{shown(address)}: redirects to an invalid address") from error
        if not target:
            raise SetupError(f"{shown(address)}: redirects without an address")
        if origin(address)[0] == "https" and origin(target)[0] != "https":
            raise SetupError(f"{shown(address)}: redirects to {shown(target)}, where what comes could be changed on the way")
        return target

    def _asked(self, address, headers):
        self._check(address)
        scheme, host, _ = origin(address)
        request = urllib.request.Request(address, headers={"User-Agent": "redraft", "Accept-Encoding": "identity", **headers})
        if self._token and origin(address) == self._token_for and (scheme == "https" or is_loopback(host)):
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        opener = self._directly if is_loopback(host) else self._through_proxies
        try:
            return opener.open(request, timeout=_WAITING)
        except urllib.error.URLError as error:
            reason = error.reason
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise SetupError(f"{shown(address)}: certificate verify failed: {plain(reason.verify_message)}") from error
            raise ConnectionBroken(f"{host}: {plain(getattr(reason, 'strerror', None) or reason)}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ConnectionBroken(f"{host}: {plain(error) or type(error).__name__}") from error


def explain(answer, hub):
    """Raises an error that explains a status without content. `hub`: the answer is from the hub of models, which may know
    the user."""
    status, place = answer.status, shown(answer.address)
    if status == 429 or status >= 500:
        raise ConnectionBroken(f"the server answers {status} {answer.reason}")
    if hub and status in (401, 403, 404):
        raise SetupError(f"{place}: the hub answers {status} {answer.reason}: there is no such model, or you must first "
                         "accept its conditions on its page; set HF_TOKEN to identify yourself")
    raise SetupError(f"{place}: the server answers {status} {answer.reason}")


def digest_of(text):
    """A SHA-256 in a header, an answer or an argument, in lower case; None: the text is not one."""
    found = re.fullmatch(r'(?:W/)?"?(?:sha256:)?([0-9a-fA-F]{64})"?', str(text or "").strip())
    return found.group(1).lower() if found else None
