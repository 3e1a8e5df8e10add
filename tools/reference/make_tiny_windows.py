#!/usr/bin/env python3
"""Makes the tiny models with sliding windows with which redraft is tested, and the logits that they should give.

Like make_tiny_hybrids.py: random weights from a fixed seed, written as a folder and as a GGUF file with the names and
keys of llama.cpp's converter (gpt-oss and gemma4 as a file only). transformers reads the text at once, and again token by token; it is more than four
windows long.

    VENV/bin/pip install -r tools/reference/requirements-hybrids.lock
    VENV/bin/python tools/reference/make_tiny_windows.py tests/cases/tiny_models
"""

import argparse
import math
import pathlib
import shutil

import gguf
import torch
import transformers

from make_tiny_hybrids import FILE_TYPES, OUTER
from tiny_files import finish_gguf, golden, write_golden

WINDOW = 12
TOKENS = 4 * WINDOW + 6
SLIDING, FULL = "sliding_attention", "full_attention"
SIZES = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 3, "max_position_embeddings": 256,
         "rms_norm_eps": 1e-6, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
         "sliding_window": WINDOW, "tie_word_embeddings": False, "attention_bias": False}
YARN = {"rope_type": "yarn", "rope_theta": 2e4, "factor": 4.0, "original_max_position_embeddings": 64}
MELLUM = {"num_experts": 8, "num_experts_per_tok": 3, "moe_intermediate_size": 24, "norm_topk_prob": True}
GPT_OSS = {"num_local_experts": 8, "num_experts_per_tok": 3, "intermediate_size": 24, "attention_bias": True,
           "rms_norm_eps": 1e-5}
# Two widths of heads, of which the wider ones rotate by a half; with keys that are values, and caps.
GEMMA = {"intermediate_size": 48, "tie_word_embeddings": True, "hidden_size_per_layer_input": 0,
         "vocab_size_per_layer_input": 64, "num_key_value_heads": 2, "global_head_dim": 32,
         "final_logit_softcapping": 4.0, "rope_parameters": {
             FULL: {"rope_type": "proportional", "partial_rotary_factor": 0.5, "rope_theta": 1e6},
             SLIDING: {"rope_type": "default", "rope_theta": 1e4}}}

# Inputs of layers; the last layers share keys and values, and are wide. llama.cpp shares those of the last two layers with
# their own, of which the last must be without a window.
GEMMA_E = {**GEMMA, "hidden_size_per_layer_input": 32, "num_hidden_layers": 4, "num_kv_shared_layers": 2,
           "use_double_wide_mlp": True, "layer_types": [SLIDING, FULL, SLIDING, FULL]}

