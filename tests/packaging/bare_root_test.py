"""Each artefact of `make dist` in a bare root of a distribution, without compiler, Python and network, with a model file
beside it: it is installed as a person would, and edits a file. Roots are made once by mmdebstrap, from where apt finds
packages, and kept; those of Ubuntu where its signing keys are installed, as on Ubuntu itself."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import zipfile

from packaging_kit import ROOT
from dist_steps import stage
from setup_steps import system_packages
from setup_steps.common import SetupError, cache_directory, data_directory, machine

LIMIT = 3600  # seconds
MODEL = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
UBUNTU_KEYS = pathlib.Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
# The release's name -> what has to be there to make its root.
RELEASES = {"bookworm": pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg"),
            "trixie": pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg"),
            "jammy": UBUNTU_KEYS, "noble": UBUNTU_KEYS}
BEFORE = "def area(w, h):\n    return w * h\n\n\nprint(area(2, 3))\n"
MMDEBSTRAP = system_packages.Requirement("mmdebstrap", "1.0", "mmdebstrap", command="mmdebstrap")


def made_root(release):
    """The tar of a bare root; made if it is not there."""
    file = cache_directory() / "roots" / f"{release}.tar"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            system_packages.ensure_tools([MMDEBSTRAP])
        except SetupError as error:
            raise unittest.SkipTest(f"mmdebstrap is not there: {error}") from error
        partial = file.with_suffix(".partial.tar")
        run = subprocess.run(["mmdebstrap", "--variant=minbase", "--mode=root", release, partial], capture_output=True, text=True,
                             timeout=LIMIT, stdin=subprocess.DEVNULL)
        if run.returncode != 0:
            raise unittest.SkipTest(f"no root of {release} can be made here: {run.stderr.strip()[-500:]}")
        partial.rename(file)
    return file


@unittest.skipUnless(os.geteuid() == 0, "only root may change its root")
@unittest.skipUnless(machine() == "x86_64", "what is packed is for x86-64")
class BareRoots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        model = data_directory() / "models" / MODEL
        if not model.exists():
            raise unittest.SkipTest(f"{MODEL} is not there: `make setup`")
        folder = tempfile.TemporaryDirectory(dir=model.parent.parent)  # on one disk with the model, which is linked
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.model = pathlib.Path(folder.name), model
        cls.dist = pathlib.Path(os.environ.get("REDRAFT_DIST") or cls.pack("dist"))  # what was made already can be tested, too
        cls.made = {path.suffix: path for path in cls.dist.iterdir() if "nvim" not in path.name}

    @classmethod
    def pack(cls, name):
        subprocess.run([ROOT / "tools" / "dist.py", "--build", os.environ["REDRAFT_BUILD"], "--out", cls.folder / name,
                        "--level", "3"], check=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
        return cls.folder / name

    @unittest.skipIf("REDRAFT_DIST" in os.environ, "with what level it was packed is not known")
    def test_packing_again_gives_the_same_bytes(self):
        sums = [(folder / "SHA256SUMS").read_text() for folder in (self.dist, self.pack("again"))]
        self.assertEqual(sums[0], sums[1])
        self.assertEqual(len(sums[0].splitlines()), 4)

    def each_root(self):
        for release, keys in RELEASES.items():
            with self.subTest(release=release):
                if not keys.exists():
                    self.skipTest(f"{release}: there is no {keys}")
                root = self.folder / "root"
                root.mkdir()
                try:
                    subprocess.run(["tar", "-C", root, "-xf", made_root(release)], check=True)
                    os.link(self.model, root / "opt" / "model.gguf")
                    (root / "home" / "me").mkdir()
                    (root / "home" / "me" / "a.py").write_text(BEFORE)
                    os.chown(root / "home" / "me", 1000, 1000)
                    os.chown(root / "home" / "me" / "a.py", 1000, 1000)
                    self.assertEqual(self.inside(root, "command -v cc gcc g++ python3 pip || true"), "", "it is not bare")
                    yield root
                finally:
                    shutil.rmtree(root)

    def inside(self, root, command, user=1000, proc=True):
        """What a shell in the root prints, without network; as an ordinary user."""
        mount = f"mount -t proc proc '{root}/proc'; " if proc else ""
        process = subprocess.run(
            ["unshare", "--net", "--mount", "sh", "-c", f"{mount}exec chroot --userspec={user}:{user} '{root}' sh -ec \"$1\"", "sh",
             f"cd /home/me; {command}"], capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/home/me" if user else "/root", "LC_ALL": "C.UTF-8"})
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return process.stdout

    def check_edits(self, root, program, proc=True):
        version = self.inside(root, f"{program} --version", proc=proc)
        self.assertIn(f"redraft {stage.version()}\n", version)
        self.inside(root, f"{program} edit a.py 'rename h to height' --write", proc=proc)  # by the syntax tree
        self.inside(root, f"{program} edit a.py 'Rename the parameter w to width' --target /opt/model.gguf --write", proc=proc)
        after = (root / "home" / "me" / "a.py").read_text()
        self.assertIn("width", after)
        self.assertIn("height", after)
        if proc:
            doctor = self.inside(root, f"{program} doctor --quick --target /opt/model.gguf")
            self.assertRegex(doctor, r"(?m)^libtorch  [\d.]+ \(CPU\), used by ")
            self.assertRegex(doctor, r"(?m)^fetching  not possible: .*python3")
            self.assertRegex(doctor, r"(?m)^verdict   ready to edit")

    def test_deb(self):
        for root in self.each_root():
            shutil.copy(self.made[".deb"], root / "opt" / "redraft.deb")
            self.inside(root, "dpkg --install /opt/redraft.deb", user=0)
            self.check_edits(root, "redraft")
            (root / "home" / "me" / "a.py").write_text(BEFORE)
            self.check_edits(root, "redraft", proc=False)
            self.assertEqual(self.inside(root, "dpkg --verify redraft", user=0), "")
            self.inside(root, "dpkg --purge redraft", user=0)
            self.assertEqual(list(root.glob("usr/**/*redraft*")), [])

    def test_archive(self):
        for root in self.each_root():
            first, place = root / "opt" / "first", root / "opt" / "some where"
            first.mkdir()
            subprocess.run(["tar", "--zstd", "-C", first, "-xf", self.made[".zst"]], check=True)
            (next(first.iterdir())).rename(place)
            self.check_edits(root, "'/opt/some where/bin/redraft'")

    def test_vscode_extension(self):
        """Unpacked as VS Code does; its server is what the extension starts."""
        for root in self.each_root():
            place = root / "opt" / "extensions" / "redraft"
            with zipfile.ZipFile(self.made[".vsix"]) as archive:
                for each in archive.infolist():
                    mode = each.external_attr >> 16
                    (place / archive.extract(each, place)).chmod(mode & 0o777 or 0o644)
            self.check_edits(root, "/opt/extensions/redraft/extension/server/bin/redraft")

    def test_vscode_installs_the_extension(self):
        program = cache_directory() / "editors" / "bin" / "code-server"
        if not program.exists():
            self.skipTest("VS Code is not installed (tests/editors/setup.sh vscode)")
        place = self.folder / "extensions"
        subprocess.run([program, "--extensions-dir", place, "--user-data-dir", self.folder / "user", "--install-extension",
                        self.made[".vsix"]], check=True, timeout=LIMIT, stdin=subprocess.DEVNULL, capture_output=True)
        server, = place.glob("redraft.redraft-*/server/bin/redraft")
        version = subprocess.run([server, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(f"redraft {stage.version()}\n", version)


if __name__ == "__main__":
    unittest.main()
