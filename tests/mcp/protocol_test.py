"""The Model Context Protocol as the specification has it, for clients with a handshake and without, and for hostile ones."""

import json
import os
import unittest

from mcp_case import CHANGE, CHANGED, MODERN, TEXT, McpCase, meta

TOOLS = ["edit_file", "rename_symbol"]
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, UNSUPPORTED = -32700, -32600, -32601, -32602, -32022


class WithHandshake(McpCase):
    def test_the_version_is_the_clients_if_redraft_knows_it(self):
        for asked, offered in (("2025-11-25", "2025-11-25"), ("2025-03-26", "2025-03-26"), ("2024-11-05", "2024-11-05"),
                               ("1999-01-01", "2025-11-25"), (MODERN, "2025-11-25")):
            result = self.client().initialize(asked)
            self.assertEqual(result["protocolVersion"], offered)
            self.assertEqual(result["capabilities"], {"tools": {}})
            self.assertEqual(result["serverInfo"]["name"], "redraft")

    def test_tools_have_schemas_and_results_fit_them(self):
        client = self.client()
        client.initialize()
        tools = client.request("tools/list")["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], TOOLS)
        self.assertEqual(tools[0]["inputSchema"]["required"], ["path", "changes"])
        for tool in tools:
            self.assertEqual(tool["outputSchema"]["type"], "object")
            self.assertLessEqual(set(tool["inputSchema"]["required"]), set(tool["inputSchema"]["properties"]))
        result = client.call(path="a.py", changes=CHANGE)
        self.assertFalse(result["isError"])
        self.assertEqual(set(result), {"content", "structuredContent", "isError"})
        self.assertEqual(self.file.read_text(), CHANGED)
        self.assertEqual(client.close(), 0)

    def test_requests_need_the_handshake(self):
        client = self.client()
        self.assert_error(client.request("tools/list"), INVALID_PARAMS, "initialize")
        self.assertEqual(client.request("ping")["result"], {})

    def test_requests_before_the_end_of_input_are_answered(self):
        client = self.client()
        client.initialize()
        client.send({"id": "last", "method": "tools/call",
                     "params": {"name": "edit_file", "arguments": {"path": "a.py", "changes": CHANGE}}})
        client.process.stdin.close()
        self.assertEqual(self.status(client.answer("last")["result"]), ["written"])
        self.assertIsNone(client.receive())

    def test_progress_is_reported_if_it_is_wanted(self):
        (self.folder / "b.py").write_text(TEXT)
        client = self.client()
        client.initialize()
        result = client.request("tools/call", {"name": "edit_file", "_meta": {"progressToken": "t"}, "arguments": {
            "path": "a.py", "changes": CHANGE, "more_files": [{"path": "b.py", "changes": CHANGE}]}})["result"]
        self.assertEqual(self.status(result), ["written", "written"])
        progress = [each["params"] for each in client.notifications if each["method"] == "notifications/progress"]
        self.assertEqual([(each["progressToken"], each["progress"], each["total"]) for each in progress],
                         [("t", 0, 2), ("t", 1, 2)])

    def test_a_batch_is_answered_one_by_one(self):
        client = self.client()
        client.initialize("2025-03-26")
        client.send_bytes(json.dumps([{"jsonrpc": "2.0", "id": id, "method": "ping"} for id in ("x", "y")]).encode() + b"\n")
        self.assertEqual([client.receive()["id"], client.receive()["id"]], ["x", "y"])


class WithoutHandshake(McpCase):
    def test_discovery_says_what_there_is(self):
        result = self.client().request("server/discover", {"_meta": meta()})["result"]
        self.assertEqual(result["resultType"], "complete")
        self.assertIn(MODERN, result["supportedVersions"])
        self.assertEqual(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "redraft")
        self.assertGreaterEqual(result["ttlMs"], 0)
        self.assertIn(result["cacheScope"], ("public", "private"))

    def test_each_request_says_its_version_and_capabilities(self):
        client = self.client()
        self.assert_error(client.request("server/discover"), INVALID_PARAMS, "_meta")
        old = client.request("tools/list", {"_meta": {**meta(), "io.modelcontextprotocol/protocolVersion": "1900-01-01"}})
        self.assert_error(old, UNSUPPORTED)
        self.assertEqual(old["error"]["data"]["requested"], "1900-01-01")
        self.assertIn(MODERN, old["error"]["data"]["supported"])
        without = meta()
        del without["io.modelcontextprotocol/clientCapabilities"]
        self.assert_error(client.request("tools/list", {"_meta": without}), INVALID_PARAMS, "clientCapabilities")
        listed = client.request("tools/list", {"_meta": meta()})["result"]
        self.assertEqual((listed["resultType"], listed["tools"][0]["name"]), ("complete", "edit_file"))

    def test_a_call_is_answered(self):
        result = self.client().request("tools/call", {"_meta": meta(), "name": "edit_file",
                                                      "arguments": {"path": "a.py", "changes": CHANGE}})["result"]
        self.assertEqual((result["resultType"], self.status(result)), ("complete", ["written"]))

    def test_a_subscription_is_acknowledged_and_can_be_cancelled(self):
        client = self.client()
        client.send({"id": 1, "method": "subscriptions/listen", "params": {"_meta": meta(), "notifications": {
            "toolsListChanged": True}}})
        said = client.receive()
        self.assertEqual(said["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(said["params"]["_meta"], {"io.modelcontextprotocol/subscriptionId": 1})
        client.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
        self.assertEqual(client.request("ping")["result"], {})


class Confined(McpCase):
    def status(self, process, field):
        with open(f"/proc/{process}/status", encoding="utf-8") as file:
            return next(line.split()[1] for line in file if line.startswith(field + ":"))

    def test_both_processes_gave_up_their_rights_and_the_one_that_parses_has_only_its_socket(self):
        client = self.client()
        client.initialize()
        client.call(path="a.py", changes=CHANGE)
        front = client.process.pid
        with open(f"/proc/{front}/task/{front}/children", encoding="utf-8") as file:
            (worker,) = file.read().split()
        for process in (front, worker):
            self.assertEqual((self.status(process, "Seccomp"), self.status(process, "NoNewPrivs")), ("2", "1"))
        self.assertEqual(self.status(front, "Threads"), "1")
        self.assertEqual(os.listdir(f"/proc/{worker}/fd"), ["3"])


class Hostile(McpCase):
    def setUp(self):
        super().setUp()
        self.peer = self.client()
        self.peer.initialize()

    def test_what_is_no_message_is_answered_with_an_error(self):
        deep = b"[" * 100_000
        cases = {b"{": PARSE_ERROR, b"\xff\xfe": PARSE_ERROR, deep: PARSE_ERROR, b"7": INVALID_REQUEST, b"[]": INVALID_REQUEST,
                 b'"text"': INVALID_REQUEST, b"{}": INVALID_REQUEST, b'{"id": 1}': INVALID_REQUEST,
                 b'{"id": null, "method": "ping"}': INVALID_REQUEST, b'{"id": [], "method": "ping"}': INVALID_REQUEST,
                 b'{"id": 1, "method": 7}': INVALID_REQUEST, b'{"id": 1, "method": "none"}': METHOD_NOT_FOUND,
                 b'{"id": 1, "method": "tools/call"}': INVALID_PARAMS,
                 b'{"id": 1, "method": "tools/call", "params": []}': INVALID_PARAMS,
                 b'{"id": 1, "method": "tools/call", "params": {"name": "none"}}': INVALID_PARAMS,
                 b'{"id": 1, "method": "tools/call", "params": {"name": "edit_file", "arguments": 7}}': INVALID_PARAMS}
        for line, code in cases.items():
            with self.subTest(line[:60]):
                self.peer.send_bytes(line + b"\n")
                self.assert_error(self.peer.receive(), code)
        self.assertEqual(self.peer.request("ping")["result"], {})

    def test_a_message_that_is_too_long_is_skipped(self):
        for _ in range(20):
            self.peer.send_bytes(b"x" * (1 << 20))
        self.peer.send_bytes(b"\n")
        self.assert_error(self.peer.receive(), PARSE_ERROR, "20971520 bytes")
        self.assertEqual(self.peer.request("ping")["result"], {})

    def test_blank_lines_and_unknown_notifications_are_ignored(self):
        self.peer.send_bytes(b"\n  \r\n")
        self.peer.send({"method": "notifications/none"}, {"method": "notifications/cancelled", "params": {"requestId": {}}},
                       {"method": "notifications/cancelled"}, {"id": "roots-1", "result": {"roots": 7}}, {"id": 9, "error": 7})
        self.assertEqual(self.peer.request("ping")["result"], {})

    def test_many_calls_wait_or_are_refused_and_none_is_lost(self):
        call = {"method": "tools/call", "params": {"name": "edit_file", "arguments": {"path": "a.py", "changes": CHANGE,
                                                                                      "dry_run": True}}}
        self.peer.send(*({"id": f"c{n}", **call} for n in range(300)))
        answers = [self.peer.receive() for _ in range(300)]
        self.assertEqual({each["id"] for each in answers}, {f"c{n}" for n in range(300)})
        self.assertTrue(all("result" in each or "too many" in each["error"]["message"] for each in answers))

    def test_a_cancelled_call_has_no_answer_and_no_effect(self):
        self.peer.send({"id": 5, "method": "tools/call", "params": {"name": "edit_file", "arguments": {
            "path": "a.py", "changes": CHANGE}}}, {"method": "notifications/cancelled", "params": {"requestId": 5}})
        self.assertEqual(self.peer.request("ping")["result"], {})
        self.assertEqual(self.peer.notifications, [])
        self.assertEqual(self.file.read_text(), TEXT)


if __name__ == "__main__":
    unittest.main()
