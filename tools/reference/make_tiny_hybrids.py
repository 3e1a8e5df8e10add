#!/usr/bin/env python3
"""Makes the tiny hybrids (models with recurrent layers) with which redraft is tested, and the logits that they should give.

Like make_tiny_models.py, with a newer transformers, which knows these architectures: every model has random weights
from a fixed seed and is written as a folder and as a GGUF file, whose conventions are those of llama.cpp's converter:
norms hold their weight and not what it exceeds 1 by, decays are negative numbers and not logarithms, and the value
heads of qwen35 are tiled. transformers runs the model token by token in fp32, so that the recurrent form of its delta
rule computes every row.

    VENV/bin/pip install -r tools/reference/requirements-hybrids.lock
    VENV/bin/python tools/reference/make_tiny_hybrids.py tests/cases/tiny_models
"""

import argparse
import json
import math
import pathlib
import shutil

import gguf
import safetensors.torch
import torch
import transformers

import mtp_reference
from tiny_files import finish_gguf, golden, write_golden, write_json

TOKENS = 32
SIZES = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 3, "max_position_embeddings": 256,
         "rms_norm_eps": 1e-6, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32,
         "layer_types": ["linear_attention", "full_attention", "linear_attention"],
         "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 32, "linear_value_head_dim": 16,
         "linear_conv_kernel_dim": 4, "tie_word_embeddings": False, "attention_bias": False,
         "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.25}}
# As wide as a key: what llama.cpp runs, too (tools/compare_llama_logits.py).
EVEN = {"linear_value_head_dim": 32}
MIXTURE = {**EVEN, "num_experts": 8, "num_experts_per_tok": 3, "moe_intermediate_size": 24,
           "shared_expert_intermediate_size": 40}
QWEN35 = (transformers.Qwen3_5TextConfig, transformers.Qwen3_5ForCausalLM)
QWEN35_MOE = (transformers.Qwen3_5MoeTextConfig, transformers.Qwen3_5MoeForCausalLM)
QWEN3_NEXT = (transformers.Qwen3NextConfig, transformers.Qwen3NextForCausalLM)

# name: (architecture, its name in GGUF, type of the weights, differences from SIZES)
MODELS = {
    "qwen35": (QWEN35, "qwen35", torch.float32, {"intermediate_size": 48}),
    # As many value heads as key heads, of the same width; four layers, of which the last has attention.
    "qwen35_even": (QWEN35, "qwen35", torch.bfloat16, {
        "intermediate_size": 48, "num_hidden_layers": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 2,
        "linear_value_head_dim": 32, "tie_word_embeddings": True,
        "layer_types": ["linear_attention"] * 3 + ["full_attention"]}),
    "qwen35moe": (QWEN35_MOE, "qwen35moe", torch.float16, MIXTURE),
    "qwen3next": (QWEN3_NEXT, "qwen3next", torch.bfloat16, {
        **MIXTURE, "intermediate_size": 48, "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": []}),
}
# The folder is that of a multimodal model: the language model is a part of it, with the experts of a layer in one tensor.
MULTIMODAL = "qwen35moe"
# These have an MTP block, which block_count of the GGUF file counts, and a file with what it proposes.
MTP_SEEDS = {"qwen35_even": 1104, "qwen35moe": 1113, "qwen3next": 1107}
FILE_TYPES = {torch.float32: gguf.GGMLQuantizationType.F32, torch.float16: gguf.GGMLQuantizationType.F16,
              torch.bfloat16: gguf.GGMLQuantizationType.BF16}
OUTER = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
         "lm_head.weight": "output.weight"}
IN_LAYER = {
    "input_layernorm.weight": "attn_norm.weight", "post_attention_layernorm.weight": "post_attention_norm.weight",
    "self_attn.q_proj.weight": "attn_q.weight", "self_attn.k_proj.weight": "attn_k.weight",
    "self_attn.v_proj.weight": "attn_v.weight", "self_attn.o_proj.weight": "attn_output.weight",
    "self_attn.q_norm.weight": "attn_q_norm.weight", "self_attn.k_norm.weight": "attn_k_norm.weight",
    "linear_attn.in_proj_qkv.weight": "attn_qkv.weight", "linear_attn.in_proj_z.weight": "attn_gate.weight",
    "linear_attn.in_proj_a.weight": "ssm_alpha.weight", "linear_attn.in_proj_b.weight": "ssm_beta.weight",
    "linear_attn.in_proj_ba.weight": "ssm_ba.weight", "linear_attn.conv1d.weight": "ssm_conv1d.weight",
    "linear_attn.dt_bias": "ssm_dt.bias", "linear_attn.A_log": "ssm_a", "linear_attn.norm.weight": "ssm_norm.weight",
    "linear_attn.out_proj.weight": "ssm_out.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight", "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.down_proj.weight": "ffn_down.weight", "mlp.gate.weight": "ffn_gate_inp.weight",
    "mlp.experts.gate_up_proj": "ffn_gate_up_exps.weight", "mlp.experts.down_proj": "ffn_down_exps.weight",
    "mlp.shared_expert.gate_proj.weight": "ffn_gate_shexp.weight",
    "mlp.shared_expert.up_proj.weight": "ffn_up_shexp.weight",
    "mlp.shared_expert.down_proj.weight": "ffn_down_shexp.weight",
    "mlp.shared_expert_gate.weight": "ffn_gate_inp_shexp.weight",
}


