#!/usr/bin/env python3
"""Compares the logits of the tiny models of the tests with llama.cpp's.

    VENV/bin/python tools/compare_llama_logits.py [FOLDER…]

The logits stored beside these models are transformers'; the tests hold redraft to them. Here llama.cpp reads a copy of
each GGUF file with its weights in single precision, because it would round activations to the format of the weights, and
runs it token by token. The differences are given in the spread (standard deviation) of the model's logits. Needs
the packages gguf and numpy (tools/reference/requirements-hybrids.lock names versions); builds llama.cpp if it is not
there (about 12 minutes on two cores).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from llama_cpp import LlamaCpp, ROOT, add_folder_option, fail

try:
    import gguf
    import numpy
except ImportError as error:
    sys.exit(f"compare_llama_logits: error: {error}; install the packages gguf and numpy")

class NotRun(Exception):
    pass


MOST = 1e-3  # of the spread: rounding is far below, a wrong formula far above
# llama.cpp reads this architecture's activation from a table in half precision.
MOST_FOR = {"gemma4": 1e-2}
# What llama.cpp computes in another way than transformers.
DIFFERENT = {"mellum": "layers with a window rotate by the other layers' base", "gptoss": "the bounds of YaRN are rounded"}
F32 = gguf.GGMLQuantizationType.F32


def single_precision_copy(source, target, vocabulary):
    """The same model in F32, and without a tokenizer, which tests do not need and llama.cpp asks for."""
    reader = gguf.GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(target, architecture)
    for name, field in reader.fields.items():
        if name.startswith(("GGUF.", "tokenizer.")) or name in ("general.architecture", f"{architecture}.vocab_size"):
            continue
        kind, *inner = field.types
        writer.add_key_value(name, field.contents(), kind, inner[-1] if inner else None)
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(vocabulary)
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32)
        writer.add_tensor(tensor.name, values.reshape(tensor.shape[::-1]), raw_dtype=F32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def difference(program, folder):
    """(mean, largest) difference between transformers' logits and llama.cpp's, in the spread; and whether that is little."""
    golden = json.loads((folder / "logits.json").read_text(encoding="utf-8"))
    expected = numpy.array(golden["logits"])
    with tempfile.TemporaryDirectory() as temporary:
        copy = pathlib.Path(temporary) / "model.gguf"
        single_precision_copy(folder / "model.gguf", copy, expected.shape[1])
        run = subprocess.run([program, copy, *map(str, golden["ids"])], capture_output=True, text=True)
    if run.returncode != 0:
        raise NotRun(" ".join(run.stderr.split()) or f"exit code {run.returncode}")
    actual = numpy.array([[float(word) for word in line.split()] for line in run.stdout.splitlines()])
    if actual.shape != expected.shape:
        fail(f"{folder.name}: llama.cpp gave logits of the shape {actual.shape}, not {expected.shape}")
    apart = numpy.abs(actual - expected) / expected.std()
    limit = next((most for name, most in MOST_FOR.items() if folder.name.startswith(name)), MOST)
    return apart.mean(), apart.max(), apart.max() < limit


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    add_folder_option(parser)
    arguments = parser.parse_args()
    llama = LlamaCpp(arguments.llama_cpp)
    if not llama.library.exists():
        llama.build("llama")
    program = llama.build_program("llama_logits.cpp")
    wrong, compared = [], 0
    folders = arguments.folders or sorted(each.parent for each in ROOT.glob("tests/cases/tiny_models/*/model.gguf"))
    for folder in folders:
        if folder.name in DIFFERENT:
            print(f"{folder.name:14} not compared: {DIFFERENT[folder.name]}")
            continue
        try:
            mean, largest, is_little = difference(program, folder)
        except NotRun as error:
            print(f"{folder.name:14} llama.cpp does not run it: {error}")
            continue
        compared += 1
        print(f"{folder.name:14} mean {mean:.1e}, largest {largest:.1e} of the spread")
        if not is_little:
            wrong.append(folder.name)
    if wrong or not compared:
        fail(f"not as llama.cpp: {', '.join(wrong)}" if wrong else "llama.cpp runs none of these models")


if __name__ == "__main__":
    main()
