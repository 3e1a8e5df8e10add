#!/usr/bin/env python3
"""Makes the tiny models with which redraft's architectures are tested, and the logits that they should give.

Every model has random weights from a fixed seed and is written twice: as a folder by transformers (config.json and
safetensors) and as a GGUF file by the `gguf` package. transformers and torch run it in fp32 on a few tokens; the
logits are stored next to it. The environment is that of make_goldens.py.

    VENV/bin/python tools/reference/make_tiny_models.py tests/cases/tiny_models
"""

import argparse
import math
import pathlib
import shutil

import gguf
import torch
import transformers

from gguf_names import gguf_name, stacked_name, to_pairs, turns_in_pairs
from tiny_files import finish_gguf, golden, write_golden

TOKENS = 32
SIZES = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
         "max_position_embeddings": 256, "rms_norm_eps": 1e-6}
QWEN2 = (transformers.Qwen2Config, transformers.Qwen2ForCausalLM)
QWEN3 = (transformers.Qwen3Config, transformers.Qwen3ForCausalLM)
QWEN3_MOE = (transformers.Qwen3MoeConfig, transformers.Qwen3MoeForCausalLM)
LLAMA = (transformers.LlamaConfig, transformers.LlamaForCausalLM)

# name: (architecture, type of the weights, differences from SIZES)
MODELS = {
    "qwen2": (QWEN2, torch.float32, {
        "num_attention_heads": 2, "num_key_value_heads": 1, "tie_word_embeddings": False, "rope_theta": 1e6}),
    "qwen2_yarn": (QWEN2, torch.float16, {
        "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": True,
        "rope_theta": 1e4,
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64,
                         "attention_factor": 1.3, "beta_fast": 8.0, "beta_slow": 0.5}}),
    "qwen3": (QWEN3, torch.bfloat16, {
        "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 32, "tie_word_embeddings": True,
        "rope_theta": 1e6}),
    "llama_linear": (LLAMA, torch.float32, {
        "num_attention_heads": 2, "num_key_value_heads": 2, "tie_word_embeddings": False, "attention_bias": True,
        "mlp_bias": True, "rope_theta": 1e4, "rope_scaling": {"rope_type": "linear", "factor": 2.5}}),
    "llama3": (LLAMA, torch.float16, {
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "tie_word_embeddings": True,
        "rope_theta": 5e5,
        "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                         "original_max_position_embeddings": 64}}),
    "llama_yarn": (LLAMA, torch.bfloat16, {
        "hidden_size": 48, "num_attention_heads": 3, "num_key_value_heads": 1, "tie_word_embeddings": False,
        "rope_theta": 1e4,
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}}),
    "qwen3moe": (QWEN3_MOE, torch.bfloat16, {
        "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16, "tie_word_embeddings": False,
        "rope_theta": 1e6, "num_experts": 8, "num_experts_per_tok": 3, "moe_intermediate_size": 24,
        "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": []}),
}
IN_SHARDS = "qwen2_yarn"
GGUF_ARCHITECTURES = {"qwen3_moe": "qwen3moe"}  # where the name is another one
FILE_TYPES = {torch.float32: gguf.GGMLQuantizationType.F32, torch.float16: gguf.GGMLQuantizationType.F16,
              torch.bfloat16: gguf.GGMLQuantizationType.BF16}


def make_model(architecture, dtype, differences, seed):
    """The model, with weights large enough for attention to be selective and logits to differ; they fit `dtype` exactly."""
    config_class, model_class = architecture
    config = config_class(**{**SIZES, **differences}, attn_implementation="eager")
    model = model_class(config)
    random = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=random)
        if name.endswith("norm.weight"):
            values = 1 + values / 4
        elif parameter.dim() == 2 and "embed" not in name:
            values *= 1.5 / math.sqrt(parameter.shape[1])
        parameter.data = values.to(dtype)
    model.tie_weights()
    return model.eval()


def run(model, seed):
    ids = torch.randint(SIZES["vocab_size"], (TOKENS,), generator=torch.Generator().manual_seed(seed))
    with torch.inference_mode():
        logits = model.float()(ids[None], use_cache=False).logits[0]
    return golden(ids, logits)


def llama3_divisors(config, head_dim):
    """The divisors that turn plain frequencies into those that transformers computes."""
    scaled, _ = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS["llama3"](config, "cpu")
    plain = config.rope_theta ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    return (plain / scaled).float()


def add_scaling(writer, config):
    scaling = config.rope_scaling
    if not scaling or scaling["rope_type"] == "llama3":
        return
    writer.add_rope_scaling_type(gguf.RopeScalingType(scaling["rope_type"]))
    writer.add_rope_scaling_factor(scaling["factor"])
    if scaling["rope_type"] == "yarn":
        writer.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])
    if "attention_factor" in scaling:  # in GGUF it multiplies the factor that follows from the scaling
        writer.add_rope_scaling_attn_factors(scaling["attention_factor"] / (0.1 * math.log(scaling["factor"]) + 1))
        writer.add_rope_scaling_yarn_beta_fast(scaling["beta_fast"])
        writer.add_rope_scaling_yarn_beta_slow(scaling["beta_slow"])


def write_gguf(model, dtype, path):
    config = model.config
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer = gguf.GGUFWriter(path, GGUF_ARCHITECTURES.get(config.model_type, config.model_type))
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_rope_dimension_count(head_dim)
    writer.add_rope_freq_base(config.rope_theta)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    add_scaling(writer, config)
    if getattr(config, "num_experts", 0):
        writer.add_expert_count(config.num_experts)
        writer.add_expert_used_count(config.num_experts_per_tok)
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    if config.rope_scaling and config.rope_scaling["rope_type"] == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_divisors(config, head_dim).numpy())
    stacks = {}
    for name, parameter in model.named_parameters():
        values = parameter.detach().float()
        if stacked_name(name):
            stacks.setdefault(stacked_name(name)[0], []).append(values)  # expert after expert
            continue
        if turns_in_pairs(config.model_type, name):
            values = to_pairs(values, head_dim)
        small = values.dim() == 1 or name.endswith("mlp.gate.weight")  # the router is float as converters write it
        kind = FILE_TYPES[torch.float32 if small else dtype]
        writer.add_tensor(gguf_name(name), gguf.quants.quantize(values.contiguous().numpy(), kind), raw_dtype=kind)
    for name, experts in stacks.items():
        values = torch.stack(experts).numpy()
        writer.add_tensor(name, gguf.quants.quantize(values, FILE_TYPES[dtype]), raw_dtype=FILE_TYPES[dtype])
    finish_gguf(writer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    for seed, (name, (architecture, dtype, differences)) in enumerate(MODELS.items()):
        target = folder / name
        shutil.rmtree(target, ignore_errors=True)
        model = make_model(architecture, dtype, differences, seed)
        model.save_pretrained(target, max_shard_size="40KB" if name == IN_SHARDS else "1GB")
        write_gguf(model, dtype, target / "model.gguf")
        write_golden(target, run(model, seed))


if __name__ == "__main__":
    main()
