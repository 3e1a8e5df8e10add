"""`--remote`: the built program, and its language server, with a server on the loopback interface that says what a test
wants, faults included."""

import json
import os
import socket
import subprocess
import threading
import unittest

from remote_case import AFTER, BEFORE, KEY, Remote, RemoteEditor, Server, event, run


class Edits(Remote):
    def test_the_server_writes(self):
        server = self.serve()
        self.assertEqual(self.assert_succeeds(self.edit(server.url + "/v1/")), AFTER)
        (request,) = server.requests
        self.assertIn("never negative", json.dumps(request["messages"]))
        self.assertEqual((request["model"], request["temperature"], request["stream"]), ("coder", 0, True))
        path, headers, _ = server.seen[-1]
        self.assertEqual(path, "/v1/chat/completions")
        self.assertTrue(headers["X-Session-ID"].startswith("redraft-"))
        self.assertNotIn("Authorization", headers)

    def test_a_completion_is_filled_in(self):
        server = self.serve("width * height", models=("Qwen2.5-Coder-7B",))
        file = self.write("a.py", b"def area(width, height):\n    return \n")
        process = run("complete", file, "--at", "2:12", "--format", "text", "--remote", server.url,
                      environment={"XDG_CONFIG_HOME": str(self.folder)})
        self.assertIn("width * height", self.assert_succeeds(process))
        path, _, request = server.seen[-1]
        self.assertEqual(path, "/v1/completions")
        self.assertTrue(request["prompt"].endswith("<|fim_middle|>"), request["prompt"])

    def test_a_busy_server_is_asked_again(self):
        server = self.serve()
        server.faults = [429, 503]
        self.assertEqual(self.assert_succeeds(self.edit(server.url)), AFTER)
        self.assertEqual(len(server.requests), 3)

    def test_a_refusal_and_a_missing_model_are_said(self):
        server = self.serve()
        server.faults = [400]
        self.assert_fails(self.edit(server.url), 1, "refused (400): not now")
        self.assert_fails(self.edit(server.url, "--remote-model", "other"), 1, "It has: coder")
        self.assert_fails(self.edit(self.serve(models=("a", "b")).url), 1, "--remote-model")

    def test_a_cut_answer_is_an_error(self):
        server = self.serve()
        server.pieces.insert(1, None)
        self.assert_fails(self.edit(server.url), 1, "broke off")

    def test_no_server(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.assert_fails(self.edit(f"http://127.0.0.1:{port}"), 1, f"127.0.0.1:{port}", "refused")
        self.assert_fails(self.edit("gpu:8000"), 1, "https://HOST:PORT")

    def test_a_local_model_that_was_named_takes_over(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        process = self.edit(f"http://127.0.0.1:{port}", "--target", "no-such-model")
        self.assert_fails(process, 1, "no-such-model")
        self.assertIn("redraft uses the local model, because the server failed", process.stderr.decode())

    def test_no_rest_is_read_once_the_edit_is_complete(self):
        server = self.serve()
        poem = event("poem " * 1000)
        server.pieces = server.pieces[:-1] + [poem] * 20000
        self.assertEqual(self.assert_succeeds(self.edit(server.url)), AFTER)
        self.assertTrue(server.closed_early.wait(60))


CODE = "file:///project/b.py"
HELPER = "def surface_of(width, height):\n    \"\"\"In square metres.\"\"\"\n    return width * height\n"


class Completions(RemoteEditor):
    """What a server is shown of other files, which no index has here."""

    def prompt(self, server, client, text, line, character):
        """What the server is asked for a place of a document."""
        self.open(client, CODE, text)
        items = client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": CODE}, "position": {"line": line, "character": character},
            "context": {"triggerKind": 1}})["items"]
        self.assertEqual([item["insertText"] for item in items], ["width, height)"])
        return server.requests[-1]["prompt"]

    def begin(self, **options):
        server = self.serve("width, height)", models=("Qwen2.5-Coder-7B",), **options)
        return server, self.client(server.url)

    def test_definitions_in_other_open_files_are_shown(self):
        server, client = self.begin()
        self.open(client, "file:///project/shapes.py", HELPER + "\n\ndef unrelated():\n    pass\n")
        prompt = self.prompt(server, client, "from shapes import surface_of\n\narea = surface_of(\n", 2, 18)
        self.assertEqual(prompt.count(HELPER), 1)
        self.assertIn("shapes.py", prompt)
        self.assertNotIn("unrelated", prompt)

    def test_places_that_changed_lately_are_shown(self):
        server, client = self.begin()
        shapes = "file:///project/shapes.py"
        self.open(client, shapes, "x = 1\n" * 40)
        client.notify("textDocument/didChange", {"textDocument": {"uri": shapes, "version": 2}, "contentChanges": [
            {"range": {"start": {"line": 20, "character": 0}, "end": {"line": 20, "character": 0}}, "text": "# changed lately\n"}]})
        prompt = self.prompt(server, client, "area = surface_of(\n", 0, 18)
        self.assertIn("# changed lately", prompt)

    def test_a_definition_that_changed_lately_is_shown_once(self):
        server, client = self.begin()
        shapes = "file:///project/shapes.py"
        self.open(client, shapes, HELPER)
        client.notify("textDocument/didChange", {"textDocument": {"uri": shapes, "version": 2}, "contentChanges": [
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "# new\n"}]})
        prompt = self.prompt(server, client, "area = surface_of(\n", 0, 18)
        self.assertEqual(prompt.count(HELPER), 1)

    def test_nothing_of_a_withheld_file_is_sent(self):
        server, client = self.begin()
        key = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{'qzx7swordfish0451' * 4}\n-----END OPENSSH PRIVATE KEY-----\n"
        secret = "file:///project/secret.py"
        self.open(client, secret, HELPER + f'KEY = """{key}"""\n')
        client.notify("textDocument/didChange", {"textDocument": {"uri": secret, "version": 2}, "contentChanges": [
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "# typed there\n"}]})
        self.open(client, "file:///project/.env", "surface_of = 12345\n")
        prompt = self.prompt(server, client, "from secret import surface_of\n\narea = surface_of(\n", 2, 18)
        for text in ("square metres", "typed there", "PRIVATE", "12345"):
            self.assertNotIn(text, prompt)
        self.assertNotIn("PRIVATE", json.dumps(server.requests))

    def test_a_prompt_fits_the_context_that_the_server_tells(self):
        text = "".join(f"value_{i} = {i}\n" for i in range(2000)) + "area = surface_of("
        sizes = []
        for context in (8192, 1200):
            server, client = self.begin(context=context)
            sizes.append(len(self.prompt(server, client, text, 2000, 18)))
            client.close()
        self.assertGreater(sizes[0], 3 * 1200)
        self.assertLess(sizes[1], 3 * 1200)
        self.assertGreater(sizes[1], 1000)