def make_model(architecture, dtype, differences, seed):
    """The model, with weights large enough for logits to differ; they fit `dtype` exactly."""
    config_class, model_class = architecture
    model = model_class(config_class(**{**SIZES, **differences}, attn_implementation="eager"))
    random = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=random)
        if name.endswith("linear_attn.norm.weight"):
            values = 1 + values / 4
        elif name.endswith("norm.weight"):
            values = values / 4
        elif name.endswith("A_log"):
            values = values / 2 - 1  # decays that leave something for many tokens
        elif parameter.dim() >= 2 and "embed" not in name:
            values *= 1.5 / math.sqrt(parameter.shape[-1])
        parameter.data = values.to(dtype)
    model.tie_weights()
    return model.eval()


def run(model, seed):
    """The logits, one token at a time: the recurrent form of the delta rule. And the outputs behind the last norm."""
    ids = torch.randint(SIZES["vocab_size"], (TOKENS,), generator=torch.Generator().manual_seed(seed))
    model = model.float()
    cache, logits, outputs = None, [], []
    hook = model.model.norm.register_forward_hook(lambda _module, _input, out: outputs.append(out[0, -1]))
    with torch.inference_mode():
        for token in ids:
            out = model(token[None, None], past_key_values=cache, use_cache=True)
            cache = out.past_key_values
            logits.append(out.logits[0, -1])
        hook.remove()
        at_once = model(ids[None], use_cache=False).logits[0]
    logits = torch.stack(logits)
    print(f"  in chunks the logits differ by at most {(logits - at_once).abs().max():.1e}")
    return golden(ids, logits), outputs


def tiled(values, config, dim, head_dim):
    """Value heads in GGUF's order for qwen35: head h reads key head h % key_heads."""
    keys, heads = config.linear_num_key_heads, config.linear_num_value_heads
    order = torch.arange(heads).reshape(keys, heads // keys).T.flatten()
    index = (order[:, None] * head_dim + torch.arange(head_dim)).flatten()
    return values.index_select(dim, index)


def tile_value_heads(name, values, config):
    width = config.linear_value_head_dim
    if name in ("linear_attn.in_proj_qkv.weight", "linear_attn.conv1d.weight"):
        keys = 2 * config.linear_num_key_heads * config.linear_key_head_dim
        return torch.cat([values[:keys], tiled(values[keys:], config, 0, width)])
    if name == "linear_attn.in_proj_z.weight":
        return tiled(values, config, 0, width)
    if name in ("linear_attn.in_proj_a.weight", "linear_attn.in_proj_b.weight", "linear_attn.dt_bias",
                "linear_attn.A_log"):
        return tiled(values, config, 0, 1)
    if name == "linear_attn.out_proj.weight":
        return tiled(values, config, 1, width)
    return values


def split_joined(values, config):
    """in_proj_qkvz, interleaved by key head, as attn_qkv and attn_gate."""
    keys, key = config.linear_num_key_heads, config.linear_key_head_dim
    value = config.linear_value_head_dim * config.linear_num_value_heads // keys
    parts = values.reshape(keys, 2 * key + 2 * value, -1).split([key, key, value, value], dim=1)
    query, key, value, gate = (part.reshape(-1, values.shape[1]) for part in parts)
    return {"attn_qkv.weight": torch.cat([query, key, value]), "attn_gate.weight": gate}


def converted(name, values, config, architecture):
    """The tensors of GGUF for one of a layer's."""
    if name.endswith("A_log"):
        values = -values.exp()
    elif name.endswith("norm.weight") and name != "linear_attn.norm.weight":
        values = values + 1
    elif "conv1d" in name:
        values = values.squeeze(1)
    if name == "linear_attn.in_proj_qkvz.weight":
        return split_joined(values, config)
    if architecture != "qwen3next":
        values = tile_value_heads(name, values, config)
    if name == "mlp.shared_expert_gate.weight":
        values = values.flatten()
    return {IN_LAYER[name]: values}


def as_multimodal(folder, config):
    """Rewrites the folder of a language model as that of a multimodal one."""
    file = folder / "model.safetensors"
    tensors, experts = {}, {}
    for name, values in safetensors.torch.load_file(file).items():
        name = name.replace("model.", "model.language_model.", 1)
        if ".mlp.experts." in name:
            layer, rest = name.split(".mlp.experts.")
            number, kind, _ = rest.split(".")
            experts.setdefault(layer, {})[int(number), kind] = values
        else:
            tensors[name] = values
    for layer, parts in experts.items():
        count = config.num_experts
        tensors[f"{layer}.mlp.experts.gate_up_proj"] = torch.stack(
            [torch.cat([parts[i, "gate_proj"], parts[i, "up_proj"]]) for i in range(count)])
        tensors[f"{layer}.mlp.experts.down_proj"] = torch.stack([parts[i, "down_proj"] for i in range(count)])
    tensors["model.visual.blocks.0.norm1.weight"] = torch.ones(8)
    safetensors.torch.save_file(tensors, file)
    text = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    whole = {"architectures": ["Qwen3_5MoeForConditionalGeneration"], "model_type": "qwen3_5_moe",
             "tie_word_embeddings": text.pop("tie_word_embeddings"), "text_config": text}
    (folder / "config.json").write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")


def write_keys(writer, config, mtp_blocks):
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers + mtp_blocks)
    if mtp_blocks:
        writer.add_uint32(f"{writer.arch}.nextn_predict_layers", mtp_blocks)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim // 4)
    writer.add_rope_dimension_sections([11, 11, 10, 0])
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_ssm_conv_kernel(config.linear_conv_kernel_dim)
    writer.add_ssm_state_size(config.linear_key_head_dim)
    writer.add_ssm_group_count(config.linear_num_key_heads)
    writer.add_ssm_time_step_rank(config.linear_num_value_heads)
    writer.add_ssm_inner_size(config.linear_value_head_dim * config.linear_num_value_heads)
    architecture = writer.arch
    if config.layer_types[-1] == "full_attention":
        writer.add_uint32(f"{architecture}.full_attention_interval", config.num_hidden_layers)
    else:
        writer.add_array(f"{architecture}.attention.recurrent_layers",
                         [kind == "linear_attention" for kind in config.layer_types] + [False] * mtp_blocks)
    if getattr(config, "num_experts", 0):
        writer.add_expert_count(config.num_experts)
        writer.add_expert_used_count(config.num_experts_per_tok)
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)
        writer.add_expert_shared_feed_forward_length(config.shared_expert_intermediate_size)
    else:
        writer.add_feed_forward_length(config.intermediate_size)


