"""Every method and error that docs/protocol.md names, with an independent client: what we send has the form that the
specification requires, for clients with the capabilities that real ones announce. Exit code 77: no such client is
installed; `tools/setup.py tests` installs it."""

import asyncio
import json
import pathlib
import re
import sys

try:
    import pytest
    import pytest_lsp
except ImportError as missing:
    print(f"SKIPPED: {missing}; tools/setup.py tests installs it")
    sys.exit(77)
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from conformance_client import TIME_LIMIT, URI, converter, initialized, methods_seen, span, started

PROTOCOL = (pathlib.Path(__file__).parent.parent.parent / "docs/protocol.md").read_text(encoding="utf-8")
CLIENTS = ["visual-studio-code@v1.65", "neovim@v0.11", "neovim@v0.6", "emacs@v29"]
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32600, -32601, -32602
NOT_INITIALIZED, REQUEST_FAILED, CONTENT_MODIFIED, CANCELLED = -32002, -32803, -32801, -32800
DOCUMENT = types.TextDocumentIdentifier(URI)
AREA = types.Position(0, 7)

pytestmark = pytest.mark.asyncio


def capabilities(**members):
    return converter.structure(members, types.ClientCapabilities)


GHOST = capabilities(textDocument={"inlineCompletion": {}})
STREAMING = capabilities(experimental={"redraft": {"streamedEdits": True}}, window={"workDoneProgress": True})
APPLYING = capabilities(workspace={"applyEdit": True})
RESOLVING = capabilities(textDocument={"codeAction": {
    "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}, "dataSupport": True, "disabledSupport": True,
    "resolveSupport": {"properties": ["edit"]}}})


def command(name, argument, token=None):
    return types.ExecuteCommandParams(name, [argument], work_done_token=token)


def edit_command(version=1, token=None, uri=URI, **more):
    return command("redraft.edit", {"textDocument": {"uri": uri, "version": version}, "instruction": "rename", **more},
                   token)


def action_params(*diagnostics, only=None, token=None):
    return types.CodeActionParams(DOCUMENT, span(0, 0, 2, 0), types.CodeActionContext(list(diagnostics), only=only),
                                  partial_result_token=token)


def inline_params(kind=types.InlineCompletionTriggerKind.Invoked, selected=None):
    return types.InlineCompletionParams(types.InlineCompletionContext(kind, selected), DOCUMENT, AREA)


class Held:
    """A model that writes nothing until it is released, in the script of a server."""

    def __init__(self, file):
        self.file = file
        file.touch()
        self.script = {"hold": {"before": "", "file": str(file)}}

    async def release_when_told(self, session):
        """When the server has read all that was sent."""
        await ask_status(session)
        self.file.unlink()


@pytest.fixture(name="held")
def held_model(tmp_path):
    return Held(tmp_path / "hold")


async def ask_status(session):
    return await session.request("redraft/status")


# What real clients announce


@pytest.mark.parametrize("name", CLIENTS)
async def test_a_session_of_a_real_clients_capabilities(name):
    async with initialized(pytest_lsp.client_capabilities(name)) as session:
        offered = session.result.capabilities
        assert session.result.server_info.name == "redraft"
        assert offered.text_document_sync.change == types.TextDocumentSyncKind.Incremental
        assert set(offered.execute_command_provider.commands) >= {"redraft.edit", "redraft.cancel"}
        session.open("area = \nold = 1\n")
        answer = await session.request("textDocument/completion", types.CompletionParams(DOCUMENT, AREA))
        (item,) = answer.items
        resolved = await session.request("completionItem/resolve", item)
        assert "width * height" in getattr(resolved.documentation, "value", resolved.documentation)
        for action in await session.request("textDocument/codeAction", action_params()):
            assert isinstance(action, (types.CodeAction, types.Command))
        await session.request("workspace/executeCommand", edit_command())
        await session.received("workspace/applyEdit")
        assert session.client.applied[0].edit is not None


