"""Runs llama.cpp's server for comparison: its speculative modes by name, and processes that never outlive this one."""

import contextlib
import ctypes
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

HOST = "127.0.0.1"
START_SECONDS = 180
STOP_SECONDS = 10
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)

# The options of a mode (`ngram-simple:n=4:m=8`), and the server's own option for each.
NGRAM = {"n": "size-n", "m": "size-m", "hits": "min-hits"}
OPTIONS = {
    "plain": {},
    **{kind: {short: f"--spec-{kind}-{flag}" for short, flag in NGRAM.items()}
       for kind in ("ngram-simple", "ngram-map-k", "ngram-map-k4v")},
    "ngram-mod": {"match": "--spec-ngram-mod-n-match", "min": "--spec-ngram-mod-n-min",
                  "max": "--spec-ngram-mod-n-max"},
    "ngram-cache": {},
    "draft": {"n": "--spec-draft-n-max", "p": "--spec-draft-p-min"},
    "mtp": {"n": "--spec-draft-n-max", "p": "--spec-draft-p-min"},
}


class Mode:
    """One way to run the server, KIND[:OPTION=VALUE]…"""

    def __init__(self, name):
        self.name = name
        self.kind, *options = name.split(":")
        known = OPTIONS.get(self.kind)
        if known is None:
            raise ValueError(f"no mode '{self.kind}'; there are {', '.join(OPTIONS)}")
        self.flags = []
        if self.kind != "plain":
            self.flags = ["--spec-type", {"draft": "draft-simple", "mtp": "draft-mtp"}.get(self.kind, self.kind)]
        for option in options:
            key, _, value = option.partition("=")
            if key not in known or not value:
                raise ValueError(f"mode '{name}': '{option}' is not one of {', '.join(f'{each}=…' for each in known) or 'its options'}")
            self.flags += [known[key], value]

    @property
    def uses_draft(self):
        return self.kind == "draft"

    @property
    def speculates(self):
        return self.kind != "plain"

    @property
    def is_ngram(self):
        return self.kind.startswith("ngram")


class ServerError(Exception):
    pass


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def die_with_parent():
    """Called in the child: makes it end with this process, even if this process is killed."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Server:
    """A running llama-server of one mode."""

    def __init__(self, program, mode, model, draft, threads, context):
        self.port = free_port()
        self.log = tempfile.TemporaryFile()
        command = [program, "--host", HOST, "--port", self.port, "--model", model, "--threads", threads, "--ctx-size",
                   context, "--parallel", 1, "--cache-ram", 0, "--no-webui", "--offline", *mode.flags]
        if mode.uses_draft:
            command += ["--spec-draft-model", draft]
        # Runs in its own session, so that Ctrl-C reaches only this script, which ends the server by its id.
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=die_with_parent)
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def _wait_until_ready(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise ServerError(f"llama-server ended with exit code {self.process.returncode}: {self._last_words()}")
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self._request("GET", "/health", None, 5)[0] == 200:
                    return
            time.sleep(0.05)
        raise ServerError(f"llama-server is not ready after {START_SECONDS} s: {self._last_words()}")

    def _last_words(self):
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def _request(self, method, path, body, timeout):
        connection = http.client.HTTPConnection(HOST, self.port, timeout=timeout)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def complete(self, step, timeout):
        """The greedy continuation of a step's prompt, and the seconds that the request took."""
        body = {"prompt": step["prompt"], "n_predict": step["max_new_tokens"], "temperature": 0, "top_k": 1,
                "cache_prompt": False, "return_tokens": True}
        if step["fence"]:
            body["stop"] = [f"\n{step['fence']}\n"]
        start = time.monotonic()
        status, answer = self._request("POST", "/completion", json.dumps(body), timeout)
        seconds = time.monotonic() - start
        if status != 200:
            raise ServerError(f"llama-server answers {status}: {answer[:300].decode(errors='replace')}")
        return json.loads(answer), seconds

    def stop(self):
        """Ends the process that we started, by its id, and no other."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


class Servers:
    """A server for each mode, as many at once as fit into memory."""

    def __init__(self, start, at_once):
        self.start, self.at_once = start, at_once
        self.running = {}  # by mode name, the most recently used last

    def get(self, mode):
        server = self.running.pop(mode.name, None)
        if server is None:
            # Modes are used in turn, so the one used last is needed again latest.
            while len(self.running) >= self.at_once:
                self.running.popitem()[1].stop()
            server = self.start(mode)
        self.running[mode.name] = server
        return server

    def stop(self):
        while self.running:
            self.running.popitem()[1].stop()


def result_of(answer, seconds):
    """The result of one completion by the server's own timings."""
    timings = answer["timings"]
    tokens = timings["predicted_n"]
    accepted = timings.get("draft_n_accepted", 0)
    return {
        "tokens": tokens,
        "decode_seconds": timings["predicted_ms"] / 1000,
        "tokens_per_second": timings["predicted_per_second"],
        "prefill_seconds": timings["prompt_ms"] / 1000,
        "prompt_tokens": timings["prompt_n"],
        "wall_seconds": seconds,
        # Each pass yields a token of the target's own in addition to the accepted draft tokens.
        "passes": tokens - accepted,
        "drafted": timings.get("draft_n", 0),
        "accepted": accepted,
        "text": answer["content"],
        "output": answer.get("tokens", []),
    }


def room_for_servers(model, draft):
    """How many servers fit into the free memory in addition to redraft."""
    gib = 1 << 30
    size = os.path.getsize(model)
    others = os.path.getsize(draft) if draft else 0
    # The server keeps a repacked copy of the weights; keys, values and buffers take the rest.
    of_one = size + others + gib
    free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    with contextlib.suppress(OSError), open("/proc/meminfo", encoding="ascii") as lines:
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    return max(1, int((free - 2 * size - 3 * gib) // of_one))
