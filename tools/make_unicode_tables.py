#!/usr/bin/env python3
"""Writes decoding/text/unicode_ranges.inc: which code points are letters, numbers and white space.

Usage: make_unicode_tables.py OUTPUT            (needs unicodedata2 of UNICODE below)
       make_unicode_tables.py --verify OUTPUT   (needs tokenizers)

The categories come from unicodedata2 at the Unicode version that the regular expressions of the `tokenizers` package
know; --verify asks that package about every code point there is and compares. Both packages are pinned in
tools/reference/tokenizer-requirements.lock.
"""
import re
import sys

UNICODE = "16.0.0"
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
# White_Space as that engine's \s has it: U+001C..U+001F are not in it, U+0085 is.
SPACES = {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F,
          0x205F, 0x3000}
HEADER = f"""\
// Written by tools/make_unicode_tables.py from Unicode {UNICODE}; do not edit. First and last code point of each range.
// clang-format off
"""


def category_sets():
    import unicodedata2

    if unicodedata2.unidata_version != UNICODE:
        sys.exit(f"unicodedata2 has Unicode {unicodedata2.unidata_version}, wanted {UNICODE}")
    of = lambda initial: {c for c in CODE_POINTS if unicodedata2.category(chr(c))[0] == initial}
    return {"Letter": of("L"), "Number": of("N"), "Space": SPACES}


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
        for name, members in category_sets().items():
            out.write(f"constexpr CodePointRange k{name}Ranges[] = {{\n")
            line = "   "
            for first, last in ranges_of(members):
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
    """The code points that `pattern` matches, as the package's own engine says."""
    from tokenizers import Regex, pre_tokenizers

    split = pre_tokenizers.Split(Regex(pattern), "removed")
    members = set()
    for start in range(0, len(CODE_POINTS), 4096):
        chunk = CODE_POINTS[start : start + 4096]
        kept = set()
        for _, (begin, end) in split.pre_tokenize_str("".join(map(chr, chunk))):
            kept.update(range(begin, end))
        members.update(c for i, c in enumerate(chunk) if i not in kept)
    return members


def verify(path):
    tables = read(path)
    wrong = 0
    for name, pattern in (("Letter", r"\p{L}"), ("Number", r"\p{N}"), ("Space", r"\s")):
        difference = tables[name] ^ members_in_package(pattern)
        wrong += len(difference)
        print(f"{name}: {len(tables[name])} code points, {len(difference)} differ from the package")
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