def mtp_as_gguf(block, config, architecture):
    own = {"mtp.fc.weight": "eh_proj", "mtp.pre_fc_norm_embedding.weight": "enorm",
           "mtp.pre_fc_norm_hidden.weight": "hnorm", "mtp.norm.weight": "shared_head_norm"}
    tensors = {}
    for name, values in block.items():
        values = values.float()
        if name in own:
            tensors[f"nextn.{own[name]}.weight"] = values + 1 if values.dim() == 1 else values
        else:
            tensors |= converted(name.removeprefix("mtp.layers.0."), values, config, architecture)
    return {f"blk.{config.num_hidden_layers}.{name}": values for name, values in tensors.items()}


def add_to_folder(folder, block):
    file = folder / "model.safetensors"
    safetensors.torch.save_file(safetensors.torch.load_file(file) | block, file)


def write_gguf(model, architecture, dtype, path, block):
    writer = gguf.GGUFWriter(path, architecture)
    write_keys(writer, model.config, 1 if block else 0)
    tensors = mtp_as_gguf(block, model.config, architecture)
    for name, parameter in model.named_parameters():
        values = parameter.detach().float()
        if name in OUTER:
            tensors[OUTER[name]] = values + 1 if name == "model.norm.weight" else values
            continue
        _, _, layer, rest = name.split(".", 3)
        for role, part in converted(rest, values, model.config, architecture).items():
            tensors[f"blk.{layer}.{role}"] = part
    if "blk.0.ffn_gate_up_exps.weight" in tensors and architecture == "qwen3next":  # each by itself, as in older files
        for name in [each for each in tensors if each.endswith("ffn_gate_up_exps.weight")]:
            gate, up = tensors.pop(name).chunk(2, dim=1)
            tensors[name.replace("gate_up", "gate")], tensors[name.replace("gate_up", "up")] = gate, up
    for name, values in tensors.items():
        small = values.dim() == 1 or "conv1d" in name or "ffn_gate_inp" in name
        kind = FILE_TYPES[torch.float32 if small else dtype]
        writer.add_tensor(name, gguf.quants.quantize(values.contiguous().numpy(), kind), raw_dtype=kind)
    finish_gguf(writer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    for seed, (name, (architecture, gguf_name, dtype, differences)) in enumerate(MODELS.items(), start=100):
        target = folder / name
        shutil.rmtree(target, ignore_errors=True)
        model = make_model(architecture, dtype, differences, seed)
        model.save_pretrained(target)
        if name == MULTIMODAL:
            as_multimodal(target, model.config)
        block = mtp_reference.make_block(model, dtype, MTP_SEEDS[name]) if name in MTP_SEEDS else {}
        if block:
            add_to_folder(target, block)
        write_gguf(model, gguf_name, dtype, target / "model.gguf", block)
        expected, outputs = run(model, seed)
        if block:
            write_json(target / "mtp.json", mtp_reference.proposals(model, block, expected["ids"], outputs))
        write_golden(target, expected)


if __name__ == "__main__":
    main()
