"""Models with sliding windows, in JAX, for training: `gpt-oss`, `mellum` and the dense `gemma4`.

Parameters have the names, shapes and conventions of GGUF. Every expert computes every row, which is cheap for few.
"""

import dataclasses
import functools
import math

import jax
import jax.numpy as np
import numpy

from model import cross_entropy, matrix, norm, ones

LIMIT, SLOPE = 7.0, 1.702  # of the clamped gates of gpt-oss
SINK = 5.0  # at first: as much as a window of even scores, so that heads learn to leave rows to it
FAST_TURNS, SLOW_TURNS = 32, 1  # of YaRN


@dataclasses.dataclass(frozen=True)
class Rope:
    base: float
    factor: float = 1.0  # of YaRN; 1: none
    original: int = 0    # context before it
    share: float = 1.0   # of the pairs of a head, which rotate

    def frequencies(self, width):
        """Of each pair, and the factor of what is rotated."""
        plain = self.base ** (-numpy.arange(0, width, 2) / width)
        plain[int(self.share * width / 2):] = 0
        if self.factor == 1:
            return plain, 1.0

        def pair(turns):
            return width * math.log(self.original / (turns * 2 * math.pi)) / (2 * math.log(self.base))
        low, high = max(math.floor(pair(FAST_TURNS)), 0), min(math.ceil(pair(SLOW_TURNS)), width - 1)
        stretched = numpy.clip((numpy.arange(width // 2) - low) / (high - low), 0, 1)
        return plain * (1 - stretched) + plain / self.factor * stretched, 0.1 * math.log(self.factor) + 1


@dataclasses.dataclass(frozen=True)
class Sizes:
    architecture: str
    vocabulary: int
    hidden: int
    feed_forward: int  # of each expert
    layers: int        # every second has no window
    heads: int
    kv_heads: int
    head_dim: int      # of gemma4: in layers with a window; twice as much in the others
    window: int
    rope: Rope         # of layers without a window
    window_rope: Rope
    experts: int = 0   # 0: of gemma4, which is dense here
    used: int = 0
    cap: float = 0.0   # of gemma4's logits

    @property
    def has_sinks(self):
        """And biases and clamped gates, but no norms of heads."""
        return self.architecture == "gpt-oss"

    @property
    def is_gemma(self):
        return self.architecture == "gemma4"

    @property
    def feed_forward_norm(self):
        return "post_attention_norm.weight" if self.has_sinks else "ffn_norm.weight"

    def has_window(self, layer):
        return layer % 2 == 0

    def width(self, layer):
        """Of a head."""
        return self.head_dim if self.has_window(layer) or not self.is_gemma else 2 * self.head_dim


def _experts(random, s, rows, columns, scale=1.0):
    return numpy.stack([matrix(random, rows, columns, scale) for _ in range(s.experts)])


def _feed_forward(random, s, depth):
    inner = s.feed_forward
    if s.is_gemma:
        return {"ffn_gate.weight": matrix(random, inner, s.hidden), "ffn_up.weight": matrix(random, inner, s.hidden),
                "ffn_down.weight": matrix(random, s.hidden, inner, depth)}
    return {"ffn_gate_inp.weight": matrix(random, s.experts, s.hidden),
            "ffn_gate_exps.weight": _experts(random, s, inner, s.hidden),
            "ffn_up_exps.weight": _experts(random, s, inner, s.hidden),
            "ffn_down_exps.weight": _experts(random, s, s.hidden, inner, depth)}


def _vectors(s, number):
    """What a layer of the architecture has beside matrices and the norms before its blocks."""
    width, inner = s.width(number), s.feed_forward
    if s.has_sinks:
        sizes = {"attn_q": s.heads * width, "attn_k": s.kv_heads * width, "attn_v": s.kv_heads * width,
                 "attn_output": s.hidden, "ffn_gate_inp": s.experts, "ffn_gate_exps": (s.experts, inner),
                 "ffn_up_exps": (s.experts, inner), "ffn_down_exps": (s.experts, s.hidden)}
        return {"attn_sinks.weight": SINK * ones(s.heads),
                **{f"{name}.bias": numpy.zeros(size) for name, size in sizes.items()}}
    heads = {"attn_q_norm.weight": ones(width), "attn_k_norm.weight": ones(width)}
    if not s.is_gemma:
        return heads
    return {**heads, "post_attention_norm.weight": ones(s.hidden), "post_ffw_norm.weight": ones(s.hidden),
            "layer_output_scale.weight": ones(1)}


def _layer(random, s, number, depth):
    queries, keys = s.heads * s.width(number), s.kv_heads * s.width(number)
    layer = {"attn_norm.weight": ones(s.hidden), s.feed_forward_norm: ones(s.hidden),
             "attn_q.weight": matrix(random, queries, s.hidden), "attn_k.weight": matrix(random, keys, s.hidden),
             "attn_output.weight": matrix(random, s.hidden, queries, depth)}
    if s.has_window(number) or not s.is_gemma:  # gemma4 takes keys for the other layers' values
        layer["attn_v.weight"] = matrix(random, keys, s.hidden)
    return {**layer, **_vectors(s, number), **_feed_forward(random, s, depth)}


def make_parameters(random, s):
    """Random parameters; `random` is numpy's generator."""
    depth = 1 / math.sqrt(2 * s.layers)
    parameters = {"token_embd.weight": random.normal(0, 0.05, (s.vocabulary, s.hidden)), "output_norm.weight": ones(s.hidden),
                  "layers": [_layer(random, s, number, depth) for number in range(s.layers)]}
    if not s.is_gemma:
        parameters["output.weight"] = random.normal(0, 0.05, (s.vocabulary, s.hidden))
    return jax.tree.map(lambda values: np.asarray(values, np.float32), parameters)


def _rotate(x, rope):
    """x [batch, tokens, heads, dim]: dimension i turns with i + dim / 2."""
    half = x.shape[-1] // 2
    frequencies, factor = rope.frequencies(2 * half)
    angles = np.arange(x.shape[1])[:, None] * frequencies.astype(numpy.float32)
    cos, sin = factor * np.cos(angles)[:, None], factor * np.sin(angles)[:, None]
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def _linear(p, name, x):
    out = x @ p[name + ".weight"].T
    return out + p[name + ".bias"] if name + ".bias" in p else out


def _attend(p, s, x, number):
    batch, tokens = x.shape[:2]
    windowed, width = s.has_window(number), s.width(number)
    rope = s.window_rope if windowed else s.rope

    def rows(name, count):
        return _linear(p, name, x).reshape(batch, tokens, count, width)

    def placed(name, count):
        normed = norm(rows(name, count), p[name + "_norm.weight"]) if name + "_norm.weight" in p else rows(name, count)
        return _rotate(normed, rope)
    query = placed("attn_q", s.heads).reshape(batch, tokens, s.kv_heads, -1, width)
    scale = 1 if s.is_gemma else 1 / math.sqrt(width)
    scores = scale * np.einsum("bqhgd,bkhd->bhgqk", query, placed("attn_k", s.kv_heads))
    back = np.arange(tokens)[:, None] - np.arange(tokens)
    scores = np.where((back >= 0) & (back < (s.window if windowed else tokens)), scores, -np.inf)
    if s.has_sinks:
        sinks = p["attn_sinks.weight"].reshape(1, s.kv_heads, -1, 1, 1)
        scores = np.concatenate([scores, np.broadcast_to(sinks, (*scores.shape[:-1], 1))], -1)
    value = rows("attn_v" if "attn_v.weight" in p else "attn_k", s.kv_heads)
    if s.is_gemma:
        value = norm(value, 1)
    out = np.einsum("bhgqk,bkhd->bqhgd", jax.nn.softmax(scores, -1)[..., :tokens], value)
    return _linear(p, "attn_output", out.reshape(batch, tokens, -1))


def _run_block(p, s, x):
    """The dense block, or the chosen experts by the softmax of their scores."""
    if s.is_gemma:
        return _linear(p, "ffn_down", jax.nn.gelu(_linear(p, "ffn_gate", x)) * _linear(p, "ffn_up", x))
    scores = _linear(p, "ffn_gate_inp", x)
    least = jax.lax.top_k(scores, s.used)[0][..., -1:]
    shares = jax.nn.softmax(np.where(scores >= least, scores, -np.inf), -1)

    def of_experts(name, form, rows):
        out = np.einsum(form, rows, p[f"{name}.weight"])
        return out + p[f"{name}.bias"] if s.has_sinks else out
    gate = of_experts("ffn_gate_exps", "bth,efh->btef", x)
    up = of_experts("ffn_up_exps", "bth,efh->btef", x)
    if s.has_sinks:
        gate, up = np.minimum(gate, LIMIT), np.clip(up, -LIMIT, LIMIT)
        inner = (up + 1) * gate * jax.nn.sigmoid(SLOPE * gate)
    else:
        inner = up * jax.nn.silu(gate)
    return np.einsum("bteh,bte->bth", of_experts("ffn_down_exps", "btef,ehf->bteh", inner), shares)


def _run_layer(p, s, x, number):
    added = _attend(p, s, norm(x, p["attn_norm.weight"]), number)
    x = x + (norm(added, p["post_attention_norm.weight"]) if s.is_gemma else added)
    added = _run_block(p, s, norm(x, p[s.feed_forward_norm]))
    if s.is_gemma:
        return (x + norm(added, p["post_ffw_norm.weight"])) * p["layer_output_scale.weight"]
    return x + added


@functools.partial(jax.jit, static_argnums=1)
def loss(p, s, tokens):
    """tokens [batch, length]. The loss per token."""
    x = p["token_embd.weight"][tokens] * (math.sqrt(s.hidden) if s.is_gemma else 1)
    for number, layer in enumerate(p["layers"]):
        x = _run_layer(layer, s, x, number)
    head = p["token_embd.weight"] if s.is_gemma else p["output.weight"]
    logits = norm(x, p["output_norm.weight"])[:, :-1] @ head.T
    if s.cap:
        logits = s.cap * np.tanh(logits / s.cap)
    return cross_entropy(logits, tokens[:, 1:], np.ones(tokens[:, 1:].shape))