class Doctor(Remote):
    def doctor(self, url, *more, key=""):
        home = {"HOME": str(self.folder), **{f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in (
            "CONFIG", "DATA", "CACHE", "STATE")}}
        return run("doctor", "--quick", "--remote", url, *more, environment={**home, "REDRAFT_REMOTE_KEY": key})

    def rows(self, process):
        self.assertNotIn(KEY, process.stdout.decode() + process.stderr.decode())
        return self.assert_succeeds(process)

    def test_says_what_the_server_has(self):
        server = self.serve(models=("coder", "Qwen2.5-Coder-7B"), key=KEY)
        rows = self.rows(self.doctor(server.url, "--remote-model", "coder", key=KEY))
        self.assertRegex(rows, r"(?m)^key +present; it is sent to the server$")
        self.assertRegex(rows, rf"(?m)^remote +{server.url} answers$")
        self.assertIn("coder: a context of 8192 tokens, by vllm\n", rows)
        self.assertIn("Qwen2.5-Coder-7B: a context of 8192 tokens, by vllm, completes at the cursor\n", rows)
        self.assertRegex(rows, r"coder writes: the first token came after \d+\.\d+ s\n")
        self.assertIn("verdict   ready to edit with that server\n", rows)
        (request,) = server.requests
        self.assertEqual((request["model"], request["max_tokens"]), ("coder", 1))

    def test_a_context_that_is_not_told_is_said(self):
        rows = self.rows(self.doctor(self.serve(context=None).url))
        self.assertIn("coder: an unknown context, assumed to be 16384 tokens", rows)
        self.assertRegex(rows, r"(?m)^key +none: ")

    def test_faults_are_said(self):
        for url, more, key, reason in (
                (self.serve(key="another").url, (), KEY, "requires a key or rejected this one (401)"),
                (self.serve(key="another").url, (), "", "requires a key or rejected this one (401)"),
                (self.serve(models=("a", "b")).url, (), "", "--remote-model: a, b"),
                (self.serve().url, ("--remote-model", "other"), "", "It has: coder"),
                ("gpu:8000", (), "", "https://HOST:PORT"),
                ("http://redraft.invalid:8000", (), "", "redraft.invalid")):
            process = self.doctor(url, *more, key=key)
            self.assertEqual(process.returncode, 1, process.stdout)
            self.assertIn(reason, process.stderr.decode())
            self.assertNotIn("verdict", process.stdout.decode())
            self.assertNotIn(KEY, process.stdout.decode() + process.stderr.decode())

    def test_a_list_that_needs_no_key_does_not_hide_that_it_is_wrong(self):
        server = self.serve()
        server.faults = [401]
        process = self.doctor(server.url, key=KEY)
        self.assertEqual(process.returncode, 1, process.stdout)
        self.assertIn("refused (401)", process.stderr.decode())

    def test_names_cannot_act_on_a_terminal(self):
        rows = self.rows(self.doctor(self.serve(models=("co\x1b[31mder",)).url))
        self.assertNotIn("\x1b", rows)

    def test_what_redraft_serves_is_told(self):
        model = str(self.folder / "tiny.gguf")
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], model, "1"], check=True)
        served = subprocess.Popen([os.environ["REDRAFT"], "serve", "--http", "0", "--no-token", "--device", "cpu", "--target", model],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(served.stdout.close)
        self.addCleanup(served.wait)
        self.addCleanup(served.terminate)
        url = served.stdout.readline().split()[-1]
        rows = self.rows(self.doctor(url))  # the model may be loaded by then, or not
        self.assertRegex(rows, r"tiny.gguf: a context of \d+ tokens, by redraft\n")


class Keys(Remote):
    def key_file(self, mode):
        folder = self.folder / "config/redraft"
        folder.mkdir(parents=True)
        (folder / "remote-key").write_text(KEY + "\n")
        (folder / "remote-key").chmod(mode)

    def test_of_the_environment(self):
        server = self.serve(key=KEY)
        self.assertEqual(self.assert_succeeds(self.edit(server.url, REDRAFT_REMOTE_KEY=KEY)), AFTER)

    def test_of_a_private_file(self):
        server = self.serve(key=KEY)
        self.key_file(0o600)
        environment = {name: value for name, value in os.environ.items() if name != "REDRAFT_REMOTE_KEY"}
        environment.update(XDG_CONFIG_HOME=str(self.folder / "config"))
        file = self.write("a.py", BEFORE.encode())
        process = subprocess.run([os.environ["REDRAFT"], "edit", file, "--instruction", "x", "--format", "text", "--remote",
                                  server.url, "--log-level", "trace"], env=environment, capture_output=True, timeout=600)
        self.assertEqual(self.assert_succeeds(process), AFTER)
        self.assertNotIn(KEY, process.stderr.decode())

    def test_a_file_that_others_can_read_is_refused(self):
        server = self.serve(key=KEY)
        self.key_file(0o644)
        environment = {name: value for name, value in os.environ.items() if name != "REDRAFT_REMOTE_KEY"}
        file = self.write("a.py", BEFORE.encode())
        process = subprocess.run([os.environ["REDRAFT"], "edit", file, "--instruction", "x", "--remote", server.url],
                                 env={**environment, "XDG_CONFIG_HOME": str(self.folder / "config")},
                                 capture_output=True, timeout=600)
        self.assert_fails(process, 1, "chmod 600")
        self.assertEqual(server.seen, [])

    def test_a_wrong_one_is_said_and_not_shown(self):
        server = self.serve(key="another")
        process = self.edit(server.url, REDRAFT_REMOTE_KEY=KEY)
        self.assert_fails(process, 1, "requires a key or rejected this one (401)")
        self.assertNotIn(KEY, process.stderr.decode())
        process = self.edit(server.url, REDRAFT_REMOTE_KEY="a\r\nX-Evil: 1")
        self.assert_fails(process, 1, "does not contain a valid key")


def make_certificate(folder):
    """Of 127.0.0.1, signed by itself; and one of another name."""
    for name, alternative in (("good", "IP:127.0.0.1"), ("other", "DNS:other.example")):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/{name}.key", "-out",
                        f"{folder}/{name}.crt", "-days", "2", "-subj", f"/CN={name}", "-addext",
                        f"subjectAltName={alternative}"], check=True, capture_output=True)
        pem = (folder / f"{name}.key").read_text() + (folder / f"{name}.crt").read_text()
        (folder / f"{name}.pem").write_text(pem)


