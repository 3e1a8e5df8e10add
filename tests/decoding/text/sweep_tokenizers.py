#!/usr/bin/env python3
"""Compares redraft's tokenizer with the `tokenizers` package on every text of a folder of JSONL files.

sweep_tokenizers.py TOKENIZE_FRAMES VOCABULARY.json DATA [--every N]

TOKENIZE_FRAMES is the test helper of that name. A text is any string in a record, however deep, and each whole line.
Ends with 1 if one text has other tokens. DATA that is not there is skipped, with a word about it and code 77.
"""
import argparse
import array
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "reference"))


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


def our_ids(tool, vocabulary, texts):
    with tempfile.TemporaryFile() as frames:
        for text in texts:
            encoded = text.encode("utf-8")
            frames.write(struct.pack("<I", len(encoded)) + encoded)
        frames.seek(0)
        done = subprocess.run([tool, vocabulary], stdin=frames, capture_output=True, timeout=600)
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    numbers = array.array("i", done.stdout)
    result, position = [], 0
    for _ in texts:
        count = numbers[position]
        result.append(numbers[position + 1 : position + 1 + count].tolist())
        position += 1 + count
    return result, done.stderr.decode().strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("vocabulary")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth line only")
    options = parser.parse_args()
    files = sorted(options.data.rglob("*.jsonl"))
    if not files:
        print(f"skipped: there are no JSONL files in {options.data}")
        return 77

    from tokenizer_goldens import package_tokenizer

    package = package_tokenizer(json.load(open(options.vocabulary, encoding="utf-8")))
    n_texts = n_bytes = n_wrong = 0
    for file in files:
        texts = list(texts_of(file, options.every))
        ours, report = our_ids(options.tool, options.vocabulary, texts)
        for start in range(0, len(texts), 1000):
            for offset, encoding in enumerate(package.encode_batch_fast(texts[start : start + 1000])):
                if encoding.ids != ours[start + offset]:
                    n_wrong += 1
                    print(f"{file}: differs: {texts[start + offset][:200]!r}")
        n_texts += len(texts)
        n_bytes += sum(len(text.encode("utf-8")) for text in texts)
        print(f"{file.relative_to(options.data)}: {len(texts)} texts, {report}", flush=True)
    print(f"{len(files)} files, {n_texts} texts, {n_bytes} bytes compared, {n_wrong} differ")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
