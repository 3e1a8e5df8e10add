"""A registry of packages on the loopback interface, as pip knows them, which can misbehave."""

import hashlib
import http.server
import io
import re
import ssl
import threading
import zipfile


def wheel_of(package, member, content):
    """A wheel that holds one file, not compressed."""
    held = io.BytesIO()
    name = package.replace("-", "_")
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(member, content)
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        archive.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    return held.getvalue()


class Registry:
    """Serves the wheels that are added; `requests` has a (wheel, range or None) for each time that one was asked for."""

    def __init__(self, certificate=None):
        """With a certificate (a file that holds its key too), by HTTPS."""
        self.wheels = {}  # package: content
        self.sent = {}  # package: content that is sent instead
        self.requests = []
        self.has_ranges = True
        self.break_after = None  # bytes of a response, after which the connection ends: once
        self.hold_after = None  # bytes of a response, after which nothing comes
        self.holding = threading.Event()
        self.too_much = b""  # sent behind each wheel, without a length
        self._released = threading.Event()
        registry = self

        class Handler(_Handler):
            serves = registry

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._scheme = "https" if certificate else "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    @property
    def index(self):
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}/simple/"

    def close(self):
        self._released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def hold(self):
        self.holding.set()
        self._released.wait()


class _Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        package = re.fullmatch(r"/simple/([^/]+)/", self.path)
        if package and package.group(1) in self.serves.wheels:
            self._list(package.group(1))
        elif self.path.startswith("/files/"):
            self._send(self.path.split("/")[2])
        else:
            self.send_error(404)

    def _list(self, package):
        sha256 = hashlib.sha256(self.serves.wheels[package]).hexdigest() if not self.serves.too_much else None
        name = f"{package.replace('-', '_')}-1.0-py3-none-any.whl"
        page = f"<!DOCTYPE html><a href='/files/{package}/{name}{'#sha256=' + sha256 if sha256 else ''}'>{name}</a>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def _send(self, package):
        registry = self.serves
        content = registry.sent.get(package, registry.wheels[package])
        asked = self.headers.get("Range")
        registry.requests.append((package, asked))
        start = int(re.fullmatch(r"bytes=(\d+)-", asked).group(1)) if asked and registry.has_ranges else 0
        if start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if not registry.too_much:
            self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self._send_body(content[start:] + registry.too_much)

    def _send_body(self, body):
        registry = self.serves
        if registry.hold_after is not None:
            self.wfile.write(body[:registry.hold_after])
            self.wfile.flush()
            registry.hold()
        elif registry.break_after is not None:
            cut, registry.break_after = registry.break_after, None
            self.wfile.write(body[:cut])
        else:
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it was refused
