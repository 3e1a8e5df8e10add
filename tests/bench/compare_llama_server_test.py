"""tools/compare_llama_server.py with a fake llama-server and a fake redraft. Needs neither llama.cpp nor weights."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
SCRIPT = TOOLS / "compare_llama_server.py"
sys.path.insert(0, str(TOOLS))
import compare_llama_server  # noqa: E402
import machine_load  # noqa: E402
from llama_server import Mode, Servers, result_of  # noqa: E402

# Two tasks; redraft is twice as fast as its plain decoding.
REDRAFT = """#!{python}
import json, sys
assert sys.argv[1:4] == ["bench", "edits", "--step-by-step"], sys.argv
def say(what, value): print(json.dumps({{what: value}}), flush=True)
say("settings", {{"machine": "loom", "instructions": "beads", "threads": 2}})
for task in ("one", "two"):
    say("step", {{"id": task, "turn": 1, "fence": "```", "max_new_tokens": 9, "stop_tokens": [0], "prompt": [1, 2, 3]}})
    if not sys.stdin.readline(): sys.exit(1)
    for name, seconds in (("ar", 1.0), ("redraft", 0.5)):
        say("record", {{"decoder": name, "new_tokens": 10, "decode_seconds": seconds, "prefill_seconds": 0.5,
                       "prompt_tokens": 3, "passes": 5, "accepted_by_source": {{"copy": 5}}, "identical": True,
                       "tokens": [7, 8, 9]}})
"""
# Writes its process id where the test looks for it. Drafts make it faster and change its text.
SERVER = """#!{python}
import http.server, json, os, pathlib, sys, time
arguments = dict(zip(sys.argv[1::1], sys.argv[2:]))
kind = arguments.get("--spec-type", "plain")
if kind == "ngram-map-k4v": sys.exit("no such thing")
(pathlib.Path({folder!r}) / ("pid." + str(os.getpid()))).write_text(kind)
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def answer(self, body):
        self.send_response(200); self.end_headers(); self.wfile.write(json.dumps(body).encode())
    def do_GET(self): self.answer({{}})
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["prompt"] == [1, 2, 3] and asked["stop"] == ["\\n```\\n"] and not asked["cache_prompt"], asked
        if {slow}: time.sleep(1000)
        timings = {{"predicted_n": 10, "predicted_ms": 2000.0, "predicted_per_second": 5.0, "prompt_ms": 500.0, "prompt_n": 3}}
        if kind != "plain":
            timings.update(predicted_ms=1250.0, predicted_per_second=8.0, draft_n=12, draft_n_accepted=6)
        text = "other" if kind == "draft-simple" else "text"
        self.answer({{"content": text, "tokens": [7, 8, 9, 0], "timings": timings}})
