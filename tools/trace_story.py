#!/usr/bin/env python3
"""Shows how an output was produced, phase by phase, from a trace of tokens.

    redraft edit app.py --instruction "…" --decoder efficientedit --trace-tokens tokens.jsonl
    tools/trace_story.py tokens.jsonl [--decode N] [--text]

For every decode: the passes of each stretch of one phase, the tokens and whole lines that they wrote, and who guessed
these tokens; then sums. docs/seeing-inside.md describes the trace.
"""

import argparse
import collections
import itertools
import json
import sys

Decode = collections.namedtuple("Decode", "begin tokens end")
# Consecutive passes of one phase.
Stretch = collections.namedtuple("Stretch", "phase first last silent tokens lines origins text")


class NoTrace(Exception):
    """Why a file is not a trace; a message for users."""


def read_trace(lines):
    """The decodes of a trace, in order. The last decode of a killed process may be incomplete."""
    decodes = {}
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            if number == 1 and row.get("redraft_token_trace") != 1:
                raise NoTrace("not a trace of tokens, or of another version: --trace-tokens writes one")
            if "decoder" in row:
                decodes[row["decode"]] = Decode(row, [], {})
            elif "n" in row:
                decodes[row["decode"]].tokens.append(row)
            elif "end" in row:
                decodes[row["decode"]].end.update(row)
        except (json.JSONDecodeError, AttributeError, KeyError, TypeError):
            raise NoTrace(f"line {number} is none of a trace of tokens") from None
    return list(decodes.values())


def stretches(decode):
    """The decode's tokens by phase. A pass without output counts with the passes before it."""
    result, last = [], 0
    for phase, group in itertools.groupby(decode.tokens, key=lambda token: token["phase"]):
        tokens = list(group)
        passes = {token["pass"] for token in tokens}
        first, last = last + 1, max(passes)
        text = "".join(token["text"] for token in tokens)
        result.append(Stretch(phase, first, last, last - first + 1 - len(passes - set(range(first))), len(tokens),
                              text.count("\n"), collections.Counter(token["origin"] for token in tokens), text))
    return result


def tell(decode, with_text=False):
    """The lines to print."""
    begin, end = decode.begin, decode.end
    task = f" of {begin['task']}" if "task" in begin else ""
    yield (f"decode {begin['decode']}: {begin['purpose']}{task} by {begin['decoder']}; {begin['prompt_tokens']} tokens of "
           f"prompt, {begin['original_tokens']} of the original")
    yield "passes   phase     tokens  lines  guessed by"
    parts = stretches(decode)
    for part in parts:
        passes = f"{part.first}-{part.last}" if part.last > part.first else str(part.first)
        who = ", ".join(f"{origin} {count}" for origin, count in part.origins.most_common())
        nothing = f"; {part.silent} of the passes wrote nothing" if part.silent else ""
        yield f"{passes:<8} {part.phase:<9} {part.tokens:6} {part.lines:6}  {who}{nothing}"
        if with_text:
            yield from (f"    | {line}" for line in part.text.split("\n"))
    for phase in dict.fromkeys(part.phase for part in parts):
        own = [part for part in parts if part.phase == phase]
        passes = sum(part.last - part.first + 1 for part in own)
        lines = " + ".join(str(part.lines) for part in own)
        yield (f"{phase}: {lines} lines, {sum(part.tokens for part in own)} tokens in {passes} "
               f"{'pass' if passes == 1 else 'passes'}")
    if end:
        yield f"{end['tokens']} tokens in {end['passes']} passes of {end['rows']} rows together; {end['end']}"
    else:
        yield "the end is missing"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", help="what --trace-tokens wrote")
    parser.add_argument("--decode", type=int, metavar="N", help="that one alone")
    parser.add_argument("--text", action="store_true", help="show the text of each stretch")
    arguments = parser.parse_args()
    try:
        with open(arguments.trace, encoding="utf-8") as lines:
            decodes = read_trace(lines)
    except (OSError, UnicodeDecodeError, NoTrace) as problem:
        sys.exit(f"{arguments.trace}: {problem}")
    chosen = [decode for decode in decodes if arguments.decode in (None, decode.begin["decode"])]
    print("\n\n".join("\n".join(tell(decode, arguments.text)) for decode in chosen))
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main())
