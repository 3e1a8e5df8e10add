#!/usr/bin/env python3
"""How much memory several editors take when their language servers share one model, and when they do not.

    bench/sharing_bench.py [--program build/redraft] [--target smollm2-135m] [--clients 1 10] [--no-share]

Each client edits once, one after the other; then the memory of all processes that serve them is added up: anonymous memory,
and all memory with shared pages divided among the processes (Pss; the model's file is mapped, so it counts there).
"""

import argparse
import os
import pathlib
import re
import signal
import socket
import struct
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "lsp"))

import lsp_client  # noqa: E402

lsp_client.TIME_LIMIT = 300
TEXT = "".join(f"def price_{i}(count, rate):\n    return count * rate * {i}\n\n\n" for i in range(10))


def edit(client):
    client.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///a.py", "languageId": "python", "version": 1,
                                                            "text": TEXT}})
    number = client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [{
        "textDocument": {"uri": "file:///a.py"}, "instruction": "use price instead of rate", "maxNewTokens": 100}]})["editId"]
    client.wait(lambda m: m.get("method") == "$/redraft/edit" and m["params"]["editId"] == number and
                m["params"]["kind"] == "end", limit=300)


def shared_server(runtime):
    for path in (runtime / "redraft").glob("lsp-*"):
        if path.is_socket():
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(path))
                return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    return None


def megabytes(process, what):
    rollup = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(re.search(rf"^{what}:\s+(\d+)", rollup, re.M)[1]) / 1000


def measure(options, count, folder):
    runtime = pathlib.Path(folder)
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder}
    command = [options.program, "lsp", "--no-kv-cache", "--no-index", "--target", options.target, "--idle-seconds", "0"]
    clients, seconds = [], []
    for _ in range(count):
        start = time.monotonic()
        client = lsp_client.Client(command + ["--no-share"] * options.no_share, env=environment)
        client.request("initialize", {"processId": None, "capabilities": {"experimental": {"redraft": {"streamedEdits": True}}}})
        seconds.append(time.monotonic() - start)
        clients.append(client)
    for client in clients:
        edit(client)
    server = shared_server(runtime)
    processes = [client.process.pid for client in clients] + [server] * bool(server)
    print(f"{count:3} clients, {len(processes):2} processes: anonymous {sum(megabytes(p, 'Anonymous') for p in processes):7.1f} MB, "
          f"Pss {sum(megabytes(p, 'Pss') for p in processes):7.1f} MB, of them a client's own process "
          f"{megabytes(processes[0], 'Anonymous'):6.2f} and {megabytes(processes[0], 'Pss'):6.2f} MB; "
          f"from start to `initialize`: first {seconds[0]:.2f} s, last {seconds[-1]:.2f} s", flush=True)
    for client in clients:
        client.close()
    if server:
        os.kill(server, signal.SIGTERM)
        while pathlib.Path(f"/proc/{server}").exists():
            time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(REPOSITORY / "build" / "redraft"))
    parser.add_argument("--target", default="smollm2-135m")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--no-share", action="store_true")
    options = parser.parse_args()
    for count in options.clients:
        with tempfile.TemporaryDirectory() as folder:
            measure(options, count, folder)


if __name__ == "__main__":
    main()
