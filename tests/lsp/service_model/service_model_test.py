"""Random sequences of clients, texts, edits, crashes, attaching and detaching, against a plain model of the service.
    service_model_test.py [SEQUENCES [STEPS]] [--seed N] [--replay FILE]
First the sequences in kept.txt, each of which found a fault once; then SEQUENCES new ones of STEPS steps (30 of 40 by
default), of the seeds that follow N (random). After each step what the server said has to be what the plain model allows:
texts and hunks, one answer for each request, one end for each edit, nothing of others; and at the end nothing may be left.
A sequence that fails is shortened while it still fails, and printed in the form of kept.txt, which --replay reads too."""

import argparse
import json
import pathlib
import random
import sys
import time
import traceback

from peers import make_steps
from sequence import Run

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "kept.txt"
SHRINKING = 180  # seconds
SHORT_LIMIT = 10  # for waits while a sequence is shortened: a wrong answer costs a step too many in it, no more


def failure_of(door, steps, **options):
    """Why the sequence fails; None: it does not."""
    try:
        Run(door, **options).run(steps)
    except Exception as failure:  # whatever it is: an assertion of the model, or a message that nobody foresaw
        return failure
    return None


def shortened(door, steps):
    """Without parts that the failure does not need."""
    end, size = time.monotonic() + SHRINKING, max(1, len(steps) // 2)
    while size:
        at = 0
        while at < len(steps) and time.monotonic() < end:
            fewer = steps[:at] + steps[at + size:]
            if any(failure_of(door, fewer, limit=SHORT_LIMIT) for _ in range(2)):
                steps = fewer
            else:
                at += size
        size //= 2
    return steps


def kept(file):
    """(door, steps) of each line: a seed and a number of steps, or the steps themselves."""
    for line in file.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("seed "):
            seed, count = map(int, line.split()[1:3])
            yield make_steps(seed, count)
        else:
            door, steps = json.loads(line)
            yield door, steps


def check(name, door, steps):
    failure = failure_of(door, steps)
    if failure is None:
        return True
    traceback.print_exception(type(failure), failure, failure.__traceback__)
    print(f"{name} ({door}, {len(steps)} steps) fails; it is shortened", flush=True)
    short = shortened(door, steps)
    print(f"with {len(short)} steps: {failure_of(door, short, limit=SHORT_LIMIT)}\n{json.dumps([door, short])}", flush=True)
    return False


def sequences(arguments):
    if arguments.replay:
        yield from ((f"{arguments.replay}, {i}", *one) for i, one in enumerate(kept(arguments.replay)))
        return
    yield from ((f"kept sequence {i}", *one) for i, one in enumerate(kept(KEPT)))
    first = random.randrange(1 << 30) if arguments.seed is None else arguments.seed
    print(f"seeds from {first}", flush=True)
    for seed in range(first, first + arguments.sequences):
        yield f"seed {seed}", *make_steps(seed, arguments.steps)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sequences", nargs="?", type=int, default=30)
    parser.add_argument("steps", nargs="?", type=int, default=40)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--replay", type=pathlib.Path)
    arguments = parser.parse_args()
    began, count, failed = time.monotonic(), 0, 0
    for name, door, steps in sequences(arguments):
        count += 1
        failed += not check(name, door, steps)
        if failed == 3:
            break
    print(f"{count} sequences in {time.monotonic() - began:.0f} s, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
