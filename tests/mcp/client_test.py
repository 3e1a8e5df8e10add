"""redraft mcp with the protocol's official client. Exit code 77: it is not installed; `tools/setup.py tests` installs it."""

import asyncio
import sys
import unittest

try:
    import mcp_types as types
    from mcp import StdioServerParameters
    from mcp.client import Client
    from mcp.client.stdio import stdio_client
except ImportError as missing:
    print(f"SKIPPED: {missing}; tools/setup.py tests installs it")
    sys.exit(77)

from mcp_case import CHANGE, CHANGED, PROGRAM, TEXT, McpCase, uri


class OfficialClient(McpCase):
    """In each mode: `legacy` is the handshake, `auto` finds the newest revision."""

    def with_client(self, mode, use, roots=None):
        async def list_roots(_):
            return types.ListRootsResult(roots=[types.Root(uri=uri(folder)) for folder in roots])

        async def run():
            server = StdioServerParameters(command=PROGRAM, args=["mcp", "--no-model"], cwd=str(self.folder))
            async with Client(stdio_client(server), mode=mode, list_roots_callback=None if roots is None else list_roots) as client:
                await use(client)

        asyncio.run(run())

    def test_it_finds_the_revision(self):
        for mode, version in (("legacy", "2025-11-25"), ("auto", "2026-07-28")):
            async def use(client, version=version):
                self.assertEqual(client.session.protocol_version, version)
            self.with_client(mode, use)

    def test_it_edits_and_checks_the_result_by_its_schema(self):
        for mode in ("legacy", "auto"):
            for roots in (None, [self.folder]):
                self.file.write_text(TEXT)

                async def use(client):
                    self.assertIn("edit_file", [tool.name for tool in (await client.list_tools()).tools])
                    result = await client.call_tool("edit_file", {"path": "a.py", "changes": CHANGE})
                    self.assertFalse(result.is_error)
                    self.assertEqual(result.structured_content["files"][0]["status"], "written")
                    self.assertIn("+    return os.getpid()", result.content[0].text)
                    again = await client.call_tool("edit_file", {"path": "a.py", "changes": "def none_such\n    # ... existing code ...\n"})
                    self.assertTrue(again.is_error)
                    wrong = await client.call_tool("edit_file", {"path": "a.py"})
                    self.assertIn("`changes` is missing", wrong.content[0].text)

                with self.subTest(mode=mode, roots=roots):
                    self.with_client(mode, use, roots)
                    self.assertEqual(self.file.read_text(), CHANGED)

    def test_it_renames(self):
        (self.folder / "b.py").write_text("import a\n\na.first()\n")

        async def use(client):
            result = await client.call_tool("rename_symbol", {"path": "a.py", "name": "first", "new_name": "one"})
            self.assertFalse(result.is_error, result.content[0].text)
            self.assertEqual([file["status"] for file in result.structured_content["files"]], ["written", "written"])

        self.with_client("auto", use)
        self.assertEqual((self.folder / "b.py").read_text(), "import a\n\na.one()\n")

    def test_it_gets_progress(self):
        (self.folder / "b.py").write_text(TEXT)
        seen = []

        async def progress(done, total, message):
            seen.append((done, total))

        async def use(client):
            await client.call_tool("edit_file", {"path": "a.py", "changes": CHANGE, "more_files": [
                {"path": "b.py", "changes": CHANGE}]}, progress_callback=progress)

        self.with_client("auto", use)
        self.assertEqual(seen, [(0, 2), (1, 2)])


if __name__ == "__main__":
    unittest.main()
