#!/usr/bin/env python3
"""Makes the golden files that redraft's forward pass is tested against.

An independent implementation runs the same GGUF file: its weights are dequantised by the `gguf` package and run in
fp32 by transformers and torch. For every text of tests/cases/reference it records the token ids, the mean negative
log-likelihood, the most likely token at every position and the five most likely ones at some positions.

    python3 -m venv VENV
    VENV/bin/pip install --require-hashes --only-binary=:all: -r tools/reference/requirements.lock
    VENV/bin/python tools/reference/make_goldens.py MODEL.gguf tests/cases/reference/NAME.json

The 1.5B model needs 7 GB of memory and some minutes.
"""

import argparse
import hashlib
import json
import pathlib
import sys

import gguf
import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from gguf_names import gguf_name, to_halves, turns_in_pairs

TEXTS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "cases" / "reference"
MAX_TOKENS = 1000
TOP_K = 5
TOP_EVERY = 25  # positions between recorded continuations

# Qwen2's published pattern, as in its tokenizer.json.
QWEN2_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

PRE_TOKENIZERS = {
    "qwen2": [
        pre_tokenizers.Split(Regex(QWEN2_PATTERN), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ],
    "smollm": [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)],
}
CONFIGS = {
    "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
    "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
}


def read_config(reader, architecture):
    def value(key):
        return reader.fields[f"{architecture}.{key}"].contents()

    return CONFIGS[architecture][0](
        vocab_size=len(reader.fields["tokenizer.ggml.tokens"].data),
        hidden_size=value("embedding_length"),
        intermediate_size=value("feed_forward_length"),
        num_hidden_layers=value("block_count"),
        num_attention_heads=value("attention.head_count"),
        num_key_value_heads=value("attention.head_count_kv"),
        max_position_embeddings=value("context_length"),
        rope_theta=value("rope.freq_base"),
        rms_norm_eps=value("attention.layer_norm_rms_epsilon"),
        tie_word_embeddings=False,
        attn_implementation="eager",
    )


def load_model(reader):
    architecture = reader.fields["general.architecture"].contents()
    config = read_config(reader, architecture)
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    with torch.device("meta"):
        model = CONFIGS[architecture][1](config)
    state = {}
    for name in model.state_dict():
        source = gguf_name(name)
        if name == "lm_head.weight" and source not in tensors:
            source = "token_embd.weight"
        tensor = tensors[source]
        values = torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type).copy())
        if turns_in_pairs(architecture, name):
            values = to_halves(values, config.hidden_size // config.num_attention_heads)
        state[name] = values
    model.load_state_dict(state, strict=True, assign=True)
    # A buffer that is computed, not loaded.
    model.model.rotary_emb = type(model.model.rotary_emb)(config=model.config)
    return model.eval()


def load_tokenizer(reader):
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in reader.fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(PRE_TOKENIZERS[reader.fields["tokenizer.ggml.pre"].contents()])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def run_text(model, ids):
    with torch.inference_mode():
        logits = model(torch.tensor([ids]), use_cache=False).logits[0].float()
        log_probabilities = torch.log_softmax(logits.double(), dim=-1)
    following = torch.tensor(ids[1:])
    top = torch.topk(log_probabilities, TOP_K, dim=-1)
    positions = range(0, len(ids), TOP_EVERY)
    return {
        "ids": ids,
        "nll": -log_probabilities[:-1].gather(1, following[:, None]).mean().item(),
        "top1": logits.argmax(dim=-1).tolist(),
        "top5": [
            {"position": p, "ids": top.indices[p].tolist(), "log_probabilities": [round(v, 4) for v in top.values[p].tolist()]}
            for p in positions
        ],
    }


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 22):
            digest.update(block)
    return digest.hexdigest()


def write(path, golden):
    """Writes one text per line, so that a diff is readable."""
    texts = golden.pop("texts")
    with open(path, "w", encoding="utf-8") as out:
        out.write(json.dumps(golden)[:-1] + ', "texts": [\n')
        out.write(",\n".join(json.dumps(text, separators=(",", ":")) for text in texts))
        out.write("\n]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("golden", type=pathlib.Path)
    arguments = parser.parse_args()
    reader = gguf.GGUFReader(arguments.model)
    tokenizer = load_tokenizer(reader)
    model = load_model(reader)
    golden = {
        "model": arguments.model.name,
        "model_sha256": sha256(arguments.model),
        "made_with": f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}, fp32",
        "texts": [],
    }
    for path in sorted(TEXTS.glob("*.txt")):
        ids = tokenizer.encode(path.read_text(encoding="utf-8"), add_special_tokens=False).ids[:MAX_TOKENS]
        result = run_text(model, ids)
        golden["texts"].append({"name": path.stem, **result})
        print(f"{path.name}: {len(ids)} tokens, nll {result['nll']:.4f}", file=sys.stderr, flush=True)
    write(arguments.golden, golden)


if __name__ == "__main__":
    main()
