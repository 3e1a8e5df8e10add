#!/usr/bin/env python3
"""Writes a GGUF file with the shapes and formats of a published model and with random weights, to measure speed.

    tools/synthetic_model.py SHAPE FILE [--layers N] [--weights FORMAT] [--successors TASKS.jsonl] [--mtp-noise SHARE]

Shapes: those in SHAPES below, in the mix of formats of Q4_K_M (Q6_K for the head, values and half of the down matrices,
float32 for what converters keep so), or with all matrices in one FORMAT, such as MXFP4; gpt-oss with MXFP4 for its
experts and Q8_0 for the rest. What such a model writes means nothing. Needs the Python
package gguf (tools/reference/requirements.lock names a version).

With --successors the model writes a fixed sequence of words: each token has one successor, because a row of the head is
the embedding of the token before, and the layers add next to nothing. So a text that differs from this sequence at known
places makes drafts that are accepted as far as these places. TASKS.jsonl gets such texts, as tasks of `redraft-lab bench
edits`: "every 4" has a wrong word behind each four right ones. A hybrid then gets an MTP block, which proposes the
successor; --mtp-noise is the size of what it adds to that, compared with the embedding: with 0 all proposals are right.
"""

import argparse
import itertools
import json
import pathlib
import sys

try:
    import gguf
    import numpy
except ImportError as error:
    sys.exit(f"synthetic_model: error: {error}; install the packages gguf and numpy")

Q4, Q6, F32 = (gguf.GGMLQuantizationType.Q4_K, gguf.GGMLQuantizationType.Q6_K, gguf.GGMLQuantizationType.F32)
Q8, MXFP4 = gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.MXFP4
# What converters take if a row is no multiple of 256.
NARROW = {Q4: gguf.GGMLQuantizationType.Q5_0, Q6: Q8}
HYBRID = {"heads": 16, "kv_heads": 4, "head_dim": 256, "key_heads": 16, "state": 128, "every": 4, "vocabulary": 248320}
GEMMA = {"head_dim": 512, "window_head_dim": 256, "vocabulary": 262144}
# name: the architecture, and its sizes
SHAPES = {
    "qwen3.5-0.8b": ("qwen35", {**HYBRID, "hidden": 1024, "ff": 3584, "layers": 24, "value_heads": 16, "heads": 8,
                                "kv_heads": 2}),
    "qwen3.5-4b": ("qwen35", {**HYBRID, "hidden": 2560, "ff": 9216, "layers": 32, "value_heads": 32}),
    "qwen3.5-9b": ("qwen35", {**HYBRID, "hidden": 4096, "ff": 12288, "layers": 32, "value_heads": 32}),
    "qwen3.5-35b-a3b": ("qwen35moe", {**HYBRID, "hidden": 2048, "ff": 512, "layers": 40, "value_heads": 32,
                                      "kv_heads": 2, "experts": 256, "used": 8, "shared": 512}),
    # Ten of its layers are short convolutions.
    "lfm2-1.2b": ("lfm2", {"hidden": 2048, "ff": 8192, "layers": 16, "heads": 32, "kv_heads": 8, "head_dim": 64,
                           "taps": 3, "attention": [2, 5, 8, 10, 12, 14], "vocabulary": 65536}),
    "mellum2-12b": ("mellum", {"hidden": 2304, "ff": 896, "layers": 28, "heads": 32, "kv_heads": 4, "head_dim": 128,
                               "experts": 64, "used": 8, "window": 1024, "pattern": 4, "vocabulary": 98304}),
    "gpt-oss-20b": ("gpt-oss", {"hidden": 2880, "ff": 2880, "layers": 24, "heads": 64, "kv_heads": 8, "head_dim": 64,
                                "experts": 32, "used": 4, "window": 128, "pattern": 2, "vocabulary": 201088,
                                "biases": True, "main": Q8, "expert": MXFP4}),
    # The layers behind the first `own` ones share keys and values.
    "gemma4-e2b": ("gemma4", {**GEMMA, "hidden": 1536, "ff": 6144, "wide": 12288, "layers": 35, "heads": 8, "kv_heads": 1,
                              "window_kv_heads": 1, "window": 512, "pattern": 5, "own": 15, "input": 256}),
    "gemma4-e4b": ("gemma4", {**GEMMA, "hidden": 2560, "ff": 10240, "wide": 10240, "layers": 42, "heads": 8, "kv_heads": 2,
                              "window_kv_heads": 2, "window": 512, "pattern": 6, "own": 24, "input": 256}),
    "gemma4-12b": ("gemma4", {**GEMMA, "hidden": 3840, "ff": 15360, "layers": 48, "heads": 16, "kv_heads": 1,
                              "window_kv_heads": 8, "window": 1024, "pattern": 6, "keys_are_values": True}),
    "qwen3-1.7b": ("qwen3", {"hidden": 2048, "ff": 6144, "layers": 28, "heads": 16, "kv_heads": 8, "head_dim": 128,
                             "vocabulary": 151936}),
    "smollm3-3b": ("smollm3", {"hidden": 2048, "ff": 11008, "layers": 36, "heads": 16, "kv_heads": 4, "head_dim": 128,
                               "vocabulary": 128256}),
    "devstral-small-2-24b": ("mistral3", {"hidden": 5120, "ff": 32768, "layers": 40, "heads": 32, "kv_heads": 8,
                                          "head_dim": 128, "vocabulary": 131072}),
    "granite-3.3-2b": ("granite", {"hidden": 2048, "ff": 8192, "layers": 40, "heads": 32, "kv_heads": 8, "head_dim": 64,
                                   "vocabulary": 49159}),
    "seed-oss-36b": ("seed_oss", {"hidden": 5120, "ff": 27648, "layers": 64, "heads": 80, "kv_heads": 8, "head_dim": 128,
                                  "vocabulary": 155136}),
    # Dense, to compare a hybrid with: as many bytes as the 4B.
    "dense-4b": ("qwen3", {"hidden": 2560, "ff": 9728, "layers": 32, "heads": 32, "kv_heads": 8, "head_dim": 128,
                           "vocabulary": 248320}),
}
FORMATS = {kind.name: kind for kind in map(gguf.GGMLQuantizationType, (2, 3, 6, 7, 8, 10, 11, 12, 13, 14, 20, 23, 39))}
# Where a block has its scale, if not at its beginning, and its minimum.
SCALES = {"Q2_K": 80, "Q3_K": 108, "Q6_K": 208}
MINIMA = {"Q4_1": 2, "Q5_1": 2, "Q4_K": 2, "Q5_K": 2, "Q2_K": 82}
WITHOUT_HEAD_NORMS = ("smollm3", "mistral3", "granite", "seed_oss", "gpt-oss")
REPEATED_ROWS = 32
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["".join(pair) for pair in itertools.product(LETTERS, repeat=2)]
RIGHT_WORDS = (2, 4, 8, 16, 64)  # how many stand before each wrong one
WORDS_IN_TASK = 256
SMALL = 1e-3  # what is left of the layers' outputs in a model of successors


