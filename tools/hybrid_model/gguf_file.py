"""Writes a trained model as a GGUF file, as llama.cpp's converter would."""

import gguf
import numpy

from model import EPSILON, ROPE_BASE
from vocabulary import SPECIAL

# Enough of Qwen3.5's own for programs that read templates.
CHAT_TEMPLATE = (
    "{%- for message in messages -%}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}"
    "{%- endfor -%}{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}"
    "{%- if enable_thinking is defined and enable_thinking is true -%}{{- '<think>\\n' -}}"
    "{%- else -%}{{- '<think>\\n\\n</think>\\n\\n' -}}{%- endif -%}{%- endif -%}")
Q8, F32 = gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.F32


def _write_keys(out, s, context):
    out.add_name("hybrid trained for tests")
    out.add_context_length(context)
    out.add_embedding_length(s.hidden)
    out.add_block_count(s.layers + 1)
    out.add_uint32(f"{out.arch}.nextn_predict_layers", 1)
    out.add_feed_forward_length(s.feed_forward)
    out.add_head_count(s.heads)
    out.add_head_count_kv(s.kv_heads)
    out.add_key_length(s.head_dim)
    out.add_value_length(s.head_dim)
    out.add_rope_dimension_count(s.rotated)
    out.add_rope_dimension_sections([s.rotated // 2, 0, 0, 0])
    out.add_rope_freq_base(ROPE_BASE)
    out.add_layer_norm_rms_eps(EPSILON)
    out.add_ssm_conv_kernel(s.window)
    out.add_ssm_state_size(s.state)
    out.add_ssm_group_count(s.key_heads)
    out.add_ssm_time_step_rank(s.value_heads)
    out.add_ssm_inner_size(s.values)
    out.add_uint32(f"{out.arch}.full_attention_interval", s.every)


def _write_vocabulary(out, vocabulary):
    tokens = vocabulary.tokens
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("qwen35")
    out.add_token_list(tokens + SPECIAL)
    out.add_token_types([gguf.TokenType.NORMAL] * len(tokens) + [gguf.TokenType.CONTROL] * len(SPECIAL))
    out.add_token_merges([f"{tokens[a]} {tokens[b]}" for a, b in vocabulary.merges])
    out.add_eos_token_id(vocabulary.special["<|im_end|>"])
    out.add_pad_token_id(vocabulary.special["<|endoftext|>"])
    out.add_add_bos_token(False)
    out.add_chat_template(CHAT_TEMPLATE)


def _add(out, name, values):
    values = numpy.asarray(values, numpy.float32)
    is_small = values.ndim == 1 or "conv1d" in name or "ffn_gate_inp" in name or name.endswith("bias")
    kind = F32 if is_small or values.shape[-1] % 32 else Q8
    out.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)


def _write_tensors(out, parameters, layers):
    for name, values in parameters.items():
        if name.endswith(".weight"):
            _add(out, name, values)
    for number, layer in enumerate(layers):
        for name, values in layer.items():
            if name == "log_decay":
                name, values = "ssm_a", -numpy.exp(values)
            _add(out, f"blk.{number}.{name}", values)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def write(path, parameters, sizes, vocabulary, context):
    out = gguf.GGUFWriter(path, "qwen35")
    _write_keys(out, sizes, context)
    _write_vocabulary(out, vocabulary)
    _write_tensors(out, parameters, [*parameters["layers"], parameters["mtp"]])


def _write_rope(out, s):
    out.add_rope_freq_base(s.rope.base)
    out.add_rope_freq_base_swa(s.window_rope.base)
    if s.rope.factor != 1:
        out.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        out.add_rope_scaling_factor(s.rope.factor)
        out.add_rope_scaling_orig_ctx_len(s.rope.original)
    if s.rope.share != 1:
        pairs = s.head_dim  # of a head that is twice as wide
        turning = int(s.rope.share * pairs)
        out.add_tensor("rope_freqs.weight", numpy.array([1.0] * turning + [1e30] * (pairs - turning), numpy.float32))


def _write_window_keys(out, s, context):
    out.add_name(f"{out.arch} trained for tests")
    out.add_context_length(context)
    out.add_embedding_length(s.hidden)
    out.add_block_count(s.layers)
    out.add_feed_forward_length(s.feed_forward)
    out.add_head_count(s.heads)
    out.add_head_count_kv([s.kv_heads] * s.layers if s.is_gemma else s.kv_heads)
    for layer, end in ((1, ""), (0, "_swa"))[:2 if s.is_gemma else 1]:
        for key in ("attention.key_length", "attention.value_length", "rope.dimension_count"):
            out.add_uint32(f"{out.arch}.{key}{end}", s.width(layer))
    out.add_layer_norm_rms_eps(EPSILON)
    out.add_sliding_window(s.window)
    out.add_sliding_window_pattern([s.has_window(number) for number in range(s.layers)])
    if s.experts:
        out.add_expert_count(s.experts)
        out.add_expert_used_count(s.used)
        out.add_expert_feed_forward_length(s.feed_forward)
    if s.cap:
        out.add_final_logit_softcapping(s.cap)
    _write_rope(out, s)


def write_windows(path, parameters, sizes, vocabulary, context):
    out = gguf.GGUFWriter(path, sizes.architecture)
    _write_window_keys(out, sizes, context)
    _write_vocabulary(out, vocabulary)
    _write_tensors(out, parameters, parameters["layers"])
