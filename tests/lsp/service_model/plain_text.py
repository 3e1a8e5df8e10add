"""Texts as the model of the service has them: bytes in UTF-8, positions in the client's encoding, and where a place is after
a change. Nothing here is quick; it is meant to be seen to be right."""

import dataclasses
import re

LINE_END = re.compile(rb"\r\n|\n|\r")
MARK = "\ufeff".encode()
UNITS = {"utf-8": lambda c: len(c.encode()), "utf-16": lambda c: len(c.encode("utf-16-le")) // 2, "utf-32": lambda c: 1}


def lines(text):
    """(beginning, end without the line end, end) of each line; the last one has no line end."""
    begin, found = 0, []
    for match in LINE_END.finditer(text):
        found.append((begin, match.start(), match.end()))
        begin = match.end()
    return found + [(begin, len(text), len(text))]


def position(text, offset, encoding):
    """The LSP position of a character's first byte that is not within a line end."""
    all_lines = lines(text)
    number = max(i for i, (begin, _, _) in enumerate(all_lines) if begin <= offset)
    before = text[all_lines[number][0]:offset].decode()
    return {"line": number, "character": sum(UNITS[encoding](c) for c in before)}


def span(text, begin, end, encoding):
    return {"start": position(text, begin, encoding), "end": position(text, end, encoding)}


def offset(text, at, encoding):
    """Of a position that is in the text; AssertionError for any other."""
    all_lines = lines(text)
    assert 0 <= at["line"] < len(all_lines), f"{at} is not in {text!r}"
    begin, end, _ = all_lines[at["line"]]
    units = 0
    for character in text[begin:end].decode():
        if units >= at["character"]:
            break
        units += UNITS[encoding](character)
        begin += len(character.encode())
    assert units == at["character"], f"{at} is not in {text!r}"
    return begin


def offsets(text, place, encoding):
    begin, end = offset(text, place["start"], encoding), offset(text, place["end"], encoding)
    assert begin <= end, place
    return begin, end


def boundaries(text):
    """The offsets that a position can name."""
    inside_line_ends = {match.start() + 1 for match in re.finditer(rb"\r\n", text)}
    return [i for i in range(len(text) + 1)
            if (i == len(text) or text[i] & 0xC0 != 0x80) and i not in inside_line_ends]


def is_line_start(text, at):
    if at == 0 or text[at - 1:at] == b"\n":
        return True
    if text[at - 1:at] == b"\r":
        return text[at:at + 1] != b"\n"
    return at == len(MARK) and text.startswith(MARK)


@dataclasses.dataclass
class Change:
    """What was changed, without what is the same before and after at both ends of it."""

    begin: int
    end: int
    new_size: int
    begin_was_line_start: bool = False
    begin_is_line_start: bool = False
    end_was_line_start: bool = False
    end_is_line_start: bool = False


def change(text, begin, end, new):
    """The text after it, and the Change."""
    old = text[begin:end]
    prefix = 0
    while prefix < min(len(old), len(new)) and old[prefix] == new[prefix]:
        prefix += 1
    suffix = 0
    while suffix < min(len(old), len(new)) - prefix and old[-1 - suffix] == new[-1 - suffix]:
        suffix += 1
    made = Change(begin + prefix, end - suffix, len(new) - prefix - suffix)
    after = text[:begin] + new + text[end:]
    made.begin_was_line_start = is_line_start(text, made.begin)
    made.end_was_line_start = is_line_start(text, made.end)
    made.begin_is_line_start = is_line_start(after, made.begin)
    made.end_is_line_start = is_line_start(after, made.begin + made.new_size)
    return after, made


def followed(made, begin, end):
    """Where a hunk's place is after the change; None if the change touched it or joined its lines with others."""
    if made.begin == made.end and made.new_size == 0:
        return begin, end
    if made.begin >= end:
        stands = made.begin > end or (made.begin_was_line_start and made.begin_is_line_start)
        return (begin, end) if stands else None
    if made.end > begin or (made.end == begin and made.end_was_line_start and not made.end_is_line_start):
        return None
    by = made.new_size - (made.end - made.begin)
    return begin + by, end + by


def overlap(one, other):
    return one == other or (one[0] < other[1] and other[0] < one[1])