class Writer:
    def __init__(self, path, architecture, sizes, successors=False, mtp_noise=0.0, weights=None):
        self.sizes, self.successors, self.mtp_noise, self.weights = sizes, successors, mtp_noise, weights
        self.out = gguf.GGUFWriter(path, architecture)
        self.random = numpy.random.default_rng(1)

    def blocks(self, count, columns, kind, scale=1.0):
        """[count, bytes]: random rows of the format."""
        block, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = self.random.integers(0, 256, (count, columns // block, size), dtype=numpy.uint8)

        def put(begin, value):
            blocks[:, :, begin:begin + 2] = numpy.frombuffer(numpy.float16(scale * value).tobytes(), numpy.uint8)
        if kind == gguf.GGMLQuantizationType.MXFP4:
            blocks[:, :, 0] = 128 + numpy.rint(numpy.log2(scale * 2e-3)).astype(int)
            return blocks.reshape(count, -1)
        put(SCALES.get(kind.name, 0), 1e-5 if kind.name in ("Q3_K", "Q6_K", "IQ4_XS") else 2e-4)
        if kind.name in MINIMA:
            put(MINIMA[kind.name], 3e-4 if kind.name == "Q2_K" else 1.5e-3)
        return blocks.reshape(count, -1)

    def matrix(self, name, rows, columns, kind, stacked=1):
        """A few random rows, repeated; in the model's own format, if it has one."""
        kind = self.weights or self.sizes.get("expert" if stacked > 1 else "main", kind)
        if columns % gguf.GGML_QUANT_SIZES[kind][0]:
            kind = NARROW.get(kind, Q8)
        count = min(rows, REPEATED_ROWS)
        while rows % count:
            count -= 1
        adds_to_stream = any(part in name for part in ("attn_output", "ssm_out", "shortconv.out_proj", "ffn_down"))
        data = self.blocks(count, columns, kind, SMALL if self.successors and adds_to_stream else 1.0)
        data = numpy.broadcast_to(data, (stacked * rows // count, *data.shape))
        data = numpy.ascontiguousarray(data).reshape(*([stacked] if stacked > 1 else []), rows, -1)
        self.out.add_tensor(name, data, raw_dtype=kind)

    def embedding_and_head(self):
        """Random, or a head in which the row of a word is the embedding of the word before."""
        s = self.sizes
        if not self.successors:
            self.matrix("token_embd.weight", s["vocabulary"], s["hidden"], Q6)
            if "window" in s:  # llama.cpp knows these models with a head of their own only
                self.matrix("output.weight", s["vocabulary"], s["hidden"], Q6)
            return
        words = self.first_word()
        kind = Q6 if s["hidden"] % 256 == 0 else Q8
        block, size = gguf.GGML_QUANT_SIZES[kind]
        embedding = numpy.resize(self.blocks(REPEATED_ROWS, s["hidden"], kind), (s["vocabulary"], s["hidden"] // block * size))
        head = embedding.copy()
        each = self.blocks(len(WORDS), s["hidden"], kind, 100)
        embedding[:] = each[-1]  # whatever is no word has the first word as its successor
        embedding[words:words + len(WORDS)] = each
        head[words:words + len(WORDS)] = numpy.roll(each, 1, axis=0)
        self.out.add_tensor("token_embd.weight", embedding, raw_dtype=kind)
        self.out.add_tensor("output.weight", head, raw_dtype=kind)

    def mtp_block(self):
        """Passes the token's embedding on, with some of a random part of the model's output before it."""
        hidden, prefix = self.sizes["hidden"], f"blk.{self.sizes['layers']}."
        joined = numpy.zeros((hidden, 2 * hidden), numpy.float32)
        joined[:, :hidden] = numpy.eye(hidden)
        joined[:, hidden:] = self.mtp_noise / hidden ** 0.5 * self.random.standard_normal((hidden, hidden))
        kind = gguf.GGMLQuantizationType.Q8_0
        self.out.add_tensor(prefix + "nextn.eh_proj.weight", gguf.quants.quantize(joined, kind), raw_dtype=kind)
        for name in ("enorm", "hnorm", "shared_head_norm"):
            self.floats(f"{prefix}nextn.{name}.weight", hidden, middle=1, spread=0)
        self.layer(self.sizes["layers"], has_attention=True)

    def floats(self, name, *shape, middle=0.0, spread=0.02):
        values = middle + spread * self.random.standard_normal(shape)
        self.out.add_tensor(name, values.astype(numpy.float32), raw_dtype=F32)

    def keys(self):
        out, s = self.out, self.sizes
        out.add_context_length(32768)
        out.add_embedding_length(s["hidden"])
        out.add_block_count(s["layers"] + self.has_mtp)
        if self.has_mtp:
            out.add_uint32(f"{out.arch}.nextn_predict_layers", 1)
        own = self.own_layers()
        out.add_feed_forward_length([self.width(i) for i in range(s["layers"])] if "own" in s else s["ff"])
        out.add_head_count(s["heads"])
        varies = "taps" in s or out.arch == "gemma4"
        out.add_head_count_kv([self.kv_heads(i) for i in range(s["layers"])] if varies else s["kv_heads"])
        out.add_key_length(s["head_dim"])
        out.add_value_length(s["head_dim"])
        out.add_rope_freq_base(1e7)
        if out.arch == "gemma4":
            for key in ("key", "value"):
                out.add_uint32(f"gemma4.attention.{key}_length_swa", s["window_head_dim"])
            out.add_rope_dimension_count(s["head_dim"])
            out.add_rope_dimension_count_swa(s["window_head_dim"])
            out.add_rope_freq_base_swa(1e4)
            out.add_final_logit_softcapping(30)
            out.add_shared_kv_layers(s["layers"] - own)
            out.add_embedding_length_per_layer_input(s.get("input", 0))
            self.out.add_tensor("rope_freqs.weight", numpy.array([1] * 64 + [1e30] * 192, numpy.float32))
        out.add_layer_norm_rms_eps(1e-6)
        self.tokenizer()
        if "every" in s:
            out.add_rope_dimension_count(s["head_dim"] // 4)
            out.add_rope_dimension_sections([11, 11, 10, 0])
            out.add_ssm_conv_kernel(4)
            out.add_ssm_state_size(s["state"])
            out.add_ssm_group_count(s["key_heads"])
            out.add_ssm_time_step_rank(s["value_heads"])
            out.add_ssm_inner_size(s["state"] * s["value_heads"])
            out.add_uint32(f"{out.arch}.full_attention_interval", s["every"])
        if "taps" in s:
            out.add_shortconv_l_cache(s["taps"])
        if "window" in s:
            out.add_sliding_window(s["window"])
            out.add_sliding_window_pattern([(i + 1) % s["pattern"] != 0 for i in range(s["layers"])])
        if out.arch == "mistral3":
            out.add_rope_scaling_type(gguf.RopeScalingType.YARN)
            out.add_rope_scaling_factor(48)
            out.add_rope_scaling_orig_ctx_len(8192)
            out.add_rope_scaling_yarn_log_mul(1)
            out.add_attn_temperature_scale(0.1)
        if out.arch == "granite":
            out.add_embedding_scale(12)
            out.add_residual_scale(0.22)
            out.add_attention_scale(1 / s["head_dim"])
            out.add_logit_scale(8)
        if "experts" in s:
            out.add_expert_count(s["experts"])
            out.add_expert_used_count(s["used"])
            out.add_expert_feed_forward_length(s["ff"])
            if "shared" in s:
                out.add_expert_shared_feed_forward_length(s["shared"])

    def has_window(self, layer):
        return "window" in self.sizes and (layer + 1) % self.sizes["pattern"] != 0

    def own_layers(self):
        """How many layers have keys and values of their own."""
        return self.sizes.get("own", self.sizes["layers"])

    def width(self, layer):
        return self.sizes["wide"] if "wide" in self.sizes and layer >= self.own_layers() else self.sizes["ff"]

    def kv_heads(self, layer):
        if self.out.arch == "gemma4" and self.has_window(layer):
            return self.sizes["window_kv_heads"]
        return self.sizes["kv_heads"] if self.has_attention(layer) else 0

    def has_attention(self, layer):
        if "taps" in self.sizes:
            return layer in self.sizes["attention"]
        return "every" not in self.sizes or (layer + 1) % self.sizes["every"] == 0

    @property
    def has_mtp(self):
        return self.successors and "every" in self.sizes

    def first_word(self):
        return 256 + len(LETTERS)

    def tokenizer(self):
        """Every byte is a token, in the alphabet of byte-level BPE, and so are words of one and two letters."""
        printable = [byte for byte in range(256) if 33 <= byte <= 126 or 161 <= byte != 173]
        others = iter(range(256, 512))
        tokens = [chr(byte if byte in printable else next(others)) for byte in range(256)]
        blank = tokens[ord(" ")]
        tokens += [blank + word for word in (*LETTERS, *WORDS)]
        special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        end = len(tokens)
        unused = [f"[UNUSED{i}]" for i in range(end + len(special), self.sizes["vocabulary"])]
        self.out.add_tokenizer_model("gpt2")
        self.out.add_tokenizer_pre("qwen2")
        self.out.add_token_list(tokens + special + unused)
        self.out.add_token_types([1] * end + [3] * len(special) + [5] * len(unused))
        self.out.add_token_merges([f"{blank} {letter}" for letter in LETTERS]
                                  + [f"{blank}{word[0]} {word[1]}" for word in WORDS])
        self.out.add_eos_token_id(end)

    def gemma_attention(self, prefix, number):
        s = self.sizes
        dim = s["window_head_dim" if self.has_window(number) else "head_dim"]
        keys = dim * self.kv_heads(number)
        self.matrix(prefix + "attn_q.weight", dim * s["heads"], s["hidden"], Q4)
        self.floats(prefix + "attn_q_norm.weight", dim, middle=1)
        if number < self.own_layers():
            self.matrix(prefix + "attn_k.weight", keys, s["hidden"], Q4)
            self.floats(prefix + "attn_k_norm.weight", dim, middle=1)
            if self.has_window(number) or "keys_are_values" not in s:
                self.matrix(prefix + "attn_v.weight", keys, s["hidden"], Q6)
        self.matrix(prefix + "attn_output.weight", s["hidden"], dim * s["heads"], Q4)

    def gemma_layer(self, prefix):
        """What other layers do not have."""
        s = self.sizes
        for name in ("post_attention_norm", "post_ffw_norm"):
            self.floats(f"{prefix}{name}.weight", s["hidden"], middle=1)
        self.floats(prefix + "layer_output_scale.weight", 1, middle=0.5)
        if "input" in s:
            self.matrix(prefix + "inp_gate.weight", s["input"], s["hidden"], Q4)
            self.matrix(prefix + "proj.weight", s["hidden"], s["input"], Q4)
            self.floats(prefix + "post_norm.weight", s["hidden"], middle=1)

    def inputs_of_layers(self):
        s = self.sizes
        width = s["layers"] * s["input"]
        self.matrix("per_layer_token_embd.weight", s["vocabulary"], width, Q6)
        self.matrix("per_layer_model_proj.weight", width, s["hidden"], gguf.GGMLQuantizationType.BF16)
        self.floats("per_layer_proj_norm.weight", s["input"], middle=1)

    def attention(self, prefix, number):
        s = self.sizes
        if self.out.arch == "gemma4":
            self.gemma_attention(prefix, number)
            return
        width, keys = s["heads"] * s["head_dim"], s["kv_heads"] * s["head_dim"]
        self.matrix(prefix + "attn_q.weight", (2 if "every" in s else 1) * width, s["hidden"], Q4)
        self.matrix(prefix + "attn_k.weight", keys, s["hidden"], Q4)
        self.matrix(prefix + "attn_v.weight", keys, s["hidden"], Q6)
        self.matrix(prefix + "attn_output.weight", s["hidden"], width, Q4)
        if self.out.arch == "seed_oss":
            for name, rows in (("attn_q", width), ("attn_k", keys), ("attn_v", keys)):
                self.floats(f"{prefix}{name}.bias", rows)
        if self.out.arch not in WITHOUT_HEAD_NORMS:
            self.floats(prefix + "attn_q_norm.weight", s["head_dim"], middle=1)
            self.floats(prefix + "attn_k_norm.weight", s["head_dim"], middle=1)
        if "biases" in s:
            for name, size in (("q", width), ("k", keys), ("v", keys), ("output", s["hidden"])):
                self.floats(f"{prefix}attn_{name}.bias", size)
            self.floats(prefix + "attn_sinks.weight", s["heads"])

    def recurrence(self, prefix, _number):
        s = self.sizes
        values = s["state"] * s["value_heads"]
        channels = 2 * s["state"] * s["key_heads"] + values
        self.matrix(prefix + "attn_qkv.weight", channels, s["hidden"], Q4)
        self.matrix(prefix + "attn_gate.weight", values, s["hidden"], Q4)
        self.matrix(prefix + "ssm_alpha.weight", s["value_heads"], s["hidden"], Q4)
        self.matrix(prefix + "ssm_beta.weight", s["value_heads"], s["hidden"], Q4)
        self.floats(prefix + "ssm_conv1d.weight", channels, 4, spread=0.3)
        self.floats(prefix + "ssm_dt.bias", s["value_heads"])
        self.floats(prefix + "ssm_a", s["value_heads"], middle=-0.3)
        self.floats(prefix + "ssm_norm.weight", s["state"], middle=1)
        self.matrix(prefix + "ssm_out.weight", s["hidden"], values, Q4)

    def short_convolution(self, prefix, _number):
        s = self.sizes
        self.matrix(prefix + "shortconv.in_proj.weight", 3 * s["hidden"], s["hidden"], Q4)
        self.floats(prefix + "shortconv.conv.weight", s["hidden"], s["taps"], spread=0.3)
        self.matrix(prefix + "shortconv.out_proj.weight", s["hidden"], s["hidden"], Q4)

    def feed_forward(self, prefix, layer):
        s = self.sizes
        down = Q6 if layer % 2 else Q4
        if "experts" not in s:
            self.matrix(prefix + "ffn_gate.weight", self.width(layer), s["hidden"], Q4)
            self.matrix(prefix + "ffn_up.weight", self.width(layer), s["hidden"], Q4)
            self.matrix(prefix + "ffn_down.weight", s["hidden"], self.width(layer), down)
            return
        self.floats(prefix + "ffn_gate_inp.weight", s["experts"], s["hidden"])
        parts = [("exps", s["experts"], s["ff"])]
        if "shared" in s:
            self.floats(prefix + "ffn_gate_inp_shexp.weight", s["hidden"])
            parts.append(("shexp", 1, s["shared"]))
        if "biases" in s:
            self.floats(prefix + "ffn_gate_inp.bias", s["experts"])
            for name, size in (("gate", s["ff"]), ("up", s["ff"]), ("down", s["hidden"])):
                self.floats(f"{prefix}ffn_{name}_exps.bias", s["experts"], size)
        for part, stacked, width in parts:
            self.matrix(f"{prefix}ffn_gate_{part}.weight", width, s["hidden"], Q4, stacked)
            self.matrix(f"{prefix}ffn_up_{part}.weight", width, s["hidden"], Q4, stacked)
            self.matrix(f"{prefix}ffn_down_{part}.weight", s["hidden"], width, down, stacked)

    def layer(self, number, has_attention):
        recurrence = self.short_convolution if "taps" in self.sizes else self.recurrence
        prefix, hidden = f"blk.{number}.", self.sizes["hidden"]
        self.floats(prefix + "attn_norm.weight", hidden, middle=1)
        (self.attention if has_attention else recurrence)(prefix, number)
        if self.out.arch == "gemma4":
            self.gemma_layer(prefix)
        is_behind = "every" in self.sizes or self.out.arch in ("seed_oss", "gpt-oss")
        norm = "post_attention_norm" if is_behind else "ffn_norm"
        self.floats(f"{prefix}{norm}.weight", hidden, middle=1)
        self.feed_forward(prefix, number)

    def write(self):
        s = self.sizes
        self.keys()
        self.embedding_and_head()
        norm = "token_embd_norm" if "taps" in s else "output_norm"
        self.floats(norm + ".weight", s["hidden"], middle=1, spread=0 if self.successors else 0.02)
        if "input" in s:
            self.inputs_of_layers()
        for number in range(s["layers"]):
            self.layer(number, self.has_attention(number))
        if self.has_mtp:
            self.mtp_block()
        self.out.write_header_to_file()
        self.out.write_kv_data_to_file()
        self.out.write_tensors_to_file()
        self.out.close()


def task(right):
    """The sequence of words, with a wrong one behind every `right` of them."""
    wrong = itertools.cycle(LETTERS)
    text = []
    for number, word in enumerate(WORDS[:WORDS_IN_TASK], start=1):
        text.append(word)
        if number % right == 0:
            text.append(next(wrong))
    return {"id": f"every {right}", "source": "synthetic", "language": "plaintext", "instruction": "Go on.",
            "before": " " + " ".join(text) + "\n", "after": " " + " ".join(WORDS[:WORDS_IN_TASK]) + "\n"}


def with_layers(sizes, layers):
    """The same with so many layers. As many of them share keys as before, in proportion, and with the same mix."""
    changed = {**sizes, "layers": layers}
    if "own" in sizes:
        pattern = sizes["pattern"]
        changed["own"] = max(1, round(layers * sizes["own"] / sizes["layers"] / pattern)) * pattern
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--layers", type=int, help="instead of the model's own; a multiple of 4 keeps the mix of layers")
    parser.add_argument("--weights", choices=FORMATS, metavar="FORMAT", help="of all matrices: " + ", ".join(FORMATS))
    parser.add_argument("--successors", type=pathlib.Path, metavar="TASKS", help="write a model of successors, and tasks for it")
    parser.add_argument("--mtp-noise", type=float, default=0.0, help="of a model of successors (default 0)")
    arguments = parser.parse_args()
    if arguments.weights and arguments.successors:
        parser.error("a model of successors has the formats of Q4_K_M")
    architecture, sizes = SHAPES[arguments.shape]
    if arguments.layers:
        sizes = with_layers(sizes, arguments.layers)
    Writer(arguments.file, architecture, sizes, arguments.successors is not None, arguments.mtp_noise,
           FORMATS.get(arguments.weights)).write()
    if arguments.successors:
        arguments.successors.write_text("".join(json.dumps(task(right)) + "\n" for right in RIGHT_WORDS), encoding="utf-8")
    print(f"{arguments.file}: {arguments.file.stat().st_size / 2**30:.2f} GiB")


if __name__ == "__main__":
    main()
