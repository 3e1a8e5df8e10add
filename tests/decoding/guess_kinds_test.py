"""That a drafting source which leaves out a part of its kinds does not compile: it would silently never draft. Each line
that is marked as wrong must be an error, and no other line."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RIGHT = """\
#include "decoding/drafting/redraft/sources/guess_source.h"
namespace redraft {
constexpr WhenFirst kFirst(.1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99);
constexpr WhenLater kLater = WhenLater::same(.1);
constexpr GuessKind kKind("kind", DraftOrigin::kCopy, kFirst, kLater);
struct Source : StatelessSource {
  explicit Source(const SourceInputs& inputs) : kind(inputs.kinds.add(kKind)) {}
  void add_guesses(const Branch&, std::vector<Guess>& out) const override { out.push_back({1, kind, 0}); }
  GuessKindId kind;
};
Source complete(const SourceInputs& inputs) { return Source(inputs); }
"""
WRONG = """\
constexpr GuessKind no_priors("kind", DraftOrigin::kCopy);
constexpr GuessKind no_later("kind", DraftOrigin::kCopy, kFirst);
constexpr GuessKind exchanged("kind", DraftOrigin::kCopy, kLater, kFirst);
constexpr GuessKind no_origin("kind", kFirst, kLater);
constexpr GuessKind no_name("", DraftOrigin::kCopy, kFirst, kLater);
constexpr WhenFirst a_share_too_few(.1, .2, .3, .4, .5, .6, .7, .8, .9, .95);
constexpr WhenFirst a_share_of_zero(.0, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99);
constexpr WhenFirst a_share_of_one(.1, .2, .3, .4, .5, .6, .7, .8, .9, .95, 1.0);
constexpr WhenLater never = WhenLater::same(0.);
struct Unregistered : StatelessSource { explicit Unregistered(const SourceInputs&) {} GuessKindId kind; };
GuessKindId made_up{0};
struct Silent : StatelessSource {}; Silent silent;
struct Stuck : SourceWith<int> { int at_end() const override { return 0; } }; Stuck stuck;
struct Heavy : SourceWith<std::vector<int>> {}; Heavy heavy;
"""


def error_lines(source):
    """The lines of `source` to which the compiler attributes an error, and its messages."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "source.cpp")
        file.write_text(source)
        command = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", f"-I{ROOT}", str(file)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=250).stderr
    return {int(line) for line in re.findall(rf"^{re.escape(str(file))}:(\d+):", said, re.MULTILINE)}, said


class GuessKindsTest(unittest.TestCase):
    def test_a_complete_source_compiles(self):
        lines, said = error_lines(RIGHT + "}\n")
        self.assertEqual((lines, said), (set(), ""))

    def test_whatever_is_left_out_is_an_error(self):
        first = RIGHT.count("\n") + 1
        lines, said = error_lines(RIGHT + WRONG + "}\n")
        for number, line in enumerate(WRONG.splitlines(), first):
            self.assertIn(number, lines, f"this compiles: {line}\n{said}")

    def test_the_documents_name_every_origin(self):
        origins = re.findall(r'\{DraftOrigin::k\w+, "(\w+)"\}', (ROOT / "decoding/draft_origin.h").read_text())
        self.assertIn("reuse", origins)
        for document, row in (("glossary.md", "| **origin** |"), ("decoding.md", "| by source (origin) |")):
            lines = (ROOT / "docs" / document).read_text().splitlines()
            words = [set(re.findall(r"\w+", line)) for line in lines if line.startswith(row)]
            self.assertEqual(len(words), 1, f"{document} has a row {row}")
            self.assertEqual(set(origins) - words[0], set(), document)


if __name__ == "__main__":
    unittest.main()
