"""`tools/dependencies.py`: the list is of what the lock files say, and the SPDX document is whole."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import dependencies  # noqa: E402


class Dependencies(unittest.TestCase):
    def test_the_document_is_what_the_locks_say(self):
        self.assertEqual(dependencies.DOCUMENT.read_text(encoding="utf-8"), dependencies.table(),
                         "run tools/dependencies.py --write")

    def test_what_has_no_licence_is_an_error(self):
        with self.assertRaisesRegex(dependencies.Problem, "unheard-of has no licence"):
            dependencies.licence_of("unheard-of")
        with self.assertRaisesRegex(dependencies.Problem, "its lock file has no licence"):
            dependencies.npm_part("node_modules/a", {"version": "1.0.0"}, "parser")

    def test_the_extension_has_what_its_sources_import(self):
        sources = "".join(path.read_text() for path in (ROOT / "editors" / "vscode" / "src").rglob("*.ts"))
        imported = {name.partition("/")[0] for name in re.findall(r"from '([\w@][^']*)'", sources)}
        self.assertEqual(imported - {"vscode"} - {name for name in imported if name.startswith("node:")},
                         set(dependencies.BUNDLED))

    def test_spdx(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "redraft.spdx.json"
            subprocess.run([ROOT / "tools" / "dependencies.py", "--spdx", file], check=True, timeout=120)
            document = json.loads(file.read_text())
        packages = {package["SPDXID"]: package for package in document["packages"]}
        self.assertEqual(len(packages), len(document["packages"]))
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        related = set()
        for each in document["relationships"]:
            related |= {each["spdxElementId"], each["relatedSpdxElement"]}
        self.assertEqual(related, {"SPDXRef-DOCUMENT", *packages})
        defined = {each["licenseId"] for each in document["hasExtractedLicensingInfos"]}
        for package in packages.values():
            self.assertRegex(package["licenseConcluded"], r"^[\w.+-]+( WITH [\w.+-]+)?$")
            if package["licenseConcluded"].startswith("LicenseRef-"):
                self.assertIn(package["licenseConcluded"], defined)
            for checksum in package.get("checksums", []):
                digits = {"SHA256": 64, "SHA512": 128}[checksum["algorithm"]]
                self.assertRegex(checksum["checksumValue"], f"^[0-9a-f]{{{digits}}}$")
        named = {package["name"] for package in packages.values()}
        self.assertLessEqual({"redraft", "torch", "tree-sitter-python", "vscode-jsonrpc", "qwen2.5-coder-1.5b"}, named)

    def test_it_says_what_to_give(self):
        process = subprocess.run([ROOT / "tools" / "dependencies.py"], capture_output=True, text=True)
        self.assertEqual(process.returncode, 2)
        self.assertIn("--write or --spdx FILE", process.stderr)


if __name__ == "__main__":
    unittest.main()