# name: (classes, its name in GGUF, type of the weights, differences from SIZES)
MODELS = {
    # Two bases of the rotation, of which only that of the layers without a window is scaled.
    "mellum": ((transformers.MellumConfig, transformers.MellumForCausalLM), "mellum", torch.bfloat16, {
        **MELLUM, "layer_types": [SLIDING, FULL, SLIDING],
        "rope_parameters": {FULL: YARN, SLIDING: {"rope_type": "default", "rope_theta": 1e4}}}),
    # One base, as llama.cpp computes it.
    "mellum_even": ((transformers.MellumConfig, transformers.MellumForCausalLM), "mellum", torch.float16, {
        **MELLUM, "num_experts": 4, "num_experts_per_tok": 2, "num_hidden_layers": 4,
        "layer_types": [SLIDING] * 3 + [FULL],
        "rope_parameters": {FULL: YARN, SLIDING: {"rope_type": "default", "rope_theta": 2e4}}}),
    "gptoss": ((transformers.GptOssConfig, transformers.GptOssForCausalLM), "gpt-oss", torch.bfloat16, {
        **GPT_OSS, "layer_types": [SLIDING, FULL, SLIDING],
        "rope_parameters": {**YARN, "rope_theta": 15e4, "truncate": False}}),
    # Rotation without scaling: llama.cpp rounds YaRN's bounds, the published model does not.
    "gptoss_even": ((transformers.GptOssConfig, transformers.GptOssForCausalLM), "gpt-oss", torch.float32, {
        **GPT_OSS, "num_local_experts": 4, "num_experts_per_tok": 2, "num_hidden_layers": 2,
        "layer_types": [SLIDING, FULL], "rope_parameters": {"rope_type": "default", "rope_theta": 15e4}}),
    "gemma4": ((transformers.Gemma4TextConfig, transformers.Gemma4ForCausalLM), "gemma4", torch.bfloat16, {
        **GEMMA, "attention_k_eq_v": True, "num_global_key_value_heads": 1, "layer_types": [SLIDING, SLIDING, FULL]}),
    "gemma4_values": ((transformers.Gemma4TextConfig, transformers.Gemma4ForCausalLM), "gemma4", torch.float32, {
        **GEMMA, "num_hidden_layers": 2, "layer_types": [SLIDING, FULL]}),
    "gemma4_experts": ((transformers.Gemma4TextConfig, transformers.Gemma4ForCausalLM), "gemma4", torch.float16, {
        **GEMMA, "attention_k_eq_v": True, "num_global_key_value_heads": 2, "layer_types": [SLIDING, SLIDING, FULL],
        "enable_moe_block": True, "num_experts": 8, "top_k_experts": 3, "moe_intermediate_size": 24}),
    "gemma4_e": ((transformers.Gemma4TextConfig, transformers.Gemma4ForCausalLM), "gemma4", torch.bfloat16, GEMMA_E),
    "gemma4_e_unshared": ((transformers.Gemma4TextConfig, transformers.Gemma4ForCausalLM), "gemma4", torch.float32, {
        **GEMMA_E, "num_hidden_layers": 2, "num_kv_shared_layers": 0, "layer_types": [SLIDING, FULL]}),
}
FILE_ONLY = ("gpt-oss", "gemma4")
IN_LAYER = {
    "self_attn.q_proj.bias": "attn_q.bias", "self_attn.k_proj.bias": "attn_k.bias",
    "self_attn.v_proj.bias": "attn_v.bias", "self_attn.o_proj.bias": "attn_output.bias",
    "self_attn.sinks": "attn_sinks.weight", "mlp.router.weight": "ffn_gate_inp.weight",
    "mlp.router.bias": "ffn_gate_inp.bias", "mlp.experts.down_proj_bias": "ffn_down_exps.bias",
    "input_layernorm.weight": "attn_norm.weight", "post_attention_layernorm.weight": "ffn_norm.weight",
    "self_attn.q_proj.weight": "attn_q.weight", "self_attn.k_proj.weight": "attn_k.weight",
    "self_attn.v_proj.weight": "attn_v.weight", "self_attn.o_proj.weight": "attn_output.weight",
    "self_attn.q_norm.weight": "attn_q_norm.weight", "self_attn.k_norm.weight": "attn_k_norm.weight",
    "mlp.gate.weight": "ffn_gate_inp.weight", "mlp.experts.down_proj": "ffn_down_exps.weight",
}


GEMMA_OUTER = {
    "model.embed_tokens_per_layer.weight": "per_layer_token_embd.weight",
    "model.per_layer_model_projection.weight": "per_layer_model_proj.weight",
    "model.per_layer_projection_norm.weight": "per_layer_proj_norm.weight",
}
GEMMA_LAYER = {
    "post_attention_layernorm.weight": "post_attention_norm.weight", "pre_feedforward_layernorm.weight": "ffn_norm.weight",
    "post_feedforward_layernorm.weight": "post_ffw_norm.weight", "layer_scalar": "layer_output_scale.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight", "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.down_proj.weight": "ffn_down.weight",
    "router.proj.weight": "ffn_gate_inp.weight", "router.scale": "ffn_gate_inp.scale",
    "router.per_expert_scale": "ffn_down_exps.scale", "experts.gate_up_proj": "ffn_gate_up_exps.weight",
    "experts.down_proj": "ffn_down_exps.weight", "pre_feedforward_layernorm_2.weight": "pre_ffw_norm_2.weight",
    "post_feedforward_layernorm_1.weight": "post_ffw_norm_1.weight",
    "post_feedforward_layernorm_2.weight": "post_ffw_norm_2.weight",
    "per_layer_input_gate.weight": "inp_gate.weight", "per_layer_projection.weight": "proj.weight",
    "post_per_layer_input_norm.weight": "post_norm.weight",
}


