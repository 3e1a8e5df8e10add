"""Rules for every committed file: sizes, and nothing that belongs to one machine. For documents: a short README, lines
that fit a terminal, links that lead somewhere, paths that exist, and the table of folders as it is generated."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAX_LINES = 500
MAX_README_WORDS = 1500
MAX_COLUMNS = 100  # of a document's prose; tables and code blocks may be as wide as necessary
SOURCES = {".h", ".cpp", ".cu", ".cuh", ".py", ".lua", ".ts", ".js", ".sh"}
# Written in two halves so that this file follows its own rule.
HOSTS = ["pypi." + "org", "pythonhosted." + "org", "registry.npmjs." + "org", "deb.debian." + "org"]
# A thread that is not started by support/named_thread.h. std::thread::hardware_concurrency() starts none, and neither does
# std::jthread() or a member.
UNNAMED_THREAD = re.compile(r"std::thread\b(?!::)|std::async\b|std::jthread\s*(\w+\s*)?[({](?!\))|pthread_create")
PLACES = ["/" + "root/", "/" + "work/"]


def committed_files():
    run = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    return [ROOT / line for line in run.stdout.splitlines() if (ROOT / line).is_file()]


def without_code_blocks(text):
    """The same lines, with those of fenced code empty."""
    fenced = False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith("```")
        yield "" if fenced or is_fence else line
        fenced ^= is_fence


def wide_lines(text):
    """The numbers of prose lines that are too wide and could be wrapped."""
    return [number for number, line in enumerate(without_code_blocks(text), 1)
            if len(line) > MAX_COLUMNS and not line.startswith("|") and len(line.split()) > 1]


def anchors(text):
    """The anchors that links may name after a #: headings in small letters without punctuation."""
    headings = [line.lstrip("#").strip() for line in without_code_blocks(text) if line.startswith("#")]
    return {re.sub(r"[^\w -]", "", re.sub(r"\]\([^)]*\)", "", heading)).lower().replace(" ", "-") for heading in headings}


def dead_links(file):
    """The relative links of a document that lead to no file, or to no heading of it."""
    prose = re.sub(r"`[^`]*`", "", "\n".join(without_code_blocks(file.read_text(encoding="utf-8"))))
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = file.parent / path if path else file
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


def stale_paths(file, root):
    """The paths in back-ticks in a document that exist neither as they stand nor with a suffix added (`workspace/engine/engine`
    stands for the header and the source). A word counts as a path if it has a slash, consists of letters, digits and ._+-, and
    begins with a folder at the top of the tree that is committed. Words in capitals (`docs/NAME`) are placeholders, and words
    like `workspace/applyEdit` are methods of LSP."""
    folders = (path for path in root.glob("*/") if path.is_dir())
    tops = {path.name for path in folders if not path.name.startswith(("build", "."))}
    stale = []
    for span in re.findall(r"`([^`]+)`", "\n".join(without_code_blocks(file.read_text(encoding="utf-8")))):
        for word in span.split():
            if re.fullmatch(r"workspace/([a-z]+[A-Z]\w*|configuration)", word):
                continue
            if not re.fullmatch(r"[\w.+-]+(/[\w.+-]+)+/?|[\w-]+/", word) or word.split("/")[0] not in tops:
                continue
            path = root / word
            is_placeholder = re.search(r"(^|/)[A-Z]+(/|$)", word) and not path.exists()
            if not (path.exists() or list(path.parent.glob(path.name + ".*")) or is_placeholder):
                stale.append(word)
    return stale