class Tls(Remote):
    def setUp(self):
        super().setUp()
        make_certificate(self.folder)

    def test_a_certificate_that_the_system_trusts(self):
        server = self.serve(certificate=self.folder / "good.pem")
        process = self.edit(server.url, SSL_CERT_FILE=str(self.folder / "good.crt"))
        self.assertEqual(self.assert_succeeds(process), AFTER)

    def test_others_are_refused_before_anything_is_sent(self):
        server = self.serve(certificate=self.folder / "good.pem")
        self.assert_fails(self.edit(server.url), 1, "certificate that is not trusted")
        self.assertEqual(server.seen, [])

    def test_one_of_another_name_is_refused(self):
        server = self.serve(certificate=self.folder / "other.pem")
        process = self.edit(server.url, SSL_CERT_FILE=str(self.folder / "other.crt"))
        self.assert_fails(process, 1, "certificate")
        self.assertEqual(server.seen, [])


class Editors(RemoteEditor):
    def test_an_edit_comes_hunk_by_hunk(self):
        server = self.serve()
        client = self.client(server.url)
        end, (hunk,) = self.edit(client)
        self.assertEqual((end["state"], hunk["newText"]), ("done", "    return abs(width * height)\n"))
        status = client.request("redraft/status")
        self.assertEqual((status["target"], status["device"]), ("coder", server.url))
        self.assertEqual((status["decoder"]["name"], status["decoder"]["lossless"]), ("remote", False))
        self.assertIn(f"The server at {server.url} writes the text", " ".join(status["reasons"]))

    def test_the_person_is_told_that_text_leaves_the_machine(self):
        server = self.serve()
        url = f"http://[::ffff:127.0.0.1]:{server.server_port}"  # no loopback address by its looks
        try:
            socket.create_connection(("::ffff:127.0.0.1", server.server_port)).close()
        except OSError as problem:
            self.skipTest(f"this machine has no IPv6: {problem}")
        client = self.client(url)
        self.assertEqual(self.edit(client)[0]["state"], "done")
        reasons = " ".join(client.request("redraft/status")["reasons"])
        self.assertIn(f"Text leaves this machine: {url} runs the model. It is sent unencrypted", reasons)

    def test_an_unknown_host_is_named(self):
        end, _ = self.edit(self.client("http://redraft.invalid:8000"))
        self.assertEqual(end["state"], "failed")
        self.assertIn("redraft.invalid", json.dumps(end))

    def test_a_cancelled_edit_closes_the_connection(self):
        server, going, told = self.serve(), threading.Event(), threading.Event()
        server.pieces = [event("def area(width, height):\n"), going.set, lambda: told.wait(120)] + [event("    # and so on\n")] * 1000000
        client = self.client(server.url)
        edit = client.request("workspace/executeCommand", self.command())["editId"]
        self.assertTrue(going.wait(120))
        client.request("workspace/executeCommand", {"command": "redraft.cancel", "arguments": [{"editId": edit}]})
        end = client.notification("$/redraft/edit", lambda message: message["editId"] == edit and message["kind"] == "end")
        self.assertEqual(end["state"], "cancelled")
        told.set()
        self.assertTrue(server.closed_early.wait(120))

    def test_the_server_is_tried_again_with_the_next_edit(self):
        server = self.serve()
        client = self.client(server.url)
        pieces = server.pieces
        server.pieces = [pieces[0], None]
        self.assertEqual(self.edit(client)[0]["state"], "failed")
        server.pieces = pieces
        self.assertEqual(self.edit(client)[0]["state"], "done")

    def test_the_local_model_writes_once_the_server_is_gone(self):
        model = str(self.folder / "tiny.gguf")
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], model, "1"], check=True)
        server = Server()
        client = self.client(server.url, "--target", model)
        self.assertEqual(self.edit(client)[0]["state"], "done")
        server.shutdown()
        server.server_close()
        self.assertEqual(self.edit(client)[0]["state"], "failed")
        self.assertIn(self.edit(client)[0]["state"], ("done", "failed"))  # a tiny model writes what it writes
        status = client.request("redraft/status")
        self.assertEqual((status["state"], status["device"]), ("ready", "cpu"), status)
        self.assertIn("redraft uses the local model, because the server failed", " ".join(status["reasons"]))
        self.assertNotEqual(status["decoder"]["name"], "remote")


if __name__ == "__main__":
    unittest.main()
