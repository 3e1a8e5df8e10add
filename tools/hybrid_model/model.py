"""A hybrid of the architecture `qwen35` with an MTP block, in JAX, for training.

Parameters have the names, shapes and conventions of GGUF: a norm holds its weight, a decay is a negative number, and
value head h reads key head h % key_heads. The delta rule runs in chunks, which is the same sum in another order.
"""

import dataclasses
import functools
import math

import jax
import jax.numpy as np
import numpy

EPSILON = 1e-6
ROPE_BASE = 1e4
CHUNK = 32  # a power of two


@dataclasses.dataclass(frozen=True)
class Sizes:
    vocabulary: int
    hidden: int
    feed_forward: int
    layers: int  # every fourth has attention
    heads: int
    kv_heads: int
    head_dim: int
    key_heads: int
    value_heads: int
    state: int  # width of a key head, and of a value head
    window: int = 4  # of the convolution
    every: int = 4

    @property
    def keys(self):
        return self.key_heads * self.state

    @property
    def values(self):
        return self.value_heads * self.state

    @property
    def rotated(self):
        return self.head_dim // 4

    def has_attention(self, layer):
        return (layer + 1) % self.every == 0


def matrix(random, rows, columns, scale=1.0):
    return random.normal(0, scale / math.sqrt(columns), (rows, columns))


def _feed_forward(random, s, depth):
    return {"ffn_gate.weight": matrix(random, s.feed_forward, s.hidden),
            "ffn_up.weight": matrix(random, s.feed_forward, s.hidden),
            "ffn_down.weight": matrix(random, s.hidden, s.feed_forward, depth)}


def _attention(random, s, depth):
    width, keys = s.heads * s.head_dim, s.kv_heads * s.head_dim
    return {"attn_q.weight": matrix(random, 2 * width, s.hidden), "attn_k.weight": matrix(random, keys, s.hidden),
            "attn_v.weight": matrix(random, keys, s.hidden),
            "attn_output.weight": matrix(random, s.hidden, width, depth),
            "attn_q_norm.weight": ones(s.head_dim), "attn_k_norm.weight": ones(s.head_dim)}


def _recurrence(random, s, depth):
    channels = 2 * s.keys + s.values
    return {"attn_qkv.weight": matrix(random, channels, s.hidden), "attn_gate.weight": matrix(random, s.values, s.hidden),
            "ssm_alpha.weight": matrix(random, s.value_heads, s.hidden),
            "ssm_beta.weight": matrix(random, s.value_heads, s.hidden),
            "ssm_conv1d.weight": random.normal(0, 1 / math.sqrt(s.window), (channels, s.window)),
            "ssm_dt.bias": random.uniform(-4, 0, s.value_heads), "log_decay": random.uniform(-1, 1, s.value_heads),
            "ssm_norm.weight": ones(s.state), "ssm_out.weight": matrix(random, s.hidden, s.values, depth)}


def ones(count):
    return numpy.ones(count)


def _layer(random, s, attention, depth):
    return {"attn_norm.weight": ones(s.hidden), "post_attention_norm.weight": ones(s.hidden),
            **(_attention if attention else _recurrence)(random, s, depth), **_feed_forward(random, s, depth)}


def make_parameters(random, s):
    """Random parameters; `random` is numpy's generator."""
    depth = 1 / math.sqrt(2 * s.layers)
    head = {"nextn.eh_proj.weight": matrix(random, s.hidden, 2 * s.hidden), "nextn.enorm.weight": ones(s.hidden),
            "nextn.hnorm.weight": ones(s.hidden), "nextn.shared_head_norm.weight": ones(s.hidden)}
    parameters = {"token_embd.weight": random.normal(0, 0.05, (s.vocabulary, s.hidden)),
                  "output_norm.weight": ones(s.hidden),
                  "layers": [_layer(random, s, s.has_attention(i), depth) for i in range(s.layers)],
                  "mtp": {**_layer(random, s, True, depth), **head}}
    return jax.tree.map(lambda values: np.asarray(values, np.float32), parameters)


def norm(x, weight):
    return x * jax.lax.rsqrt(np.square(x).mean(-1, keepdims=True) + EPSILON) * weight


def _unit(x):
    return x * jax.lax.rsqrt(np.square(x).sum(-1, keepdims=True) + EPSILON)


def _rotate(x, rotated):
    """x [batch, tokens, heads, dim]: dimension i turns with i + rotated / 2."""
    half = rotated // 2
    angles = np.arange(x.shape[1])[:, None] / ROPE_BASE ** (np.arange(half) / half)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    a, b = x[..., :half], x[..., half:rotated]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin, x[..., rotated:]], -1)


def attend(p, s, x):
    batch, tokens = x.shape[:2]
    query, gate = np.moveaxis((x @ p["attn_q.weight"].T).reshape(batch, tokens, s.heads, 2, s.head_dim), 3, 0)
    key = (x @ p["attn_k.weight"].T).reshape(batch, tokens, s.kv_heads, s.head_dim)
    value = (x @ p["attn_v.weight"].T).reshape(key.shape)
    query = _rotate(norm(query, p["attn_q_norm.weight"]), s.rotated)
    key = _rotate(norm(key, p["attn_k_norm.weight"]), s.rotated)
    shared = s.heads // s.kv_heads
    key, value = np.repeat(key, shared, 2), np.repeat(value, shared, 2)
    scores = np.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(s.head_dim)
    seen = np.tril(np.ones((tokens, tokens), bool))
    weights = jax.nn.softmax(np.where(seen, scores, -np.inf), -1)
    out = np.einsum("bhqk,bkhd->bqhd", weights, value) * jax.nn.sigmoid(gate)
    return out.reshape(batch, tokens, -1) @ p["attn_output.weight"].T


