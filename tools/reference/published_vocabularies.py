#!/usr/bin/env python3
"""Published vocabularies that packages contain: gpt-oss, Mistral's tekken and Gemma 4.

published_vocabularies.py folder NAME FOLDER       writes tokenizer.json as the models have it; takes about a minute
published_vocabularies.py ids NAME TEXTS OUT       the tokens that the family's own encoder gives the texts, without special
                                                   tokens; gpt-oss needs tiktoken, tekken all that mistral-common needs

gpt-oss: o200k_harmony, 201,088 tokens, in the package quicktok-v1. tekken: 131,072 tokens of the file of 2024-09-11 in the
package mistral-common. gemma4: 262,144 tokens in a vocabulary-only GGUF file of llama.cpp's source, which is fetched by its
hash. Needs the packages of tests/text/requirements.lock.
"""
import base64
import hashlib
import importlib.util
import json
import pathlib
import os
import struct
import subprocess
import sys

import gguf_vocabulary
import qwen36_vocabulary

ROOT = pathlib.Path(__file__).resolve().parents[2]
NORMAL, CONTROL, BYTE = 1, 3, 6
PACKAGES = {"gpt-oss": "quicktok", "tekken": "mistral_common"}
FILES = {  # and the SHA-256 of each
    "o200k.vocab": "6b17521f79788c7ace48fc75f6edde125637a90b0018427e68f28d051b2ac1fe",
    "o200k_harmony.special": "e3181d973c8d243679c8c340ee3557e57dbe7a47ec9bb657560d19e00268b90a",
    "tekken_240911.json": "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
    "ggml-vocab-gemma-4.gguf": "58b1ba0b57f3b4d7c468ba4ffd91ad85190346a3d7ad7e71d1cabaae8a14bb65",
}
TEKKEN_SPECIAL = 1000
TEKKEN_TOKENS = 131072
# The first of tekken's special tokens; the names of the others do not matter here.
TEKKEN_NAMES = ("<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CALLS] "
                "[IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] [/SYSTEM_PROMPT]").split()


def checked(path):
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != FILES[path.name]:
        raise ValueError(f"{path} is not the file of the goldens")
    return data


def package_folder(package):
    return pathlib.Path(importlib.util.find_spec(package).origin).parent


def missing(name):
    """Why the vocabulary is not here, as a sentence; None if it is."""
    package = PACKAGES.get(name)
    if package:
        return None if importlib.util.find_spec(package) else f"the package {package} is not installed: run `make setup`"
    try:
        gemma4_file()
    except (SystemExit, subprocess.CalledProcessError) as problem:
        return f"llama.cpp's source could not be fetched: {problem}"
    return None


def gemma4_file():
    sys.path.insert(0, str(ROOT / "tools"))
    import llama_cpp

    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    llama = llama_cpp.LlamaCpp(cache / "redraft" / "llama.cpp")
    llama.fetch()
    return llama.source / "models" / "ggml-vocab-gemma-4.gguf"


def gpt_oss_ranks():
    """The bytes of every ordinary token, by id."""
    data = checked(package_folder("quicktok") / "data" / "o200k.vocab")
    (count,) = struct.unpack_from("<I", data)
    tokens, position = [b""] * count, 4
    for _ in range(count):
        (size,) = struct.unpack_from("<H", data, position)
        token = data[position + 2 : position + 2 + size]
        (rank,) = struct.unpack_from("<I", data, position + 2 + size)
        tokens[rank] = token
        position += size + 6
    return tokens


def gpt_oss_specials():
    data = checked(package_folder("quicktok") / "data" / "o200k_harmony.special")
    (count,) = struct.unpack_from("<I", data)
    specials, position = {}, 4
    for _ in range(count):
        number, size = struct.unpack_from("<IH", data, position)
        specials[number] = data[position + 6 : position + 6 + size].decode()
        position += size + 6
    return specials


