#!/usr/bin/env python3
"""Writes text/unicode_ranges.inc: which code points are letters, numbers, white space, punctuation, numeric, marks, and
which letters are of upper or title case, and of lower case.

Usage: make_unicode_tables.py OUTPUT            writes it
       make_unicode_tables.py --verify OUTPUT   compares it over all code points

The tables are what the regular expressions of the `tokenizers` package match as \\p{L}, \\p{N}, \\s, \\p{P}, \\p{M}, \\p{Lu} or
\\p{Lt}, and \\p{Ll}, found by trying every code point. That is Unicode 16.0.0 (equal to the categories in unicodedata2
16.0.0, unlike those in 15.1.0 and 17.0.0). The package's Digits pre-tokenizer uses Rust's standard library instead, which
has 13 more numbers, from Unicode 17.0.0: the difference between Numeric and Number. The package is pinned in
tests/text/requirements.lock.
"""
import re
import sys

UNICODE = "16.0.0"
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
DIGITS = "Digits"  # the pre-tokenizer of that name, not a pattern
PATTERNS = {"Letter": r"\p{L}", "Number": r"\p{N}", "Space": r"\s", "Punctuation": r"\p{P}", "Numeric": DIGITS,
            "Mark": r"\p{M}", "Upper": r"[\p{Lu}\p{Lt}]", "Lower": r"\p{Ll}"}
HEADER = f"""\
// Written by tools/make_unicode_tables.py from Unicode {UNICODE}; do not edit. First and last code point of each range.
// clang-format off
"""


def ranges_of(code_points):
    ranges = []
    for code_point in sorted(code_points):
        if ranges and ranges[-1][1] == code_point - 1:
            ranges[-1][1] = code_point
        else:
            ranges.append([code_point, code_point])
    return ranges


def write(path):
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEADER)
        for name, pattern in PATTERNS.items():
            out.write(f"constexpr CodePointRange k{name}Ranges[] = {{\n")
            line = "   "
            for first, last in ranges_of(members_in_package(pattern)):
                item = f" {{0x{first:X}, 0x{last:X}}},"
                if len(line) + len(item) > 100:
                    out.write(line + "\n")
                    line = "   "
                line += item
            out.write(line + "\n};\n")


def read(path):
    text = open(path, encoding="utf-8").read()
    sets = {}
    for name, body in re.findall(r"k(\w+)Ranges\[\] = \{(.*?)\n\};", text, re.S):
        pairs = re.findall(r"\{0x([0-9A-F]+), 0x([0-9A-F]+)\}", body)
        sets[name] = {c for first, last in pairs for c in range(int(first, 16), int(last, 16) + 1)}
    return sets


def members_in_package(pattern):
    """The code points that `pattern` matches in the package's own engine."""
    from tokenizers import Regex, pre_tokenizers

    # A letter before each code point separates neighbours, so that every match is one code point.
    if pattern == DIGITS:
        split = pre_tokenizers.Digits(individual_digits=True)
    else:
        split = pre_tokenizers.Split(Regex(r"(?<=x)" + pattern), "isolated")
    members = set()
    for start in range(0, len(CODE_POINTS), 4096):
        chunk = CODE_POINTS[start : start + 4096]
        matches = set()
        for _, (begin, end) in split.pre_tokenize_str("".join("x" + chr(c) for c in chunk)):
            if end == begin + 1 and begin % 2 == 1:
                matches.add(begin // 2)
        members.update(chunk[i] for i in matches)
    return members


def verify(path):
    tables = read(path)
    wrong = 0
    for name, pattern in PATTERNS.items():
        difference = tables[name] ^ members_in_package(pattern)
        wrong += len(difference)
        print(f"{name}: {len(tables[name])} code points, {len(difference)} differ from the package")
    letters = tables["Upper"] | tables["Lower"] | members_in_package(r"[\p{Lm}\p{Lo}]")
    wrong += len(letters ^ tables["Letter"]) + len(tables["Upper"] & tables["Lower"])
    symbols = set(CODE_POINTS) - tables["Letter"] - tables["Number"] - tables["Space"]
    wrong += len(symbols ^ members_in_package(r"[^\s\p{L}\p{N}]"))
    print(f"{len(CODE_POINTS)} code points compared, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--verify":
        sys.exit(verify(sys.argv[2]))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(sys.argv[1])
