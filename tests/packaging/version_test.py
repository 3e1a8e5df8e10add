"""`--version` says which commit was built: of a checkout, of what `git archive` wrote, and of neither."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from packaging_kit import ROOT
from redraft_process import RedraftCase, run

IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false")


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *IDENTITY, *words], capture_output=True, text=True, check=True).stdout.strip()


class Version(RedraftCase):
    def test_three_lines(self):
        shown = self.assert_succeeds(run("--version"))
        self.assertRegex(shown, r"\Aredraft \d+\.\d+\.\d+\ncommit ([0-9a-f]{12}(, and changes)?|unknown)\n"
                                r"build \w+ for \w+, \w+ [\d.]+, libtorch [\d.]+(, GPU kernels)?\n\Z")


@unittest.skipUnless(shutil.which("git") and shutil.which("cmake"), "git or cmake is not installed")
class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source, self.output = self.folder / "source", self.folder / "commit.cpp"
        (self.source / "cmake").mkdir(parents=True)
        for name in (".gitattributes", "cmake/Commit.cmake", "cmake/archived_commit.txt"):
            shutil.copy(ROOT / name, self.source / name)

    def commit(self, source=None):
        source = source or self.source
        subprocess.run(["cmake", f"-DSOURCE={source}", f"-DOUTPUT={self.output}", "-P", source / "cmake" / "Commit.cmake"],
                       check=True, capture_output=True)
        return self.output.read_text().partition('= "')[2].partition('"')[0]

    def make_repository(self):
        git(self.source, "init", "-q")
        git(self.source, "add", ".")
        git(self.source, "commit", "-q", "-m", "one")
        return git(self.source, "rev-parse", "HEAD")[:12]

    def test_a_checkout(self):
        first = self.make_repository()
        self.assertEqual(self.commit(), first)
        before = self.output.stat().st_mtime_ns
        self.commit()
        self.assertEqual(self.output.stat().st_mtime_ns, before, "written again, so compiled again")
        (self.source / "untracked").write_text("")
        self.assertEqual(self.commit(), first)
        (self.source / ".gitattributes").write_text("")
        self.assertEqual(self.commit(), f"{first}, and changes")
        git(self.source, "commit", "-q", "-a", "-m", "two")
        self.assertEqual(self.commit(), git(self.source, "rev-parse", "HEAD")[:12])

    def test_an_archive(self):
        first = self.make_repository()
        (self.folder / "outer" / "unpacked").mkdir(parents=True)
        git(self.folder / "outer", "init", "-q")  # somebody else's repository around it says nothing
        archive = self.folder / "source.tar"
        git(self.source, "archive", "-o", str(archive), "HEAD")
        unpacked = self.folder / "outer" / "unpacked"
        subprocess.run(["tar", "-C", unpacked, "-xf", archive], check=True)
        self.assertEqual(self.commit(unpacked), first)

    def test_neither(self):
        self.assertEqual(self.commit(), "unknown")


if __name__ == "__main__":
    unittest.main()
