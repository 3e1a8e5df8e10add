#pragma once

// How attention rounds queries, keys and values: a head's vector becomes 16-bit integers and one
// float scale. The integers' Euclidean norm is 32767 (apart from rounding), so by the
// Cauchy-Schwarz inequality a dot product of two such vectors fits in 32 bits: integer sums are
// exact. The error is about that of half precision, 1e-4 of the vector's norm, at the same size,
// and integer products are twice as fast as products of floats.
namespace redraft::kernels {

inline constexpr float kFixedNorm = 32767.0f;
// A vector with a smaller norm is all zeros. The scale of one with a NaN or an infinity is NaN.
inline constexpr float kMinNorm = 1e-18f;
// In the cache, the scale follows the integers of its head and takes the space of this many.
inline constexpr int kScaleInts = 2;

}  // namespace redraft::kernels
