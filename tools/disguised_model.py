#!/usr/bin/env python3
"""Writes the GGUF file of a Llama model as that of another architecture which computes the same, to check that
architecture with published weights, and to give it faults (tools/faulty_model.py).

    tools/disguised_model.py MODEL ARCHITECTURE OUT

As `granite`, embeddings, outputs of blocks, queries and logits have scales, and the weights the inverse ones. These are
powers of two, so that every row keeps its bits. As `seed_oss`, queries and keys are in the order of that architecture and
a norm has its name. As `mistral3`, only the name of the architecture differs. Weights may be F32, F16 or in a format of
blocks that begin with scales. Needs the Python package gguf (tools/reference/requirements.lock names a version).
"""

import argparse
import math
import sys

try:
    import gguf
    import numpy
except ImportError as error:
    sys.exit(f"disguised_model: error: {error}; install the packages gguf and numpy")

KINDS = gguf.GGMLQuantizationType
# How many half-precision scales each block begins with.
SCALES = {KINDS.Q4_0: 1, KINDS.Q4_1: 2, KINDS.Q5_0: 1, KINDS.Q5_1: 2, KINDS.Q8_0: 1, KINDS.Q4_K: 2, KINDS.Q5_K: 2}
EMBEDDING, RESIDUAL, SCORES = 4.0, 0.25, 2.0
# What the weights of Granite are multiplied by. The head is the embedding.
GRANITE = {"token_embd": 1 / EMBEDDING, "attn_output": 1 / RESIDUAL, "ffn_down": 1 / RESIDUAL, "attn_q": 1 / SCORES}


def scaled(tensor, factor):
    """The tensor's bytes with every number multiplied by a power of two."""
    if tensor.tensor_type in (KINDS.F32, KINDS.F16):
        return tensor.data * tensor.data.dtype.type(factor)
    if tensor.tensor_type not in SCALES:
        sys.exit(f"disguised_model: error: {tensor.name} is {tensor.tensor_type.name}, which this program cannot scale")
    size = gguf.GGML_QUANT_SIZES[tensor.tensor_type][1]
    blocks = numpy.array(tensor.data).reshape(-1, size)
    scales = blocks[:, :2 * SCALES[tensor.tensor_type]].copy().view(numpy.float16)
    blocks[:, :2 * SCALES[tensor.tensor_type]] = (scales * numpy.float16(factor)).view(numpy.uint8)
    return blocks.reshape(tensor.data.shape)


def in_halves(data, heads):
    """Rows of queries or keys, from pairs of neighbours to the two halves of each head."""
    rows = data.shape[0] // heads
    order = numpy.arange(data.shape[0]).reshape(heads, rows // 2, 2).transpose(0, 2, 1).reshape(-1)
    return data[order]


class Disguise:
    def __init__(self, path, architecture):
        self.reader = gguf.GGUFReader(path)
        if self.reader.fields["general.architecture"].contents() != "llama":
            sys.exit(f"disguised_model: error: {path} is no Llama model")
        if any(tensor.name == "output.weight" for tensor in self.reader.tensors):
            sys.exit(f"disguised_model: error: {path} has a head of its own, which this program does not scale")
        self.architecture = architecture

    def number(self, name):
        return self.reader.fields["llama." + name].contents()

    def tensor(self, tensor):
        role = tensor.name.removesuffix(".weight").rsplit(".", 1)[-1]
        if self.architecture == "granite" and role in GRANITE:
            return scaled(tensor, GRANITE[role])
        if self.architecture == "seed_oss" and role in ("attn_q", "attn_k"):
            return in_halves(tensor.data, self.number("attention.head_count" + ("_kv" if role == "attn_k" else "")))
        return tensor.data

    def write(self, path):
        writer = gguf.GGUFWriter(path, self.architecture)
        for name, field in self.reader.fields.items():
            if name.startswith("GGUF.") or name == "general.architecture":
                continue
            kind, *inner = field.types
            writer.add_key_value(name.replace("llama.", self.architecture + ".", 1) if name.startswith("llama.") else name,
                                 field.contents(), kind, inner[-1] if inner else None)
        if self.architecture == "granite":
            writer.add_embedding_scale(EMBEDDING)
            writer.add_residual_scale(RESIDUAL)
            writer.add_attention_scale(SCORES / math.sqrt(self.number("embedding_length") / self.number("attention.head_count")))
            writer.add_logit_scale(1 / EMBEDDING)
        for tensor in self.reader.tensors:
            name = tensor.name
            if self.architecture == "seed_oss":
                name = name.replace("ffn_norm", "post_attention_norm")
            writer.add_tensor(name, numpy.ascontiguousarray(self.tensor(tensor)), raw_dtype=tensor.tensor_type)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a GGUF file")
    parser.add_argument("architecture", choices=("granite", "mistral3", "seed_oss"))
    parser.add_argument("out")
    options = parser.parse_args()
    Disguise(options.model, options.architecture).write(options.out)


if __name__ == "__main__":
    main()
