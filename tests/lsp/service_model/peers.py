"""The clients of a random sequence, what they may do, and the texts that they type."""

import random

from doors import DOORS, HALT, until
from plain_service import PlainClient
from plain_text import MARK

ENCODINGS = ("utf-8", "utf-16", "utf-32")
WORDS = ("old", "old", "old", "older", "fresh", "x = 1", "def f():", "naïve", "🙂", "日本", "\t", "area = ", "(", "# ", HALT,
         "e\u0301", "")
LINE_ENDS = (("\n",), ("\n",), ("\r\n",), ("\r\n", "\n"), ("\r", "\n", "\r\n"))
CANCELLED, MODIFIED, FAILED, INVALID, UNKNOWN = -32800, -32801, -32803, -32602, -32601
MAX_CLIENTS = 4  # fewer than
# What a step is, and how often it comes.
STEPS = {"attach": 8, "open": 6, "change": 16, "type_inside": 5, "replace_before": 4, "replace_all": 2, "save": 2, "close": 1,
         "rename_file": 1, "edit": 14, "watch": 10, "stale_edit": 1, "act": 2, "resolve": 10, "cancel": 2, "complete": 6,
         "next_edit": 3, "region": 2, "prepare": 2, "settings": 2, "nonsense": 2, "hold": 3, "release": 4, "sync": 10,
         "settle": 3, "reveal": 4, "detach": 1, "cut": 1, "kill": 1}


def make_steps(seed, count):
    """Each is [what, who, a number for all further choices], so any part of a sequence is one, too."""
    chosen = random.Random(seed)
    door, clients = chosen.choice(list(DOORS)), chosen.randrange(1, MAX_CLIENTS)
    names = chosen.choices(list(STEPS), list(STEPS.values()), k=count)
    first = [[name, who, chosen.randrange(1 << 30)] for who in range(clients) for name in ("attach", "open")]
    return door, first + [[name, chosen.randrange(clients), chosen.randrange(1 << 30)] for name in names]


def some_text(chosen, most_lines=18):
    ends = chosen.choice(LINE_ENDS)
    text = "".join("".join(chosen.choice(WORDS) for _ in range(chosen.randrange(5))) + chosen.choice(ends)
                   for _ in range(chosen.randrange(most_lines)))
    text += chosen.choice(("", "old"))
    return (chosen.random() < 0.1) * MARK + text.encode()


def as_long(chosen, count):
    """A text of so many bytes, with other lines and characters."""
    text = b""
    while len(text) < count:
        text += chosen.choice(("x", "\n", "é" if len(text) + 2 <= count else "y")).encode()
    return text


class Peer:
    """A client at the server, with what the model knows of it."""

    def __init__(self, client, encoding, number):
        self.client, self.model, self.number = client, PlainClient(encoding), number
        self.pending, self.last_id, self.names = {}, 0, 0

    def notify(self, method, params):
        self.client.notify(method, params)

    def ask(self, method, params, on_answer):
        self.last_id += 1
        self.pending[self.last_id] = on_answer
        self.client.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.last_id

    def pump(self):
        """Takes everything that has come, in order."""
        with self.client.changed:
            messages = list(self.client.messages)
            self.client.messages.clear()
        for message in messages:
            if "method" not in message:
                answered = self.pending.pop(message["id"], None)
                assert answered is not None, f"an answer to nothing, or a second one: {message}"
                answered(message.get("result"), message.get("error"))
            elif message["method"] == "$/redraft/edit":
                self.model.on_event(message["params"])
            else:
                assert not message["method"].startswith("textDocument/publish"), message

    def wait(self, condition, what, limit):
        def holds():
            self.pump()
            assert condition() or not self.client.ended, f"the server has gone: {self.client.log[-2000:]}"
            return condition()
        until(holds, f"never: {what} (client {self.number}, waiting for {self.pending})", limit)


def no_error(result, error):
    assert not error, error


def error_of(*codes):
    def on_answer(result, error):
        assert error and error["code"] in codes, (result, error)
    return on_answer


def checked(check, *codes):
    """For an answer that may be such an error."""
    def on_answer(result, error):
        if error:
            assert error["code"] in (codes or (CANCELLED, MODIFIED)), error
        elif result:
            check(result)
    return on_answer
