"""The whole program with an emulated GPU: every command on it, and what a user sees when its memory is short, when it is
lost and when there is none."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from lsp_client import Client, ResponseError
from redraft_process import PROGRAM, RedraftCase, run

WRITE_MODEL = os.environ["REDRAFT_WRITE_MODEL"]
URI = "file:///tmp/emulated.py"
MIB = 1 << 20
PASSES = 384 * MIB  # what cli/common/gpu_room.cpp sets aside
STREAMING = {"experimental": {"redraft": {"streamedEdits": True}}, "textDocument": {"inlineCompletion": {}}}


FOLDER = tempfile.TemporaryDirectory()  # shared by all tests, so that the cost of passes is measured once


def setUpModule():
    unittest.addModuleCleanup(FOLDER.cleanup)
    for name, seed in (("target", 1), ("draft", 2)):
        subprocess.run([WRITE_MODEL, f"{FOLDER.name}/{name}.gguf", str(seed)], check=True)


class EmulatedGpu(RedraftCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(FOLDER.name)
        cls.target = str(cls.root / "target.gguf")
        cls.draft = str(cls.root / "draft.gguf")
        cls.environment = {"XDG_CACHE_HOME": str(cls.root / "cache"), "XDG_STATE_HOME": str(cls.root / "state")}

    def generate(self, *options, gpu=None):
        return run("generate", "--target", self.target, "--prompt", "and then the other thing", "--max-new-tokens", "12",
                   "--format", "json", *options, environment={**self.environment, **(gpu or {})})

    def generated(self, *options, **more):
        return json.loads(self.assert_succeeds(self.generate(*options, **more)))


class Commands(EmulatedGpu):
    def test_generate_runs_there_and_writes_what_plain_decoding_writes(self):
        plain = self.generated("--device", "cuda", "--decoder", "ar")
        self.assertEqual((plain["device"], plain["new_tokens"], plain["passes"]), ("cuda", 12, 12))
        for decoder in ("redraft", "redraft:model", "sd", "copyspec+sd"):
            result = self.generated("--device", "cuda", "--decoder", decoder, "--draft", self.draft)
            self.assertEqual((result["device"], result["output_sha256"]), ("cuda", plain["output_sha256"]), decoder)

    def test_edit_complete_score_and_bench(self):
        source = self.root / "a.py"
        source.write_text("def area(width, height):\n    return width\n")
        common = ("--target", self.target, "--device", "cuda")
        edit = run("edit", str(source), "--instruction", "multiply", "--max-new-tokens", "5", "--format", "json", *common,
                   environment=self.environment)
        self.assertEqual(json.loads(self.assert_succeeds(edit))["device"], "cuda")
        complete = run("complete", str(source), "--at", "2:17", "--max-new-tokens", "5", "--format", "json", *common,
                       environment=self.environment)
        self.assertEqual(json.loads(self.assert_succeeds(complete))["device"], "cuda")
        score = run("score", str(source), "--format", "json", *common, environment=self.environment)
        on_cpu = run("score", str(source), "--format", "json", "--target", self.target, environment=self.environment)
        scores = [json.loads(self.assert_succeeds(each))["perplexity"] for each in (score, on_cpu)]
        self.assertAlmostEqual(scores[0] / scores[1], 1, delta=0.02)
        tasks = self.root / "tasks.jsonl"
        tasks.write_text(json.dumps({"id": "one", "prompt": "the other thing\n", "max_new_tokens": 6}) + "\n")
        bench = run("bench", "generation", "--data", str(tasks), "--decoders", "copyspec", "--max-new-tokens", "6",
                    "--out", str(self.root / "out.json"), *common, environment=self.environment)
        self.assert_succeeds(bench)
        summary = json.loads((self.root / "out.json").read_text())["summary"]
        self.assertEqual([row["identical"] for row in summary], [1, 1])

    def test_bench_cost_measures_by_its_own_peak(self):
        cost = run("bench", "cost", "--rows", "1,4", "--context", "0", "--format", "json", "--target", self.target,
                   "--device", "cuda", environment=self.environment)
        report = json.loads(self.assert_succeeds(cost))
        self.assertEqual(report["instructions"], "cuda emulated")
        self.assertEqual(report["peak_gmacs"], report["peak_bf16_gmacs"])
        self.assertTrue(all(0 < point["roofline_fraction"] < 1 for point in report["points"]))

    def test_doctor_names_it(self):
        models = {**self.environment, "XDG_DATA_HOME": str(self.root / "data")}
        doctor = run("doctor", "--quick", "--target", self.target, environment=models)
        self.assertIn("emulated, compute capability 9.0", doctor.stdout.decode())


class WhatGoesWrong(EmulatedGpu):
    def test_without_one_who_asked_for_it_is_told(self):
        absent = {"REDRAFT_EMULATED_GPU_THERE": "0"}
        self.assert_fails(self.generate("--device", "cuda", gpu=absent), 1, "--device cuda: ", "--device cpu")

    def test_one_that_is_too_small_leaves_the_work_to_the_cpu(self):
        for size in (MIB // 8, PASSES // 2):  # too small for the weights, and for what passes need
            result = self.generate("--device", "cuda", gpu={"REDRAFT_EMULATED_GPU_BYTES": str(size)})
            self.assertEqual(json.loads(self.assert_succeeds(result))["device"], "cpu")
            self.assertRegex(result.stderr.decode(), "redraft: warning: .*on the CPU: .*the GPU has ")

    def test_who_measures_wants_no_other_device(self):
        score = run("score", __file__, "--target", self.target, "--device", "cuda",
                    environment={**self.environment, "REDRAFT_EMULATED_GPU_BYTES": str(MIB // 8)})
        self.assert_fails(score, 1, "target.gguf", "the GPU has no")

    def test_one_that_computes_wrongly_is_found_out(self):
        for flaw, says in (("products", "not those of the reference"), ("neighbours", "depend on the rows beside it")):
            self.assert_fails(self.generate("--device", "cuda", gpu={"REDRAFT_EMULATED_GPU_FLAW": flaw}), 1,
                              "target.gguf: this GPU does not compute as it should: ", says)

    def test_caches_and_contexts_are_as_large_as_fits(self):
        # The weights take less than 1 MiB, 8192 tokens 4 MiB and half as much again while they grow.
        result = self.generate("--device", "cuda", gpu={"REDRAFT_EMULATED_GPU_BYTES": str(PASSES + 5 * MIB)})
        self.assertEqual(json.loads(self.assert_succeeds(result))["device"], "cuda")
        self.assertIn("4096 tokens instead of 8192", result.stderr.decode())


class Server(EmulatedGpu):
    def start(self, *options, **gpu):
        environment = {**os.environ, **self.environment, **gpu}
        client = Client([PROGRAM, "lsp", "--no-share", "--no-index", "--target", self.target, *options], env=environment)
        self.addCleanup(client.close)
        # The tests share a cache, and a size that is chosen would differ between the devices, which is told.
        client.request("initialize", {"processId": None, "capabilities": STREAMING,
                                      "initializationOptions": {"redraft": {"promptSize": "medium"}}})
        client.notify("initialized")
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": URI, "languageId": "python", "version": 1, "text": "def area(width, height):\n    return width\n"}})
        return client

    def test_no_thread_of_the_driver_is_there_before_the_server_is_confined(self):
        written = self.root / "written"
        client = self.start("--device", "auto", REDRAFT_EMULATED_GPU_WRITES=str(written))
        self.complete(client)  # the model is loaded, and with it the driver
        if "Landlock" not in run("doctor", "--quick", environment=self.environment).stdout.decode():
            self.skipTest("this kernel has no Landlock")
        numbers = set(written.read_text().split())
        self.assertTrue(numbers, "the child that looks for a GPU writes")
        self.assertNotIn(str(client.process.pid), numbers)

    def complete(self, client):
        return client.request("textDocument/inlineCompletion", {
            "textDocument": {"uri": URI}, "position": {"line": 1, "character": 16}, "context": {"triggerKind": 1}})

    def start_edit(self, client):
        return client.request("workspace/executeCommand", {"command": "redraft.edit", "arguments": [
            {"textDocument": {"uri": URI, "version": 1}, "instruction": "multiply"}]})["editId"]

    def end(self, client, edit):
        return client.notification("$/redraft/edit", lambda p: (p["editId"], p["kind"]) == (edit, "end"))

    def device(self, client):
        return client.request("redraft/status")["device"]

    def messages(self, client):
        return [shown["message"] for shown in client.all("window/showMessage")]

    def test_takes_the_gpu_that_is_there(self):
        client = self.start()
        self.complete(client)
        self.assertEqual(self.device(client), "cuda")
        self.assertEqual(self.messages(client), [])

    def test_takes_the_cpu_where_there_is_none_or_it_is_told_to(self):
        for options, gpu in (((), {"REDRAFT_EMULATED_GPU_THERE": "0"}), (("--device", "cpu"), {})):
            client = self.start(*options, **gpu)
            self.complete(client)
            self.assertEqual((self.device(client), self.messages(client)), ("cpu", []))

    def test_says_why_a_gpu_is_not_used(self):
        client = self.start(REDRAFT_EMULATED_GPU_BYTES=str(PASSES // 2))
        self.complete(client)
        self.assertEqual(self.device(client), "cpu")
        (message,) = self.messages(client)
        self.assertRegex(message, "redraft: The models run on the CPU: .* too little to run it .*--device cpu")
        self.assertIn(message.removeprefix("redraft: "), client.request("redraft/status")["reasons"])

    def test_leaves_a_gpu_alone_that_computes_wrongly(self):
        client = self.start(REDRAFT_EMULATED_GPU_FLAW="neighbours")
        self.complete(client)
        self.assertEqual(self.device(client), "cpu")
        (message,) = self.messages(client)
        self.assertRegex(message, "runs on the CPU: .*this GPU does not compute as it should")

    def test_outlives_a_gpu_that_is_lost(self):
        signal = self.root / "lost"
        client = self.start(REDRAFT_EMULATED_GPU_LOST_FILE=str(signal))
        self.complete(client)
        edit = self.start_edit(client)
        client.notification("$/redraft/edit", lambda p: p["editId"] == edit and p["kind"] == "progress")
        signal.touch()
        self.addCleanup(signal.unlink)
        end = self.end(client, edit)
        self.assertEqual(end["state"], "failed")
        self.assertIn("the edit failed: the GPU failed", end["error"])
        self.assertEqual(self.end(client, self.start_edit(client))["state"], "done")
        self.assertEqual(self.device(client), "cpu")
        self.assertEqual([message[:40] for message in self.messages(client)],
                         ["redraft: A request ended because the GPU", "redraft: From now on the models run on t"])
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(client.exit_code(), 0)

    def test_a_completion_on_a_lost_gpu_is_an_error(self):
        signal = self.root / "lost_too"
        client = self.start(REDRAFT_EMULATED_GPU_LOST_FILE=str(signal))
        self.complete(client)
        signal.touch()
        self.addCleanup(signal.unlink)
        client.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [
            {"text": "def volume(a, b, c):\n    return a * b\n"}]})
        with self.assertRaises(ResponseError) as raised:
            self.complete(client)
        self.assertIn("the GPU failed", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
