"""Writes dequantize_golden.h: one random block of every quantised format and its weights as the `gguf` package computes
them, and a sum over many blocks of any bytes, which have every kind of scale: zero, subnormal, the largest, infinity, NaN.
Run with gguf and numpy installed: python3 make_golden.py > dequantize_golden.h"""

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import quants

# Each with the places of its halves in a block.
FORMATS = [(Type.Q4_0, [0]), (Type.Q4_1, [0, 2]), (Type.Q5_0, [0]), (Type.Q5_1, [0, 2]), (Type.Q8_0, [0]), (Type.Q4_K, [0, 2]),
           (Type.Q5_K, [0, 2]), (Type.Q6_K, [208]), (Type.Q2_K, [80, 82]), (Type.Q3_K, [108]), (Type.IQ4_NL, [0]),
           (Type.IQ4_XS, [0]), (Type.MXFP4, [])]
BLOCKS = 2000  # in a sum
NAN = 0x7fc00000  # stands for every NaN in a sum
PRIME, SEED = 0x100000001b3, 0xcbf29ce484222325  # FNV-1a, over whole words


def random_block(rng, kind, halves):
    block = rng.integers(0, 256, quants.GGML_QUANT_SIZES[kind][1], dtype=np.uint8)
    for at in halves:
        block[at:at + 2] = np.frombuffer(rng.normal(0, 0.1, 1).astype(np.float16).tobytes(), np.uint8)
    if kind == Type.MXFP4:
        block[0] = rng.integers(120, 128)
    return block


def any_bytes(count):
    """As from std::minstd_rand(1), bits 8 to 15 of each number."""
    state = 1
    for _ in range(count):
        state = state * 48271 % 2147483647
        yield state >> 8 & 255


def sum_of_weights(kind):
    size = quants.GGML_QUANT_SIZES[kind][1]
    blocks = np.array(list(any_bytes(size * BLOCKS)), np.uint8).reshape(BLOCKS, size)
    with np.errstate(all="ignore"):
        weights = quants.dequantize(blocks, kind).astype(np.float32).ravel()
    bits = np.where(np.isnan(weights), np.uint32(NAN), weights.view(np.uint32))
    total = SEED
    for word in bits.tolist():
        total = (total ^ word) * PRIME & 0xffffffffffffffff
    return total


def lines(values, width):
    for i in range(0, len(values), width):
        yield "    " + ", ".join(values[i:i + width]) + ","


def main():
    rng = np.random.default_rng(3)
    print("// Made by make_golden.py with the gguf package: block bytes and the bits of the floats they stand for.")
    print("#pragma once\n\n#include <cstdint>\n#include <vector>\n\n#include \"decoding/kernels/weight_format.h\"\n")
    print("namespace redraft {\n\nstruct GoldenBlock {\n  WeightFormat format;\n  std::vector<std::uint8_t> bytes;")
    print("  std::vector<std::uint32_t> weights;\n};\n")
    print(f"// FNV-1a over the bits of all weights of kSummedBlocks blocks; {NAN:#x} stands for every NaN.")
    print(f"inline constexpr int kSummedBlocks = {BLOCKS};")
    print("struct GoldenSum {\n  WeightFormat format;\n  std::uint64_t sum;\n};\n\n// clang-format off")
    print("inline constexpr GoldenSum kGoldenSums[] = {")
    for kind, _ in FORMATS:
        print(f"  {{WeightFormat::k{kind.name}, 0x{sum_of_weights(kind):016x}}},")
    print("};\n\ninline const GoldenBlock kGoldenBlocks[] = {")
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
