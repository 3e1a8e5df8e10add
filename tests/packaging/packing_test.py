"""The packer: the same files give the same bytes, whatever their times, owners and the order in which they were made; what
is not whole is refused."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

import packaging_kit  # noqa: F401
import dependencies
import dist
from dist_steps import deb, elf, licences, packing, registries, stage

EPOCH = 1_700_000_000
PROGRAM = pathlib.Path(os.environ["REDRAFT"])


def need(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        raise unittest.SkipTest(f"{', '.join(missing)} is not installed")


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tree(self, name, names, mode=0o644, umask=0o022):
        """Files of one content under `name`, made in the order of `names`."""
        before = os.umask(umask)
        for number, each in enumerate(names):
            path = packing.written(self.folder / name / "tree" / each, f"content of {each}\n" * 50)
            path.chmod(mode)
            os.utime(path, (number, number))
        os.umask(before)
        (self.folder / name / "tree" / "empty").mkdir()
        return self.folder / name / "tree"


class SameBytes(InFolder):
    def twice(self, pack):
        """What `pack(tree, file)` makes of two trees that differ in all that does not count."""
        names = ["lib/z.so", "bin/a", "share/b.txt", "share/é.txt"]
        trees = [self.tree("one", names), self.tree("two", names[::-1], umask=0o077)]
        for number, tree in enumerate(trees):
            (tree / "bin" / "a").chmod((0o755, 0o700)[number])
            packing.normalise(tree, EPOCH)
            pack(tree, self.folder / f"{number}")
        one, two = ((self.folder / f"{number}").read_bytes() for number in range(2))
        self.assertTrue(one)
        self.assertEqual(one, two)

    def test_archive(self):
        need("zstd")
        self.twice(lambda tree, file: packing.tar_zst(tree, file, EPOCH, 3))
        listed = subprocess.run(["tar", "--zstd", "--numeric-owner", "-tvf", self.folder / "0"], capture_output=True, text=True,
                                check=True, env={**os.environ, "TZ": "UTC"}).stdout.splitlines()
        self.assertEqual(listed, sorted(listed, key=lambda line: line.split()[-1].rstrip("/")))
        self.assertEqual([line for line in listed if " 0/0 " not in line or " 2023-11-14 22:13" not in line], [])
        self.assertIn("-rwxr-xr-x", next(line for line in listed if line.endswith("bin/a")))
        self.assertFalse(any("empty" in line for line in listed))

    def test_zip(self):
        def pack(tree, file):
            names = [(path.relative_to(tree).as_posix(), path, path.stat().st_mode & 0o777) for path in packing.files_of(tree)]
            packing.zip_all([("head", b"first", 0o644), *names], file, EPOCH, 6)
        self.twice(pack)
        with zipfile.ZipFile(self.folder / "0") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.namelist()[0], "head")
            self.assertEqual(archive.getinfo("bin/a").external_attr >> 16, 0o100755)

    def test_deb(self):
        need("dpkg-deb", "readelf", "cmake", "zstd")
        made = []
        for number in range(2):
            tree = self.folder / f"{number}" / "redraft"
            for name in ("share/zsh/site-functions/_redraft", "share/man/man1/redraft.1", "share/doc/redraft/licences/x.txt"):
                packing.written(tree / name, name)
            (tree / "bin").mkdir()
            shutil.copy(PROGRAM, tree / "bin" / "redraft")
            packing.normalise(tree, EPOCH)
            before = (tree / "bin" / "redraft").read_bytes()
            made.append(tree.parent / "redraft.deb")
            deb.make(tree, made[-1], "1.2.3", EPOCH, {"GLIBC": "2.34", "GLIBCXX": "3.4.30"}, 1)
            self.assertEqual((tree / "bin" / "redraft").read_bytes(), before, "the other artefacts hold the same file")
        self.assertEqual(made[0].read_bytes(), made[1].read_bytes())
        fields = subprocess.run(["dpkg-deb", "-f", made[0]], capture_output=True, text=True, check=True).stdout
        self.assertIn("\nVersion: 1.2.3\nArchitecture: amd64\n", fields)
        self.assertIn("\nDepends: libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 12)\n", fields)
        out = self.folder / "out"
        subprocess.run(["dpkg-deb", "-x", made[0], out], check=True)
        self.assertEqual(elf.dynamic(out / "usr/bin/redraft")[1], ["/usr/lib/redraft"])  # found without /proc too
        self.assertTrue((out / "usr/share/man/man1/redraft.1.gz").exists())
        self.assertTrue((out / "usr/share/zsh/vendor-completions/_redraft").exists())


class Registries(InFolder):
    """The wheel and the npm package of a small tree, installed by pip and npm without a network."""

    NEEDED = {"GLIBC": "2.34", "GLIBCXX": "3.4.30"}

    def staged(self, name="one"):
        tree = self.folder / name / "staged"
        for path in ("lib/redraft/libx.so", "share/doc/redraft/LICENSE", "share/nvim/plugin.lua", "share/zsh/_redraft",
                     "share/fish/redraft.fish", "share/bash-completion/redraft"):
            packing.written(tree / path, f"content of {path}\n")
        packing.written(tree / "bin" / "redraft", "#!/bin/sh\ncat \"$(dirname \"$(readlink -f \"$0\")\")/../lib/redraft/libx.so\"\n")
        (tree / "bin" / "redraft").chmod(0o755)
        packing.normalise(tree, EPOCH)
        return tree

    def runs(self, program):
        shown = subprocess.run([program], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}, check=True)
        self.assertEqual(shown.stdout, "content of lib/redraft/libx.so\n", "it finds what lies beside it")

    def both(self, make):
        """The file that `make(tree, folder)` writes, twice with the same bytes."""
        files = []
        for name in ("one", "two"):
            tree = self.staged(name)
            files.append(make(tree, tree.parent))
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())
        return files[0]

    def test_wheel(self):
        file = self.both(lambda tree, folder: registries.wheel(tree, folder, "1.2.3", EPOCH, self.NEEDED, 6))
        self.assertEqual(file.name, "redraft-1.2.3-py3-none-manylinux_2_35_x86_64.whl")
        made = subprocess.run([sys.executable, "-m", "venv", self.folder / "venv"], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest(f"venv makes no environment: {made.stdout.strip()}")
        prefix = self.folder / "venv"
        subprocess.run([prefix / "bin" / "pip", "install", "--no-index", "--disable-pip-version-check", file],
                       check=True, capture_output=True, env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin"})
        self.runs(prefix / "bin" / "redraft")
        self.assertTrue((prefix / "share/nvim/plugin.lua").exists())
        self.assertFalse((prefix / "share/zsh").exists())
        listed = subprocess.run([prefix / "bin" / "pip", "check", "--disable-pip-version-check"], capture_output=True, text=True)
        self.assertEqual(listed.returncode, 0, listed.stdout)
        with zipfile.ZipFile(file) as archive:
            self.assertIn(b"\nDescription-Content-Type: text/markdown\n\n# redraft", archive.read("redraft-1.2.3.dist-info/METADATA"))

    def test_npm(self):
        file = self.both(lambda tree, folder: registries.npm(tree, folder, "1.2.3", EPOCH, 6))
        self.assertEqual(file.name, "redraft-editor-1.2.3.tgz")
        need("npm")
        place = self.folder / "project"
        place.mkdir()
        subprocess.run(["npm", "install", "--offline", "--no-audit", "--no-fund", file], cwd=place, check=True, capture_output=True,
                       env={"HOME": str(self.folder), "PATH": os.environ["PATH"]})
        self.runs(place / "node_modules" / ".bin" / "redraft")
        about = json.loads((place / "node_modules/redraft-editor/package.json").read_text())
        self.assertEqual((about["os"], about["cpu"]), (["linux"], ["x64"]))
        self.assertNotIn("scripts", about, "nothing runs when it is installed")

    def test_the_tag_follows_what_it_needs(self):
        for glibc, library, tag in (("2.28", "3.4.26", "2_31"), ("2.34", "3.4.29", "2_34"), ("2.38", "3.4.30", "2_38")):
            self.assertEqual(registries.platform_tag({"GLIBC": glibc, "GLIBCXX": library}), f"manylinux_{tag}_x86_64")

    def test_links_are_refused(self):
        tree = self.staged()
        (tree / "lib" / "redraft" / "libx.so.1").symlink_to("libx.so")
        with self.assertRaisesRegex(packing.DistError, "hold no links, such as lib/redraft/libx.so.1"):
            registries.npm(tree, tree.parent, "1.2.3", EPOCH, 6)


class Refused(InFolder):
    def test_a_library_that_is_not_there(self):
        need("readelf")
        (self.folder / "bin").mkdir()
        shutil.copy(PROGRAM, self.folder / "bin" / "redraft")
        with self.assertRaisesRegex(packing.DistError, "bin/redraft needs .*which is not in the package"):
            elf.check(self.folder)

    def test_a_folder_of_the_machine_that_built_it(self):
        need("readelf")
        with mock.patch.object(elf, "elves", lambda folder: [self.folder / "a"]), \
                mock.patch.object(elf, "dynamic", lambda path: (["libc.so.6"], ["$ORIGIN", "/home/me/lib"])):
            with self.assertRaisesRegex(packing.DistError, "a looks for libraries in /home/me/lib"):
                elf.check(self.folder)

    def test_what_is_too_large(self):
        file = packing.written(self.folder / "a.deb", "12345")
        with mock.patch.object(dist, "LIMIT", 4), mock.patch("builtins.print"):
            with self.assertRaisesRegex(packing.DistError, "a.deb"):
                dist.report([file])
        self.assertRegex((self.folder / "SHA256SUMS").read_text(), "^5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5  a.deb\n$")

    def test_a_licence_that_is_not_there(self):
        with mock.patch.object(licences, "_SHARE", self.folder):
            with self.assertRaisesRegex(packing.DistError, "cannot find the licence text of Boost"):
                licences.system_library("Boost")


class Contents(InFolder):
    def test_every_part_has_its_licence(self):
        licences.write_licences(None, self.folder, packaging_kit.ROOT)
        names = {path.stem for path in self.folder.iterdir()}
        parts = {part.name.rpartition("/")[2] for part in dependencies.all_parts()
                 if part.use not in (dependencies.MODEL, dependencies.TESTS, dependencies.IN_EXTENSION)}
        self.assertLessEqual(parts, names)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.stat().st_size < 400], [])

    def test_tags_of_the_help(self):
        shutil.copytree(packaging_kit.ROOT / "editors" / "neovim" / "doc", self.folder / "doc")
        stage.help_tags(self.folder)
        lines = (self.folder / "doc" / "tags").read_text().splitlines()
        self.assertEqual(lines, sorted(lines))
        self.assertIn("redraft-settings\tredraft.txt\t/*redraft-settings*", lines)
        self.assertIn(":RedraftEdit\tredraft.txt\t/*:RedraftEdit*", lines)

    def test_the_time_is_the_commits(self):
        with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "5"}):
            self.assertEqual(stage.epoch(), 5)
        with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": ""}):
            if (packaging_kit.ROOT / ".git").exists():
                self.assertGreater(stage.epoch(), EPOCH)


if __name__ == "__main__":
    unittest.main()
