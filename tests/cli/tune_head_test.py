"""`redraft tune record` and `redraft tune head` with a tiny model that writes one token after another, whatever was before:
files, going on, and refusals."""

import json
import os
import random
import signal
import struct
import subprocess
import unittest
import xml.dom.minidom

import tune_examples
from redraft_process import PROGRAM, TIME_LIMIT, InFolder, run

WRITE_MODEL = os.environ["REDRAFT_WRITE_MODEL"]


def source(seed, lines, habits=None):
    """Text in which a model has now and then its own choice; more often with its habits, the letters that it writes after
    a letter."""
    chosen = random.Random(seed)
    letters = [chr(code) for code in range(33, 127)]
    text = []
    for _ in range(lines):
        line = chosen.choice(letters)
        while len(line) < 60:
            after = (habits or {}).get(line[-1])
            line += chosen.choice(after) if after and chosen.random() < 0.9 else chosen.choice(letters)
        text.append(line)
    return "\n".join(text) + "\n"


def rows_in(folder):
    """Newest token, whether it is the target's own, source, count, and the three tokens after it, of each row."""
    labels = (folder / "rows-0000.labels").read_bytes()
    return list(struct.iter_unpack("<7i", labels[64:]))


def habits_in(folder):
    """What follows a letter where it is the target's own choice; tokens of one byte have that byte's number."""
    habits = {}
    for newest, _, _, _, after, *_ in rows_in(folder):
        if 33 <= newest < 127 and 33 <= after < 127:
            habits.setdefault(chr(newest), []).append(chr(after))
    return habits


class Tune(InFolder):
    def setUp(self):
        super().setUp()
        self.model = str(self.folder / "tiny.gguf")
        subprocess.run([WRITE_MODEL, self.model, "1", "last"], check=True)
        self.files = self.folder / "files"
        self.files.mkdir()
        for i in range(8):
            (self.files / f"f{i}.py").write_text(source(i, 40))
        self.rows = self.folder / "rows"

    def record_arguments(self, *options, out=None):
        return ("tune", "record", "--model", self.model, "--files", str(self.files), "--licence-of-my-own", "--out",
                str(out or self.rows), "--threads", "1", *options)

    def record(self, *options, **places):
        return run(*self.record_arguments(*options, **places))

    def manifest(self, folder=None):
        return json.loads(((folder or self.rows) / "recorded.json").read_text())

    def contents(self, folder):
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


