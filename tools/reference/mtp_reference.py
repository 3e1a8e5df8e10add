"""The MTP block of a hybrid with random weights, and what it proposes: transformers does not run it, so this follows llama.cpp's graph_mtp (src/models/qwen35.cpp), in double precision."""

import math

import torch

STEPS = 4
AT = [1, 2, 5, 12, 21, 31]  # how many tokens stand before the one that the block drafts behind
TIE = 0.02  # what a test of single precision can tell apart: probabilities by their quotient


def make_block(model, dtype, seed):
    """Tensors by their names in Hugging Face folders: those of a layer with attention, and the block's own."""
    layer = model.model.layers[model.config.layer_types.index("full_attention")]
    hidden = model.config.hidden_size
    shapes = {f"mtp.layers.0.{name}": parameter.shape for name, parameter in layer.named_parameters()}
    shapes |= {"mtp.fc.weight": (hidden, 2 * hidden)}
    shapes |= {f"mtp.{name}.weight": (hidden,) for name in ("pre_fc_norm_embedding", "pre_fc_norm_hidden", "norm")}
    random = torch.Generator().manual_seed(seed)
    tensors = {}
    for name, shape in shapes.items():
        values = torch.randn(shape, generator=random)
        values *= 0.25 if len(shape) == 1 else 1.5 / math.sqrt(shape[-1])
        tensors[name] = values.to(dtype)
    return tensors


class Block:
    """The block over one text. Row p reads token p and the model's output at p - 1."""

    def __init__(self, model, tensors):
        self.config = model.config
        self.tensors = {name.removeprefix("mtp."): values.double() for name, values in tensors.items()}
        self.embedding = model.model.embed_tokens.weight.detach().double()
        self.head = model.lm_head.weight.detach().double()
        self.keys, self.values = [], []

    def norm(self, x, name):
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + self.config.rms_norm_eps)
        return x * scale * (1 + self.tensors[name])

    def rotate(self, x, position):
        """The first dimensions of each head, i with i + half."""
        rotary = self.config.rope_parameters
        half = int(self.config.head_dim * rotary["partial_rotary_factor"]) // 2
        angles = position / rotary["rope_theta"] ** (torch.arange(half).double() / half)
        a, b, rest = x[:, :half], x[:, half:2 * half], x[:, 2 * half:]
        return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin(), rest], dim=1)

    def attention(self, x, position):
        heads, dim = self.config.num_attention_heads, self.config.head_dim
        linear = {part: self.tensors[f"layers.0.self_attn.{part}_proj.weight"] for part in "qkvo"}
        query, gate = (linear["q"] @ x).reshape(heads, 2, dim).unbind(1)
        key = (linear["k"] @ x).reshape(-1, dim)
        query = self.rotate(self.norm(query, "layers.0.self_attn.q_norm.weight"), position)
        self.keys[position:] = [self.rotate(self.norm(key, "layers.0.self_attn.k_norm.weight"), position)]
        self.values[position:] = [(linear["v"] @ x).reshape(-1, dim)]
        shared = heads // self.config.num_key_value_heads
        out = []
        for head in range(heads):
            keys = torch.stack([row[head // shared] for row in self.keys])
            values = torch.stack([row[head // shared] for row in self.values])
            out.append((keys @ query[head] / math.sqrt(dim)).softmax(0) @ values)
        return linear["o"] @ (torch.stack(out) * gate.sigmoid()).flatten()

    def gated(self, x, gate, up, down):
        return down @ (torch.nn.functional.silu(gate @ x) * (up @ x))

    def feed_forward(self, x):
        part = {name.removeprefix("layers.0.mlp."): values for name, values in self.tensors.items() if ".mlp." in name}
        if "gate_proj.weight" in part:
            return self.gated(x, *(part[f"{name}_proj.weight"] for name in ("gate", "up", "down")))
        scores, chosen = (part["gate.weight"] @ x).topk(self.config.num_experts_per_tok)
        out = torch.sigmoid(part["shared_expert_gate.weight"] @ x) * self.gated(
            x, *(part[f"shared_expert.{name}_proj.weight"] for name in ("gate", "up", "down")))
        for share, expert in zip(scores.softmax(0), chosen):
            gate, up = part["experts.gate_up_proj"][expert].chunk(2)
            out = out + share * self.gated(x, gate, up, part["experts.down_proj"][expert])
        return out

    def step(self, token, before, position):
        """The block's output for a token, given the output before it; replaces rows from `position` on."""
        parts = [self.norm(self.embedding[token], "pre_fc_norm_embedding.weight"),
                 self.norm(before, "pre_fc_norm_hidden.weight")]
        x = self.tensors["fc.weight"] @ torch.cat(parts)
        x = x + self.attention(self.norm(x, "layers.0.input_layernorm.weight"), position)
        x = x + self.feed_forward(self.norm(x, "layers.0.post_attention_layernorm.weight"))
        return self.norm(x, "norm.weight")


def proposals(model, tensors, ids, outputs):
    """For each place of AT the two likeliest tokens of STEPS steps with their probabilities."""
    block = Block(model, tensors)
    out = []
    for committed in AT:
        block.keys, block.values = [], []
        before = torch.zeros_like(outputs[0]).double()
        for position, token in enumerate(ids[:committed]):
            block.step(token, before, position)
            before = outputs[position].double()
        token, steps = ids[committed], []
        for step in range(STEPS):
            before = block.step(token, before, committed + step)
            best, tokens = (block.head @ before).softmax(0).topk(3)
            assert best[0] > (1 + TIE) * best[1] > (1 + TIE) ** 2 * best[2], "a tie: take another seed"
            steps.append([[token, float(f"{share:.7g}")] for token, share in zip(tokens[:2].tolist(), best.tolist())])
            token = int(tokens[0])
        out.append({"committed": committed, "steps": steps})
    return out
