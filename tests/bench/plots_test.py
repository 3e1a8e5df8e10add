"""bench/plots.py on reports made up here."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "plots.py"
NAMESPACE = "{http://www.w3.org/2000/svg}"


def task(decoder, overlap, speedup):
    return {"decoder": decoder, "overlap": overlap, "speedup": speedup, "priced_speedup": 2 * speedup,
            "tokens_per_pass": speedup}


class Plots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def draw(self, report, *arguments):
        file = self.folder / "r.json"
        file.write_text(report if isinstance(report, str) else json.dumps(report))
        return subprocess.run([sys.executable, str(SCRIPT), str(file), "--out", str(self.folder / "figure.svg"),
                               *arguments], capture_output=True, text=True)

    def figure(self, report, *arguments):
        done = self.draw(report, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return xml.etree.ElementTree.parse(self.folder / "figure.svg").getroot()

    def test_a_dot_a_decode_and_a_line_a_decoder(self):
        tasks = [task("ar", 0.5, 1), task("redraft", 0.5, 3), task("redraft", 0.9, 8), task("redraft", 0.95, 10),
                 task("pld<b>", 1.0, 2), {**task("redraft", 1, 1), "overlap": None}]
        root = self.figure({"tasks": tasks})
        self.assertEqual(len(root.findall(f"{NAMESPACE}circle")), 4)
        lines = [line.get("points").split() for line in root.findall(f"{NAMESPACE}polyline")]
        self.assertEqual([len(line) for line in lines], [2, 1])
        texts = [text.text for text in root.findall(f"{NAMESPACE}text")]
        self.assertIn("pld<b>", texts)
        self.assertNotIn("ar", texts)
        for circle in root.findall(f"{NAMESPACE}circle"):
            self.assertTrue(0 < float(circle.get("cx")) < 760 and 0 < float(circle.get("cy")) < 460)

    def test_chosen_decoders_and_measure(self):
        root = self.figure({"tasks": [task("ar", 0.5, 1), task("redraft", 0.5, 3)]}, "--decoders", "ar", "--y",
                           "priced_speedup")
        self.assertEqual(len(root.findall(f"{NAMESPACE}circle")), 1)

    def test_what_cannot_be_drawn(self):
        for report in "{", "[]", '{"tasks": [{}]}', '{"tasks": 3}':
            done = self.draw(report)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not what", done.stderr)
        self.assertIn("no decode", self.draw({"tasks": [task("ar", 0.5, 1)]}).stderr)
        self.assertEqual(self.draw({"tasks": []}, "--y", "beauty").returncode, 2)


if __name__ == "__main__":
    unittest.main()
