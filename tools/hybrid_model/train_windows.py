#!/usr/bin/env python3
"""Trains small models with sliding windows until they know the code of `redraft models check` by heart.

    tools/setup.py hybrid    these, for tests, and a hybrid (train.py)

A model of this size cannot learn in a minute to predict code that it has not seen. One that knows a text by heart predicts
it through its windows, its sinks and both of its rotations, so that a fault in any of them shows. Bases are far apart,
because a text of 512 tokens is short. As with the hybrid, another machine may train other weights.
"""

import argparse
import os
import pathlib
import re
import time

import numpy

import gguf_file
import windows
from optimiser import descend
from text import python_files
from vocabulary import Vocabulary

SEED = 20261128
CONTEXT = 512
STEPS = 100
RATE = 8e-3
VOCABULARY = 512
COMMON = {"vocabulary": VOCABULARY, "hidden": 128, "layers": 2, "heads": 4, "kv_heads": 2, "head_dim": 32,
          "window_rope": windows.Rope(4)}
EXPERTS = {"window": 16, "experts": 4, "used": 2, "feed_forward": 96}
CONFIGURATIONS = (
    windows.Sizes("gpt-oss", **COMMON, **EXPERTS, rope=windows.Rope(1e6)),
    windows.Sizes("mellum", **COMMON, **EXPERTS, rope=windows.Rope(1e5, factor=4.0, original=128)),
    windows.Sizes("gemma4", **COMMON, window=8, feed_forward=256, rope=windows.Rope(1e6, share=0.25), cap=30.0),
)


def check_code(source):
    """The text of `redraft models check`, from its C++ source."""
    return re.search(r'R"code\((.*?)\)code"', source.read_text(encoding="utf-8"), re.DOTALL).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=pathlib.Path, help="folder of the wheels of sources.lock, for the vocabulary")
    parser.add_argument("check_text", type=pathlib.Path, help="workspace/engine/check_text.cpp")
    parser.add_argument("folder", type=pathlib.Path, help="where ARCHITECTURE.gguf is written")
    arguments = parser.parse_args()
    begin = time.monotonic()
    vocabulary = Vocabulary("".join(python_files(arguments.sources.glob("*.whl"))), VOCABULARY)
    tokens = numpy.array([vocabulary.encode(check_code(arguments.check_text))[:CONTEXT]])
    for sizes in CONFIGURATIONS:
        def loss(parameters, batch, sizes=sizes):
            value = windows.loss(parameters, sizes, batch)
            return value, value

        def say(count, value, name=sizes.architecture):
            print(f"{time.monotonic() - begin:5.0f} s  {name}, step {count} of {STEPS}: loss {value:.4f}", flush=True)
        parameters = windows.make_parameters(numpy.random.default_rng(SEED), sizes)
        parameters = descend(parameters, loss, lambda: tokens, STEPS, RATE, say)
        partial = arguments.folder / f"{sizes.architecture}.partial"
        gguf_file.write_windows(partial, parameters, sizes, vocabulary, CONTEXT)
        os.replace(partial, arguments.folder / f"{sizes.architecture}.gguf")


if __name__ == "__main__":
    main()
