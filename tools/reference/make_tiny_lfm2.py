#!/usr/bin/env python3
"""Makes the tiny LFM2 models (short gated convolutions) with which redraft is tested, and the logits that they should give.

Like make_tiny_hybrids.py: random weights from a fixed seed, written as a folder and as a GGUF file with the names and
keys of llama.cpp's converter. transformers reads the folder back and runs it token by token in fp32, so it also decides
what config.json means.

    VENV/bin/pip install -r tools/reference/requirements-hybrids.lock
    VENV/bin/python tools/reference/make_tiny_lfm2.py tests/cases/tiny_models
"""

import argparse
import json
import math
import pathlib
import shutil

import gguf
import torch
import transformers

from make_tiny_hybrids import FILE_TYPES, TOKENS
from tiny_files import finish_gguf, golden, write_golden

ARCHITECTURE = "lfm2"
SIZES = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 3, "max_position_embeddings": 256, "norm_eps": 1e-5,
         "num_attention_heads": 2, "num_key_value_heads": 1, "layer_types": ["conv", "full_attention", "conv"]}
# name: (type of the weights, differences from SIZES)
MODELS = {
    # The width of the feed-forward blocks follows in three steps: 66, 72, 80.
    "lfm2": (torch.float32, {"intermediate_size": 100, "block_ffn_dim_multiplier": 1.1, "block_multiple_of": 16}),
    "lfm2_older": (torch.bfloat16, {
        "intermediate_size": 48, "block_auto_adjust_ff_dim": False, "conv_L_cache": 4, "tie_word_embeddings": False,
        "num_hidden_layers": 4, "layer_types": ["conv", "conv", "full_attention", "full_attention"],
        "rope_parameters": {"rope_type": "default", "rope_theta": 2e4}}),
}
# The configuration has the keys of the first published models.
OLDER = "lfm2_older"
OUTER = {"model.embed_tokens.weight": "token_embd.weight", "model.embedding_norm.weight": "token_embd_norm.weight",
         "lm_head.weight": "output.weight"}
IN_LAYER = {
    "operator_norm": "attn_norm", "ffn_norm": "ffn_norm",
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.out_proj": "attn_output", "self_attn.q_layernorm": "attn_q_norm", "self_attn.k_layernorm": "attn_k_norm",
    "conv.in_proj": "shortconv.in_proj", "conv.conv": "shortconv.conv", "conv.out_proj": "shortconv.out_proj",
    "feed_forward.w1": "ffn_gate", "feed_forward.w3": "ffn_up", "feed_forward.w2": "ffn_down",
}


def make_model(dtype, differences, seed):
    """The model, with weights large enough for logits to differ; they fit `dtype` exactly."""
    model = transformers.Lfm2ForCausalLM(transformers.Lfm2Config(**{**SIZES, **differences}))
    random = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=random)
        if "norm" in name:
            values = 1 + values / 4
        elif "embed" not in name:
            values *= 1.5 / math.sqrt(parameter.shape[-1])
        parameter.data = values.to(dtype)
    model.tie_weights()
    return model.eval()


def as_older(folder):
    file = folder / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    config["block_ff_dim"] = config.pop("intermediate_size")
    config["intermediate_size"] = 7  # block_ff_dim goes before it
    config["full_attn_idxs"] = [i for i, kind in enumerate(config.pop("layer_types")) if kind == "full_attention"]
    config["rope_theta"] = config.pop("rope_parameters")["rope_theta"]
    config["tie_embedding"] = config["tie_word_embeddings"]
    config["tie_word_embeddings"] = True  # so does tie_embedding
    file.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def run(folder, seed):
    """The logits, one token at a time: the convolutions read what the cache keeps of earlier tokens."""
    model = transformers.Lfm2ForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    ids = torch.randint(SIZES["vocab_size"], (TOKENS,), generator=torch.Generator().manual_seed(seed))
    cache, logits = None, []
    with torch.inference_mode():
        for token in ids:
            out = model(token[None, None], past_key_values=cache, use_cache=True)
            cache = out.past_key_values
            logits.append(out.logits[0, -1])
        at_once = model(ids[None], use_cache=False).logits[0]
    logits = torch.stack(logits)
    print(f"  at once the logits differ by at most {(logits - at_once).abs().max():.1e}")
    return golden(ids, logits)


def write_keys(writer, config, feed_forward):
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(feed_forward)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv([config.num_key_value_heads if kind == "full_attention" else 0
                              for kind in config.layer_types])
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(config.norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_shortconv_l_cache(config.conv_L_cache)


def write_gguf(model, dtype, path):
    writer = gguf.GGUFWriter(path, ARCHITECTURE)
    write_keys(writer, model.config, model.model.layers[0].feed_forward.w1.out_features)
    for name, parameter in model.named_parameters():
        values = parameter.detach().float()
        role = OUTER.get(name)
        if not role:
            _, _, layer, rest = name.removesuffix(".weight").split(".", 3)
            role = f"blk.{layer}.{IN_LAYER[rest]}.weight"
        if "shortconv.conv" in role:
            values = values.squeeze(1)
        kind = FILE_TYPES[torch.float32 if values.dim() == 1 or "shortconv.conv" in role else dtype]
        writer.add_tensor(role, gguf.quants.quantize(values.contiguous().numpy(), kind), raw_dtype=kind)
    finish_gguf(writer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    for seed, (name, (dtype, differences)) in enumerate(MODELS.items(), start=200):
        target = folder / name
        shutil.rmtree(target, ignore_errors=True)
        model = make_model(dtype, differences, seed)
        model.save_pretrained(target)
        (target / "generation_config.json").unlink()
        if name == OLDER:
            as_older(target)
        write_gguf(model, dtype, target / "model.gguf")
        write_golden(target, run(target, seed))


if __name__ == "__main__":
    main()
