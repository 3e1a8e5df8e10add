"""Which decoder runs: by the setting `decoder`, with and without a draft model, over a scripted model."""

import hashlib
import time
import unittest

from lsp_client import HANG_SECONDS
from server_case import LINES, STREAMING, URI, ServerTest, position


def new_text(length):
    """Text that nothing else can guess."""
    return "".join(hashlib.sha256(bytes([i])).hexdigest() for i in range(length // 64 + 1))[:length]


# Long enough that reading the prompt pays for a draft model.
NEW = f"# {new_text(1200)}\n"
ADD = [{"find": "", "replace": NEW}]
OWN_SETTINGS = {"experimental": {"redraft": {"streamedEdits": True, "userSettings": True}}}
FILLS = [{"after": "area = ", "write": new_text(120)}]


class Decoder(ServerTest):
    def status(self, client):
        return client.request("redraft/status")

    def configure(self, client, decoder):
        client.notify("workspace/didChangeConfiguration", {"settings": {"redraft": {"decoder": decoder}}})

    def write(self, client, **more):
        """The statistics of an edit that puts NEW in front."""
        edit = self.edit(client, "add it", maxNewTokens=4000, **more)
        end = self.end(client, edit)
        self.assertEqual(end["state"], "done")
        (hunk,) = self.events(client, edit, "hunk")
        self.assertEqual(hunk["newText"], NEW)
        self.resolve(client, edit, action="reject")
        return end["statistics"]

    def test_a_draft_model_that_is_loaded_is_asked(self):
        client = self.start(ADD, STREAMING, draft=True)
        self.open(client, LINES)
        decoder = self.status(client)["decoder"]
        self.assertEqual(decoder, {"name": "redraft:model", "lossless": True,
                                   "statistics": {"tokens": 0, "fromDraftModel": 0}})
        statistics = self.write(client)
        self.assertGreater(statistics["acceptedBySource"]["model"], 0)
        status = self.status(client)
        self.assertEqual(status["draft"], "scripted draft")
        self.assertEqual(status["decoder"]["statistics"], {
            "tokens": statistics["newTokens"], "fromDraftModel": statistics["acceptedBySource"]["model"]})

    def test_the_status_says_what_the_caches_take(self):
        client = self.start(ADD, STREAMING, initialize=False)
        self.initialize(client, STREAMING, initializationOptions={"redraft": {"loadEarly": False}})
        self.open(client, LINES)
        self.assertEqual(self.status(client)["caches"], {"bytes": 0, "limitBytes": 0})  # no model is loaded yet
        self.write(client)
        end = time.monotonic() + HANG_SECONDS
        while not (caches := self.status(client)["caches"])["bytes"]:  # counted once the decode is over
            self.assertLess(time.monotonic(), end, "caches are never counted")
            time.sleep(0.02)
        self.assertLessEqual(caches["bytes"], caches["limitBytes"])

    def test_completions_ask_it_too(self):
        client = self.start(capabilities={"textDocument": {"inlineCompletion": {}}}, fills=FILLS, draft=True)
        self.open(client, "area = \n")
        (item,) = client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": URI}, "position": position(0, 7), "context": {"triggerKind": 2}})["items"]
        self.assertEqual(item["insertText"], new_text(120))
        self.assertGreater(item["data"]["statistics"]["acceptedBySource"]["model"], 0)
        self.assertGreater(self.status(client)["decoder"]["statistics"]["fromDraftModel"], 0)

    def test_without_one_none_is_asked(self):
        client = self.start(ADD, STREAMING)
        self.open(client, LINES)
        self.assertEqual(self.write(client)["acceptedBySource"]["model"], 0)
        decoder = self.status(client)["decoder"]
        self.assertEqual((decoder["name"], decoder["statistics"]["fromDraftModel"]), ("redraft", 0))

    def test_the_setting_names_another(self):
        client = self.start(ADD, STREAMING, draft=True)
        self.open(client, LINES)
        self.configure(client, "ar")
        self.assertEqual(set(self.write(client)["acceptedBySource"].values()), {0})
        self.assertEqual(self.status(client)["decoder"]["name"], "ar")
        self.assertEqual(self.write(client, decoder="sd")["acceptedBySource"]["reuse"], 0)
        self.configure(client, "")
        self.assertEqual(self.status(client)["decoder"]["name"], "redraft:model")

    def test_a_lossy_one_runs_only_by_its_name_and_says_so(self):
        client = self.start(ADD, OWN_SETTINGS, draft=True)
        self.assertTrue(self.status(client)["decoder"]["lossless"])
        self.configure(client, "efficientedit:entropy")
        status = self.status(client)
        self.assertEqual((status["decoder"]["name"], status["decoder"]["lossless"]), ("efficientedit:entropy", False))
        self.assertIn("lossy", " ".join(status["reasons"]))

    def test_a_file_of_the_workspace_names_no_lossy_one(self):
        client = self.start(ADD, STREAMING, draft=True)
        self.configure(client, "efficientedit:entropy")
        status = self.status(client)
        self.assertEqual(status["decoder"]["name"], "redraft:model")
        self.assertIn("this setting may come from a workspace file", " ".join(status["reasons"]))
        self.assertEqual(len(client.all("window/showMessage")), 1)

    def test_the_options_name_a_lossy_one_in_any_client(self):
        client = self.start(ADD, initialize=False, draft=True)
        self.initialize(client, STREAMING, initializationOptions={"redraft": {"decoder": "efficientedit:entropy"}})
        self.configure(client, "ar")
        self.assertTrue(self.status(client)["decoder"]["lossless"])
        self.configure(client, None)
        self.assertFalse(self.status(client)["decoder"]["lossless"])

    def refusal(self, decoder, **script):
        """What the user is told, and what the status says; the default runs."""
        client = self.start(ADD, STREAMING, **script)
        self.open(client, LINES)
        for _ in range(2):  # told once
            self.configure(client, decoder)
        status = self.status(client)
        (message,) = client.all("window/showMessage")
        self.assertEqual(["redraft: " + reason for reason in status["reasons"] if "decoder" in reason],
                         [message["message"]])
        self.assertEqual(status["decoder"]["name"], "redraft")
        self.write(client)
        return message["message"]

    def test_an_unknown_one_is_refused(self):
        self.assertIn("unknown decoder 'fastest'; there are: ar, ", self.refusal("fastest"))

    def test_one_that_needs_a_draft_model_is_refused_without(self):
        self.assertIn("start the server with one (redraft.draft", self.refusal("sd"))

    def test_a_request_for_one_that_needs_a_draft_model_is_refused_without(self):
        client = self.start(ADD, STREAMING)
        self.open(client, LINES)
        self.assert_error(-32602, self.edit, client, decoder="redraft:model")
        self.assert_error(-32602, self.edit, client, decoder="fastest")


if __name__ == "__main__":
    unittest.main()
