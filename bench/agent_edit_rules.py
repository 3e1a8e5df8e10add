"""The matching rules of the edit tools of two open agents, re-implemented as data for comparison.

aider     editblock_coder.py of Aider-AI/aider: the old text as it is; with all lines deeper by the same blanks; without a blank
          first line; with lines of "..." that stand for others. The first place counts.
opencode  edit.ts of sst/opencode: nine ways in turn, of which the first that finds one place counts. They find the text as it
          is, but for blanks around lines, by its first and last line, with single blanks, but for a common indentation, with
          escapes resolved, trimmed, and by its first and last line with half of those between.

Both take an old text and a new one. A rule returns the new file, or None where the tool reports an error."""

import re


def aider(text, old, new):
    lines, old_lines, new_lines = (split(one) for one in (text, old, new))
    for skipped in (0, 1):
        if skipped and (len(old_lines) <= 2 or old_lines[0].strip()):
            continue
        for way in (at_first_place, at_deeper_place):
            result = way(lines, old_lines[skipped:], new_lines)
            if result is not None:
                return "".join(result)
    return between_dots(text, old, new)


def split(text):
    return (text if text.endswith("\n") or not text else text + "\n").splitlines(keepends=True)


def at_first_place(lines, old, new):
    n = len(old)
    for i in range(len(lines) - n + 1):
        if lines[i:i + n] == old:
            return lines[:i] + new + lines[i + n:]
    return None


def at_deeper_place(lines, old, new):
    written = [len(line) - len(line.lstrip()) for line in old + new if line.strip()]
    less = min(written, default=0)
    old, new = ([line[less:] if line.strip() else line for line in side] for side in (old, new))
    n = len(old)
    for i in range(len(lines) - n + 1):
        there = lines[i:i + n]
        if any(a.lstrip() != b.lstrip() for a, b in zip(there, old)):
            continue
        added = {a[:len(a) - len(b)] for a, b in zip(there, old) if a.strip()}
        if len(added) == 1:
            blanks = added.pop()
            return lines[:i] + [blanks + line if line.strip() else line for line in new] + lines[i + n:]
    return None


def between_dots(text, old, new):
    dots = re.compile(r"(^\s*\.\.\.\n)", re.MULTILINE)
    olds, news = dots.split(old), dots.split(new)
    if len(olds) == 1 or len(olds) != len(news) or olds[1::2] != news[1::2]:
        return None
    for piece, replacement in zip(olds[::2], news[::2]):
        if not piece and replacement:
            text += ("" if text.endswith("\n") else "\n") + replacement
        elif piece:
            if text.count(piece) != 1:
                return None
            text = text.replace(piece, replacement, 1)
    return text


# opencode

def opencode(text, old, new):
    old, new = old[:-1], new[:-1]  # its texts end without a newline
    if not new and (old + "\n") in text:
        old += "\n"
    for way in WAYS:
        for found in way(text, old):
            first = text.find(found)
            if first >= 0 and first == text.rfind(found):
                return text[:first] + new + text[first + len(found):]
    return None


def as_it_is(_, old):
    yield old


def windows(text, n):
    lines = text.split("\n")
    for i in range(len(lines) - n + 1):
        yield lines[i:i + n]


def but_for_blanks(text, old):
    wanted = [line.strip() for line in old.split("\n")]
    for there in windows(text, len(wanted)):
        if [line.strip() for line in there] == wanted:
            yield "\n".join(there)


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


def by_ends(text, old):
    """By the first and the last line; of several places the one whose lines between are the most alike."""
    wanted, lines = [line.strip() for line in old.split("\n")], text.split("\n")
    if len(wanted) < 3:
        return
    places = []
    for i, line in enumerate(lines):
        end = next((j for j in range(i + 2, len(lines)) if lines[j].strip() == wanted[-1]), None)
        if line.strip() == wanted[0] and end is not None:
            places.append((i, end))
    if len(places) > 1:
        likeness = [sum_of_likeness(wanted, [line.strip() for line in lines[i:j + 1]]) for i, j in places]
        best = max(likeness)
        places = [places[likeness.index(best)]] if best >= 0.3 else []
    for i, j in places:
        yield "\n".join(lines[i:j + 1])


def sum_of_likeness(wanted, there):
    n = min(len(wanted), len(there)) - 2
    if n <= 0:
        return 1.0
    total = 0.0
    for a, b in zip(wanted[1:n + 1], there[1:n + 1]):
        total += (1 - distance(a, b) / max(len(a), len(b))) / n if a or b else 0
    return total


def with_single_blanks(text, old):
    def single(one):
        return re.sub(r"\s+", " ", one).strip()

    wanted = single(old)
    for line in text.split("\n"):
        if single(line) == wanted:
            yield line
        elif wanted and wanted in single(line):
            match = re.search(r"\s+".join(map(re.escape, old.split())), line)
            if match:
                yield match.group()
    n = old.count("\n") + 1
    if n > 1:
        for there in windows(text, n):
            if single("\n".join(there)) == wanted:
                yield "\n".join(there)


def without_indentation(lines):
    less = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[less:] if line.strip() else line for line in lines]


def but_for_indentation(text, old):
    wanted = without_indentation(old.split("\n"))
    for there in windows(text, len(wanted)):
        if without_indentation(there) == wanted:
            yield "\n".join(there)


def without_escapes(text):
    names = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\([ntr'\"`\\\n$])", lambda match: names.get(match.group(1), match.group(1)), text)


def with_escapes_resolved(text, old):
    wanted = without_escapes(old)
    if wanted in text:
        yield wanted
        return
    for there in windows(text, wanted.count("\n") + 1):
        if without_escapes("\n".join(there)) == wanted:
            yield "\n".join(there)


def but_for_its_ends(text, old):
    wanted = old.strip()
    if wanted == old:
        return
    if wanted in text:
        yield wanted
        return
    for there in windows(text, old.count("\n") + 1):
        if "\n".join(there).strip() == wanted:
            yield "\n".join(there)


def by_half_of_its_lines(text, old):
    wanted = [line.strip() for line in old.split("\n")]
    if len(wanted) < 3:
        return
    for there in windows(text, len(wanted)):
        lines = [line.strip() for line in there]
        if lines[0] != wanted[0] or lines[-1] != wanted[-1]:
            continue
        between = [(a, b) for a, b in zip(lines[1:-1], wanted[1:-1]) if a or b]
        if not between or 2 * sum(a == b for a, b in between) >= len(between):
            yield "\n".join(there)


WAYS = (as_it_is, but_for_blanks, by_ends, with_single_blanks, but_for_indentation, with_escapes_resolved, but_for_its_ends,
        by_half_of_its_lines)
RULES = {"aider": aider, "opencode": opencode}


def applied(rule, text, pairs):
    """The file after all pairs, one after the other; None: one has no place."""
    for old, new in pairs:
        text = RULES[rule](text, old, new)
        if text is None:
            return None
    return text
