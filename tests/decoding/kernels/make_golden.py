"""Writes dequantize_golden.h: one random block of every quantised format and its weights as the `gguf` package computes
them. Run with gguf and numpy installed: python3 make_golden.py > dequantize_golden.h"""

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import quants

FORMATS = [(Type.Q4_0, 1), (Type.Q4_1, 2), (Type.Q5_0, 1), (Type.Q5_1, 2), (Type.Q8_0, 1), (Type.Q4_K, 2), (Type.Q5_K, 2),
           (Type.Q6_K, 1)]


def random_block(rng, kind, halves):
    size = quants.GGML_QUANT_SIZES[kind][1]
    block = rng.integers(0, 256, size, dtype=np.uint8)
    scales = rng.normal(0, 0.1, halves).astype(np.float16).view(np.uint8)
    at = size - 2 if kind == Type.Q6_K else 0
    block[at:at + scales.size] = scales
    return block


def lines(values, width):
    for i in range(0, len(values), width):
        yield "    " + ", ".join(values[i:i + width]) + ","


def main():
    rng = np.random.default_rng(3)
    print("// Made by make_golden.py with the gguf package: block bytes and the bits of the floats they stand for.")
    print("#pragma once\n\n#include <cstdint>\n#include <vector>\n\n#include \"decoding/kernels/weight_format.h\"\n")
    print("namespace redraft {\n\nstruct GoldenBlock {\n  WeightFormat format;\n  std::vector<std::uint8_t> bytes;")
    print("  std::vector<std::uint32_t> weights;\n};\n\n// clang-format off\ninline const GoldenBlock kGoldenBlocks[] = {")
    for kind, halves in FORMATS:
        block = random_block(rng, kind, halves)
        weights = quants.dequantize(block[None, :], kind).astype(np.float32).ravel().view(np.uint32)
        print(f"  {{WeightFormat::k{kind.name}, {{")
        print("\n".join(lines([str(v) for v in block], 24)))
        print("  }, {")
        print("\n".join(lines([f"0x{v:08x}" for v in weights], 10)))
        print("  }},")
    print("};\n// clang-format on\n\n}  // namespace redraft")


main()
