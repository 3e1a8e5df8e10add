"""Sessions that are recorded and replayed. REDRAFT_UPDATE_CASES=1 rewrites those of tests/cases/recordings."""

import json
import os
import pathlib
import stat
import subprocess
import unittest

from lsp_client import TIME_LIMIT, Client, ResponseError
from server_case import RENAME, RESOLVING, SERVER, STREAMING, URI, ServerTest, position, span

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases" / "recordings"
TEXT = "def area(width, height):\n    old = width * height\n    print(width, height)\n    return old\n\n\nprint(area(2, 3))\n"
# A function that is a region with prompts of medium size, and too large with small ones.
LARGE = "def area(width):\n" + "".join(f"    if width > {i}:\n        old = width + {i}\n" for i in range(60)) + "    return old\n"
LARGE = "".join(f"def before_{i}():\n    pass\n\n\n" for i in range(90)) + LARGE
FILLS = [{"after": "perimeter = ", "write": "2 * (width + height)\n"}]
CAPABILITIES = {**STREAMING, "textDocument": RESOLVING["textDocument"]}
OTHER = [{"instruction": "rename", "find": "old", "replace": "other"}]


class Session:
    """What a user does in an hour, within a second."""

    def __init__(self, test, client):
        self.test, self.client = test, client

    def run(self):
        self.accept_part_of_an_edit()
        self.complete()
        self.act()
        self.cancel()

    def accept_part_of_an_edit(self):
        test, client = self.test, self.client
        test.open(client, TEXT)
        edit = test.edit(client, token="edit-1")
        test.end(client, edit)
        # The user types above the hunks, which move, and then accepts one.
        test.change(client, 2, {"range": span(0, 0, 0, 0), "text": "# geometry\n"})
        accepted = test.resolve(client, edit, [0])
        change = accepted["edit"]["changes"][URI]
        test.change(client, 3, *({"range": each["range"], "text": each["newText"]} for each in change))
        test.resolve(client, edit, action="reject")

    def complete(self):
        test, client = self.test, self.client
        test.change(client, 4, {"range": span(5, 0, 5, 0), "text": "    perimeter = "})
        place = {"textDocument": {"uri": URI}, "position": position(5, 16)}
        item = client.request("textDocument/completion", place)["items"][0]
        client.request("completionItem/resolve", item)

    def act(self):
        action = self.test.actions(self.client)[0]
        self.client.request("codeAction/resolve", action)
        self.client.request("redraft/status")
        with self.test.assertRaises(ResponseError):
            self.client.request("textDocument/hover")

    def cancel(self):
        test, client = self.test, self.client
        edit = test.edit(client, version=None)
        client.request("workspace/executeCommand", {"command": "redraft.cancel", "arguments": [{"editId": edit}]})
        test.end(client, edit)
        client.request("shutdown")
        client.notify("exit")
        test.assertEqual(client.exit_code(), 0)


class RecordingTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.file = pathlib.Path(self.folder.name) / "session.jsonl"

    def record(self, run=lambda session: session.run(), capabilities=None, **script):
        """Records a session; returns its client."""
        client = self.start(RENAME, capabilities or CAPABILITIES, options=["--record", str(self.file)], fills=FILLS,
                            **script)
        run(Session(self, client))
        if client.process.poll() is None:  # the last messages are written when it ends
            client.process.stdin.close()
            client.exit_code()
        return client

    def play(self, *options, edits=RENAME, file=None, **script):
        script = self.write_script(edits, fills=FILLS, **script)
        return subprocess.run([SERVER, script, "--replay", str(file or self.file), *options],
                              capture_output=True, text=True, timeout=TIME_LIMIT * 5)

    def assert_same(self, played):
        self.assertEqual((played.returncode, played.stdout.splitlines()[-1:]),
                         (0, ["the server answers as recorded"]), played.stdout + played.stderr)

    def lines(self, file=None):
        return [json.loads(line) for line in (file or self.file).read_text().splitlines()]


