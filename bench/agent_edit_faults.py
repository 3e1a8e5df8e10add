"""What agents get wrong when they write an edit: one fault for each case, drawn from a seed."""

import re

from agent_edit_cases import (COMMENT, FORMS, Hunk, Source, applied, commits, demand, loose_places, says_something, search_form,
                              text)

CONTEXTS = [1, 2, 3, 3]
TRIES = 2  # cases of each hunk and fault
LOOSE_FORMS = ["search", "search", "diff without numbers", "diff with wrong numbers", "codex"]
KEYWORDS = set("""and assert async await bool boolean break byte case catch char class const constexpr continue crate default
def delete double elif else enum except export extends extern false final finally float from func function global impl import
include interface lambda long loop match module mutable namespace none nonlocal null operator override package pass private
protected public raise range return select self short signed sizeof static string struct super switch template this throw throws
trait true try type typedef typename undefined union unsigned using virtual void volatile while with yield where unsafe string
int8 int16 int32 int64 uint8 uint16 uint32 uint64 size_t usize isize require todo then when define endif ifdef ifndef error"""
               .split())


def with_lines(hunk, change):
    """The hunk with each line changed alike, whichever side it is on."""
    return Hunk(hunk.begin, [(mark, change(line)) for mark, line in hunk.lines])


def exact(source, hunk, rnd):
    form = rnd.choice(list(FORMS))
    must, places = demand(source.before, hunk.old, form == "diff")
    return form, "", source.before, hunk, applied(source.before, [hunk]), must, places


def unit_of(lines):
    """The width of an indentation, in spaces; 0: tabs."""
    if any(line.startswith("\t") for line in lines):
        return 0
    widths = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    steps = [b - a for a, b in zip(widths, widths[1:]) if b > a]
    return 2 if steps.count(2) > steps.count(4) else 4


def tabs(source, hunk, rnd):
    unit = unit_of(source.before)
    new_unit = rnd.choice([2, 4, 8] if unit == 0 else [0, 0, 2 if unit == 4 else 4])

    def written(line):
        blanks = line[:len(line) - len(line.lstrip(" \t"))]
        levels = len(blanks) - len(blanks.lstrip("\t")) if unit == 0 else (len(blanks) - len(blanks.lstrip(" "))) // unit
        return ("\t" if new_unit == 0 else " " * new_unit) * levels + line[levels * max(unit, 1):]

    faulty = with_lines(hunk, written)
    if faulty.old == hunk.old:
        return None
    must, places = demand(source.before, faulty.old)
    kind = f"{unit or 'tab'} as {new_unit or 'tab'}"
    return rnd.choice(LOOSE_FORMS), kind, source.before, faulty, applied(source.before, [hunk]), must, places


def is_only_one(hunk, line):
    """Of equal lines, a change does not say which one goes."""
    return sum(other.strip() == line.strip() for _, other in hunk.lines) == 1


def trailing(source, hunk, rnd):
    """The file has blanks at the ends of some lines."""
    lines, here = list(source.before), [i for i, line in enumerate(hunk.old) if is_only_one(hunk, line)]
    if not here:
        return None
    chosen = rnd.sample(here, min(len(here), rnd.choice([1, 2, 3])))
    for i in chosen:
        lines[hunk.begin + i] += rnd.choice([" ", "  ", "\t", "    "])
    at, in_file = 0, []
    for mark, line in hunk.lines:
        in_file.append((mark, line if mark == "+" else lines[hunk.begin + at]))
        at += mark != "+"
    exact_old = hunk.old
    loose = loose_places(lines, exact_old)
    must, places = ("either", loose) if len(loose) > 1 else ("place", [])
    return rnd.choice(LOOSE_FORMS), "", lines, hunk, applied(lines, [Hunk(hunk.begin, in_file)]), must, places


def mutated_word(line, rnd):
    """The line with another word or number, and both words; None: it has none."""
    words = [word for word in re.finditer(r"[A-Za-z_]\w{2,}|\b\d+\b", line) if word.group().lower() not in KEYWORDS]
    if not words:
        return None
    word = rnd.choice(words)
    old = word.group()
    new = str(int(old) + rnd.choice([1, 7, 10])) if old.isdigit() else rnd.choice([old + "_old", old + "2", "prev_" + old])
    return line[:word.start()] + new + line[word.end():], old, new