def make_model(architecture, dtype, differences, seed):
    """The model, with weights large enough for logits to differ; they fit `dtype` exactly."""
    config_class, model_class = architecture
    model = model_class(config_class(**{**SIZES, **differences}, attn_implementation="eager"))
    random = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=random)
        if "norm" in name or name.endswith("scale"):
            values = 1 + values / 4
        elif "embed" in name and model_class is transformers.Gemma4ForCausalLM:
            values /= 4  # the head's, too
        elif "experts" in name and name.endswith("_proj") and "GptOss" in model_class.__name__:
            values *= 2 / math.sqrt(parameter.shape[-2])  # a few gates are clamped
        elif "embed" not in name:
            values *= 1.5 / math.sqrt(parameter.shape[-1])
        parameter.data = values.to(dtype)
    for name, buffer in model.named_buffers():
        if name.endswith("layer_scalar"):
            buffer.data = (1 + torch.randn(1, generator=random) / 4).to(dtype)
    model.tie_weights()
    return model.eval()


def run(folder, model_class, seed):
    """The logits of a text that is read at once."""
    model = model_class.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    ids = torch.randint(SIZES["vocab_size"], (TOKENS,), generator=torch.Generator().manual_seed(seed))
    cache, logits = None, []
    with torch.inference_mode():
        at_once = model(ids[None], use_cache=False).logits[0]
        for token in ids:
            out = model(token[None, None], past_key_values=cache, use_cache=True)
            cache = out.past_key_values
            logits.append(out.logits[0, -1])
    print(f"  token by token the logits differ by at most {(torch.stack(logits) - at_once).abs().max():.1e}")
    return golden(ids, at_once)