@pytest.mark.parametrize("encoding, units", [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
async def test_every_encoding_and_form_of_a_change(encoding, units):
    client = capabilities(general={"positionEncodings": ["utf-7", encoding]}, workspace={"applyEdit": True})
    async with initialized(client) as session:
        assert session.result.capabilities.position_encoding == encoding
        session.open("one 😀 two\nthree\n")
        session.change(2, types.TextDocumentContentChangePartial(text="2", range=span(0, 5 + units, 0, 8 + units)),
                       types.TextDocumentContentChangePartial(text="", range=span(0, 3, 0, 4)))
        assert await session.text_of_line(0) == "one😀 2"
        session.change(3, types.TextDocumentContentChangeWholeDocument(text="new\n"),
                       types.TextDocumentContentChangePartial(text="er", range=span(0, 9, 77, 77), range_length=5))
        assert await session.text_of_line(0) == "newer"


# Completion


async def test_inline_completion():
    async with initialized(GHOST) as session:
        assert session.result.capabilities.completion_provider is None
        session.open("area = \n")
        answer = await session.request("textDocument/inlineCompletion", inline_params())
        item = answer.items[0]
        assert (item.insert_text, item.range) == ("width * height", span(0, 7, 0, 7))
        assert item.command.command in session.result.capabilities.execute_command_provider.commands
        raw = session.last_result()["items"][0]
        session.notify("textDocument/didShowCompletion", {"item": raw})
        session.notify("textDocument/didPartiallyAcceptCompletion", {"item": raw, "acceptedLength": 5})
        session.notify("textDocument/didFocus", {"textDocument": {"uri": URI}})
        await session.request("workspace/executeCommand",
                              types.ExecuteCommandParams(item.command.command, item.command.arguments))
        counts = (await ask_status(session))["completion"]
        assert (counts["shown"], counts["accepted"], counts["acceptedPartially"]) == (1, 1, 1)


async def test_next_edits():
    async with initialized(GHOST) as session:
        session.open("area = \n")
        for method in ("redraft/nextEdit", "textDocument/copilotInlineEdit"):
            await session.request(method, {"textDocument": {"uri": URI, "version": 1}, "position": {"line": 0, "character": 0}})
            answer = session.last_result()
            assert (answer["edits"], answer["whyNone"]) == ([], "there are no recent changes")


async def test_the_text_that_a_menu_has_selected_is_the_beginning():
    async with initialized(GHOST) as session:
        session.open("area = \n")
        answer = await session.request("textDocument/inlineCompletion", inline_params(
            types.InlineCompletionTriggerKind.Automatic, types.SelectedCompletionInfo(span(0, 7, 0, 7), "wid")))
        assert answer.items[0].insert_text.startswith("wid")


async def test_a_menu_is_registered_when_a_setting_asks_for_it():
    client = capabilities(textDocument={"inlineCompletion": {}, "completion": {"dynamicRegistration": True}})
    async with initialized(client) as session:
        session.notify("workspace/didChangeConfiguration", types.DidChangeConfigurationParams(
            {"redraft": {"completion": {"menu": "always"}}}))
        await session.received("client/registerCapability")
        assert [r.method for r in session.client.registered] == ["textDocument/completion"]


# Code actions and edits


async def test_code_actions_are_resolved_to_edits():
    async with initialized(RESOLVING) as session:
        session.open("old = 1\n")
        problem = types.Diagnostic(span(0, 0, 0, 3), "old is deprecated")
        actions = await session.request("textDocument/codeAction", action_params(problem))
        assert {action.kind for action in actions} == {"quickfix", "refactor.rewrite"}
        action = next(action for action in actions if not action.disabled)
        resolved = await session.request("codeAction/resolve", action)
        (edits,) = resolved.edit.changes.values()
        assert [edit.new_text for edit in edits] == ["fresh = 1\n"]


async def test_actions_that_make_no_sense_say_why():
    async with initialized(RESOLVING) as session:
        session.notify("textDocument/didOpen", types.DidOpenTextDocumentParams(
            types.TextDocumentItem(URI, "markdown", 1, "old\n")))
        actions = await session.request("textDocument/codeAction", action_params(only=["refactor"]))
        assert any(action.disabled and action.disabled.reason for action in actions)


async def test_actions_come_as_a_partial_result():
    async with initialized(RESOLVING) as session:
        session.open("old\n")
        session.client.progress_reports["mine"] = []

        assert await session.request("textDocument/codeAction", action_params(only=["quickfix"], token="mine")) == ()
        assert (await session.received("$/progress"))["token"] == "mine"


async def test_a_streamed_edit_has_the_members_that_the_document_shows():
    async with initialized(STREAMING) as session:
        session.open("one\nold = 1\n" * 3)
        answer = await session.request("workspace/executeCommand", edit_command(token=None))
        session.change(2, types.TextDocumentContentChangePartial(text="zero\n", range=span(0, 0, 0, 0)))
        hunk = await session.received("$/redraft/edit", lambda edit: edit["kind"] == "hunk")
        end = await session.received("$/redraft/edit", lambda edit: edit["kind"] == "end")
        assert hunk["editId"] == answer["editId"] == end["editId"]
        assert set(hunk) == set(example('"kind": "hunk"'))
        assert set(end) == set(example('"kind": "end"'))
        assert set(end["statistics"]) == set(example('"promptTokens"'))
        resolved = await session.request("redraft/resolveEdit", {"editId": end["editId"], "action": "accept"})
        assert set(resolved) == {"edit", "version", "hunkIds", "left"}
        converter.structure(resolved["edit"], types.WorkspaceEdit)
        status = await session.received("$/redraft/status", lambda status: status["state"] == "ready")
        assert set(status) <= set(example('"target"')) == set(example('"target"')) & set(await ask_status(session))


async def test_an_announcement_has_the_members_that_the_document_shows():
    async with initialized(STREAMING) as session:
        session.open("one\nold\n" * 3)
        wanted = example('"scope": "auto"')
        place = {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 0}}
        document = {"uri": URI, "version": 1}
        result = await session.request("redraft/prepare", {**wanted, "textDocument": document, "range": place})
        assert set(result) == set(example('"reads"'))
        assert result["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 6, "character": 0}}
        read = await session.received("$/redraft/prepare", lambda read: read["fraction"] == 1)
        assert set(read) == set(example('"fraction": 0.4}'))
        session.notify("redraft/stopPreparing", {})
        session.notify("redraft/expectCompletion", {"textDocument": {"uri": URI}, "position": place["start"]})
        assert await session.error("redraft/prepare", {"textDocument": {**document, "version": 0}}) == CONTENT_MODIFIED


def example(part):
    """The JSON of the document's example that contains `part`."""
    blocks = re.findall(r"```json\n(.*?)```", PROTOCOL, re.DOTALL)
    return json.loads(next(block for block in blocks if part in block))


async def test_progress_of_an_edit_and_its_cancellation(held):
    client = capabilities(window={"workDoneProgress": True}, workspace={"applyEdit": True})
    async with initialized(client, **held.script) as session:
        session.open("old\n" * 200)
        session.client.progress_reports["edit"] = []
        await session.request("workspace/executeCommand", edit_command(token="edit"))
        await session.received("$/progress", lambda progress: progress["token"] == "edit")
        await session.received("window/workDoneProgress/create")  # for loading the model
        session.notify("window/workDoneProgress/cancel", types.WorkDoneProgressCancelParams("edit"))
        await held.release_when_told(session)
        await session.received("$/progress", lambda progress: progress["token"] == "edit" and
                               progress["value"]["kind"] == "end")
        assert isinstance(session.client.progress_reports["edit"][-1], types.WorkDoneProgressEnd)


async def test_an_edit_is_stopped_by_command(held):
    async with initialized(STREAMING, **held.script) as session:
        session.open("old\n" * 200)
        edit = await session.request("workspace/executeCommand", edit_command())
        assert await session.request("workspace/executeCommand", command("redraft.cancel", edit)) == {"cancelled": True}
        await held.release_when_told(session)
        end = await session.received("$/redraft/edit", lambda edit: edit["kind"] == "end")
        assert end["state"] == "cancelled"
        assert await session.request("workspace/executeCommand", command("redraft.cancel", edit)) == {
            "cancelled": False}


async def test_a_request_is_cancelled(held):
    async with initialized(RESOLVING, **held.script) as session:
        session.open("old\n" * 200)
        action = next(a for a in await session.request("textDocument/codeAction", action_params()) if not a.disabled)
        answer = session.protocol.send_request_async("codeAction/resolve", action, msg_id="slow")
        waiting = asyncio.ensure_future(answer)
        await asyncio.sleep(0)  # until it is sent
        session.notify("$/cancelRequest", types.CancelParams("slow"))
        await held.release_when_told(session)
        with pytest.raises(JsonRpcException) as raised:
            await asyncio.wait_for(waiting, TIME_LIMIT)
        assert raised.value.code == CANCELLED


# Settings, folders, files, trace


async def test_configuration_is_asked_for_and_registered_for():
    client = capabilities(workspace={"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}},
                          textDocument={"inlineCompletion": {}})
    configuration = {"redraft": {"completion": {"enabled": False}, "loadEarly": False}}
    async with initialized(client, configuration=configuration) as session:
        (item,) = (await session.received("workspace/configuration"))["items"]
        assert item["section"] == "redraft"
        await session.received("client/registerCapability")
        assert [r.method for r in session.client.registered] == ["workspace/didChangeConfiguration"]
        session.open("area = \n")
        assert (await session.request("textDocument/inlineCompletion", inline_params())).items == ()
        assert "enabled" in (await ask_status(session))["completion"]["whyNone"]
        session.client.set_configuration({"redraft": {"completion": {"enabled": True}, "loadEarly": False}})
        session.protocol.received.clear()
        session.notify("workspace/didChangeConfiguration", types.DidChangeConfigurationParams(None))
        await session.received("workspace/configuration")
        assert (await ask_status(session))["state"] == "unloaded"
        assert (await session.request("textDocument/inlineCompletion", inline_params())).items


async def test_folders_and_files_come_and_go(tmp_path):
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "one")
    client = capabilities(workspace={"workspaceFolders": True})
    async with initialized(client, {"workspace_folders": [folder]}, options=["--index"]) as session:
        offered = session.result.capabilities.workspace
        assert offered.workspace_folders.change_notifications and offered.file_operations.did_rename
        session.notify("workspace/didChangeWorkspaceFolders", types.DidChangeWorkspaceFoldersParams(
            types.WorkspaceFoldersChangeEvent([], [folder])))
        assert (await ask_status(session))["index"] is None
        session.notify("workspace/didChangeWorkspaceFolders", types.DidChangeWorkspaceFoldersParams(
            types.WorkspaceFoldersChangeEvent([folder], [])))
        file = (tmp_path / "a.py").as_uri()
        session.notify("workspace/didCreateFiles", types.CreateFilesParams([types.FileCreate(file)]))
        session.notify("workspace/didRenameFiles", types.RenameFilesParams([types.FileRename(file, file + "x")]))
        session.notify("workspace/didDeleteFiles", types.DeleteFilesParams([types.FileDelete(file)]))
        session.notify("workspace/didChangeWatchedFiles", types.DidChangeWatchedFilesParams(
            [types.FileEvent(file, types.FileChangeType.Changed)]))
        session.open("x\n")
        session.notify("textDocument/didSave", types.DidSaveTextDocumentParams(DOCUMENT))
        session.notify("textDocument/didClose", types.DidCloseTextDocumentParams(DOCUMENT))
        while not (index := (await ask_status(session))["index"]):  # its thread has not reported anything yet
            await asyncio.sleep(0.01)
        assert index["state"] in {"opening", "reading", "ready"}


async def test_what_is_traced_is_a_log_trace():
    async with initialized(more={"trace": types.TraceValue.Messages}) as session:
        session.notify("$/setTrace", types.SetTraceParams(types.TraceValue.Verbose))
        await ask_status(session)
        await session.received("$/logTrace", lambda trace: "verbose" in trace)
        session.notify("$/setTrace", types.SetTraceParams(types.TraceValue.Off))


async def test_a_document_that_cannot_be_read_is_closed_with_a_message():
    async with initialized(APPLYING) as session:
        session.open("nul \0\n")
        message = await session.received("window/showMessage")
        assert message["type"] == types.MessageType.Warning
        assert await session.error("workspace/executeCommand", edit_command()) == INVALID_PARAMS


# Errors

MALFORMED = [
    ("textDocument/codeAction", {"textDocument": {"uri": URI}}),
    ("textDocument/completion", {"position": {"line": 0, "character": 0}}),
    ("textDocument/inlineCompletion", {"textDocument": {"uri": URI}, "position": {"line": "0", "character": 0}}),
    ("completionItem/resolve", {}),
    ("codeAction/resolve", {"title": "x"}),
    ("workspace/executeCommand", {"arguments": []}),
    ("workspace/executeCommand", {"command": "redraft.other"}),
    ("workspace/executeCommand", {"command": "redraft.edit"}),
    ("workspace/executeCommand", {"command": "redraft.cancel", "arguments": [{"editId": "1"}]}),
    ("redraft/resolveEdit", {"editId": 99, "action": "accept"}),
    ("redraft/resolveEdit", {"editId": 1, "action": "maybe"}),
]


@pytest.mark.parametrize("method, params", MALFORMED)
async def test_malformed_params(method, params):
    async with initialized() as session:
        session.open("old\n")
        assert await session.error(method, params) == INVALID_PARAMS


@pytest.mark.parametrize("params, code", [
    (edit_command(instruction=" "), INVALID_PARAMS), (edit_command(scope="word"), INVALID_PARAMS),
    (edit_command(decoder="none"), INVALID_PARAMS), (edit_command(uri="file:///other"), INVALID_PARAMS),
    (edit_command(version=0), CONTENT_MODIFIED), (edit_command(scope="selection"), INVALID_PARAMS)])
async def test_edits_that_are_refused(params, code):
    async with initialized(APPLYING) as session:
        session.open("old\n")
        assert await session.error("workspace/executeCommand", params) == code


async def test_methods_that_there_are_not():
    async with initialized() as session:
        for method in ("textDocument/hover", "$/other", "redraft/other", "initialized"):
            assert await session.error(method, {}) == METHOD_NOT_FOUND
        session.notify("$/other", {})
        session.notify("redraft/other", {})
        assert await session.error("initialize", types.InitializeParams(types.ClientCapabilities())) == INVALID_REQUEST


async def test_a_model_that_cannot_be_loaded():
    async with initialized(load_error="no such file") as session:
        session.open("area = \n")
        assert await session.error("textDocument/completion", types.CompletionParams(DOCUMENT, AREA)) == REQUEST_FAILED
        assert (await session.received("window/showMessage"))["type"] == types.MessageType.Error
        assert (await ask_status(session))["state"] == "failed"


REQUESTS = ["shutdown", "textDocument/codeAction", "codeAction/resolve", "textDocument/completion",
            "completionItem/resolve", "textDocument/inlineCompletion", "workspace/executeCommand",
            "redraft/resolveEdit", "redraft/prepare", "redraft/region", "redraft/status", "redraft/nextEdit",
            "textDocument/copilotInlineEdit", "textDocument/hover"]


async def test_before_initialize():
    async with started() as session:
        for method in REQUESTS:
            assert await session.error(method, {}) == NOT_INITIALIZED
        session.open("ignored\n")
        session.notify("exit")
        assert await session.exit_code() == 1


async def test_after_shutdown():
    async with started() as session:
        await session.client.initialize_session(types.InitializeParams(types.ClientCapabilities()))
        assert await session.request("shutdown") is None
        for method in [*REQUESTS, "initialize"]:
            assert await session.error(method, {}) == INVALID_REQUEST
        session.notify("exit")
        assert await session.exit_code() == 0


async def test_exit_without_shutdown():
    async with started() as session:
        await session.client.initialize_session(types.InitializeParams(types.ClientCapabilities()))
        session.notify("exit")
        assert await session.exit_code() == 1


# Last: the sessions above have used all of them.
async def test_every_method_of_the_document_was_used():
    named = set(re.findall(r"`((?:\$|[a-zA-Z]+)/[a-zA-Z]+(?:/[a-zA-Z]+)?)`", PROTOCOL))
    folders = {name for name in named if name.split("/")[0] not in
               {"$", "client", "codeAction", "completionItem", "redraft", "textDocument", "window", "workspace"}}
    assert len(named) > 20
    assert named - folders - methods_seen == set()


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-o", "asyncio_default_fixture_loop_scope=function",
                          "-W", "ignore::pytest.PytestAssertRewriteWarning", *sys.argv[1:], __file__]))