def with_stale_word(hunk, rnd):
    """A line of the change is older than the file's."""
    choices = [i for i, (mark, line) in enumerate(hunk.lines) if mark != "+" and mutated_word(line, rnd)]
    if not choices:
        return None
    at = rnd.choice(choices)
    mark, line = hunk.lines[at]
    stale, word, other = mutated_word(line, rnd)
    lines = list(hunk.lines)
    lines[at] = (mark, stale)
    if mark == "-":  # the line in its place was written from it
        end = at
        while end < len(lines) and lines[end][0] == "-":
            end += 1
        for i in range(end, len(lines)):
            if lines[i][0] != "+":
                break
            if re.search(rf"\b{word}\b", lines[i][1]):
                lines[i] = ("+", re.sub(rf"\b{word}\b", other, lines[i][1], count=1))
                break
    return Hunk(hunk.begin, lines), at


def with_stale_tail(hunk, rnd, language):
    choices = [i for i, (mark, line) in enumerate(hunk.lines) if mark != "+" and says_something([line])]
    if not choices:
        return None
    at = rnd.choice(choices)
    mark, line = hunk.lines[at]
    comment = f"  {COMMENT.get(language, '//')} {rnd.choice(['see below', 'temporary', 'checked', 'not used yet'])}"
    lines = list(hunk.lines)
    lines[at] = (mark, line + comment)
    return Hunk(hunk.begin, lines), at


def without_a_line(hunk, rnd):
    """The file has got a line since."""
    old = [i for i, (mark, _) in enumerate(hunk.lines) if mark != "+"]
    choices = [i for i in old[1:-1] if hunk.lines[i][0] == " " and hunk.lines[i][1].strip()]
    if not choices:
        return None
    at = rnd.choice(choices)
    return Hunk(hunk.begin, hunk.lines[:at] + hunk.lines[at + 1:]), at


def stale(source, hunk, rnd):
    kind = rnd.choice(["word", "word", "tail", "line since added"])
    made = (with_stale_word(hunk, rnd) if kind == "word" else
            with_stale_tail(hunk, rnd, source.record["language"]) if kind == "tail" else without_a_line(hunk, rnd))
    if made is None:
        return None
    faulty, at = made
    if loose_places(source.before, faulty.old) or not says_something(faulty.old):
        return None
    wild = frozenset([sum(1 for mark, _ in hunk.lines[:at] if mark != "+")])
    must, places = demand(source.before, hunk.old, False, wild)
    kind += ", context" if hunk.lines[at][0] == " " else ", replaced"
    return rnd.choice(LOOSE_FORMS), kind, source.before, faulty, applied(source.before, [hunk]), must, places


def other_name(name, rnd):
    if "_" in name or name.islower():
        return rnd.choice([name + "_value", "new_" + name, name + "_all", "shared_" + name])
    if name[0].isupper():
        return rnd.choice([name + "Value", "New" + name, "Shared" + name])
    return rnd.choice([name + "Value", "shared" + name[0].upper() + name[1:], "new" + name[0].upper() + name[1:]])


def renamed(source, hunk, rnd):
    """An earlier edit has renamed something in the whole file."""
    names = sorted({name for line in hunk.old for name in re.findall(r"\b[A-Za-z_]\w{3,}\b", line)
                    if name.lower() not in KEYWORDS})
    if not names:
        return None
    name = rnd.choice(names)
    other = other_name(name, rnd)
    if other in source.record["before"] or other in source.record["after"]:
        return None

    def with_name(lines):
        return [re.sub(rf"\b{name}\b", other, line) for line in lines]

    lines = with_name(source.before)
    wild = frozenset(i for i, line in enumerate(hunk.old) if re.search(rf"\b{name}\b", line))
    loose = loose_places(lines, hunk.old, wild) if len(wild) < len(hunk.old) else loose_places(lines, with_name(hunk.old))
    must, places = ("either", loose) if len(loose) > 1 else ("place", [])
    kind = "in new lines too" if any(re.search(rf"\b{name}\b", line) for mark, line in hunk.lines if mark == "+") else "in old lines"
    return rnd.choice(LOOSE_FORMS), kind, lines, hunk, with_name(applied(source.before, [hunk])), must, places