class Record(RecordingTest):
    def test_is_of_the_user_alone_and_says_what_it_holds(self):
        client = self.record()
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        notice = f"redraft: this session is recorded in {self.file}, with the text of all files that are open in it"
        client.wait_for_log(notice.encode())
        self.assertEqual(client.notification("window/logMessage"), {"type": 2, "message": notice})
        header = self.lines()[0]
        self.assertEqual(header["redraft_recording"], 1)
        self.assertRegex(header["version"], r"^\d+\.\d+")
        self.assertIn("--record", header["options"])

    def test_has_every_message_in_its_order(self):
        sent = []

        class Noting(Client):
            def send(self, message):
                sent.append(message)
                super().send(message)

        client = Noting([SERVER, self.write_script(RENAME, fills=FILLS), "--record", str(self.file)])
        self.addCleanup(client.close)
        self.initialize(client, CAPABILITIES)
        Session(self, client).run()
        client.wait_for_end()
        lines = self.lines()[1:]
        self.assertEqual([each["message"] for each in lines if "message" in each and each["from"] == "client"], sent)
        self.assertEqual([each["message"] for each in lines if each["from"] == "server"],
                         [each for each in client.messages if each.get("method") != "window/logMessage"])
        self.assertEqual(lines[-1]["gone"], True)
        times = [each["t"] for each in lines]
        self.assertEqual(times, sorted(times))

    def test_no_file_is_replaced(self):
        self.file.write_text("precious")
        client = self.record()
        client.wait_for_log(f"{self.file}.1, with the text".encode())
        self.assertEqual(self.file.read_text(), "precious")
        self.assertGreater(len(self.lines(pathlib.Path(f"{self.file}.1"))), 10)

    def test_without_a_file_the_session_goes_on(self):
        self.file = self.file.parent / "missing" / "session.jsonl"
        client = self.record()
        client.wait_for_log(b"redraft: this session is not recorded: ")
        self.assertIn("session.jsonl: cannot be created: ", client.notification("window/logMessage")["message"])

    def test_with_a_full_disk_the_session_goes_on(self):
        limited = ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh"]
        client = Client([*limited, SERVER, self.write_script(RENAME, fills=FILLS), "--record", str(self.file)])
        self.addCleanup(client.close)
        self.initialize(client, CAPABILITIES)
        self.open(client, "old\n" * 20_000, uri="file:///tmp/long.py")
        client.notification("window/logMessage", lambda params: "recording has ended: " in params["message"])
        Session(self, client).run()
        client.wait_for_end()
        warnings = [each["message"] for each in client.all("window/logMessage") if "has ended" in each["message"]]
        self.assertEqual(len(warnings), 1)
        self.assertIn("session.jsonl: cannot be written: ", warnings[0])

    def test_a_shared_server_is_not_recorded(self):
        for more in (["--socket", "s"], ["--port", "0"]):
            run = subprocess.run([os.environ["REDRAFT"], "lsp", "--record", str(self.file), *more], capture_output=True,
                                 text=True, timeout=TIME_LIMIT)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("--record", run.stderr)
        self.assertFalse(self.file.exists())

    def test_help_says_what_it_holds(self):
        run = subprocess.run([os.environ["REDRAFT"], "lsp", "--help"], capture_output=True, text=True, timeout=TIME_LIMIT)
        text = " ".join(run.stdout.split())
        self.assertIn("contains the text of every open file. Implies --no-share", text)

    def test_redraft_itself_records(self):
        client = Client([os.environ["REDRAFT"], "lsp", "--no-index", "--record", str(self.file)])
        self.addCleanup(client.close)
        self.initialize(client)
        self.open(client, TEXT)
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)
        header = self.lines()[0]
        self.assertCountEqual(header["options"], ["--record", str(self.file), "--no-index", "true"])
        self.assertTrue(header["build"].startswith(header["version"]))
        run = subprocess.run([os.environ["REDRAFT"], "lsp", "--no-index", "--replay", str(self.file)],
                             capture_output=True, text=True, timeout=TIME_LIMIT)
        self.assert_same(run)


