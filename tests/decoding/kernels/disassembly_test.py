"""Which instructions each file of the kernels library holds: those of its own set alone.

    disassembly_test.py OBJDUMP ARCHIVE

A function that the compiler shares between files, such as an inline one, would bring instructions to processors that lack
them; the linker takes any of the copies.
"""

import re
import subprocess
import sys
import unittest

ARCHIVE = sys.argv.pop()
OBJDUMP = sys.argv.pop()
WIDE = re.compile(r"%zmm|%[xy]mm(?:1[6-9]|2\d|3[01])\b|\{%k")  # AVX-512 alone has these registers
AVX = re.compile(r"%ymm|\tv[a-z]")
DPBUSD = re.compile(r"vpdpbusd")
DOT_PRODUCT = re.compile(r"\t[su]dot\t")
MATRIX = re.compile(r"\t(?:[su]|us)mmla\t|\t(?:us|su)dot\t")  # of FEAT_I8MM
MANY_SETS = {"machine_peak.cpp"}  # names the set of each function


def instructions():
    """{file: lines of its disassembly}"""
    text = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", ARCHIVE], check=True, capture_output=True, text=True).stdout
    parts = re.split(r"^(\S+)\.o: +file format .*$", text, flags=re.MULTILINE)
    return {name: body.splitlines() for name, body in zip(parts[1::2], parts[2::2])}


class Instructions(unittest.TestCase):
    FIRST = ""  # a file that a library for this processor has

    @classmethod
    def setUpClass(cls):
        cls.files = instructions()
        if cls.FIRST not in cls.files:
            raise unittest.SkipTest("the library is for another processor")

    def found(self, name, pattern):
        return [line.strip() for line in self.files[name] if pattern.search(line)][:3]


class OfX86(Instructions):
    FIRST = "linear_avx2.cpp"

    def test_there_are_files_of_each_set(self):
        for name in ("linear_portable.cpp", "linear_avx2.cpp", "linear_avx_vnni.cpp", "linear_avx512.cpp", "linear_amx.cpp"):
            self.assertGreater(len(self.files[name]), 100, name)

    def test_avx512_is_in_its_files_alone(self):
        self.assertTrue(self.found("linear_avx512.cpp", WIDE))
        for name in self.files:
            if not re.search("avx512|_amx", name) and name not in MANY_SETS:
                self.assertEqual(self.found(name, WIDE), [], name)

    def test_avx_is_in_its_files_alone(self):
        for name in self.files:
            if not re.search("avx|_amx", name) and name not in MANY_SETS:
                self.assertEqual(self.found(name, AVX), [], name)

    def test_avx_vnni_multiplies_in_the_vex_form(self):
        products = [line for line in self.files["linear_avx_vnni.cpp"] if DPBUSD.search(line)]
        self.assertTrue(products)
        self.assertEqual([line for line in products if "{vex}" not in line or "%ymm" not in line], [])
        self.assertEqual(self.found("linear_avx2.cpp", DPBUSD), [])


class OfAArch64(Instructions):
    FIRST = "linear_neon_dotprod.cpp"

    def test_dot_products_are_in_their_file_alone(self):
        for name in self.files:
            self.assertEqual(bool(self.found(name, DOT_PRODUCT)), name == "linear_neon_dotprod.cpp", name)

    def test_matrix_products_are_in_their_file_alone(self):
        for name in self.files:
            self.assertEqual(bool(self.found(name, MATRIX)), name == "linear_neon_i8mm.cpp", name)


del Instructions  # no test of its own


if __name__ == "__main__":
    unittest.main()
