"""Holds every #include to the declared layers, and shows that a violation would be found."""

import pathlib
import tempfile
import unittest

from layers import Layers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class TheTree(unittest.TestCase):
    def test_includes_what_its_layers_allow(self):
        layers = Layers(ROOT)
        self.assertGreater(len(list(layers.sources())), 20)
        self.assertEqual(layers.violations(), [])

    def test_has_no_circle(self):
        self.assertEqual(Layers(ROOT).cycle(), [])

    def test_has_no_circle_of_top_folders(self):
        # The command line of the benches is in bench/ still, and `redraft` contains it.
        self.assertEqual(Layers(ROOT).top_cycle(), [])


class ASmallTree(unittest.TestCase):
    """upper may include lower; nothing else."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("lower/CMakeLists.txt", "redraft_library(lower\n  SOURCES a.cpp\n  DEPENDS\n  EXTERNAL x::x)")
        self.write("upper/CMakeLists.txt", "redraft_library(upper\n  SOURCES b.cpp  # DEPENDS nothing\n  DEPENDS lower)")
        self.write("lower/a.h", "#pragma once\n#include <vector>\n")
        self.write("upper/b.h", '#pragma once\n#include "lower/a.h"\n')

    def write(self, path, text):
        file = pathlib.Path(self.folder.name) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def violations(self):
        return Layers(self.folder.name).violations()

    def test_is_clean(self):
        self.assertEqual(self.violations(), [])

    def test_reports_an_include_against_the_direction(self):
        self.write("lower/a.h", '#include "upper/b.h"\n')
        self.assertEqual(self.violations(), ["lower/a.h:1: #include upper/b.h: lower does not list upper in DEPENDS"])

    def test_reports_an_owned_header_outside_its_folder(self):
        self.write("upper/b.h", "#include <torch/torch.h>\n")
        self.assertEqual(self.violations(), ["upper/b.h:1: #include torch/torch.h: only decoding/model, tuning may"])

    def test_reports_a_speed_where_answers_are_decided(self):
        self.write("workspace/edit/CMakeLists.txt", "redraft_library(edit SOURCES a.cpp DEPENDS lower)")
        reason = "what decides an answer must not depend on the machine's speed"
        for code, found in (("int f(Engine& e) { return e.cost_curve().tokens_read_in(1, 9); }", "cost_curve"),
                            ("#include <chrono>", "#include <chrono>"),
                            ("bool slow(const DecodeStatistics& s) { return s.tokens_per_second() < 9; }", "tokens_per_second")):
            self.write("workspace/edit/a.cpp", f"// The cost_curve is elsewhere.\n{code}\n")
            self.assertEqual(self.violations(), [f"workspace/edit/a.cpp:2: {found}: {reason}"])
            self.write("upper/b.cpp", f"{code}\n")
            self.write("workspace/edit/a.cpp", "")
            self.assertEqual(self.violations(), [])

    def test_reports_an_include_that_is_no_path_from_the_top(self):
        self.write("upper/b.cpp", '#include "b.h"\n')
        self.assertEqual(self.violations(), ["upper/b.cpp:1: #include b.h: not a path from the top of the tree"])

    def test_reports_a_source_outside_every_library(self):
        self.write("stray/c.cpp", "")
        self.assertEqual(self.violations(), ["stray/c.cpp: belongs to no library"])

    def test_reports_a_circle(self):
        self.write("lower/CMakeLists.txt", "redraft_library(lower SOURCES a.cpp DEPENDS upper)")
        self.assertEqual(Layers(self.folder.name).cycle(), ["lower", "upper", "lower"])

    def test_reports_a_circle_of_top_folders_whose_libraries_have_none(self):
        self.assertEqual(Layers(self.folder.name).top_cycle(), [])
        self.write("lower/words/CMakeLists.txt", "redraft_library(words SOURCES w.cpp DEPENDS upper)")
        layers = Layers(self.folder.name)
        self.assertEqual(layers.cycle(), [])
        self.assertEqual(layers.top_cycle(), ["lower", "upper", "lower"])
        self.assertEqual(layers.top_cycle([("lower", "upper")]), [])


if __name__ == "__main__":
    unittest.main()
