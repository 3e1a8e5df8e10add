#pragma once

// How queries, keys and values are rounded for attention: a head's vector becomes 16-bit integers
// and one float scale. The integers' Euclidean norm is 32767 (rounding apart), so by Cauchy and
// Schwarz no sum of products of two such vectors leaves 32 bits: integer sums are exact. The error
// is about that of half precision, 1e-4 of the vector's norm, at the same size, and integer
// products are twice as fast as those of floats.
namespace redraft::kernels {

inline constexpr float kFixedNorm = 32767.0f;
// A vector with a smaller norm is all zeros; one with a NaN or an infinity has a NaN as scale.
inline constexpr float kMinNorm = 1e-18f;
// In the cache the scale stands behind the integers of its head and takes the room of so many.
inline constexpr int kScaleInts = 2;

}  // namespace redraft::kernels
