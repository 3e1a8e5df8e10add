"""An independent client (pytest-lsp, on pygls): every message from the server is parsed as the type in the
specification, and whatever that type does not have is reported."""

import asyncio
import concurrent.futures
import contextlib
import json
import os
import pathlib
import tempfile
import uuid
import warnings

import pytest_lsp
import sys
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException
from pygls.protocol import default_converter
from pytest_lsp.client import register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol

SERVER = os.environ["REDRAFT_SCRIPTED_SERVER"]
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "kit"))
from hang_limit import HANG_SECONDS  # noqa: E402

TIME_LIMIT = HANG_SECONDS
URI = "file:///tmp/a%20b.py"
# Extensions by the protocol; and lsprotocol parses a code action that has a command as a command.
KNOWN = {("result", "items", "data"), ("result", "kind"), ("result", "diagnostics")}

converter = get_converter()
methods_seen = set()  # of all sessions, in both directions


class Protocol(LanguageClientProtocol):
    """Keeps what was received, and reports what the specification's types do not have."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.received = []
        self.strange = []
        self.arrived = asyncio.Event()

    def structure_message(self, data):
        if "jsonrpc" not in data:
            return data  # a part of a message
        self._check(data)
        raw = dict(data)  # parsing changes it
        asked = data.get("id") in self._result_types
        known = data.get("method") in types.METHOD_TO_TYPES
        message = super().structure_message(data)
        if asked or known:
            self.strange += strange_members(raw, converter.unstructure(message))
        self.received.append(raw)
        self.arrived.set()
        return message

    def _check(self, data):
        methods_seen.add(data.get("method"))
        answers = {"result", "error"} & set(data)
        if data["jsonrpc"] != "2.0" or ("method" in data) == bool(answers) or len(answers) > 1:
            self.strange.append(f"no JSON-RPC message: {json.dumps(data)[:200]}")

    def send_request(self, method, params=None, callback=None, msg_id=None):
        methods_seen.add(method)
        if not isinstance(params, dict):
            return super().send_request(method, params, callback, msg_id)
        # Sent unchecked, however wrong: the types would refuse it.
        msg_id = msg_id or str(uuid.uuid4())
        self._request_futures[msg_id] = concurrent.futures.Future()
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params})
        return self._request_futures[msg_id]

    def notify(self, method, params=None):
        methods_seen.add(method)
        return super().notify(method, params)


def strange_members(raw, typed, path=()):
    """Where `raw` has a value that the parsed object does not have."""
    if isinstance(raw, dict) and isinstance(typed, dict):
        found = []
        for key, value in raw.items():
            place = (*path, key)
            if value is not None and key not in typed and place not in KNOWN:
                found.append(".".join(place))
            found += strange_members(value, typed.get(key), place)
        return found
    if isinstance(raw, list) and isinstance(typed, list):
        return [name for pair in zip(raw, typed) for name in strange_members(*pair, path)]
    return []


class Session:
    """One server process and its client."""

    def __init__(self, client):
        self.client = client
        self.protocol = client.protocol

    async def request(self, method, params=None):
        """The result, of the specification's type if there is one; else as JSON."""
        answer = await asyncio.wait_for(self.protocol.send_request_async(method, params), TIME_LIMIT)
        return answer if method in types.METHOD_TO_TYPES else self.last_result()

    def last_result(self):
        return next(message["result"] for message in reversed(self.protocol.received) if "result" in message)

    async def error(self, method, params=None):
        """The code of the error with which a request is answered."""
        try:
            result = await self.request(method, params)
        except JsonRpcException as error:
            assert error.message, "an error says what is wrong"
            return error.code
        raise AssertionError(f"{method} was answered with {result}")

    def notify(self, method, params=None):
        self.protocol.notify(method, params)

    async def received(self, method, wanted=lambda params: True):
        """The params of the first message of this method that is `wanted`, as JSON."""
        async def wait():
            while True:
                self.protocol.arrived.clear()
                for message in self.protocol.received:
                    if message.get("method") == method and wanted(message["params"]):
                        return message["params"]
                await self.protocol.arrived.wait()
        return await asyncio.wait_for(wait(), TIME_LIMIT)

    def open(self, text, uri=URI, version=1):
        self.notify("textDocument/didOpen", types.DidOpenTextDocumentParams(types.TextDocumentItem(
            uri, "python", version, text)))

    def change(self, version, *changes):
        self.notify("textDocument/didChange", types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, URI), list(changes)))

    async def text_of_line(self, number):
        """A line of the server's text, as it quotes the line for a diagnostic there."""
        place = span(number, 0, number, 0)
        (action,) = await self.request("textDocument/codeAction", types.CodeActionParams(
            types.TextDocumentIdentifier(URI), place,
            types.CodeActionContext([types.Diagnostic(place, "m")], only=["quickfix"])))
        instruction = action.arguments[0]["instruction"]
        return instruction[instruction.index("`") + 1:instruction.rindex("`")]

    async def exit_code(self):
        return await asyncio.wait_for(self.client._server.wait(), TIME_LIMIT)


def span(start_line, start, end_line, end):
    return types.Range(types.Position(start_line, start), types.Position(end_line, end))


def make_client():
    client = pytest_lsp.LanguageClient(protocol_cls=Protocol, converter_factory=default_converter)
    register_lsp_features(client)

    @client.feature("workspace/applyEdit")
    def apply_edit(params: types.ApplyWorkspaceEditParams):
        client.applied.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    @client.feature("client/registerCapability")
    def register(params: types.RegistrationParams):
        client.registered += params.registrations

    client.applied, client.registered = [], []
    client.capabilities = types.ClientCapabilities()  # until it has initialized
    return client


@contextlib.asynccontextmanager
async def started(configuration=None, options=(), **script):
    """A session that has not sent `initialize`. At the end, everything received has to be as specified."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error", pytest_lsp.LspSpecificationWarning)
        file = pathlib.Path(folder) / "script.json"
        file.write_text(json.dumps({"edits": [{"find": "old", "replace": "fresh"}],
                                    "fills": [{"after": "area = ", "write": "width * height"}], **script}))
        client = make_client()
        if configuration is not None:
            client.set_configuration(configuration)
        await client.start_io(SERVER, str(file), "--log-level", "warn", *options)
        try:
            session = Session(client)
            yield session
            assert not client.protocol.strange, f"not in the specification: {client.protocol.strange}"
            assert client.error is None, client.error
        finally:
            if client._server.returncode is None:
                client._server.kill()
            await client.stop()


@contextlib.asynccontextmanager
async def initialized(capabilities=None, more=None, **named):
    """A session that is initialized, and properly shut down at the end."""
    async with started(**named) as session:
        session.result = await session.client.initialize_session(
            types.InitializeParams(capabilities or types.ClientCapabilities(), **(more or {})))
        methods_seen.update(["initialize", "initialized"])
        yield session
        assert await session.request("shutdown") is None
        session.notify("exit")
        assert await session.exit_code() == 0
