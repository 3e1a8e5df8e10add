"""Small promises about every committed file: sizes, and nothing that belongs to one machine."""

import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAX_LINES = 500
# Written in two halves so that this file keeps its own promise.
HOSTS = ["pypi." + "org", "pythonhosted." + "org", "registry.npmjs." + "org", "deb.debian." + "org"]
PLACES = ["/" + "root/", "/" + "work/"]


def committed_files():
    run = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    return [ROOT / line for line in run.stdout.splitlines() if (ROOT / line).is_file()]


class CommittedFiles(unittest.TestCase):
    def setUp(self):
        self.files = committed_files()
        if not self.files:
            self.skipTest("not a git checkout")

    def test_sources_fit_their_size(self):
        sources = [file for file in self.files if file.suffix in {".h", ".cpp", ".py", ".lua", ".ts"}]
        long = [f"{file.relative_to(ROOT)}: {lines} lines" for file in sources
                if (lines := len(file.read_bytes().splitlines())) > MAX_LINES and "cases" not in file.parts]
        self.assertEqual(long, [])

    def test_name_no_registry_and_no_place_of_one_machine(self):
        found = []
        for file in self.files:
            content = file.read_bytes()
            found += [f"{file.relative_to(ROOT)}: {word}" for word in HOSTS + PLACES if word.encode() in content]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