class Records(Tune):
    def test_a_recording_counts_what_it_has(self):
        report = json.loads(self.assert_succeeds(self.record("--format", "json")))
        manifest = self.manifest()
        self.assertEqual((report["finished"], report["rows"]), (True, manifest["rows"]))
        self.assertEqual(manifest["rows"], sum(manifest["shards"]))
        self.assertGreater(manifest["rows"], 20)
        self.assertGreater(manifest["text_tokens"], 8 * 40 * 50)
        self.assertEqual((manifest["tokens"], manifest["layers"][-1]), (3, manifest["target_layers"] - 1))
        self.assertEqual((self.rows / "rows-0000.labels").stat().st_size, 64 + manifest["rows"] * 4 * (4 + 3))
        self.assertEqual((self.rows / "rows-0000.features").stat().st_size,
                         64 + manifest["rows"] * 2 * manifest["hidden"] * len(manifest["layers"]))
        for newest, own, source_number, count, *after in rows_in(self.rows):
            self.assertIn(own, (0, 1))
            self.assertIn(source_number, range(8))
            self.assertIn(count, (1, 2, 3))
            self.assertLess(max(newest, *after), manifest["vocabulary"])

    def test_an_interrupted_recording_goes_on(self):
        self.assert_succeeds(self.record())
        whole = self.contents(self.rows)
        parts = self.folder / "parts"
        self.assert_succeeds(self.record("--limit", "3000", out=parts))
        self.assertLess(self.manifest(parts)["texts"], self.manifest()["texts"])
        process = subprocess.Popen([PROGRAM, *self.record_arguments(out=parts)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "continues after" in line:
                process.send_signal(signal.SIGINT)
                break
        _, stderr = process.communicate(timeout=TIME_LIMIT)
        self.assertIn(process.returncode, (0, 130))
        if process.returncode == 130:
            self.assertIn("the same command continues from here", stderr)
        self.assert_succeeds(self.record(out=parts))
        self.assertEqual(self.contents(parts), whole)

    def test_examples_are_recorded_behind_their_prompts(self):
        data = self.write("data.jsonl", tune_examples.lines(range(5)).encode())
        out = self.folder / "examples"
        self.assert_succeeds(run("tune", "record", "--model", self.model, "--data", data, "--out", str(out)))
        self.assertEqual(self.manifest(out)["texts"], 5)
        self.assertIn("data ", self.manifest(out)["settings"])


class RecordRefusals(Tune):
    def test_other_options_and_other_texts(self):
        self.assert_succeeds(self.record("--limit", "2000"))
        self.assert_fails(self.record("--max-tokens", "64"), 1, "was begun with other options")
        self.assert_fails(self.record("--tokens", "2"), 1, "another number of tokens")
        self.assert_fails(self.record("--layers", "0"), 1, "of other layers")
        for i in range(8):
            (self.files / f"f{i}.py").write_text(source(i + 100, 40))
        self.assert_fails(self.record(), 1, "the texts have changed since it was begun")

    def test_layers_that_do_not_exist(self):
        for layers, said in (("0,99", "expected numbers from 0 to"), ("1,0", "have to ascend"), ("x", "expected numbers")):
            self.assert_fails(self.record("--layers", layers), 1, said)

    def test_nothing_to_record(self):
        nothing = ("tune", "record", "--model", self.model, "--out", str(self.rows))
        self.assert_fails(run(*nothing), 2, "give --data or --files")
        process = run(*nothing, "--files", str(self.files))  # without a licence
        self.assertEqual(process.returncode, 1)
        self.assertIn("is left out", process.stderr.decode())
        self.assertIn("no text is left to record", process.stderr.decode())
        self.assertFalse((self.rows / "recorded.json").exists())


class Heads(Tune):
    def setUp(self):
        super().setUp()
        self.assert_succeeds(self.record(out=self.folder / "first"))
        for i in range(8):
            (self.files / f"f{i}.py").write_text(source(i, 12, habits_in(self.folder / "first")))
        self.assert_succeeds(self.record())
        self.out = self.folder / "head"

    def arguments(self, *options, out=None, model=None):
        defaults = {"--batch": "16", "--held-share": "0.3", "--width": "64", "--vocabulary": "50"}
        for name in options:
            defaults.pop(name, None)
        return ("tune", "head", "--model", model or self.model, "--recorded", str(self.rows), "--out", str(out or self.out),
                "--warmup", "2", "--threads", "1", *(part for pair in defaults.items() for part in pair), *options)

    def head(self, *options, **places):
        return run(*self.arguments(*options, **places))

    def evaluated(self):
        return json.loads(self.assert_succeeds(run(
            "tune", "head", "--model", self.model, "--recorded", str(self.rows), "--held-share", "0.3", "--evaluate",
            str(self.out), "--format", "json")))

    def test_the_best_head_is_kept_and_not_the_last(self):
        # With a rate that forgets in each step all that was before, the third one ruins what the second learnt.
        options = ("--steps", "3", "--evaluate-every", "1", "--learning-rate", "1", "--weight-decay", "1", "--format", "json")
        report = json.loads(self.assert_succeeds(self.head(*options)))
        lengths = [float(line.split(",")[3]) for line in (self.out / "acceptance.csv").read_text().splitlines()[1:]]
        self.assertLess(lengths[-1], max(lengths), "the last one is worse")
        self.assertEqual(report["best_step"], lengths.index(max(lengths)) + 1)
        self.assertAlmostEqual(self.evaluated()["acceptance"], max(lengths), places=3)
        # What comes later in a run that goes on does not replace it.
        kept = (self.out / "draft_head.safetensors").read_bytes()
        self.assert_succeeds(self.head(*options))
        self.assertEqual((self.out / "draft_head.safetensors").read_bytes(), kept)

    def test_a_run_leaves_a_head_that_can_be_read(self):
        report = json.loads(self.assert_succeeds(self.head("--steps", "20", "--evaluate-every", "8", "--format", "json")))
        self.assertEqual((report["finished"], report["steps"], report["steps_in_all"]), (True, 20, 20))
        self.assertEqual({path.name for path in self.out.iterdir()},
                         {"acceptance.csv", "acceptance.svg", "checkpoint", "draft_head.json", "draft_head.safetensors",
                          "loss.svg", "losses.csv"})
        table = [line.split(",") for line in (self.out / "acceptance.csv").read_text().splitlines()]
        self.assertEqual(table[0], ["step", "rows", "loss", "acceptance", "accuracy_1", "accuracy_2", "accuracy_3"])
        self.assertEqual([row[0] for row in table[1:]], ["8", "16", "20"])
        best = max(table[1:], key=lambda row: float(row[3]))
        self.assertEqual(report["best_step"], int(best[0]))
        self.assertAlmostEqual(report["acceptance"], float(best[3]), places=3)
        xml.dom.minidom.parse(str(self.out / "acceptance.svg"))
        config = json.loads((self.out / "draft_head.json").read_text())
        self.assertEqual((config["tokens"], config["width"], config["vocabulary"]), (3, 64, 50))
        self.assertEqual(config["layers"], self.manifest()["layers"])
        # The reader accepts it, and it is as good as it was when it was written.
        again = self.evaluated()
        self.assertAlmostEqual(again["loss"], report["held_out"], places=4)
        self.assertAlmostEqual(again["acceptance"], report["acceptance"], places=4)

    def test_it_learns_its_rows(self):
        report = json.loads(self.assert_succeeds(self.head("--held-share", "0", "--steps", "150", "--learning-rate", "0.01",
                                                           "--batch", "1000", "--vocabulary", "100000", "--format", "json")))
        losses = [float(line.split(",")[1]) for line in (self.out / "losses.csv").read_text().splitlines()[1:]]
        self.assertGreater(losses[0], 1)
        self.assertLess(report["loss"], 0.1)
        self.assertEqual(report["accuracy"], 1)

    def test_the_same_run_gives_the_same_bytes(self):
        heads = []
        for name, options in (("a", ()), ("b", ()), ("c", ("--seed", "2"))):
            self.assert_succeeds(self.head("--steps", "5", *options, out=self.folder / name))
            heads.append((self.folder / name / "draft_head.safetensors").read_bytes())
        self.assertEqual(heads[0], heads[1])
        self.assertNotEqual(heads[0], heads[2])

    def test_an_interrupted_run_goes_on(self):
        options = ("--steps", "600", "--evaluate-every", "20")
        self.assert_succeeds(run(*self.arguments(*options)))
        whole = (self.out / "draft_head.safetensors").read_bytes()
        out = self.folder / "interrupted"
        stops = 0
        for last in (20, 200):
            process = subprocess.Popen([PROGRAM, *self.arguments(*options, out=out)], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            for line in process.stderr:
                if line.startswith(f"step {last}/"):
                    process.send_signal(signal.SIGINT)
                    break
            stdout, _ = process.communicate(timeout=TIME_LIMIT)
            if process.returncode == 130:
                stops += 1
                self.assertIn("the same command continues from there", stdout)
        self.assertGreaterEqual(stops, 1)
        self.assert_succeeds(run(*self.arguments(*options, out=out)))
        self.assertEqual((out / "draft_head.safetensors").read_bytes(), whole)

    def test_minutes_become_steps_that_stay(self):
        report = json.loads(self.assert_succeeds(self.head("--minutes", "0.02", "--format", "json")))
        self.assertTrue(report["finished"])
        steps = int((self.out / "planned_steps").read_text())
        self.assertEqual((report["steps"], report["steps_in_all"]), (steps, steps))
        again = json.loads(self.assert_succeeds(self.head("--minutes", "0.02", "--format", "json")))
        self.assertEqual(again["steps"], steps)

    def test_rows_of_another_folder_can_be_held_out(self):
        report = json.loads(self.assert_succeeds(self.head("--held-out", str(self.rows), "--steps", "2", "--format", "json")))
        self.assertGreaterEqual(report["acceptance"], 1)

    def test_refusals(self):
        self.assert_succeeds(self.head("--steps", "2"))
        self.assert_fails(self.head("--steps", "2", "--seed", "7"), 1, "seed 1, not 7")
        other = str(self.folder / "other.gguf")
        subprocess.run([WRITE_MODEL, other, "2", "last"], check=True)
        self.assert_fails(self.head("--steps", "2", model=other), 1, "was recorded of another model")
        self.assert_fails(self.head("--width", "33"), 2, "multiple of 32")
        self.assert_fails(self.head("--evaluate", str(self.out)), 2, "either --out or --evaluate")
        self.assert_fails(run(*self.arguments("--held-share", "1", out=self.folder / "none")), 1, "no rows to learn from")
        (self.folder / "precious").mkdir()
        (self.folder / "precious" / "draft_head.safetensors").write_bytes(b"precious")
        self.assert_fails(self.head("--steps", "2", out=self.folder / "precious"), 1, "has a draft head without a checkpoint")

    def test_damaged_rows(self):
        manifest = self.rows / "recorded.json"
        manifest.write_text(manifest.read_text().replace('"tokens": 3', '"tokens": 4'))
        self.assert_fails(self.head("--steps", "2"), 1, "is not a shard of this recording")


if __name__ == "__main__":
    unittest.main()
