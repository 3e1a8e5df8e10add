"""Writes a trained hybrid as a GGUF file, as llama.cpp's converter would."""

import gguf
import numpy

import model
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
    out.add_rope_freq_base(model.ROPE_BASE)
    out.add_layer_norm_rms_eps(model.EPSILON)
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
    kind = Q8 if values.ndim == 2 and "conv1d" not in name and values.shape[1] % 32 == 0 else F32
    out.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)


def write(path, parameters, sizes, vocabulary, context):
    out = gguf.GGUFWriter(path, "qwen35")
    _write_keys(out, sizes, context)
    _write_vocabulary(out, vocabulary)
    for name in ("token_embd.weight", "output_norm.weight"):
        _add(out, name, parameters[name])
    for number, layer in enumerate([*parameters["layers"], parameters["mtp"]]):
        for name, values in layer.items():
            if name == "log_decay":
                name, values = "ssm_a", -numpy.exp(values)
            _add(out, f"blk.{number}.{name}", values)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