def numbered(source, hunk, rnd):
    """The numbers of a tool that reads files stand before the lines."""
    style = rnd.choice(["{:>6}\t", "{:>6}\u2192", "{} | ", "{}: ", "L{}: ", "{:4d}| "])
    both = rnd.random() < 0.5
    lines, old_at, new_at = [], hunk.begin + 1, hunk.begin + 1
    for mark, line in hunk.lines:
        old = style.format(old_at) + line
        lines.append((mark, old, style.format(new_at) + line if both else line))
        old_at += mark != "+"
        new_at += mark != "-"
    faulty_old = [old for mark, old, _ in lines if mark != "+"]
    faulty_new = [new for mark, _, new in lines if mark != "-"]
    must, places = demand(source.before, hunk.old)
    must = "either" if must == "refuse" else must  # the numbers say where
    pair = [(text(faulty_old), text(faulty_new))]
    change = (f"{source.record['path']}\n<<<<<<< SEARCH\n{pair[0][0]}=======\n{pair[0][1]}>>>>>>> REPLACE\n")
    kind = repr(style) + (", both sides" if both else ", old lines")
    return "search", kind, source.before, hunk, applied(source.before, [hunk]), must, places, change, pair


def typographic(line):
    line = re.sub(r'"([^"]*)"', "\u201c\\1\u201d", line)
    line = re.sub(r"'([^']*)'", "\u2018\\1\u2019", line)
    return line.replace("'", "\u2019")


def with_entities(line):
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        line = line.replace(character, entity)
    return line


def swapped(old):
    """Strings in the other quotes, where none is within them."""
    joined = "\n".join(old)
    mark, other = ('"', "'") if joined.count('"') >= joined.count("'") else ("'", '"')
    return lambda line: re.sub(rf"{mark}([^\"'\\]*){mark}", rf"{other}\1{other}", line)


def quotes(source, hunk, rnd):
    kinds = {"typographic": typographic, "escaped": lambda line: line.replace('"', '\\"'), "entities": with_entities}
    if source.record["language"] in ("python", "javascript", "typescript"):
        kinds["swapped"] = swapped(hunk.old)
    kind = rnd.choice(sorted(kinds))
    faulty = with_lines(hunk, kinds[kind])
    if faulty.old == hunk.old or not any(mark in line for line in hunk.old for mark in "\"'"):
        return None
    must, places = demand(source.before, hunk.old)
    must = "either" if must == "refuse" else must
    return rnd.choice(LOOSE_FORMS), kind, source.before, faulty, applied(source.before, [hunk]), must, places


FAULTS = {"exact": exact, "tabs as spaces": tabs, "trailing blanks lost": trailing, "stale line": stale,
          "renamed earlier": renamed, "line numbers copied": numbered, "quotes changed": quotes}


def indentation(line):
    return line[:len(line) - len(line.lstrip())]


def dotted(source, number, rnd):
    """SEARCH and REPLACE with dots for lines that stay, on both sides."""
    hunk = source.hunk(number, rnd.choice([5, 6, 8]))
    if hunk is None:
        return None
    changed = [i for i, (mark, _) in enumerate(hunk.lines) if mark != " "]
    near, lines = rnd.choice([1, 2]), []
    dots = rnd.choice(["...", f"{COMMENT.get(source.record['language'], '//')} ... existing code ..."])
    for i, (mark, line) in enumerate(hunk.lines):
        stays = i == 0 or i == len(hunk.lines) - 1 or min(abs(i - one) for one in changed) <= near
        if stays:
            lines.append((mark, line))
        elif not lines or lines[-1][1] is not None:
            lines.append((" ", None))
    # One line for another would be no elision.
    blanks = indentation(next((line for _, line in hunk.lines if line.strip()), ""))
    lines = [(mark, blanks + dots if line is None else line) for mark, line in lines]
    faulty = Hunk(hunk.begin, lines)
    if faulty.lines == hunk.lines:
        return None
    runs, run = [], []
    for mark, line in [*lines, (" ", blanks + dots)]:
        if line == blanks + dots:
            runs.append(run)
            run = []
        elif mark != "+":
            run.append(line)
    is_clear = all(len(loose_places(source.before, one)) == 1 for one in runs if one)
    must = "place" if is_clear else "either"
    change = search_form(source.record["path"], [faulty])
    return source.case("existing code", "search", "dots on both sides", source.before, hunk, change, applied(source.before, [hunk]),
                       must, name=f"{number}e", pairs=[(text(faulty.old), text(faulty.new))])