class Replay(RecordingTest):
    def test_the_same_server_answers_the_same(self):
        self.record()
        for speed in ("fast", "recorded"):
            self.assert_same(self.play("--speed", speed))

    def test_without_streamed_edits_too(self):
        def edit_and_act(session):
            session.test.open(session.client, TEXT)
            session.test.edit(session.client)
            session.client.wait(lambda message: message.get("method") == "workspace/applyEdit")
            session.act()

        self.record(edit_and_act, RESOLVING).close()
        self.assert_same(self.play())

    def test_on_a_slower_and_on_a_faster_machine(self):
        self.record(delay_ms_per_pass=5)
        self.assert_same(self.play())
        self.assert_same(self.play(delay_ms_per_pass=20))

    def test_has_the_size_of_prompts_on_any_machine(self):
        def edit_a_large_file(session):
            session.test.open(session.client, LARGE)
            edit = session.test.edit(session.client, range=span(400, 4, 400, 4), scope="auto")
            session.test.assertEqual(session.test.end(session.client, edit)["promptSize"], "medium")
            session.test.assertEqual(session.client.request("redraft/status")["promptSize"], "medium")

        self.record(edit_a_large_file, pass_cost=100).close()
        self.assertEqual(self.lines()[0]["prompt_size"], "medium", "no size was chosen before")
        for pass_cost in (0.01, 1, 100):
            self.assert_same(self.play(pass_cost=pass_cost))
        # With another size the region is another one.
        text = self.file.read_text()
        self.file.write_text(text.replace('"prompt_size":"medium"', '"prompt_size":"small"', 1))
        self.assertEqual(self.play().returncode, 1)
        # A recording without a size takes that of the machine.
        self.file.write_text(text.replace('"prompt_size":"medium"', '"prompt_size":null', 1))
        self.assertEqual(self.play(pass_cost=2).returncode, 0)
        self.assertEqual(self.play(pass_cost=100).returncode, 1)

    def test_a_server_that_answers_otherwise_is_found_out(self):
        self.record()
        played = self.play(edits=OTHER)
        self.assertEqual(played.returncode, 1)
        self.assertRegex(played.stdout, r"line \d+: \$/redraft/edit of edit 1: /params/newText was .*fresh.*, is .*other")
        self.assertRegex(played.stdout, r"\d+ answers differ")

    def test_a_server_that_does_not_answer_is_found_out(self):
        self.record()
        played = self.play(load_error="no model here")
        self.assertEqual(played.returncode, 1)
        self.assertIn("missing in the replay", played.stdout)

    def test_a_client_that_went_away_within_an_edit(self):
        def go_away(session):
            session.test.open(session.client, "old\n" * 400)
            session.test.edit(session.client, decoder="ar")
            session.client.start_request("codeAction/resolve", session.test.actions(session.client)[0])
            session.client.process.stdin.close()
            session.client.wait_for_end()

        # In minutes the edit would be done, and the code action after it.
        self.record(go_away, delay_ms_per_pass=100)
        *_, gone, answer = self.lines()
        self.assertTrue(gone["gone"])
        self.assertEqual(answer["message"]["error"]["message"], "cancelled")
        self.assert_same(self.play(delay_ms_per_pass=100))

    def test_a_client_that_sends_no_message(self):
        def babble(session):
            session.client.send_bytes(b"Content-Length: 5\r\n\r\n{cut}")
            session.client.wait(lambda message: message.get("error", {}).get("code") == -32700)
            session.client.send_bytes(b"Content-Length: five\r\n\r\n")
            session.client.wait_for_end()

        self.record(babble)
        self.assertEqual([set(line) - {"t", "from"} for line in self.lines()[-3:]], [{"unframed"}, {"message"}, {"gone"}])
        self.assert_same(self.play())

    def test_a_message_that_was_too_long_to_be_read(self):
        def send_much(session):
            session.test.open(session.client, "x" * (65 << 20))
            session.client.notification("window/showMessage")
            session.client.request("redraft/status")

        self.record(send_much).close()
        self.assertLess(self.file.stat().st_size, 1 << 20)
        self.assert_same(self.play())

    def test_a_recording_that_was_cut_off(self):
        self.record()
        whole = self.file.read_text()
        self.file.write_text(whole[:whole.rindex('"gone"')])
        played = self.play()
        self.assertIn("the file ends within a line", played.stdout)
        self.assert_same(played)

    def test_what_is_no_recording(self):
        for content, problem in (("", "is empty"), ("hello\n", "line 1: malformed JSON"), ("{}\n", "not a redraft recording"),
                                 ('{"redraft_recording": 1}\n{"t": 0}\n{}\n', 'line 2: "from" must be')):
            self.file.write_text(content)
            played = self.play()
            self.assertEqual(played.returncode, 1)
            self.assertIn(problem, played.stderr)
        self.assertEqual(self.play(file=self.file.parent / "missing").returncode, 1)


class Cases(RecordingTest):
    """Each consists of a session and the script of its model."""

    def test_they_are_answered_as_they_were(self):
        if os.environ.get("REDRAFT_UPDATE_CASES"):
            self.update()
        cases = sorted(CASES.glob("*.jsonl"))
        self.assertTrue(cases)
        for case in cases:
            run = subprocess.run([SERVER, str(case.with_suffix(".json")), "--log-level", "off", "--replay", str(case)],
                                 capture_output=True, text=True, timeout=TIME_LIMIT * 5)
            self.assert_same(run)

    def update(self):
        CASES.mkdir(exist_ok=True)
        self.record()
        header, *lines = self.file.read_text().splitlines(keepends=True)
        (CASES / "an_hour.jsonl").write_text(json.dumps({**json.loads(header), "options": []}) + "\n" + "".join(lines))
        script = json.dumps({"edits": RENAME, "fills": FILLS}, indent=2)
        (CASES / "an_hour.json").write_text(script + "\n")


if __name__ == "__main__":
    unittest.main()