class CommittedFiles(unittest.TestCase):
    def setUp(self):
        self.files = committed_files()
        if not self.files:
            self.skipTest("not a git checkout")

    def test_sources_fit_their_size(self):
        sources = [file for file in self.files if file.suffix in SOURCES]
        long = [f"{file.relative_to(ROOT)}: {lines} lines" for file in sources
                if (lines := len(file.read_bytes().splitlines())) > MAX_LINES and "cases" not in file.parts]
        self.assertEqual(long, [])

    def test_name_no_registry_and_no_place_of_one_machine(self):
        found = []
        for file in self.files:
            content = file.read_bytes()
            found += [f"{file.relative_to(ROOT)}: {word}" for word in HOSTS + PLACES if word.encode() in content]
        self.assertEqual(found, [])

    def test_start_threads_by_name(self):
        sources = [file for file in self.files if file.suffix in {".h", ".cpp", ".cu"}
                   and file.relative_to(ROOT).parts[0] not in {"tests", "tools", "editors"}
                   and file.name != "named_thread.h"]
        unnamed = [f"{file.relative_to(ROOT)}: {found.group()}" for file in sources
                   for found in UNNAMED_THREAD.finditer(file.read_text())]
        self.assertEqual(unnamed, [])

    def test_the_readme_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text(encoding="utf-8").split()), MAX_README_WORDS)

    def test_documents_are_wrapped_and_their_links_lead_somewhere(self):
        found = []
        for file in self.files:
            if file.suffix == ".md":
                name = file.relative_to(ROOT)
                found += [f"{name}:{line}: too wide" for line in wide_lines(file.read_text(encoding="utf-8"))]
                found += [f"{name}: {link}: dead link" for link in dead_links(file)]
                found += [f"{name}: {path}: no such path" for path in stale_paths(file, ROOT)]
        self.assertEqual(found, [])


class Documents(unittest.TestCase):
    def test_the_limits_name_every_language_with_a_grammar(self):
        said = re.search(r"^- redraft knows definitions.*?\n(?=- |\n)", (ROOT / "docs/limits.md").read_text(), re.S | re.M)
        words = re.findall(r"\w+", said[0].replace("C++", "Cpp").replace("C#", "CSharp").lower())
        rows = re.findall(r"^REDRAFT_LANGUAGE\(k(\w+),", (ROOT / "languages/languages.inc").read_text(), re.M)
        same = {"tsx": "typescript"}
        self.assertEqual([row for row in rows if same.get(row.lower(), row.lower()) not in words], [])

    def test_the_models_page_names_every_architecture(self):
        said = "\n".join(re.findall(r"^\| `.*", (ROOT / "docs/models.md").read_text(), re.M))
        rows = re.findall(r'Architecture\{\.name = "(\w+)"', (ROOT / "decoding/model/architecture.cpp").read_text())
        self.assertEqual([row for row in rows if row not in re.findall(r"\w+", said)], [])
        self.assertIn("llama", rows)

    def test_the_table_of_folders_is_what_the_build_says(self):
        run = subprocess.run([sys.executable, "-B", ROOT / "tools/folder_table.py", "--check"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_paths_that_do_not_exist_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lsp/wire").mkdir(parents=True)
            (root / "workspace").mkdir()
            (root / "lsp/wire/framing.h").touch()
            file = root / "document.md"
            file.write_text("`lsp/` `lsp/wire/` `lsp/wire/framing` `lsp/wire/framing.h` `lsp/NAME` `utf8/x` `a/b` `text/plain` `workspace/applyEdit`\n"
                            "`python lsp/wire/framing.h --x`\n```\n`lsp/gone`\n```\n")
            self.assertEqual(stale_paths(file, root), [])
            file.write_text("`lsp/gone` `lsp/wire/frame.h` `x lsp/wire/gone.py`\n")
            self.assertEqual(stale_paths(file, root), ["lsp/gone", "lsp/wire/frame.h", "lsp/wire/gone.py"])

    def test_what_is_wrong_is_found(self):
        wide = "word " * 30
        self.assertEqual(wide_lines(f"{wide}\n|{wide}\n```\n{wide}\n```\n- {wide}\n{'x' * 120}\n"), [1, 6])
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "there.md").write_text("# A `code` heading: it's here\n")
            file = pathlib.Path(folder) / "document.md"
            file.write_text("[a](there.md) [b](there.md#a-code-heading-its-here) [c](https://x.example) `[d](gone.md)`\n"
                            "# Here\n[e](#here) [f](.)\n```\n[g](gone.md)\n```\n")
            self.assertEqual(dead_links(file), [])
            file.write_text("[a](gone.md) ![b](gone.svg) [c](there.md#gone) [d](#gone)\n")
            self.assertEqual(dead_links(file), ["gone.md", "gone.svg", "there.md#gone", "#gone"])


if __name__ == "__main__":
    unittest.main()