def shown(source, number, rnd):
    """The new lines between ellipses, some with the line that begins what is around them."""
    hunk = source.hunk(number, rnd.choice([2, 3, 3]))
    if hunk is None:
        return None
    i1, i2, j1, j2 = source.groups[number]
    marks = "".join(mark for mark, _ in hunk.lines)
    if any("+" not in run for run in re.findall(r"[-+]+", marks)):
        return None  # lines that only go are not shown
    new, ellipsis = hunk.new, COMMENT.get(source.record["language"], "//") + " ... existing code ..."
    outer = min((len(indentation(line)) for line in hunk.old if line.strip()), default=0)
    head = next((i for i in range(hunk.begin - 1, -1, -1)
                 if source.before[i].strip() and len(indentation(source.before[i])) < outer), None)
    blanks = indentation(next(line for line in new if line.strip()))
    lines = [blanks + ellipsis, *new, blanks + ellipsis]
    with_head = head is not None and head < hunk.begin - 1 and rnd.random() < 0.5
    if with_head:
        lines = [source.before[head], *lines]
    language = source.record["language"]
    change = f"{source.record['path']}:\n```{language}\n{text(lines)}```\n"
    is_clear = len(loose_places(source.before, hunk.old)) == 1
    return source.case("existing code", "snippet", "with the head" if with_head else "lines", source.before, hunk, change,
                       applied(source.before, [hunk]), "place" if is_clear else "either", name=f"{number}s", pairs=[])


def wrong_order(source, rnd, name):
    """Several hunks of the commit, in another order than the file's."""
    context = rnd.choice(CONTEXTS)
    hunks = [source.hunk(i, context) for i in range(len(source.groups))]
    hunks = [hunk for hunk in hunks if hunk is not None]
    if len(hunks) < 2:
        return None
    chosen = sorted(rnd.sample(hunks, rnd.randint(2, min(4, len(hunks)))), key=lambda hunk: hunk.begin)
    if any(a.end > b.begin for a, b in zip(chosen, chosen[1:])):
        return None
    shuffled = list(chosen)
    while shuffled == chosen:
        rnd.shuffle(shuffled)
    form = rnd.choice(list(FORMS))
    demands = [demand(source.before, hunk.old, form == "diff")[0] for hunk in chosen]
    must = "place" if set(demands) == {"place"} else "either"
    change = FORMS[form](source.record["path"], shuffled)
    return source.case("wrong order", form, f"{len(chosen)} hunks", source.before, chosen[0], change,
                       applied(source.before, chosen), must, name=name,
                       pairs=[(text(hunk.old), text(hunk.new)) for hunk in shuffled])


def cases_of(source):
    for number in range(len(source.groups)):
        for fault, make in FAULTS.items():
            for attempt in range(TRIES):
                rnd = source.random(fault, number, attempt)
                removes = source.groups[number][1] > source.groups[number][0]
                hunk = source.hunk(number, rnd.choice(CONTEXTS + ([0] if removes else [])))
                made = make(source, hunk, rnd) if hunk is not None else None
                if made is None:
                    continue
                form, kind, lines, faulty, expected, must, places, *written = made
                change, pairs = written or (FORMS[form](source.record["path"], [faulty]), None)
                yield source.case(fault, form, kind, lines, faulty, change, expected, must, places,
                                  f"{number}.{attempt}", pairs)
        for make in (dotted, shown):
            one = make(source, number, source.random(make.__name__, number))
            if one is not None:
                yield one
    for attempt in range(2 * TRIES):
        one = wrong_order(source, source.random("order", attempt), f"o{attempt}")
        if one is not None:
            yield one


def all_cases(files, seed):
    for record in commits(files):
        yield from cases_of(Source(record, seed))
