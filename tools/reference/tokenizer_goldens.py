#!/usr/bin/env python3
"""Goldens for the tokenizer tests, made by the `tokenizers` package.

tokenizer_goldens.py all DIRECTORY                    texts.json, tiny.json, and for every pre-tokenizer NAME
                                                      tiny_NAME_ids.json and tiny_NAME_tokenizer.json
tokenizer_goldens.py ids VOCABULARY NAME TEXTS OUT    the package's tokens of the texts, with the pre-tokenizer NAME;
                                                      VOCABULARY is a .gguf or .json file
tokenizer_goldens.py seeds DIRECTORY DATA             small tokenizer.json files for the fuzzer, cut out of the tiny ones

It makes the files in tests/text/data. Needs the packages of tests/text/requirements.lock.
"""
import json
import random
import sys
import unicodedata

import gguf_vocabulary
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

NORMAL, CONTROL, BYTE = 1, 3, 6
N_UNMERGED = 12  # tokens of the small vocabulary that are not the result of a merge


def line_pattern(number, letters=r"\p{L}", others=r"\s\p{L}\p{N}"):
    return (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?" + letters + "+|" + number +
            "| ?[^" + others + r"]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def case_pattern(number, suffix=""):
    first, second = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
    words = [r"[^\r\n\p{L}\p{N}]?" + first + each + second + other + suffix for each, other in (("*", "+"), ("+", "*"))]
    return "|".join([*words, number]) + r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def byte_level(use_regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)


# As in the published tokenizer.json of each family.
PRE_TOKENIZERS = {
    "qwen2": lambda: [split(line_pattern(r"\p{N}")), byte_level(False)],
    "qwen35": lambda: [split(line_pattern(r"\p{N}", r"[\p{L}\p{M}]", r"\s\p{L}\p{M}\p{N}")), byte_level(False)],
    "llama-bpe": lambda: [split(line_pattern(r"\p{N}{1,3}")), byte_level(False)],
    "seed-coder": lambda: [split("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}"
                                 "| ?[^\\s\\p{L}\\p{N}\r\n]+|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"), byte_level(False)],
    "gpt-4o": lambda: [split(case_pattern(r"\p{N}{1,3}", "(?i:'s|'t|'re|'ve|'m|'ll|'d)?")), byte_level(False)],
    "tekken": lambda: [split(case_pattern(r"\p{N}")), byte_level(False)],
    "smollm": lambda: [pre_tokenizers.Digits(individual_digits=True), byte_level(True)],
    "deepseek-coder": lambda: [split(r"[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"),
                               split("[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"),
                               pre_tokenizers.Digits(individual_digits=True), byte_level(False)],
    "default": lambda: [byte_level(True)],
}
IGNORE_MERGES = {"llama-bpe", "gpt-4o", "tekken"}  # a word that is a token is that token, whatever its merges
GEMMA4 = "gemma4"
SPACE_MARK = "\u2581"


def package_tokenizer(vocabulary, name=None):
    """The package's tokenizer for the ordinary tokens, without special tokens and, except for Gemma 4, a normaliser."""
    name = name or vocabulary["pre_tokenizer"]
    if name == GEMMA4:
        return gemma4_tokenizer(vocabulary)
    ids = {t: i for i, (t, kind) in enumerate(zip(vocabulary["tokens"], vocabulary["types"])) if kind == NORMAL}
    merges = [tuple(merge.split(" ")) for merge in vocabulary["merges"]]
    tokenizer = Tokenizer(models.BPE(ids, merges, ignore_merges=name in IGNORE_MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(PRE_TOKENIZERS[name]())
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def gemma4_tokenizer(vocabulary):
    """As transformers' GemmaTokenizer sets it up."""
    ids = {t: i for i, t in enumerate(vocabulary["tokens"])}
    merges = [tuple(merge.split(" ")) for merge in vocabulary["merges"]]
    tokenizer = Tokenizer(models.BPE(ids, merges, byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Replace(" ", SPACE_MARK)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace(SPACE_MARK, " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def package_ids(tokenizer, text):
    """The package's tokens. It takes the mark of a space for one; redraft gives it the tokens of its bytes, as here."""
    if not isinstance(tokenizer.normalizer, normalizers.Replace):
        return tokenizer.encode(text, add_special_tokens=False).ids
    mark = [tokenizer.token_to_id(f"<0x{byte:02X}>") for byte in SPACE_MARK.encode("utf-8")]
    ids = []
    for i, piece in enumerate(text.split(SPACE_MARK)):
        ids += (mark if i > 0 else []) + tokenizer.encode(piece, add_special_tokens=False).ids
    return ids


def save_as_published(vocabulary, name, path):
    """The tokenizer.json of a model of the family, as the package writes it, including the steps around the model proper."""
    tokenizer = package_tokenizer(vocabulary, name)
    tokens = [token for token, kind in zip(vocabulary["tokens"], vocabulary["types"]) if kind == CONTROL]
    tokenizer.add_special_tokens(tokens)
    tokenizer.add_tokens([AddedToken("<tool_call>", lstrip=True, rstrip=True, single_word=True, normalized=False)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    if name == GEMMA4:
        # Gemma's files also list tokens that merges make.
        tokenizer.add_tokens([AddedToken(token, normalized=False) for token in ("\n\n", SPACE_MARK * 2)])
        first = ("<bos>", tokenizer.token_to_id("<bos>"))
        tokenizer.post_processor = processors.TemplateProcessing(single="<bos> $A", special_tokens=[first])
    if name in ("qwen2", "qwen35"):
        tokenizer.normalizer = normalizers.NFC()
    if name == "llama-bpe":
        first = (tokens[0], tokenizer.token_to_id(tokens[0]))
        begin = processors.TemplateProcessing(single=f"{first[0]} $A", special_tokens=[first])
        tokenizer.post_processor = processors.Sequence([tokenizer.post_processor, begin])
    tokenizer.save(path, pretty=False)


def word_ends(name, text):
    """Where the words of a text end, in bytes."""
    ends, position, n_bytes = [], 0, 0
    for _, (_, end) in pre_tokenizers.Sequence(PRE_TOKENIZERS[name]()).pre_tokenize_str(text):
        n_bytes += len(text[position:end].encode("utf-8"))
        position = end
        ends.append(n_bytes)
    return ends


def read_vocabulary(path):
    if path.endswith(".gguf"):
        return gguf_vocabulary.vocabulary(path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=True, separators=(",", ":"))
        file.write("\n")


def characters_by_category():
    categories = {}
    for code_point in range(0x110000):
        if not 0xD800 <= code_point <= 0xDFFF:
            categories.setdefault(unicodedata.category(chr(code_point)), []).append(chr(code_point))
    return categories


# Pieces that decide how a text is split: contractions, line ends, kinds of space, digits, and other scripts.
PIECES = [
    "'s", "'S", "'t", "'re", "'Re", "'VE", "'ll", "'lL", "'d", "'m", "'\u017f", "'\u017fa", "'\u212a", "''", "'",
    "\n", "\r", "\r\n", "\n\r", "\n\n", " \n", "\n ", "\t\n", "\r\r\n", " ", "  ", "    ", "        ", "\t", "\t\t",
    "\v", "\f", "\x1c", "\x1f", "\x85", "\xa0", "\u1680", "\u180e", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f",
    "\u3000", "\u200b", "\u200c", "\u200d", "\ufeff", "\ufffd", "\ufffe", "\uffff", "\ud7ff", "\ue000", "\U0010ffff",
    "\x00", "\x01", "\x04", "\x7f", "\x80", "\x9f", "0", "7", "42", "1234567890", "3.14", "0x1F", "1_000", "\u00b2",
    "\u00bd", "\u0664\u0665", "\u0967", "\u2167", "\u3007", "\U0001d7d8", "def ", "return", "self.x", "i++", "!=", "->",
    "#include <", "</div>", "/* ", " */", "//", "::", "{}", "();", "[0]", "\"\"\"", "`", "```", "$x", "@a", "\\n", "%d",
    "caf\u00e9", "cafe\u0301", "na\u00efve", "\u00df", "\u0130", "\u0131", "\ufb01", "\u4f60\u597d", "\u4e16\u754c",
    "\u3053\u3093", "\u30ab\u30bf", "\ud55c\uad6d", "\u1112\u1161\u11ab", "\u05e9\u05dc\u05d5\u05dd",
    "\u0645\u0631\u062d\u0628\u0627", "\u0928\u092e\u0938\u094d\u0924\u0947", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
    "\u0395\u03bb", "\u041f\u0440\u0438", "\u10d2", "\U0001f600", "\U0001f469\u200d\U0001f4bb", "\U0001f1e9\U0001f1ea",
    "\u2764\ufe0f", "1\ufe0f\u20e3", "\U0001f44d\U0001f3fd", "\u2192", "\u20ac", "\U00020000", "\U0001e900",
    " \u4f60", "\u3000\u4f60", " \u3000", "\u2003x", "\uff0c\u3002", " \u3002", "\u2190\u2192", "\u20ac5",
    "\u9fa5\u9fa6", "\u07ff", "\u0800", "\uabff\uac00", "\U00011de0", " \U00011de9x", "\U00016ff4", "  \U00016ff6",
    "+=", " = ", "$1.50", "a_b", "x^2|y",
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "<|fim_prefix|>", "[PAD151935]", "\u0120", "\u010a",
]


# Characters that marks follow or that stand between them: Latin, Indic scripts, emoji with joiners, digits of each script.
BASES = list("aeoAN1207 .-'_\n\t") + list(
    "\u0915\u0928\u0939\u0996\u09a8\u0a95\u0b95\u0ba9\u0c15\u0d15\u0e01\u0f40\u1000\u1780\u05d0\u0627\uac00\u4f60\u2764"
    "\u0967\u0969\u09e7\u0be7\u0664\u0e51\u00b2\u00bd\u2167\u200b\u200c\u200d\ufeff\u00ad\u061c"
    "\U0001f600\U0001f469\U0001f4bb\U0001f3fd\U0001f1e9\U0001f1ea\U0001d7d8\U0001e900\U00011005")


def marked_texts(n_texts, seed):
    """Texts of marks after letters, digits, symbols and spaces, with joiners and digits in between."""
    rng = random.Random(seed)
    categories = characters_by_category()
    marks = categories["Mn"] + categories["Mc"] + categories["Me"]
    viramas = [c for c in marks if unicodedata.combining(c) == 9]
    texts = []
    for _ in range(n_texts):
        parts = []
        for _ in range(rng.randrange(1, 12)):
            parts.append(rng.choice(BASES))
            parts += rng.choices(marks, k=rng.choice([0, 1, 1, 2]))
            if rng.random() < 0.2:
                parts.append(rng.choice(viramas) + rng.choice(["", "\u200c", "\u200d"]))
            if rng.random() < 0.2:
                parts.append(rng.choice(PIECES))
        texts.append("".join(parts))
    return texts


def cased_texts(n_texts, seed):
    """Texts of letters of every case and marks, with contractions, digits, slashes and line ends in between."""
    rng = random.Random(seed)
    categories = characters_by_category()
    cases = ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"]
    between = ["'s", "'LL", "'\u017f", "'", "/", "//", "\n/", "/\r\n", ";\n", " ", "  ", "\n", "1", "1234", "_", "-", "\U0001f600"]
    texts = []
    for _ in range(n_texts):
        parts = []
        for _ in range(rng.randrange(1, 10)):
            case = rng.choice(cases)
            ascii_letters = {"Lu": "ABZ", "Ll": "abz"}.get(case)
            letters = ascii_letters if ascii_letters and rng.random() < 0.5 else categories[case]
            parts.append("".join(rng.choices(letters, k=rng.choice([1, 1, 2, 3]))))
            if rng.random() < 0.25:
                parts.append(rng.choice(between))
        texts.append("".join(parts))
    return texts


def fuzzed_texts(n_texts, seed):
    """Texts of single categories, of all categories mixed, and of random pieces."""
    rng = random.Random(seed)
    categories = characters_by_category()
    del categories["Cn"], categories["Co"]
    texts = ["", "a", " ", "\n", " a", "a ", "a\n", "\n a", "   x", "\n\n\n  x", "\r\n\r\n", "  \n  \n  ", "a" * 200,
             " " * 200, "\n" * 100, "9" * 100, "\u00e9" * 40, "ab" * 60 + " " + "-" * 90, "\t" * 33 + "x"]
    texts += PIECES
    for category in sorted(categories):
        texts += ["".join(rng.choices(categories[category], k=8)) for _ in range(2)]
        texts.append(" ".join("a" + c for c in rng.choices(categories[category], k=4)))
    names = sorted(categories)
    while len(texts) < n_texts:
        parts = []
        for _ in range(rng.randrange(1, 14)):
            kind = rng.random()
            if kind < 0.6:
                parts.append(rng.choice(PIECES))
            elif kind < 0.8:
                parts.append("".join(rng.choices("abcdefgh ETAOINstr_", k=rng.randrange(1, 9))))
            else:
                parts.append(rng.choice(categories[rng.choice(names)]))
        texts.append("".join(parts))
    return texts


def tiny(directory):
    """A vocabulary of 600 tokens, trained on texts of the same kind with another seed.

    It is trained on whole texts, so that its merges extend beyond the ends of words: a word with other ends gets other
    tokens. The last of its ordinary tokens have no merges: `ignore_merges` decides whether they are ever used.
    """
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = byte_level(False)
    trainer = trainers.BpeTrainer(vocab_size=596, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                                  show_progress=False)
    texts = [text for text in fuzzed_texts(6000, seed=1) if not any(added in text for added in ("<|", "<tool"))]
    trained.train_from_iterator(texts, trainer)
    model = json.loads(trained.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>"]
    write(directory + "/tiny.json", {
        "pre_tokenizer": "qwen2", "tokens": tokens + specials,
        "types": [NORMAL] * len(tokens) + [CONTROL] * len(specials),
        "merges": merges[:-N_UNMERGED], "end_of_text": len(tokens) + 2})


def tiny_gemma4(directory):
    """The same in UTF-8 for Gemma 4: 256 tokens of bytes, the most frequent characters, and merges within lines."""
    trained = Tokenizer(models.BPE())
    trained.normalizer = normalizers.Replace(" ", SPACE_MARK)
    trained.pre_tokenizer = split(r"[^\n]+|[\n]+")
    trainer = trainers.BpeTrainer(vocab_size=400, limit_alphabet=120, show_progress=False)
    texts = [text for text in fuzzed_texts(6000, seed=1) if not any(part in text for part in ("<|", "<tool", SPACE_MARK))]
    trained.train_from_iterator(texts, trainer)
    model = json.loads(trained.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    specials = ["<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>", "<|channel>", "<channel|>"]
    bytes_spelled = [f"<0x{byte:02X}>" for byte in range(256)]
    write(directory + "/tiny_gemma4.json", {
        "pre_tokenizer": GEMMA4, "tokens": specials + bytes_spelled + tokens,
        "types": [CONTROL] * len(specials) + [BYTE] * 256 + [NORMAL] * len(tokens),
        "merges": merges, "end_of_text": 1})


def all_goldens(directory):
    tiny(directory)
    tiny_gemma4(directory)
    texts = fuzzed_texts(1000, seed=2)
    write(directory + "/texts.json", texts)
    for name in [*PRE_TOKENIZERS, GEMMA4]:
        vocabulary = f"{directory}/tiny_gemma4.json" if name == GEMMA4 else f"{directory}/tiny.json"
        save_as_published(read_vocabulary(vocabulary), name, f"{directory}/tiny_{name}_tokenizer.json")
        ids(vocabulary, name, directory + "/texts.json", f"{directory}/tiny_{name}_ids.json")


def ids(vocabulary_path, name, texts_path, out):
    tokenizer = package_tokenizer(read_vocabulary(vocabulary_path), name)
    write(out, [package_ids(tokenizer, text) for text in json.load(open(texts_path, encoding="utf-8"))])


def gemma4_seed(directory, data):
    """The bytes, a few characters and what they merge into."""
    whole = read_vocabulary(data + "/tiny_gemma4.json")
    n_first = whole["types"].count(CONTROL) + 256
    tokens, merges = [*whole["tokens"][:n_first], SPACE_MARK, "\n", "c", "a", "0"], []
    for merge in whole["merges"]:
        left, right = merge.split(" ")
        if left in tokens and right in tokens and left + right not in tokens:
            merges.append(merge)
            tokens.append(left + right)
    small = {"tokens": tokens, "types": whole["types"][:n_first] + [NORMAL] * (len(tokens) - n_first), "merges": merges}
    path = f"{directory}/{GEMMA4}"
    save_as_published(small, GEMMA4, path)
    with open(path, encoding="utf-8") as file:
        write(path, json.load(file) | {"bos_token": "<bos>", "eos_token": "<eos>", "eos_token_id": [1, 5],
                                       "text_config": {"hidden_size_per_layer_input": 0}})


def seeds(directory, data):
    """The bytes and the first few merges, and the keys of the files that accompany tokenizer.json."""
    gemma4_seed(directory, data)
    tiny_vocabulary = read_vocabulary(data + "/tiny.json")
    n_merges = 8
    specials = [t for t, kind in zip(tiny_vocabulary["tokens"], tiny_vocabulary["types"]) if kind == CONTROL]
    tokens = tiny_vocabulary["tokens"][:256 + n_merges]
    small = {"tokens": tokens + specials, "types": [NORMAL] * len(tokens) + [CONTROL] * len(specials),
             "merges": tiny_vocabulary["merges"][:n_merges]}
    for name in PRE_TOKENIZERS:
        path = f"{directory}/{name}"
        save_as_published(small, name, path)
        with open(path, encoding="utf-8") as file:
            seed = json.load(file)
        if name == "default":
            seed["model"]["merges"] = [" ".join(merge) for merge in seed["model"]["merges"]]
        seed |= {"bos_token": {"content": specials[0]}, "eos_token": specials[2], "add_bos_token": name == "smollm",
                 "eos_token_id": [len(tokens), 1], "chat_template": [{"name": "default", "template": "<|im_start|>"}]}
        write(path, seed)


COMMANDS = {"all": (all_goldens, 1), "ids": (ids, 4), "seeds": (seeds, 2)}

if __name__ == "__main__":
    command, n_arguments = COMMANDS.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if command is None or len(sys.argv) != 2 + n_arguments:
        sys.exit(__doc__)
    command(*sys.argv[2:])
