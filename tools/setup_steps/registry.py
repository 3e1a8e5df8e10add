"""The registry of packages that pip is configured for, reached by pip's own parts.

pip knows where its packages are and how to get there: the user's configuration, mirrors, proxies, certificates,
passwords. So no host is named here. But as a program it cannot continue a download and does not say how far one is;
hence its parts are used, as pip-tools does. They are no promised interface: what is used of them is in this file
alone, and a pip that has them no more is an UnknownPip, after which models.py runs pip as a program.
"""

import contextlib
import logging
import re
import subprocess
import sys

from . import wheels
from .common import SetupError, machine


class UnknownPip(Exception):
    """This pip's internals differ from those that this file knows."""


class ConnectionBroken(Exception):
    """No answer, or one that ended too early; another attempt may succeed."""


class _Messages(logging.Handler):
    """Keeps what pip logs: its finder logs a registry that does not answer, and finds nothing."""

    def __init__(self):
        super().__init__()
        self.all = []

    def emit(self, record):
        self.all.append(record.getMessage())


def _make_importable():
    try:
        import pip._internal  # noqa: F401
    except ImportError:
        python = wheels.pip_command()[0]
        folder = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=True).stdout.strip()
        sys.path.append(folder)


def _reason(message):
    """The reason in the nested messages of pip, requests and urllib3."""
    found = re.search(r"(\[Errno -?\d+\] [^'\")]+|certificate verify failed[^'\")]*|\d{3} (?:Client|Server) Error: [^:]+)",
                      message)
    return found.group(1).strip() if found else message


class Registry:
    def __init__(self):
        _make_importable()
        self._messages = _Messages()
        log = logging.getLogger("pip")
        log.handlers, log.propagate = [self._messages], False
        log.setLevel(logging.DEBUG)
        try:
            self._open_parts()
        except (ImportError, AttributeError, TypeError) as error:
            raise UnknownPip(str(error)) from error

    def _open_parts(self):
        from pip._internal.cli.cmdoptions import make_target_python
        from pip._internal.commands import create_command
        from pip._internal.utils.hashes import Hashes
        from pip._vendor.requests.exceptions import RequestException
        command = create_command("download")
        options, _ = command.parse_args([*wheels.accepted(machine()), "--only-binary=:all:", "--no-cache-dir", "--no-input"])
        self._session = command._build_session(options)
        self._finder = command._build_package_finder(options=options, session=self._session,
                                                     target_python=make_target_python(options))
        self._hashes, self._request_exception = Hashes, RequestException

    def address(self, package, version, sha256):
        """Where the wheel with that SHA-256 is."""
        self._messages.all.clear()
        links = [found.link for found in self._finder.find_all_candidates(package) if str(found.version) == version]
        wanted = self._hashes({"sha256": [sha256]})
        # A registry need not state hashes; the download is hashed in any case.
        for link in [*filter(lambda link: link.is_hash_allowed(wanted), links), *filter(lambda link: not link.has_hash, links)]:
            return link.url_without_fragment
        if links:
            raise SetupError(f"the registry's {package} {version} has another SHA-256 than {sha256}")
        problems = [message for message in self._messages.all if re.search("Could not fetch|not a trusted", message)]
        if not problems:
            raise SetupError(f"the registry that pip is configured for has no {package} {version}")
        raise SetupError(f"no answer from the registry that pip is configured for ({_reason(problems[-1])}): "
                         "is there a network, and does `pip download` work?")

    @contextlib.contextmanager
    def opened(self, address, start):
        """The response for the bytes from `start` on: with status_code, headers, and iter_content()."""
        headers = {"Accept-Encoding": "identity"}
        if start > 0:
            headers["Range"] = f"bytes={start}-"
        try:
            with self._session.get(address, headers=headers, stream=True) as response:
                yield response
        except self._request_exception as error:
            raise ConnectionBroken(_reason(str(error))) from error
