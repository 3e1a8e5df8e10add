"""The model is loaded before the first request, once a file is open in which one is to be expected."""

import pathlib
import unittest

from server_case import LINES, RENAME, STREAMING, URI, ServerTest, span

MEGABYTES = 1_000_000
UNKNOWN = "file:///tmp/notes.xyz"


class EarlyLoading(ServerTest):
    def hold_load(self):
        return {"hold_load": self._hold_file()}

    def open_as(self, client, language, uri):
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1,
                                                                "text": "old\n"}})

    def begin(self, settings=None, capabilities=None, **script):
        client = self.start(RENAME, initialize=False, **script)
        self.initialize(client, {**STREAMING, **(capabilities or {})}, initializationOptions={"redraft": settings or {}})
        return client

    def states(self, client):
        return [status["state"] for status in client.all("$/redraft/status")]

    def reach(self, client, state):
        return client.notification("$/redraft/status", lambda status: status["state"] == state)

    def assert_not_loaded(self, client, uri):
        """The thread that would load it does something else twice, between which it would have begun."""
        for _ in range(2):
            client.request("redraft/region", {"textDocument": {"uri": uri, "version": 1}, "range": span(0, 0, 0, 0)})
        self.assertEqual(client.request("redraft/status")["state"], "unloaded")

    def test_a_file_of_a_known_language_is_enough(self):
        client = self.begin(capabilities={"window": {"workDoneProgress": True}}, memory=3 * MEGABYTES, **self.hold_load())
        self.open(client, LINES)
        loading = self.reach(client, "loading")
        self.assertEqual(loading["memoryBytes"], 3 * MEGABYTES)
        self.assertIn("The model is being loaded; it takes about 3 MB of memory.", loading["reasons"])
        begun = client.notification("$/progress", lambda p: p["value"]["kind"] == "begin")
        self.assertEqual(begun["value"]["title"], "redraft: loading the model, 3 MB of memory")
        self.release()
        self.assertEqual(self.reach(client, "ready")["memoryBytes"], 3 * MEGABYTES)
        client.notification("$/progress", lambda p: p["value"]["kind"] == "end")

    def test_a_language_may_be_known_by_what_the_editor_says(self):
        client = self.begin()
        self.open_as(client, "python", "untitled:Untitled-1")
        self.reach(client, "ready")

    def test_it_is_loaded_once(self):
        client = self.begin()
        self.open(client, LINES)
        self.reach(client, "ready")
        self.open(client, LINES, uri="file:///tmp/another.py")
        self.end(client, self.edit(client))
        self.assertEqual(self.states(client), ["loading", "ready"])

    def test_a_file_of_another_kind_is_not(self):
        client = self.begin()
        for language, uri in (("plaintext", UNKNOWN), ("gitcommit", "file:///tmp/app/COMMIT_EDITMSG")):
            self.open_as(client, language, uri)
            self.assert_not_loaded(client, uri)

    def test_nor_is_one_that_holds_secrets(self):
        client = self.begin()
        uri = "file:///tmp/app/credentials.py"
        self.open_as(client, "python", uri)
        self.assert_not_loaded(client, uri)

    def test_what_needs_no_model_does_not_wait_for_it(self):
        client = self.begin(**self.hold_load())
        self.open(client, LINES)
        self.reach(client, "loading")
        place = {"textDocument": {"uri": URI, "version": 1}, "range": span(3, 0, 3, 0)}
        self.assertTrue(client.request("redraft/region", place)["regions"])
        self.assertEqual(client.request("redraft/status")["state"], "loading")
        self.release()
        self.reach(client, "ready")

    def test_a_request_waits_for_the_load_that_is_under_way(self):
        client = self.begin(**self.hold_load())
        self.open(client, LINES)
        self.reach(client, "loading")
        edit = self.edit(client)
        self.release_when_told(client)
        self.assertEqual(self.end(client, edit)["state"], "done")
        self.assertEqual(self.states(client), ["loading", "ready"])

    def test_a_setting_switches_it_off_and_on(self):
        client = self.begin({"loadEarly": False})
        self.open(client, LINES)
        self.assert_not_loaded(client, URI)
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"loadEarly": True}}})
        self.reach(client, "ready")

    def test_the_client_may_still_be_about_to_switch_it_off(self):
        client = self.start(RENAME, initialize=False)
        client.answers["workspace/configuration"] = [{"loadEarly": False}]
        self.initialize(client, {**STREAMING, "workspace": {"configuration": True}})
        self.open(client, LINES)
        client.wait(lambda message: message.get("method") == "workspace/configuration")
        self.assert_not_loaded(client, URI)

    def test_not_where_there_is_too_little_memory(self):
        client = self.begin(memory=1 << 50)
        self.open(client, LINES)
        told = client.notification("$/redraft/status")
        self.assertEqual((told["state"], told["memoryBytes"]), ("unloaded", 1 << 50))
        self.assertIn("The model is not loaded yet. The first request loads it. It takes about 1125899.9 GB of "
                      "memory, more than is free.", told["reasons"])
        self.open(client, LINES, uri="file:///tmp/another.py")
        self.assert_not_loaded(client, URI)
        self.assertEqual(self.states(client), ["unloaded"])
        self.assertEqual(self.end(client, self.edit(client))["state"], "done")  # an explicit request decides

    def test_a_failure_is_told_once_and_the_next_request_tries_again(self):
        client = self.begin(load_error="no such file: m.gguf; run `redraft models pull`")
        self.open(client, LINES)
        self.assertIn("m.gguf", client.notification("window/showMessage")["message"])
        self.open(client, LINES, uri="file:///tmp/another.py")
        self.assertEqual(self.end(client, self.edit(client))["state"], "failed")
        self.assertEqual(self.states(client), ["loading", "failed"] * 2)
        self.assertEqual(len(client.all("window/showMessage")), 1)

    def test_the_server_ends_while_it_loads(self):
        client = self.begin(**self.hold_load())
        self.open(client, LINES)
        self.reach(client, "loading")
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)
        self.assertTrue(pathlib.Path(self._hold_file()).exists())


if __name__ == "__main__":
    unittest.main()
