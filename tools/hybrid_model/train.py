#!/usr/bin/env python3
"""Trains a small hybrid (architecture `qwen35` with an MTP block) on Python files and on edits of them.

    tools/setup.py hybrid    the small one, for tests
    make hybrid-model        the large one, for measurements

Tests and measurements need a hybrid that predicts code, because the drafts for a model of random weights are rarely
accepted. `small` is for tests; `large` is for measurements. Everything is pinned: the packages (requirements.lock), the
texts (sources.lock: permissive licences), the seed. Another machine may round otherwise and train other weights: tests
compare decoders with each other, on whatever was trained.
"""

import argparse
import os
import pathlib
import time

import jax
import numpy

import gguf_file
import model
from optimiser import descend
from text import Samples, python_files
from vocabulary import Vocabulary

SEED = 20261127
CONTEXT = 4096
CONFIGURATIONS = {
    "small": {"sizes": model.Sizes(vocabulary=1024, hidden=128, feed_forward=320, layers=4, heads=2, kv_heads=1,
                                   head_dim=64, key_heads=2, value_heads=4, state=32),
              "steps": 320, "rows": 8, "length": 256, "rate": 4e-3},
    "large": {"sizes": model.Sizes(vocabulary=2048, hidden=192, feed_forward=576, layers=8, heads=3, kv_heads=1,
                                   head_dim=64, key_heads=3, value_heads=6, state=32),
              "steps": 1000, "rows": 8, "length": 384, "rate": 3e-3},
}


def train(configuration, vocabulary, texts, say):
    sizes, steps = configuration["sizes"], configuration["steps"]
    random = numpy.random.default_rng(SEED)
    samples = Samples(texts, vocabulary, random)

    def loss(parameters, tokens):
        own, ahead = model.losses(parameters, sizes, tokens)
        return own + ahead, (own, ahead)

    def report(count, parts):
        say(f"step {count} of {steps}: loss {parts[0]:.3f} per token, {parts[1]:.3f} of the MTP block")
    return descend(model.make_parameters(random, sizes), loss,
                   lambda: numpy.array(samples.batch(configuration["rows"], configuration["length"])), steps,
                   configuration["rate"], report)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configuration", choices=CONFIGURATIONS)
    parser.add_argument("sources", type=pathlib.Path, help="folder of the wheels of sources.lock")
    parser.add_argument("file", type=pathlib.Path, help="the GGUF file to write")
    arguments = parser.parse_args()
    begin = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - begin:5.0f} s  {text}", flush=True)
    configuration = CONFIGURATIONS[arguments.configuration]
    texts = python_files(arguments.sources.glob("*.whl"))
    vocabulary = Vocabulary("".join(texts), configuration["sizes"].vocabulary)
    say(f"{len(texts)} files, {sum(map(len, texts))} characters; {len(vocabulary.merges)} merges")
    parameters = train(configuration, vocabulary, texts, say)
    partial = arguments.file.with_suffix(".partial")
    gguf_file.write(partial, parameters, configuration["sizes"], vocabulary, CONTEXT)
    os.replace(partial, arguments.file)
    count = sum(values.size for values in jax.tree.leaves(parameters))
    say(f"{arguments.file}: {count / 1e6:.1f} million parameters")


if __name__ == "__main__":
    main()
