"""What a user sees of a decoder whose output is not that of plain decoding: the whole program on a model that breaks row
invariance, so that a decoder goes wrong as soon as it drafts (see unfaithful_device.cpp)."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from redraft_process import RedraftCase, run

DRAFTS = "copyspec:gamma=1"
DRAFTS_NOTHING = "copyspec:gamma=64"
TEXT = "".join(f"value_{i} = {i}\n" for i in range(8))
REPORT_THIS = "differs from plain greedy decoding, which it never should; please report this"

FOLDER = tempfile.TemporaryDirectory()  # shared by all tests, so that the cost of passes is measured once
ROOT = pathlib.Path(FOLDER.name)


def setUpModule():
    unittest.addModuleCleanup(FOLDER.cleanup)
    for name, seed in (("target", 1), ("draft", 2)):
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], str(ROOT / f"{name}.gguf"), str(seed)], check=True)
    (ROOT / "tasks.jsonl").write_text("".join(
        json.dumps({"id": name, "instruction": "Sort them.", "path": "a.py", "before": TEXT, "after": TEXT}) + "\n"
        for name in ("one", "two")))


class Unfaithful(RedraftCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=ROOT)
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "r.json"

    def run_it(self, *arguments, unfaithful=True):
        return run(*arguments, "--target", str(ROOT / "target.gguf"), "--draft", str(ROOT / "draft.gguf"),
                   "--max-new-tokens", "24",
                   environment={"XDG_CACHE_HOME": str(ROOT / "cache"), "REDRAFT_UNFAITHFUL": "01"[unfaithful]})

    def bench(self, decoders, *arguments, unfaithful=True):
        return self.run_it("bench", "edits", "--data", str(ROOT / "tasks.jsonl"), "--out", str(self.out),
                           "--decoders", ",".join(decoders), *arguments, unfaithful=unfaithful)

    def same(self, process):
        """The table's column `same`: how many of how many outputs, by decoder."""
        table = process.stdout.decode()
        head = next(line for line in table.splitlines() if line.startswith("decoder") and "same" in line)
        column = slice(head.index("same") - 4, head.index("same") + 4)
        lines = table[table.index(head):].split("\n\n")[0].splitlines()[1:]
        return {line.split()[0]: line[column].strip() for line in lines}

    def verdicts(self):
        return [(task["id"], task["decoder"], task["identical"])
                for task in json.loads(self.out.read_text())["tasks"]]

    def assert_reported(self, process, task, decoder):
        errors = process.stderr.decode()
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn(f"redraft: error: {task}: the output of {decoder} {REPORT_THIS}", errors)

    def test_the_table_the_report_and_the_exit_code_tell_who_errs(self):
        for decoders in (DRAFTS, DRAFTS_NOTHING), (DRAFTS_NOTHING, DRAFTS):
            with self.subTest(decoders=decoders):
                bench = self.bench(decoders)
                self.assert_reported(bench, "one", DRAFTS)
                self.assertEqual(self.same(bench), {"ar": "2/2", DRAFTS: "0/2", DRAFTS_NOTHING: "2/2"})
                self.assertEqual(self.verdicts(), [(task, decoder, decoder != DRAFTS) for task in ("one", "two")
                                                   for decoder in ("ar", *decoders)])
                summary = json.loads(self.out.read_text())["summary"]
                self.assertEqual({row["decoder"]: row["identical"] for row in summary},
                                 {"ar": 2, DRAFTS: 0, DRAFTS_NOTHING: 2})

    def test_nobody_is_accused_where_nobody_errs(self):
        bench = self.bench((DRAFTS, DRAFTS_NOTHING), unfaithful=False)
        self.assert_succeeds(bench)
        self.assertEqual(self.same(bench), {"ar": "2/2", DRAFTS: "2/2", DRAFTS_NOTHING: "2/2"})
        drafted = {row["decoder"]: row["drafted_share"] for row in json.loads(self.out.read_text())["summary"]}
        self.assertGreater(drafted[DRAFTS], 0)
        self.assertEqual(drafted[DRAFTS_NOTHING], 0)

    def test_a_lossy_decoder_may_differ_but_not_in_secret(self):
        bench = self.bench(("efficientedit:direct", "copyspec"), unfaithful=False)
        self.assert_succeeds(bench)
        self.assertEqual(self.same(bench), {"ar": "2/2", "efficientedit:direct": "0/2", "copyspec": "2/2"})

    def test_what_an_earlier_part_of_the_run_kept_counts_as_well(self):
        """The rest is compared with its plain decode: the tokens, and how it ended."""
        decoders = (DRAFTS, DRAFTS_NOTHING)
        self.assert_succeeds(self.bench(decoders, unfaithful=False))
        report = json.loads(self.out.read_text())
        plain = report["tasks"][0]
        self.assertEqual((plain["id"], plain["decoder"], plain["finish_reason"]), ("one", "ar", "length"))
        for change in {"finish_reason": "stop"}, {"tokens": plain["tokens"][:-1] + [0]}, {}:
            with self.subTest(change=change):
                lines = [json.dumps(report["settings"], separators=(",", ":"), ensure_ascii=False),
                         json.dumps({**plain, **change})]
                self.out.with_suffix(".json.partial").write_text("\n".join(lines) + "\n")
                bench = self.bench(decoders, unfaithful=False)
                self.assertIn(b"continuing after the 1 decodes", bench.stderr)
                if change:
                    self.assert_reported(bench, "one", DRAFTS)
                else:
                    self.assert_succeeds(bench)
                count = "1/2" if change else "2/2"
                self.assertEqual(self.same(bench), {"ar": "2/2", DRAFTS: count, DRAFTS_NOTHING: count})

    def test_an_edit_that_is_compared(self):
        file = ROOT / "a.py"
        file.write_text(TEXT)
        for decoder, unfaithful in (DRAFTS, True), (DRAFTS_NOTHING, True), (DRAFTS, False):
            errs = unfaithful and decoder == DRAFTS
            with self.subTest(decoder=decoder, unfaithful=unfaithful):
                edit = ("edit", str(file), "--instruction", "Sort them.", "--compare", "--decoder", decoder)
                text = self.run_it(*edit, unfaithful=unfaithful)
                self.assertRegex(text.stderr.decode(), f"identical to plain greedy: {'no' if errs else 'yes'}\n")
                json_report = self.run_it(*edit, "--format", "json", unfaithful=unfaithful)
                self.assertEqual(json.loads(json_report.stdout)["plain"]["identical"], not errs)
                for process in text, json_report:
                    self.assertEqual(process.returncode, 1 if errs else 0)
                    self.assertEqual(bool(re.search(REPORT_THIS, process.stderr.decode())), errs)


if __name__ == "__main__":
    unittest.main()