http.server.HTTPServer((arguments["--host"], int(arguments["--port"])), Handler).serve_forever()
"""
TIME_LIMIT = 120  # seconds that anything may take
MODES = "plain,ngram-simple:n=4:m=8,ngram-map-k4v,draft:n=3"


def is_running(process_id):
    try:
        return pathlib.Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "model.gguf").write_bytes(b"weights")

    def program(self, name, text, **values):
        file = self.folder / name
        file.write_text(text.format(python=sys.executable, folder=str(self.folder), **values))
        file.chmod(0o755)
        return str(file)

    def command(self, *arguments, slow=False):
        model = str(self.folder / "model.gguf")
        return [sys.executable, str(SCRIPT), "--data", "tasks.jsonl", "--model", model, "--draft", model, "--redraft",
                self.program("redraft", REDRAFT), "--server", self.program("llama-server", SERVER, slow=slow), "--modes",
                MODES, *arguments]

    def compare(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=TIME_LIMIT)

    def server_ids(self):
        return [int(file.suffix[1:]) for file in self.folder.glob("pid.*")]

    def assert_no_server_runs(self):
        self.assertTrue(self.server_ids())
        deadline = time.monotonic() + TIME_LIMIT
        while left := [each for each in self.server_ids() if is_running(each)]:
            self.assertLess(time.monotonic(), deadline, left)
            time.sleep(0.05)

    def test_table_and_verdict(self):
        done = self.compare()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\| redraft redraft +\| +2 \| +20\.0 \| +20\.0 \| +10\.0 \| +2\.00 \| +1\.00x \| +2/2 \|")
        self.assertRegex(done.stdout, r"\| llama\.cpp plain +\| +2 \| +5\.0 \| +5\.0 \| .* +1\.00 \| +4\.00x \| +2/2 \|")
        self.assertRegex(done.stdout, r"llama\.cpp ngram-simple:n=4:m=8 \* +\| +2 \| +8\.0 .* +2\.50 \| +2\.50x \| +2/2 \|")
        self.assertRegex(done.stdout, r"llama\.cpp draft:n=3 \* .* 0/2 \|")
        self.assertIn("that are the same: 2 of 2", done.stdout)
        self.assertIn("4.00 times its plain mode, plain (4.00 by the mean of tasks; mark 4.5)", done.stdout)
        self.assertIn("ngram-map-k4v is left out: llama-server ended with exit code 1: no such thing", done.stderr)
        self.assert_no_server_runs()

    def test_json_and_one_server_at_a_time(self):
        out = self.folder / "r.json"
        done = self.compare("--format", "json", "--out", str(out), "--at-once", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(json.loads(out.read_text()), report)
        self.assertEqual([(row["engine"], row["mode"]) for row in report["summary"][:3]],
                         [("redraft", "ar"), ("redraft", "redraft"), ("llama.cpp", "plain")])
        self.assertEqual((report["machine"], report["servers_at_once"], list(report["dropped"])), ("loom", 1, ["ngram-map-k4v"]))
        self.assertEqual([len(task["results"]) for task in report["tasks"]], [5, 5])
        self.assertGreater(len(self.server_ids()), 3)  # they made room for each other
        self.assert_no_server_runs()

    def test_servers_end_with_the_script(self):
        for ending in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
            for file in self.folder.glob("pid.*"):
                file.unlink()
            process = subprocess.Popen(self.command(slow=True), stderr=subprocess.DEVNULL, start_new_session=True)
            deadline = time.monotonic() + TIME_LIMIT
            while not self.server_ids():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            os.kill(process.pid, ending)
            self.assertNotEqual(process.wait(timeout=TIME_LIMIT), 0)
            self.assert_no_server_runs()

    def test_wrong_modes(self):
        for name in "ngram", "plain:n=3", "draft:n", "ngram-mod:n=3":
            with self.assertRaises(ValueError, msg=name):
                Mode(name)
        self.assertEqual(Mode("ngram-mod:match=8:max=12").flags,
                         ["--spec-type", "ngram-mod", "--spec-ngram-mod-n-match", "8", "--spec-ngram-mod-n-max", "12"])
        self.assertIn("no mode 'x'", self.compare("--modes", "x").stderr)


class Logic(unittest.TestCase):
    def test_shared_machines_are_told(self):
        def task(*shares):
            return {"results": {index: {"others": share} for index, share in enumerate(shares)}}

        self.assertEqual(compare_llama_server.doubts([task(0.0, 0.01)]), "")
        self.assertIn("2 of 3 decodes had to share the machine (others took up to 50% of it)",
                      compare_llama_server.doubts([task(0.0, 0.1), task(0.5)]))
        watch = machine_load.Watch(os.getpid())
        end = time.monotonic() + 0.2
        while time.monotonic() < end:
            pass
        self.assertLessEqual(watch.share_of_others(), 1)
        self.assertEqual(machine_load.ticks_of(1 << 30), 0)

    def test_passes_are_the_tokens_that_were_not_drafted(self):
        timings = {"predicted_n": 9, "predicted_ms": 450.0, "predicted_per_second": 20.0, "prompt_ms": 30.0, "prompt_n": 4,
                   "draft_n": 8, "draft_n_accepted": 5}
        result = result_of({"timings": timings, "content": "x"}, 0.7)
        self.assertEqual((result["passes"], result["decode_seconds"], result["wall_seconds"]), (4, 0.45, 0.7))

    def test_outputs_agree_up_to_what_ends_them(self):
        self.assertTrue(compare_llama_server.agree([1, 2, 3], [1, 2, 3, 4]))
        self.assertFalse(compare_llama_server.agree([1, 2, 3], [1, 5, 3]))
        self.assertFalse(compare_llama_server.agree([1, 2, 3, 4, 5, 6], [1, 2, 3]))
        self.assertFalse(compare_llama_server.agree([], []))

    def test_the_one_last_used_makes_room(self):
        class Fake:
            def __init__(self, mode):
                self.mode = mode

            def stop(self):
                stopped.append(self.mode.name)

        stopped = []
        servers = Servers(Fake, at_once=2)
        modes = [Mode("plain"), Mode("ngram-mod"), Mode("ngram-cache")]
        for mode in modes + modes:
            servers.get(mode)
        self.assertEqual(stopped, ["ngram-mod", "plain", "ngram-cache"][:len(stopped)])
        self.assertEqual(len(servers.running), 2)
        servers.stop()
        self.assertFalse(servers.running)


if __name__ == "__main__":
    unittest.main()
