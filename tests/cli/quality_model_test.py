"""redraft bench quality with real weights: the 0.5B model on tasks of our own."""

import json
import unittest

from redraft_process import InFolder, run

BEFORE = "import os\n\n\n" + "".join(
    f"def size_{i}(path):\n    value = os.path.getsize(path)\n    return value + {i}\n\n\n" for i in range(40))
TASKS = [{"id": "rename", "language": "python", "path": "sizes.py", "before": BEFORE, "instruction": "Call it size here, not value.",
          "after": BEFORE.replace("    value = os.path.getsize(path)\n    return value + 20\n",
                                  "    size = os.path.getsize(path)\n    return size + 20\n")},
         {"id": "place", "language": "python", "path": "sizes.py", "prefix": BEFORE + "def size_40(path):\n    value = ",
          "suffix": "\n    return value + 40\n", "reference": "os.path.getsize(path)"},
         {"id": "commit", "language": "python", "path": "sizes.py", "commit": "1", "recent_edits": [],
          "instruction": "use stat", "before": BEFORE, "after": BEFORE.replace("os.path.getsize(path)", "os.stat(path).st_size")}]


class QualityOfAModel(InFolder):
    def test_what_it_writes_is_compared_with_what_people_wrote(self):
        tasks = self.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in TASKS).encode())
        out = self.folder / "out.jsonl"
        self.assert_succeeds(run("bench", "quality", "--data", tasks, "--target", "qwen2.5-coder-0.5b", "--out", str(out)))
        _, *lines = [json.loads(line) for line in out.read_text().splitlines()]
        records = {(line["measure"], line["id"], line.get("question")): line for line in lines}
        rename = records["edits", "rename", None]
        self.assertEqual((rename["region_lines"], rename["changed_lines"], rename["changed_lines_in_region"]), (3, 4, 4))
        self.assertEqual(rename["decision"], "region")
        self.assertGreater(rename["new_tokens"], 10)
        self.assertIn("os.path.getsize(path)\n", rename["written"])
        [suggestion] = records["completion", "place", None]["suggestions"]
        self.assertEqual((suggestion["right"], suggestion["whole"]), (len("os.path.getsize(path)"), True))
        within = records["next-edits", "commit", "after 2 hunks"]
        self.assertEqual((within["verdict"], within["reverses"]), ("exact", False))
        self.assertEqual(len(records), 7)


if __name__ == "__main__":
    unittest.main()