def _delta_rule(query, key, value, log_decay, beta):
    """One head of one text, CHUNK tokens at a time: the rows of a chunk are solved for at once.

    query, key, value [tokens, state], log_decay and beta [tokens]; gives [tokens, state].
    """
    def in_chunks(x):
        return x.reshape(-1, CHUNK, *x.shape[1:])
    query, key, value, beta = in_chunks(query), in_chunks(key), in_chunks(value), in_chunks(beta)[..., None]
    sums = np.cumsum(in_chunks(log_decay), -1)
    seen = np.tril(np.ones((CHUNK, CHUNK), bool))
    ratio = np.exp(np.where(seen, sums[:, :, None] - sums[:, None, :], -np.inf))  # what is left of row j at row i
    # What row j adds to the state depends on the rows before it: (1 + among) x = what it would add alone. `among` to
    # the power CHUNK is 0, so the inverse is a product.
    among = beta * (key @ key.swapaxes(1, 2)) * ratio * np.tril(seen, -1)
    inverse, power = np.eye(CHUNK) - among, among
    for _ in range(CHUNK.bit_length() - 2):
        power = power @ power
        inverse = inverse + inverse @ power
    alone = inverse @ (beta * value)
    from_state = inverse @ (beta * key * np.exp(sums)[..., None])
    at_query = (query @ key.swapaxes(1, 2)) * ratio
    left = np.exp(sums[:, -1:] - sums)[..., None]

    def step(state, chunk):
        query, key, alone, from_state, at_query, sums, left = chunk
        added = alone - from_state @ state
        out = (query * np.exp(sums)[:, None]) @ state + at_query @ added
        return state * np.exp(sums[-1]) + (key * left).T @ added, out
    initial = np.zeros((key.shape[-1], value.shape[-1]))
    return jax.lax.scan(step, initial, (query, key, alone, from_state, at_query, sums, left))[1].reshape(-1, value.shape[-1])


def recur(p, s, x):
    batch, tokens = x.shape[:2]
    mixed = x @ p["attn_qkv.weight"].T
    padded = np.pad(mixed, ((0, 0), (s.window - 1, 0), (0, 0)))
    mixed = jax.nn.silu(sum(padded[:, i:i + tokens] * p["ssm_conv1d.weight"][:, i] for i in range(s.window)))
    query, key, value = np.split(mixed, [s.keys, 2 * s.keys], -1)
    query = _unit(query.reshape(batch, tokens, s.key_heads, s.state)) / math.sqrt(s.state)
    key = _unit(key.reshape(batch, tokens, s.key_heads, s.state))
    shared = s.value_heads // s.key_heads
    query, key = np.tile(query, (1, 1, shared, 1)), np.tile(key, (1, 1, shared, 1))
    value = value.reshape(batch, tokens, s.value_heads, s.state)
    beta = jax.nn.sigmoid(x @ p["ssm_beta.weight"].T)
    log_decay = -np.exp(p["log_decay"]) * jax.nn.softplus(x @ p["ssm_alpha.weight"].T + p["ssm_dt.bias"])
    rule = jax.vmap(jax.vmap(_delta_rule, 1, 1))
    out = norm(rule(query, key, value, log_decay, beta), p["ssm_norm.weight"])
    gate = jax.nn.silu(x @ p["attn_gate.weight"].T)
    return (out.reshape(batch, tokens, -1) * gate) @ p["ssm_out.weight"].T


def _run_layer(p, s, x):
    mix = attend if "attn_q.weight" in p else recur
    x = x + mix(p, s, norm(x, p["attn_norm.weight"]))
    inner = norm(x, p["post_attention_norm.weight"])
    gated = jax.nn.silu(inner @ p["ffn_gate.weight"].T) * (inner @ p["ffn_up.weight"].T)
    return x + gated @ p["ffn_down.weight"].T


def cross_entropy(logits, targets, counts):
    picked = np.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], -1)[..., 0]
    return -(picked * counts).sum() / counts.sum()


@functools.partial(jax.jit, static_argnums=1)
def losses(p, s, tokens):
    """tokens [batch, length]. The model's loss per token, and its MTP block's, which predicts one token further."""
    embedded = p["token_embd.weight"][tokens]
    x = embedded
    for layer in p["layers"]:
        x = _run_layer(layer, s, x)
    out = norm(x, p["output_norm.weight"])
    ones = np.ones(tokens[:, 1:].shape)
    own = cross_entropy(out[:, :-1] @ p["token_embd.weight"].T, tokens[:, 1:], ones)
    # Row r of the block reads token r and the model's output at r - 1, of which it learns nothing about the model.
    block = p["mtp"]
    before = np.pad(jax.lax.stop_gradient(out)[:, :-1], ((0, 0), (1, 0), (0, 0)))
    head = jax.lax.stop_gradient(p["token_embd.weight"])
    joined = np.concatenate([norm(jax.lax.stop_gradient(embedded), block["nextn.enorm.weight"]),
                             norm(before, block["nextn.hnorm.weight"])], -1)
    ahead = norm(_run_layer(block, s, joined @ block["nextn.eh_proj.weight"].T), block["nextn.shared_head_norm.weight"])
    return own, cross_entropy(ahead[:, :-1] @ head.T, tokens[:, 1:], ones.at[:, 0].set(0))
