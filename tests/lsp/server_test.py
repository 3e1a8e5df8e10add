"""The server as a process: its lifetime, malformed input, its model's state, and clients that disappear."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from lsp_client import TIME_LIMIT
from server_case import LINES, PARENT, RENAME, RESOLVING, SERVER, SLOW, STREAMING, ServerTest, runs


class Lifecycle(ServerTest):
    def test_shutdown_and_exit(self):
        client = self.start()
        self.assertIsNone(client.request("shutdown"))
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)

    def test_exit_without_shutdown(self):
        client = self.start()
        client.notify("exit")
        self.assertEqual(client.exit_code(), 1)

    def test_request_before_initialize(self):
        client = self.start(initialize=False)
        self.assert_error(-32002, client.request, "redraft/status")
        self.assertIn("capabilities", client.request("initialize", {"capabilities": {}}))

    def test_end_of_input(self):
        client = self.start()
        client.process.stdin.close()
        self.assertEqual(client.exit_code(), 1)

    def test_input_from_a_file(self):
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
                    {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]
        file = pathlib.Path(self.folder.name) / "input"
        with open(file, "wb") as out:
            for message in messages:
                content = json.dumps(message).encode()
                out.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        with open(file, "rb") as stdin:
            client = self.start(initialize=False, stdin=stdin)
            self.assertEqual(client.exit_code(), 0)
        self.assertIn("serverInfo", client.response(1))
        self.assertIsNone(client.response(2))

    def test_no_input_at_all(self):
        client = self.start(initialize=False, stdin=subprocess.DEVNULL)
        self.assertEqual(client.exit_code(), 1)


class Malformed(ServerTest):
    def test_json(self):
        client = self.start()
        client.send_bytes(b"Content-Length: 9\r\n\r\n{\"id\": 1,")
        self.assertEqual(client.wait(lambda m: "error" in m)["error"]["code"], -32700)
        client.send_bytes(b"Content-Length: 4\r\n\r\n\"\xff\xfe\"")
        client.wait(lambda m: "error" in m, start=2)
        self.assertEqual(client.request("redraft/status")["state"], "unloaded")

    def test_framing(self):
        for bad in (b"Content-Length: -5\r\n\r\n{}", b"Content-Length: 99999999999\r\n\r\n", b"{\"jsonrpc\": \"2.0\"}\n",
                    b"Content-Type: x\r\n\r\n{}", os.urandom(20) + b"\n" * 9000):
            with self.subTest(bad=bad[:40]):
                client = self.start()
                try:
                    client.send_bytes(bad)
                except BrokenPipeError:
                    pass
                self.assertEqual(client.wait(lambda m: "error" in m)["error"]["code"], -32700)
                self.assertEqual(client.exit_code(), 1)

    def test_a_length_that_no_message_has(self):
        client = self.start()
        client.send_bytes(b"Content-Length: %d\r\n\r\n{" % ((4 << 30) + 1))
        error = client.wait(lambda m: "error" in m)["error"]
        self.assertEqual(error["code"], -32700)
        self.assertIn("4096 MB", error["message"])
        self.assertEqual(client.exit_code(), 1)

    def test_batches(self):
        client = self.start()
        client.send([{"jsonrpc": "2.0", "id": 7, "method": "redraft/status"}])
        error = client.wait(lambda m: "error" in m)
        self.assertEqual((error["id"], error["error"]["code"]), (None, -32600))
        self.assertEqual(client.request("redraft/status")["state"], "unloaded")

    def test_truncated_message(self):
        client = self.start()
        client.send_bytes(b"Content-Length: 100\r\n\r\n{\"jsonrpc\"")
        client.process.stdin.close()
        self.assertEqual(client.wait(lambda m: "error" in m)["error"]["code"], -32700)
        self.assertEqual(client.exit_code(), 1)

    def test_unknown_method(self):
        client = self.start()
        self.assert_error(-32601, client.request, "textDocument/hover", {})
        client.notify("$/whatever")
        client.notify("whatever")
        self.assertEqual(client.request("redraft/status")["state"], "unloaded")


class Model(ServerTest):
    def test_status_and_loading_progress(self):
        client = self.start(RENAME, {**STREAMING, "window": {"workDoneProgress": True}}, load_delay_ms=200)
        self.assertEqual(client.request("redraft/status")["state"], "unloaded")
        self.open(client, LINES)
        edit = self.edit(client)
        self.end(client, edit)
        self.assertEqual([s["state"] for s in client.all("$/redraft/status")], ["loading", "ready"])
        status = client.request("redraft/status")
        self.assertEqual((status["state"], status["target"], status["draft"]), ("ready", "scripted", None))
        client.notification("$/progress", lambda p: p["value"]["kind"] == "end")
        self.assertEqual([p["value"]["kind"] for p in client.all("$/progress")], ["begin", "end"])

    def test_reasons(self):
        client = self.start(RENAME, STREAMING)
        self.assertEqual(client.request("redraft/status")["reasons"],
                         ["The model is not loaded yet. The first request loads it.",
                          "The index is off: the server was started with redraft lsp --no-index."])
        self.open(client, LINES)
        self.end(client, self.edit(client))
        self.assertEqual(len(client.request("redraft/status")["reasons"]), 1)
        self.assertEqual([len(s["reasons"]) for s in client.all("$/redraft/status")], [2, 1])

    def test_trace(self):
        client = self.start(RENAME, STREAMING)
        client.notify("$/setTrace", {"value": "verbose"})
        self.open(client, "the secret old text\n" * 3)
        self.end(client, self.edit(client, "rename the hidden wish"))
        client.notify("$/setTrace", {"value": "off"})
        client.request("redraft/status")
        traces = client.all("$/logTrace")
        self.assertTrue(any("'$/redraft/edit'" in t["message"] for t in traces))
        self.assertTrue(all("bytes" in t["verbose"] for t in traces))
        for word in ("secret", "hidden", "fresh"):
            self.assertNotIn(word, json.dumps(traces))

    def test_a_model_that_cannot_be_loaded(self):
        client = self.start(RENAME, STREAMING, load_error="no such file: m.gguf; run `redraft models pull`")
        self.open(client, LINES)
        for _ in range(2):
            edit = self.edit(client)
            end = self.end(client, edit)
            self.assertEqual((end["state"], end["statistics"]), ("failed", None))
            self.assertIn("m.gguf", end["error"])
        message = client.notification("window/showMessage")
        self.assertEqual(message["type"], 1)
        self.assertIn("redraft models pull", message["message"])
        self.assertIn("m.gguf", client.request("redraft/status")["error"])

    def test_a_failed_load_is_the_reply_of_a_code_action(self):
        client = self.start(RENAME, RESOLVING, load_error="no such file: m.gguf")
        self.open(client, LINES)
        action = self.actions(client)[0]
        self.assert_error(-32803, client.request, "codeAction/resolve", action)
        self.assertEqual(client.request("redraft/status")["state"], "failed")

    def test_the_log_holds_no_text(self):
        client = self.start(RENAME, STREAMING)
        self.open(client, "the secret old text\n" * 3)
        self.end(client, self.edit(client, "rename the hidden wish"))
        client.request("shutdown")
        client.notify("exit")
        client.exit_code()
        client.threads[1].join(TIME_LIMIT)
        client.wait_for_log(b"edit 1 done")
        for word in (b"secret", b"hidden", b"fresh"):
            self.assertNotIn(word, client.log)


class Disappearing(ServerTest):
    """A client that leaves in the middle of an edit: the server ends without finishing it, and nothing remains."""

    def start_slow(self):
        client = self.start(SLOW, STREAMING, delay_ms_per_pass=100)
        self.edit_slowly(client)
        return client

    def test_input_closes_in_mid_edit(self):
        client = self.start_slow()
        client.process.stdin.close()
        self.assertEqual(client.exit_code(), 1)

    def test_output_closes_in_mid_edit(self):
        client = self.start_slow()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, client.process.stdout.fileno())
        os.close(nothing)
        client.exit_code()

    def test_a_model_that_hangs_does_not_keep_the_process(self):
        client = self.start(RENAME, STREAMING, load_delay_ms=10 * 1000 * TIME_LIMIT)
        self.open(client, LINES)
        self.edit(client)
        client.notification("$/redraft/status")
        client.process.stdin.close()
        self.assertEqual(client.exit_code(), 1)

    def test_the_client_process_dies_while_another_holds_the_pipe(self):
        script = self.write_script(RENAME, **self.hold())
        parent = subprocess.Popen([sys.executable, "-B", "-c", PARENT, SERVER, script], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, cwd=pathlib.Path(__file__).parent)
        self.addCleanup(parent.stdout.close)
        self.addCleanup(parent.stdin.close)
        server, holder = map(int, parent.stdout.readline().split())
        self.addCleanup(os.kill, holder, signal.SIGKILL)
        self.assertTrue(runs(server))
        parent.send_signal(signal.SIGKILL)
        parent.wait(TIME_LIMIT)
        self.until(lambda: not runs(server), "it still runs")


if __name__ == "__main__":
    unittest.main()
