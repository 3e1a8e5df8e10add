"""redraft bench on task files with real weights: the 0.5B model on tasks of our own."""

import json
import pathlib
import signal
import subprocess
import time
import unittest

from redraft_process import PROGRAM, TIME_LIMIT, InFolder, run

TARGET = ("--target", "qwen2.5-coder-0.5b")
TASKS = pathlib.Path(__file__).resolve().parents[1] / "cases" / "bench" / "edits.jsonl"


class TaskBench(InFolder):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "r.json"

    def command(self, *arguments, kind="edits", data=TASKS):
        return ("bench", kind, "--data", str(data), "--out", str(self.out), *TARGET, *arguments)

    def bench(self, *arguments, **chosen):
        return run(*self.command(*arguments, **chosen))

    def report(self):
        return json.loads(self.out.read_text())

    def test_a_replay_counts_passes(self):
        table = self.assert_succeeds(self.bench("--replay", "--decoders", "redraft,efficientedit"))
        report = self.report()
        self.assertEqual([task["decoder"] for task in report["tasks"]], ["ar", "redraft"] * 3)
        for task in report["tasks"]:
            self.assertTrue(task["identical"], task)
            if task["decoder"] == "ar":
                self.assertEqual(task["passes"], task["new_tokens"] + 1)
                self.assertEqual(len(task["tokens"]), task["new_tokens"])
            else:
                self.assertLess(task["rows"] - task["passes"], 4 * task["new_tokens"])
                self.assertGreater(task["priced_speedup"], 1)
        unchanged = next(task for task in report["tasks"] if task["id"] == "nothing" and task["decoder"] == "redraft")
        self.assertLessEqual(unchanged["passes"], 4)
        self.assertEqual(unchanged["overlap"], 1)
        ar, redraft = report["summary"]
        self.assertEqual((ar["decoder"], ar["tasks"], ar["identical"], ar["speedup"]), ("ar", 3, 3, 1))
        self.assertAlmostEqual(redraft["tokens_per_pass"], redraft["new_tokens"] / redraft["passes"])
        reasons = {skipped["id"]: skipped["reason"] for skipped in report["skipped"]}
        self.assertIn("before", reasons["no text"])
        self.assertIn("reference", reasons["no reference"])
        self.assertIn("--replay-draft", reasons["efficientedit"])
        for text in ("redraft  ", "3/3", "skipped 1: has no text 'before'", "decoder left out"):
            self.assertIn(text, table)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["r.json"])

    def test_where_each_token_came_from(self):
        file = self.folder / "tokens.jsonl"
        self.assert_succeeds(self.bench("--replay", "--decoders", "redraft", "--trace-tokens", str(file)))
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        begins = [line for line in lines if "decoder" in line]
        tasks = self.report()["tasks"]
        self.assertEqual([(line["task"], line["decoder"]) for line in begins],
                         [(task["id"], task["decoder"]) for task in tasks])
        for begin, task in zip(begins, tasks):
            tokens = [line for line in lines if "n" in line and line["decode"] == begin["decode"]]
            self.assertEqual(len(tokens), task["new_tokens"])
            for origin, count in task["accepted_by_source"].items():
                self.assertEqual(sum(token["origin"] == origin for token in tokens), count)

    def test_in_which_phase_each_token_was_written(self):
        file = self.folder / "tokens.jsonl"
        self.assert_succeeds(self.bench("--replay", "--replay-draft", "100", "--decoders", "efficientedit",
                                        "--trace-tokens", str(file)))
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for task in self.report()["tasks"]:
            begin = next(line for line in lines if line.get("task") == task["id"] and line["decoder"] == task["decoder"])
            tokens = [line for line in lines if "n" in line and line["decode"] == begin["decode"]]
            passes = [token["pass"] for token in tokens]
            self.assertEqual(passes, sorted(passes))
            self.assertLessEqual(passes[-1], task["passes"])
            who = {(token["phase"], token["origin"]) for token in tokens}
            if task["decoder"] == "ar":
                self.assertEqual(who, {("plain", "target")})
            else:
                self.assertLessEqual(who, {("reuse", "reuse"), ("generate", "model"), ("generate", "target")})

    def test_a_scripted_draft_model_and_a_curve(self):
        self.assert_succeeds(self.bench("--replay", "--replay-draft", "100", "--decoders", "efficientedit",
                                        "--curve", "1:1,100:1", "--draft-cost", "0"))
        summary = self.report()["summary"][1]
        self.assertAlmostEqual(summary["priced_seconds"], 0.05 * summary["passes"])
        self.assertGreater(summary["accepted_by_source"]["model"], 0)

    def test_outputs_of_the_model_can_be_replayed(self):
        self.assert_succeeds(self.bench("--limit", "2", "--decoders", "redraft", "--warm", "--margins"))
        measured = self.report()
        self.assertTrue(all(task["identical"] for task in measured["tasks"]))
        self.assertEqual(sum(measured["tasks"][0]["margins"]), measured["tasks"][0]["new_tokens"])
        for key in ("machine", "threads", "target", "program"):
            self.assertTrue(measured["settings"][key], key)
        outputs = self.folder / "measured.json"
        self.out.rename(outputs)
        self.assert_succeeds(self.bench("--replay-outputs", str(outputs), "--decoders", "redraft"))
        replayed = self.report()
        self.assertEqual([task["tokens"] for task in replayed["tasks"] if task["decoder"] == "ar"],
                         [task["tokens"] for task in measured["tasks"] if task["decoder"] == "ar"])
        self.assertIn("no output for it", json.dumps(replayed["skipped"]))

    def test_what_is_refused_leaves_nothing_that_the_right_command_would_meet(self):
        refused = self.bench("--decoders", "ar", "--pass-at-1", "--python", "/nowhere/python3")
        self.assert_fails(refused, 1, "--pass-at-1")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_goes_on_after_an_interruption(self):
        command = self.command("--decoders", "redraft", "--pass-at-1")
        partial = self.out.with_suffix(".json.partial")
        process = subprocess.Popen([PROGRAM, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + TIME_LIMIT
        while not (partial.exists() and len(partial.read_bytes().splitlines()) > 2):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), process.stderr.read() if process.poll() else "")
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=TIME_LIMIT)
        if process.returncode != 0:  # it may have finished by then
            self.assertEqual((process.returncode, output), (130, b""))
            self.assertIn(str(partial).encode(), errors)
            kept = partial.read_text().splitlines()[1:]
            self.assertFalse(self.out.exists())
            other = self.bench("--decoders", "ar")
            self.assert_fails(other, 1, "another command", str(partial))
            done = run(*command)
            self.assert_succeeds(done)
            self.assertIn(b"continuing", done.stderr)
            tasks = {(task["id"], task["decoder"]): task for task in self.report()["tasks"]}
            for line in map(json.loads, kept):
                self.assertEqual(tasks[line["id"], line["decoder"]]["seconds"], line["seconds"])
        report = self.report()
        self.assertEqual(len(report["tasks"]), 8)
        self.assertTrue(all(task["identical"] for task in report["tasks"]))
        self.assertEqual(report["summary"][0]["judged"], 3)
        self.assertFalse(partial.exists())

    def test_step_by_step_waits_before_each_step(self):
        command = ("bench", "edits", "--data", str(TASKS), *TARGET, "--replay", "--decoders", "redraft", "--step-by-step")
        process = subprocess.Popen([PROGRAM, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        lines = map(json.loads, process.stdout)
        self.assertEqual(next(lines)["settings"]["decoders"], ["ar", "redraft"])
        for _ in range(2):
            step = next(lines)["step"]
            self.assertGreater(len(step["prompt"]), 50)
            self.assertEqual((step["turn"], step["fence"]), (1, "```"))
            self.assertGreater(step["max_new_tokens"], 0)
            process.stdin.write("\n")
            process.stdin.flush()
            records = [next(lines)["record"] for _ in range(2)]
            self.assertEqual([(record["id"], record["decoder"]) for record in records],
                             [(step["id"], "ar"), (step["id"], "redraft")])
        next(lines)
        process.stdin.close()
        self.assertEqual((list(lines), process.wait(timeout=TIME_LIMIT)), ([], 1))
        process.stdin = None

    def test_every_kind_runs(self):
        kinds = {
            "dialogue": {"turns": ["Say one word.", "Say it again."], "answer_turns": ["Word.", "Word."]},
            "generation": {"prompt": "def double(x):\n", "reference": "    return 2 * x\n"},
            "completion": {"prefix": "def double(x):\n", "suffix": "\n\nprint(double(2))\n",
                           "reference": "    return 2 * x\n"},
        }
        for kind, task in kinds.items():
            data = self.folder / f"{kind}.jsonl"
            data.write_text(json.dumps({"id": kind, **task}) + "\n")
            for mode in ("--replay",), ("--max-new-tokens", "8"):
                self.assert_succeeds(self.bench("--decoders", "redraft", *mode, kind=kind, data=data))
                turns = 2 if kind == "dialogue" else 1
                self.assertEqual([task["turn"] for task in self.report()["tasks"]], sorted([1, turns] * 2)[-2 * turns:])

    def test_completions_as_the_server_writes_them(self):
        data = self.folder / "completion.jsonl"
        data.write_text(json.dumps({"id": "a", "prefix": "def double(x):\n", "suffix": "\n\nprint(double(2))\n",
                                    "reference": "    return 2 * x\n"}) + "\n")
        for mode in ("--replay",), ("--max-new-tokens", "8"):
            self.assert_succeeds(self.bench("--decoders", "redraft", "--as-server", *mode, kind="completion", data=data))
        self.assertTrue(self.report()["settings"]["as_server"])
        command = ("bench", "completion", "--data", str(data), "--replay")
        for wrong in ("--left-only",), ("--snippets", "9"), ("--pass-at-1",):
            self.assert_fails(run(*command, "--as-server", *wrong), 2, "--left-only, --snippets, --rag and --pass-at-1")
        self.assert_fails(run(*command, "--context-tokens", "9"), 2, "needs --as-server")

    def test_a_model_without_places_to_fill_is_told(self):
        data = self.folder / "completion.jsonl"
        data.write_text('{"id": "a", "prefix": "def f():\\n", "suffix": "x"}\n')
        command = ("bench", "completion", "--data", str(data), "--target", "smollm2-135m", "--max-new-tokens", "4")
        self.assert_fails(run(*command), 1, "--left-only")
        self.assert_succeeds(run(*command, "--left-only"))

    def test_a_killed_process_leaves_a_log_that_can_be_gone_on_with(self):
        command = self.command("--replay", "--decoders", "redraft")
        self.assert_succeeds(run(*command))
        report = self.report()
        # As if killed within a line, by a command with exactly the same settings.
        lines = [json.dumps(report["settings"], separators=(",", ":"), ensure_ascii=False)]
        lines += [json.dumps(task) for task in report["tasks"][:3]]
        self.out.with_suffix(".json.partial").write_text("\n".join(lines) + '\n{"id": "wro')
        done = run(*command)
        self.assert_succeeds(done)
        self.assertIn(b"after the 3 decodes", done.stderr)
        self.assertEqual(len(self.report()["tasks"]), 6)


if __name__ == "__main__":
    unittest.main()
