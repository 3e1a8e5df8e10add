"""A session of a client that goes on whatever the answers are, for tests in which something fails in the server."""

from lsp_client import Client
from lsp_client import TIME_LIMIT as LIMIT


class Gone(Exception):
    """The server's process ended."""


class EnduringSession:
    """Subclasses say in talk() what the client does; `outcomes` are (method, error or None) of each request."""

    def __init__(self, command, **options):
        self.client = Client(command, **options)
        self.outcomes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def run(self):
        """The exit code of the server."""
        try:
            self.talk()
        except (Gone, BrokenPipeError):
            pass
        return self.client.exit_code(LIMIT)

    def log(self):
        """What the server wrote to standard error until its end."""
        self.client.threads[1].join(LIMIT)
        return self.client.log.decode(errors="replace")

    def request(self, method, params=None):
        number = self.client.start_request(method, params)
        answer = self.wait(lambda m: "method" not in m and m.get("id") in (number, None))
        self.outcomes.append((method, answer.get("error")))
        return answer.get("result")

    def wait(self, wanted):
        try:
            return self.client.wait(wanted, limit=LIMIT)
        except AssertionError:
            if self.client.ended:
                raise Gone from None
            raise