def tekken_ranks():
    file = json.loads(checked(package_folder("mistral_common") / "data" / "tekken_240911.json"))
    return [base64.b64decode(token["token_bytes"]) for token in file["vocab"][: TEKKEN_TOKENS - TEKKEN_SPECIAL]]


def spelled_with_merges(tokens):
    """Tokens in GPT-2's alphabet and the last merge of each, in the order of ranks."""
    ids = {token: i for i, token in enumerate(tokens)}
    letters = qwen36_vocabulary.byte_alphabet()
    spelled = ["".join(letters[byte] for byte in token) for token in tokens]
    parts = (qwen36_vocabulary.last_merge(token, ids) for token in tokens if len(token) > 1)
    return spelled, [" ".join(spelled[ids[part]] for part in pair) for pair in parts if pair]


def gpt_oss():
    spelled, merges = spelled_with_merges(gpt_oss_ranks())
    specials = gpt_oss_specials()
    tokens = spelled + [specials[i] for i in range(len(spelled), len(spelled) + len(specials))]
    return {"pre_tokenizer": "gpt-4o", "tokens": tokens, "types": [NORMAL] * len(spelled) + [CONTROL] * len(specials),
            "merges": merges, "end_of_text": tokens.index("<|return|>")}


def tekken():
    spelled, merges = spelled_with_merges(tekken_ranks())
    names = TEKKEN_NAMES + [f"<SPECIAL_{i}>" for i in range(len(TEKKEN_NAMES), TEKKEN_SPECIAL)]
    return {"pre_tokenizer": "tekken", "tokens": names + spelled, "types": [CONTROL] * len(names) + [NORMAL] * len(spelled),
            "merges": merges, "end_of_text": names.index("</s>")}


def gemma4():
    path = gemma4_file()
    checked(path)
    return gguf_vocabulary.vocabulary(str(path))


VOCABULARIES = {"gpt-oss": gpt_oss, "tekken": tekken, "gemma4": gemma4}


def write_folder(folder, vocabulary):
    import tokenizer_goldens

    file = json.loads(tokenizer_goldens.package_tokenizer(vocabulary).to_str())
    # The package would give added tokens ids behind all others.
    for i, (token, kind) in enumerate(zip(vocabulary["tokens"], vocabulary["types"])):
        if kind in (NORMAL, BYTE):
            continue
        file["model"]["vocab"][token] = i
        file["added_tokens"].append({"id": i, "content": token, "special": kind == CONTROL})
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    (pathlib.Path(folder) / "tokenizer.json").write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")


def tiktoken_ids(tokens, pattern, texts, first=0):
    import tiktoken

    encoding = tiktoken.Encoding("ranks", pat_str=pattern, mergeable_ranks={token: i for i, token in enumerate(tokens)},
                                 special_tokens={})
    return [[first + i for i in encoding.encode_ordinary(text)] for text in texts]


def own_ids(name, texts):
    """What the encoder of the family's authors makes of each text."""
    import tokenizer_goldens

    if name == "gpt-oss":
        suffix = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        return tiktoken_ids(gpt_oss_ranks(), tokenizer_goldens.case_pattern(r"\p{N}{1,3}", suffix), texts)
    if name == "tekken":
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer

        encoder = Tekkenizer.from_file(package_folder("mistral_common") / "data" / "tekken_240911.json")
        return [encoder.encode(text, bos=False, eos=False) for text in texts]
    tokenizer = tokenizer_goldens.package_tokenizer(gemma4())
    return [tokenizer_goldens.package_ids(tokenizer, text) for text in texts]


def write_ids(name, texts_path, out):
    with open(texts_path, encoding="utf-8") as file:
        ids = own_ids(name, json.load(file))
    with open(out, "w", encoding="utf-8") as file:
        json.dump(ids, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "folder" and sys.argv[2] in VOCABULARIES:
        write_folder(sys.argv[3], VOCABULARIES[sys.argv[2]]())
    elif len(sys.argv) == 5 and sys.argv[1] == "ids" and sys.argv[2] in VOCABULARIES:
        write_ids(*sys.argv[2:])
    else:
        sys.exit(__doc__)
