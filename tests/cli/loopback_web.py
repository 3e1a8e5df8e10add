"""A web server on the loopback interface that has files as a page of models or a hub has them, and can misbehave."""

import http.server
import json
import re
import ssl
import threading


class Page:
    """What is at one path, and how it is sent."""

    def __init__(self, content=b"", mark='"one"', **how):
        self.content = content
        self.mark = mark  # its ETag; None: it has none
        self.status = 200
        self.location = None  # a redirection to there
        self.headers = {}
        self.has_ranges = True
        self.claims = None  # the length that is announced; None: the right one
        self.says_length = True
        self.cuts = []  # bytes of each further answer, after which the connection ends
        self.hold_after = None  # bytes of an answer, after which nothing comes
        self.range_mark = None  # the ETag of a part, where it is not the same
        self.__dict__.update(how)


class Web:
    """`requests` has the path and the headers of each time that something was asked for."""

    def __init__(self, certificate=None):
        """With a certificate (a file that holds its key too), by HTTPS."""
        self.pages = {}
        self.requests = []
        self.holding = threading.Event()
        self._released = threading.Event()
        web = self

        class Handler(_Handler):
            serves = web

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.origin = f"{'https' if certificate else 'http'}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self):
        self.release()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def release(self):
        """Ends the answers that are held, now and later."""
        self._released.set()

    def hold(self):
        self.holding.set()
        self._released.wait()

    def ranges(self, path):
        return [headers.get("Range") for asked, headers in self.requests if asked == path]

    def tokens(self):
        return [headers.get("Authorization") for _, headers in self.requests]

    def list_repository(self, name, files, **more):
        """`files`: path to (size, SHA-256 or None), as the hub tells them."""
        siblings = [{"rfilename": path, "size": size, **({"lfs": {"sha256": digest, "size": size}} if digest else {})}
                    for path, (size, digest) in files.items()]
        self.pages[f"/api/models/{name}"] = Page(json.dumps({"sha": "a" * 40, "siblings": siblings, **more}).encode())


class _Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        self.serves.requests.append((path, dict(self.headers.items())))
        page = self.serves.pages.get(path)
        if page is None:
            self.send_error(404)
        elif page.location is not None:
            self.send_response(page.status if page.status != 200 else 302)
            self.send_header("Location", page.location)
            self.send_header("Content-Length", "0")
            for name, value in page.headers.items():
                self.send_header(name, value)
            self.end_headers()
        elif page.status != 200:
            self.send_error(page.status)
        else:
            self._send(page)

    def _start(self, page):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if not asked or not page.has_ranges or self.headers.get("If-Range", page.mark) != page.mark:
            return 0
        return int(asked.group(1))

    def _send(self, page):
        start, length = self._start(page), len(page.content) if page.claims is None else page.claims
        if start and start >= length:
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{length - 1}/{length}")
        if page.says_length:
            self.send_header("Content-Length", str(length - start))
        mark = page.range_mark if start and page.range_mark else page.mark
        if mark:
            self.send_header("ETag", mark)
        for name, value in page.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self._send_body(page, page.content[start:])

    def _send_body(self, page, body):
        self.close_connection = True
        try:
            if page.hold_after is not None:
                self.wfile.write(body[:page.hold_after])
                self.wfile.flush()
                self.serves.hold()
            else:
                self.wfile.write(body[:page.cuts.pop(0)] if page.cuts else body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was refused
