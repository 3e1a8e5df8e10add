"""The names of the same tensor in transformers and in GGUF, and how GGUF orders the rows of llama's queries and keys."""

import re

OUTER = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}
IN_LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate": "ffn_gate_inp",
}
# GGUF stacks the matrices of a layer's experts, model.layers.3.mlp.experts.5.up_proj.weight and so on.
OF_EXPERT = re.compile(r"model\.layers\.(\d+)\.mlp\.experts\.(\d+)\.(gate|up|down)_proj\.weight")


def gguf_name(name):
    """blk.3.attn_q.bias for model.layers.3.self_attn.q_proj.bias."""
    if name in OUTER:
        return OUTER[name]
    _, _, layer, rest = name.split(".", 3)
    module, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{IN_LAYER[module]}.{kind}"


def stacked_name(name):
    """blk.3.ffn_up_exps.weight and 5 for model.layers.3.mlp.experts.5.up_proj.weight; None for a matrix of no expert."""
    found = OF_EXPERT.fullmatch(name)
    return found and (f"blk.{found[1]}.ffn_{found[3]}_exps.weight", int(found[2]))


def transformers_name(name):
    """model.layers.3.self_attn.q_proj.bias for blk.3.attn_q.bias."""
    outer = {gguf: other for other, gguf in OUTER.items()}
    if name in outer:
        return outer[name]
    _, layer, module, kind = name.split(".")
    in_layer = {gguf: other for other, gguf in IN_LAYER.items()}
    return f"model.layers.{layer}.{in_layer[module]}.{kind}"


def turns_in_pairs(architecture, name):
    """Whether GGUF stores the rows of this tensor in pairs of neighbours; transformers stores the two halves of a head."""
    return architecture == "llama" and ("q_proj" in name or "k_proj" in name)


def to_pairs(tensor, head_dim):
    halves = tensor.reshape(-1, 2, head_dim // 2, *tensor.shape[1:])
    return halves.transpose(1, 2).reshape(tensor.shape)


def to_halves(tensor, head_dim):
    pairs = tensor.reshape(-1, head_dim // 2, 2, *tensor.shape[1:])
    return pairs.transpose(1, 2).reshape(tensor.shape)
