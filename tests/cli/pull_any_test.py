"""`redraft models pull` of a GGUF file by its address or its repository, from a server on the loopback interface."""

import hashlib
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from loopback_web import Page, Web
from redraft_process import PROGRAM, TIME_LIMIT, InFolder

WRITE_MODEL = os.environ.get("REDRAFT_WRITE_MODEL")
NAME = "tiny-Q4_K_M.gguf"
PATH = f"/models/{NAME}"


def model(seed="1"):
    """A model that redraft runs, which knows nothing."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / NAME
        subprocess.run([WRITE_MODEL, file, seed], check=True)
        return file.read_bytes()


def header(architecture, size=0):
    """A GGUF file with one key and `size` bytes more."""
    key = b"general.architecture"
    name = architecture.encode()
    return (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(name)) + name
            + bytes(size))


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Any(InFolder):
    def setUp(self):
        super().setUp()
        self.web = self.make_web()
        self.content = model()
        self.page = self.web.pages[PATH] = Page(self.content)
        self.environment = {}

    def make_web(self):
        web = Web()
        self.addCleanup(web.close)
        return web

    def address(self, path=PATH):
        return self.web.origin + path

    def start(self, *words):
        left_out = ("HF_TOKEN", "HF_ENDPOINT", "http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        environment = {name: value for name, value in os.environ.items() if name not in left_out}
        environment.update(XDG_DATA_HOME=str(self.folder / "data"), XDG_CACHE_HOME=str(self.folder / "cache"), **self.environment)
        process = subprocess.Popen([PROGRAM, "models", "pull", *words], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def pull(self, *words):
        process = self.start(*(words or [self.address()]))
        process.out, process.err = (stream.decode() for stream in process.communicate(timeout=TIME_LIMIT))
        return process

    def store(self):
        return self.folder / "data" / "redraft" / "models"

    def kept(self):
        """The names in the store, but for the notes of where a file is from."""
        names = os.listdir(self.store()) if self.store().exists() else []
        return sorted(name for name in names if not name.endswith(".origin"))

    def assert_pulled(self, process, content=None):
        self.assertEqual(process.returncode, 0, process.err)
        self.assertEqual((self.store() / NAME).read_bytes(), content or self.content)
        self.assertEqual(self.kept(), [NAME])
        return process

    def assert_refused(self, process, *fragments, kept=()):
        self.assertEqual(process.returncode, 1, process.out + process.err)
        self.assertIn("redraft: error: ", process.err)
        self.assertNotIn("Traceback", process.err)
        for fragment in fragments:
            self.assertIn(fragment, process.err)
        self.assertEqual(self.kept(), sorted(kept))

    def partial(self):
        found = [name for name in self.kept() if name.endswith(".partial")]
        self.assertEqual(len(found), 1, self.kept())
        return self.store() / found[0]

    def leave_partial(self, size=110_000):
        """A pull that was interrupted once so many bytes had come."""
        self.page.hold_after = size
        process = self.start(self.address())
        self.assertTrue(self.web.holding.wait(TIME_LIMIT))
        while not any(path.stat().st_size == size for path in self.store().glob(".*.partial")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, 130, told.decode())
        self.assertIn("Run the same command again to continue", told.decode())
        self.page.hold_after = None
        self.web.requests.clear()


class ByAddress(Any):
    def test_a_file_gets_its_own_name_and_is_one_that_runs(self):
        pulled = self.assert_pulled(self.pull())
        self.assertIn(f"{NAME}: from 127.0.0.1", pulled.out)
        self.assertIn("qwen2", pulled.out)  # what `models show` says of it
        self.assertIn(f"it is {sha256(self.content)}", pulled.err)

    def test_what_is_here_is_not_fetched_again(self):
        self.pull()
        self.web.requests.clear()
        self.assert_pulled(self.pull())
        self.assertEqual(self.web.requests, [])

    def test_another_file_is_never_overwritten(self):
        self.store().mkdir(parents=True)
        (self.store() / NAME).write_bytes(b"precious")
        for more in ([], ["--sha256", sha256(self.content)]):
            self.assert_refused(self.pull(self.address(), *more), "is another file; move it away", kept=[NAME])
        self.assertEqual((self.store() / NAME).read_bytes(), b"precious")

    def test_a_name_that_is_taken_while_it_comes(self):
        self.page.hold_after = 110_000
        process = self.start(self.address())
        self.web.holding.wait()
        (self.store() / NAME).write_bytes(b"precious")
        self.page.hold_after = None
        self.web.release()  # the answer ends early, and the rest is asked for
        _, told = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, 1)
        self.assertIn("has appeared meanwhile", told.decode())
        self.assertEqual((self.store() / NAME).read_bytes(), b"precious")

    def test_json_says_each_step_and_what_came(self):
        told = self.assert_pulled(self.pull(self.address(), "--format", "json"))
        lines = [json.loads(line) for line in told.out.splitlines()]
        self.assertEqual(lines[0], {"model": NAME, "bytes": 0, "total": len(self.content), "phase": "downloading",
                                    "licence": "not stated"})
        self.assertEqual(lines[-1], {"model": NAME, "bytes": len(self.content), "total": len(self.content), "phase": "done",
                                     "licence": "not stated", "sha256": sha256(self.content),
                                     "file": str(self.store() / NAME)})

    def test_the_sha256_that_was_given_decides(self):
        self.assert_refused(self.pull(self.address(), "--sha256", "0" * 64), "has the SHA-256", "is expected; it was removed")
        right = self.assert_pulled(self.pull(self.address(), "--sha256", sha256(self.content).upper()))
        self.assertNotIn("nothing says what its SHA-256 should be", right.err)

    def test_an_escaped_name_is_read_and_a_query_is_not_shown(self):
        self.web.pages["/m/a%20b.gguf"] = Page(self.content)
        told = self.pull(self.address("/m/a%20b.gguf?signature=secret"))
        self.assertEqual(told.returncode, 0, told.err)
        self.assertEqual(self.kept(), ["a b.gguf"])
        self.page.status = 500
        self.assertNotIn("secret", self.pull(self.address() + "?signature=secret").err)

    def test_hostile_names(self):
        for path in ("/m/..%2F..%2Fetc.gguf", "/m/%2e%2e", "/m/a%0Ab.gguf", "/m/.hidden.gguf", "/m/-rf.gguf", "/m/a%5Cb.gguf",
                     "/m/a%00.gguf", "/m/a%E2%80%AEffug.gguf", "/m/" + "x" * 300 + ".gguf", "/m/page.html", "/m/",
                     "/m/x-00003-of-00002.gguf", "/m/x-00002-of-00002.gguf", "/m/x-00000-of-00002.gguf",
                     "/m/x-00001-of-99999.gguf"):
            with self.subTest(path):
                self.web.requests.clear()
                self.assert_refused(self.pull(self.address(path)))
                self.assertEqual(self.web.requests, [])

    def test_names_of_known_models(self):
        self.assert_refused(self.pull(self.address("/m/SmolLM2-135m-instruct-q4_1.gguf")),
                            "`redraft models pull smollm2-135m`")

    def test_addresses_that_are_none(self):
        for address, why in (("ftp://127.0.0.1/a.gguf", "is not an address"), ("https:///a.gguf", "is not an address"),
                             ("https://me:secret@127.0.0.1/a.gguf", "with a password in it"),
                             ("http://models.example/a.gguf", "can be read and changed on the way")):
            with self.subTest(address):
                refused = self.pull(address)
                self.assert_refused(refused, why)
                self.assertNotIn("secret", refused.err)


class Unwanted(Any):
    """What is not a model that runs here is refused, and as early as that can be seen."""

    def test_a_page(self):
        self.page.content = b"<!DOCTYPE html><p>Log in first"
        self.assert_refused(self.pull(), "is no GGUF file but a page", "nothing was kept")

    def test_an_architecture_that_redraft_does_not_run(self):
        self.page.content, self.page.hold_after = header("mamba", 1 << 20), 1 << 17
        self.assert_refused(self.pull(), "is a model of the architecture 'mamba'", "it runs llama, ")  # the rest never comes

    def test_a_file_that_turns_out_not_to_run(self):
        self.page.content = self.content[:-1]  # the last tensor is cut off
        self.assert_refused(self.pull(), f"{NAME} is in", "redraft cannot run it", "truncated?", kept=[NAME])

    def test_another_version(self):
        self.page.content = b"GGUF" + struct.pack("<IQQ", 9, 0, 0)
        self.assert_refused(self.pull(), "of version 9")

    def test_headers_that_lie_of_their_lengths(self):
        for content in (b"GGUF", b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 1 << 60),
                        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, (1 << 64) - 1)):
            with self.subTest(content):
                self.page.content = content
                process = self.pull()
                self.assertEqual(process.returncode, 1)
                self.assertNotIn("Traceback", process.err)
                for name in self.kept():
                    (self.store() / name).unlink()


class Continuing(Any):
    def test_it_goes_on_byte_by_byte(self):
        self.leave_partial()
        told = self.assert_pulled(self.pull())
        (asked,) = [headers for _, headers in self.web.requests]
        self.assertEqual((asked["Range"], asked["If-Range"]), ("bytes=110000-", '"one"'))
        self.assertIn("MB of it are here already", told.out)

    def test_a_connection_that_is_cut_is_made_again(self):
        self.page.cuts = [100_000, 1000, 0, 50]
        self.assert_pulled(self.pull())
        self.assertEqual(self.web.ranges(PATH), [None, "bytes=100000-", "bytes=101000-", "bytes=101000-", "bytes=101050-"])

    def test_a_server_that_brings_nothing_is_given_up(self):
        self.page.cuts = [100_000] + [0] * 9
        process = self.pull()
        self.assertEqual(process.returncode, 1)
        self.assertIn("the received part is kept", process.err)
        self.assertEqual(self.partial().stat().st_size, 100_000)
        self.page.cuts = []
        self.assert_pulled(self.pull())

    def test_a_file_that_has_changed_begins_anew(self):
        self.leave_partial()
        self.page.content, self.page.mark = model("2"), '"two"'
        told = self.assert_pulled(self.pull(), self.page.content)
        self.assertIn("has changed: the download begins again", told.err)

    def test_a_part_of_another_file_is_not_taken(self):
        """A server that ignores If-Range, but says what it sends."""
        self.leave_partial()
        self.page.content, self.page.range_mark = model("2"), '"two"'
        self.assert_pulled(self.pull(), self.page.content)
        self.assertEqual(self.web.ranges(PATH), ["bytes=110000-", None])

    def test_a_server_that_ignores_the_range(self):
        self.leave_partial()
        self.page.has_ranges = False
        told = self.assert_pulled(self.pull())
        self.assertIn("the server cannot continue a download: it begins again", told.err)

    def test_nothing_is_continued_that_cannot_be_known_again(self):
        self.page.mark = None
        self.leave_partial()
        self.assert_pulled(self.pull())
        self.assertEqual(self.web.ranges(PATH), [None])

    def test_a_sha256_makes_up_for_a_mark(self):
        self.page.mark = None
        self.page.cuts = [100_000]
        self.assert_pulled(self.pull(self.address(), "--sha256", sha256(self.content)))
        self.assertEqual(self.web.ranges(PATH), [None, "bytes=100000-"])

    def test_a_file_that_is_another_each_time(self):
        self.page.cuts = [100_000] * 9
        self.page.has_ranges = False
        process = self.pull()
        self.assertEqual(process.returncode, 1)
        self.assertLess(len(self.web.requests), 9)

    def test_only_the_check_is_left(self):
        """Interrupted while the whole file was hashed."""
        self.leave_partial()
        self.partial().write_bytes(self.content)
        self.assert_pulled(self.pull())
        self.assertEqual(self.web.requests, [])

    def test_a_damaged_record_is_none(self):
        self.leave_partial()
        for record in self.store().glob(".*.json"):
            record.write_text("[1")
        self.assert_pulled(self.pull())
        self.assertEqual(self.web.ranges(PATH), [None])


class Lengths(Any):
    def test_less_than_was_announced(self):
        self.page.claims = len(self.content) + 1000
        process = self.pull()
        self.assertEqual(process.returncode, 1)
        self.assertIn("the connection broke", process.err)
        self.assertFalse((self.store() / NAME).exists())

    def test_more_than_was_announced_is_not_read(self):
        self.page.claims = len(self.content) - 1000
        self.assertEqual(self.pull().returncode, 1)  # the rest is not of the file
        self.assertEqual((self.store() / NAME).stat().st_size, len(self.content) - 1000)

    def test_more_than_there_is_room_for(self):
        self.page.claims = 1 << 58
        self.assert_refused(self.pull(), "MB free where", "are needed")

    def test_no_length(self):
        self.page.says_length = False
        self.assert_refused(self.pull(), "does not say how long the file is")

    def test_a_length_that_is_none(self):
        self.page.says_length = False
        for length in ("-1", "1e9", "9" * 40):
            self.page.headers = {"Content-Length": length}
            process = self.pull()
            self.assertEqual(process.returncode, 1, process.err)
            self.assertNotIn("Traceback", process.err)


class Redirections(Any):
    def test_to_another_server(self):
        other = self.make_web()
        other.pages["/cdn/9f"] = self.page
        self.page = self.web.pages[PATH] = Page(location=other.origin + "/cdn/9f?signature=x")
        self.assert_pulled(self.pull())
        self.assertEqual(self.web.tokens() + other.tokens(), [None, None])

    def test_relative_and_at_most_five(self):
        for i in range(5):
            self.web.pages[f"/hop{i}"] = Page(location=f"/hop{i + 1}" if i < 4 else PATH)
        self.web.pages["/hop/" + NAME] = Page(location="/hop0")
        self.assert_refused(self.pull(self.address("/hop/" + NAME)), "redirected more than 5 times")
        self.web.pages["/hop/" + NAME].location = "/hop1"
        self.assert_pulled(self.pull(self.address("/hop/" + NAME)))

    def test_to_where_it_could_be_changed(self):
        for location in ("http://models.example/a.gguf", "ftp://127.0.0.1/a.gguf", "file:///etc/passwd", "http://[", ""):
            self.page = self.web.pages[PATH] = Page(location=location)
            self.assert_refused(self.pull())

    def test_through_a_proxy_of_the_environment_but_not_to_this_machine(self):
        proxy = self.make_web()
        self.environment = {"http_proxy": proxy.origin, "https_proxy": proxy.origin}
        self.assert_pulled(self.pull())
        self.assertEqual(proxy.requests, [])
        proxy.pages["http://models.example/" + NAME] = Page(self.content)
        (self.store() / NAME).unlink()
        self.assert_pulled(self.pull("http://models.example/" + NAME, "--sha256", sha256(self.content)))
        self.assertEqual([path for path, _ in proxy.requests], ["http://models.example/" + NAME])


if __name__ == "__main__":
    unittest.main()