def write_keys(writer, config):
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_head_count(config.num_attention_heads)
    if writer.arch != "gemma4":
        writer.add_head_count_kv(config.num_key_value_heads)
        writer.add_key_length(config.head_dim)
        writer.add_value_length(config.head_dim)
        writer.add_rope_dimension_count(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_sliding_window(config.sliding_window)


def write_gemma_keys(writer, config):
    layers = [config.per_layer_config[i] for i in range(config.num_hidden_layers)]
    width, own = layers[-1].head_dim, layers[0].head_dim
    sharing = config.num_kv_shared_layers
    wide = 2 if config.use_double_wide_mlp else 1
    widths = [config.intermediate_size * (wide if i >= len(layers) - sharing else 1) for i in range(len(layers))]
    writer.add_feed_forward_length(widths if sharing else config.intermediate_size)
    if config.enable_moe_block:
        writer.add_expert_count(config.num_experts)
        writer.add_expert_used_count(config.top_k_experts)
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    writer.add_shared_kv_layers(sharing)
    writer.add_embedding_length_per_layer_input(config.hidden_size_per_layer_input)
    writer.add_sliding_window_pattern([kind == SLIDING for kind in config.layer_types])
    writer.add_head_count_kv([layer.num_key_value_heads for layer in layers])
    for key, value in (("key", width), ("value", width), ("key_swa", own), ("value_swa", own)):
        kind, *window = key.split("_")
        writer.add_uint32("_".join((f"gemma4.attention.{kind}_length", *window)), value)
    writer.add_rope_dimension_count(width)
    writer.add_rope_dimension_count_swa(own)
    writer.add_rope_freq_base(config.rope_parameters[FULL]["rope_theta"])
    writer.add_rope_freq_base_swa(config.rope_parameters[SLIDING]["rope_theta"])
    writer.add_final_logit_softcapping(config.final_logit_softcapping)
    pairs = int(width * config.rope_parameters[FULL]["partial_rotary_factor"]) // 2
    factors = torch.tensor([1.0] * pairs + [1e30] * (width // 2 - pairs))
    writer.add_tensor("rope_freqs.weight", factors.numpy())


def write_own_keys(writer, config):
    if writer.arch == "gemma4":
        write_gemma_keys(writer, config)
        return
    writer.add_expert_count(config.num_experts)
    writer.add_expert_used_count(config.num_experts_per_tok)
    if writer.arch == "gpt-oss":
        writer.add_expert_feed_forward_length(config.intermediate_size)
        write_rope(writer, config.rope_parameters)
        return
    writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    writer.add_sliding_window_pattern([kind == SLIDING for kind in config.layer_types])
    write_rope(writer, config.rope_parameters[FULL])
    writer.add_rope_freq_base_swa(config.rope_parameters[SLIDING]["rope_theta"])


def write_rope(writer, rope):
    writer.add_rope_freq_base(rope["rope_theta"])
    if rope["rope_type"] == "default":
        return
    writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    writer.add_rope_scaling_factor(rope["factor"])
    writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])


def converted(name, values, architecture):
    """The tensors of GGUF for one of a layer's."""
    if architecture == "gemma4" and name in GEMMA_LAYER:
        return {GEMMA_LAYER[name]: values}
    if architecture == "gpt-oss":
        if name == "post_attention_layernorm.weight":
            return {"post_attention_norm.weight": values}
        if name.startswith("mlp.experts.gate_up_proj"):  # a gate, then an input, and so on
            kind = "bias" if name.endswith("bias") else "weight"
            values = values if kind == "bias" else values.transpose(1, 2)
            return {f"ffn_gate_exps.{kind}": values[:, ::2], f"ffn_up_exps.{kind}": values[:, 1::2]}
        if name == "mlp.experts.down_proj":
            values = values.transpose(1, 2)
    if name == "mlp.experts.gate_up_proj":
        gate, up = values.chunk(2, dim=1)
        return {"ffn_gate_exps.weight": gate, "ffn_up_exps.weight": up}
    return {IN_LAYER[name]: values}


def write_gguf(model, architecture, dtype, path):
    writer = gguf.GGUFWriter(path, architecture)
    write_keys(writer, model.config)
    write_own_keys(writer, model.config)
    scalars = [(name, buffer) for name, buffer in model.named_buffers() if name.endswith("layer_scalar")]
    for name, parameter in [*model.named_parameters(), *scalars]:
        values = parameter.detach().float()
        if name in {**OUTER, **GEMMA_OUTER}:
            tensors = {{**OUTER, **GEMMA_OUTER}[name]: values}
        else:
            _, _, layer, rest = name.split(".", 3)
            tensors = {f"blk.{layer}.{role}": part for role, part in converted(rest, values, architecture).items()}
        for role, part in tensors.items():
            small = part.dim() == 1 or "ffn_gate_inp" in role or role.endswith("bias")
            kind = FILE_TYPES[torch.float32 if small else dtype]
            writer.add_tensor(role, gguf.quants.quantize(part.contiguous().numpy(), kind), raw_dtype=kind)
    finish_gguf(writer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    for seed, (name, (architecture, gguf_name, dtype, differences)) in enumerate(MODELS.items(), start=300):
        target = folder / name
        shutil.rmtree(target, ignore_errors=True)
        model = make_model(architecture, dtype, differences, seed)
        model.save_pretrained(target)
        (target / "generation_config.json").unlink(missing_ok=True)
        write_gguf(model, gguf_name, dtype, target / "model.gguf")
        expected = run(target, architecture[1], seed)
        if gguf_name in FILE_ONLY:
            for name in ("config.json", "model.safetensors"):
                (target / name).unlink()
        write_golden(target, expected)


if __name__ == "__main__":
    main()
