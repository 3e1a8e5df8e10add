#!/usr/bin/env python3
"""A real agent edits a repository through `redraft mcp`. By hand, because the agents are not among the tests' packages:

    npm install opencode-ai @qwen-code/qwen-code
    python3 tests/mcp/agent_try.py opencode node_modules/.bin/opencode
    python3 tests/mcp/agent_try.py qwen node_modules/.bin/qwen

The agent's model is a script behind an OpenAI-compatible server on this machine. It has never seen the repository either: its
first change quotes a stale line, so it is refused, and the second quotes what the refusal shows. Prints the calls, the answers
and the diff of the repository; the exit code is 0 if the repository is as it should be."""

import argparse
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
REDRAFT = os.environ.get("REDRAFT", str(ROOT / "build" / "redraft"))
FILES = {"store.py": "import json\n\n\ndef load(path):\n    with open(path, encoding='utf-8') as file:\n        return json.load(file)\n",
         "app.py": "from store import load\n\nsettings = load('settings.json')\nprint(settings, load('names.json'))\n"}
STALE = "<<<<<<< SEARCH\n    with open(path) as file:\n        return json.loads(file.read())\n=======\n"
FRESH = "<<<<<<< SEARCH\n        return json.load(file)\n=======\n"
NEW = "        values = json.load(file)\n        return {name.lower(): value for name, value in values.items()}\n>>>>>>> REPLACE\n"
STEPS = [("edit_file", {"path": "store.py", "changes": STALE + NEW}),
         ("edit_file", {"path": "store.py", "changes": FRESH + NEW}),
         ("rename_symbol", {"path": "store.py", "name": "load", "new_name": "read_settings"})]
WANTED = {"store.py": FILES["store.py"].replace("        return json.load(file)\n", NEW.removesuffix(">>>>>>> REPLACE\n")).replace(
    "def load", "def read_settings"), "app.py": FILES["app.py"].replace("load", "read_settings")}
INSTRUCTION = "Make the names in load()'s result lower case, then rename load to read_settings everywhere."


class Model(http.server.BaseHTTPRequestHandler):
    """Answers a conversation by the number of tool results in it."""

    def do_GET(self):
        self.reply_json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        offered = [tool["function"]["name"] for tool in request.get("tools", [])]
        results = [message["content"] for message in request["messages"]
                   if message["role"] == "tool" and message["tool_call_id"].startswith("step")]
        delta = {"role": "assistant", "content": "Done."}
        if offered and INSTRUCTION in json.dumps(request["messages"]):
            self.server.seen.update(enumerate(results))
        if len(results) < len(STEPS) and offered:
            name, arguments = STEPS[len(results)]
            full = next((each for each in offered if "redraft" in each and each.endswith(name)), None)
            id = f"step{len(results)}"
            if full is None and "tool_search" in offered:  # Qwen Code shows the names of tools alone
                id, full, arguments = f"search{len(results)}", "tool_search", {"query": f"select:mcp__redraft__{name}"}
            if full is None:
                delta["content"] = f"There is no tool {name}: {offered}"
            else:
                delta = {"role": "assistant", "content": None, "tool_calls": [{
                    "index": 0, "id": id, "type": "function", "function": {"name": full, "arguments": json.dumps(arguments)}}]}
        finish = "tool_calls" if delta.get("tool_calls") else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "x", "created": 0, "model": "scripted"}
        if not request.get("stream"):
            return self.reply_json({**head, "object": "chat.completion", "usage": usage,
                                    "choices": [{"index": 0, "message": delta, "finish_reason": finish}]})
        head["object"] = "chat.completion.chunk"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in ({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                      {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}):
            self.wfile.write(b"data: " + json.dumps({**head, **chunk}).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def reply_json(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def opencode(program, home, folder, port):
    (folder / "opencode.json").write_text(json.dumps({
        "mcp": {"redraft": {"type": "local", "command": [REDRAFT, "mcp", "--no-model"], "enabled": True}},
        "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "x"},
                               "models": {"scripted": {}}}}}))
    return [program, "run", "--auto", "-m", "local/scripted", INSTRUCTION], {}


def qwen(program, home, folder, port):
    (folder / ".qwen").mkdir()
    (folder / ".qwen/settings.json").write_text(json.dumps({
        "mcpServers": {"redraft": {"command": REDRAFT, "args": ["mcp", "--no-model"], "trust": True}}}))
    return [program, "--yolo", "--auth-type", "openai", "--openai-api-key", "x", "--openai-base-url",
            f"http://127.0.0.1:{port}/v1", "-m", "scripted", "-p", INSTRUCTION], {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", choices=("opencode", "qwen"))
    parser.add_argument("program")
    arguments = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.seen = {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "repository"
        folder.mkdir()
        for name, text in FILES.items():
            (folder / name).write_text(text)
        command, more = globals()[arguments.agent](os.path.abspath(arguments.program), home, folder, server.server_port)
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home,
                       "XDG_STATE_HOME": home, "PWD": str(folder), "OPENCODE_DISABLE_AUTOUPDATE": "1", **more}
        run = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=300)
        texts = {name: (folder / name).read_text() for name in FILES}
    print(f"the agent's output:\n{run.stdout}")
    for step, (name, call) in enumerate(STEPS):
        print(f"--- call {step + 1}: {name} {json.dumps(call)}\n--- its answer:\n{server.seen.get(step)}\n")
    for name in FILES:
        print(f"--- {name} afterwards:\n{texts[name]}")
    return 0 if texts == WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
