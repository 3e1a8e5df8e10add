// The kernels on a real GPU: bits that do not depend on the other rows, and agreement with the
// references. A program of its own, because a machine with a GPU may have nothing but a compiler.
// Exit code 77: there is no GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/attention.h"
#include "cuda/head.h"
#include "cuda/layer.h"
#include "cuda/linear.h"
#include "cuda/reference.h"
#include "cuda/runtime.h"
#include "tests/cuda/packed_file.h"

namespace redraft::cuda {
namespace {

constexpr int kNoDevice = 77;

// A copy of host data on the device.
class OnDevice {
 public:
  template <typename T>
  OnDevice(DeviceQueue& queue, const std::vector<T>& values) : memory_(values.size() * sizeof(T)) {
    queue.copy_in(memory_.as<void>(), values.data(), values.size() * sizeof(T));
  }
  template <typename T>
  T* as() const {
    return memory_.as<T>();
  }

 private:
  DeviceMemory memory_;
};

class Check {
 public:
  void expect(bool right, const std::string& what) {
    ++checks_;
    if (right) return;
    ++wrong_;
    std::printf("WRONG: %s\n", what.c_str());
  }
  int finish(const DeviceInfo& device) const {
    std::printf("%s: %d checks, %d wrong\n", device.name.c_str(), checks_, wrong_);
    return wrong_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  int checks_ = 0;
  int wrong_ = 0;
};

// A format's linear layer over the same rows, any number of them at once.
class LinearCase {
 public:
  LinearCase(DeviceQueue& queue, WeightFormat format, int n, int k, int most, std::mt19937& random)
      : queue_(queue),
        n_(n),
        k_(k),
        packed_(format, n, k, random),
        weight_(queue,
                std::vector<std::uint8_t>(packed_.weight().data,
                                          packed_.weight().data + packed_bytes(format, n, k))),
        x_(queue,
           random_floats(static_cast<std::size_t>(most) * static_cast<std::size_t>(k), random)),
        values_(static_cast<std::size_t>(most) * static_cast<std::size_t>(padded_width(k)) * 2),
        scales_(static_cast<std::size_t>(most) * sizeof(float)) {
    round_rows(x_.as<float>(), k, most, k, {values_.as<std::uint16_t>(), scales()}, queue.stream());
  }
  const PackedFile& packed() const { return packed_; }

  Rows rows_from(int first) const {
    return {values_.as<std::uint16_t>() + static_cast<std::ptrdiff_t>(first) * padded_width(k_),
            scales() ? scales() + first : nullptr};
  }
  std::vector<float> run(int first, int rows) {
    const DeviceMemory y(static_cast<std::size_t>(rows * n_) * sizeof(float));
    linear(on_device(), rows_from(first), rows, nullptr, y.as<float>(), n_, queue_.stream());
    std::vector<float> out(static_cast<std::size_t>(rows * n_));
    queue_.copy_out(out.data(), y.as<float>(), out.size() * sizeof(float));
    queue_.wait();
    return out;
  }
  std::vector<std::int32_t> best(int rows) {
    const DeviceMemory keys(static_cast<std::size_t>(rows) * 8),
        ids(static_cast<std::size_t>(rows) * 4);
    linear_argmax(on_device(), rows_from(0), rows, keys.as<std::uint64_t>(), ids.as<std::int32_t>(),
                  queue_.stream());
    std::vector<std::int32_t> out(static_cast<std::size_t>(rows));
    queue_.copy_out(out.data(), ids.as<std::int32_t>(), out.size() * sizeof(std::int32_t));
    queue_.wait();
    return out;
  }
  // The rounded rows, for the reference.
  std::vector<std::uint16_t> values(int rows) {
    std::vector<std::uint16_t> out(static_cast<std::size_t>(rows * padded_width(k_)));
    queue_.copy_out(out.data(), values_.as<std::uint16_t>(), out.size() * 2);
    queue_.wait();
    return out;
  }
  std::vector<float> scales_of(int rows) {
    std::vector<float> out(static_cast<std::size_t>(rows));
    if (scales()) queue_.copy_out(out.data(), scales(), out.size() * sizeof(float));
    queue_.wait();
    return out;
  }

 private:
  float* scales() const {
    return reads_bfloats(packed_.weight().format) ? nullptr : scales_.as<float>();
  }
  Weight on_device() const {
    Weight weight = packed_.weight();
    weight.data = weight_.as<std::uint8_t>();
    return weight;
  }

  DeviceQueue& queue_;
  int n_, k_;
  PackedFile packed_;
  OnDevice weight_, x_;
  DeviceMemory values_, scales_;
};

void check_linears(DeviceQueue& queue, Check& check) {
  std::mt19937 random(1);
  constexpr int kMaxRows = 200;
  for (const WeightFormat format : kFormats) {
    const std::string name = weight_format_info(format)->name;
    for (const auto& [n, k] : {std::pair(83, 768), std::pair(256, 2048)}) {
      LinearCase one(queue, format, n, k, kMaxRows, random);
      std::vector<float> alone;
      for (int r = 0; r < kMaxRows; ++r) {
        const std::vector<float> row = one.run(r, 1);
        alone.insert(alone.end(), row.begin(), row.end());
      }
      for (int rows = 2; rows <= kMaxRows; rows += rows < 130 ? 1 : 23) {
        const int first = (kMaxRows - rows) / 2;
        const std::vector<float> y = one.run(first, rows);
        check.expect(std::memcmp(y.data(), &alone[static_cast<std::size_t>(first * n)],
                                 y.size() * sizeof(float)) == 0,
                     name + ": the bits of " + std::to_string(rows) + " rows");
      }
      const std::vector<std::uint16_t> values = one.values(8);
      const std::vector<float> scales = one.scales_of(8);
      const Rows x{values.data(), reads_bfloats(format) ? nullptr : scales.data()};
      bool near = true;
      for (int i = 0; i < 8 * n; ++i) {
        const Bounded expected =
            linear_reference(format, k, one.packed().file().data(), i % n, x, i / n, nullptr);
        near &= std::fabs(static_cast<double>(alone[static_cast<std::size_t>(i)]) -
                          expected.value) <= expected.bound;
      }
      check.expect(near, name + ": the reference");
      const std::vector<std::int32_t> best = one.best(50);
      bool same = true;
      for (int r = 0; r < 50; ++r) {
        const auto row = alone.begin() + r * n;
        same &= best[static_cast<std::size_t>(r)] == std::max_element(row, row + n) - row;
      }
      check.expect(same, name + ": argmax");
    }
  }
}

// 33 rows: some form a chain, one is a branch with the same keys and values as the chain. It is
// compared with that row alone, at the end of the chain.
void check_attention(DeviceQueue& queue, Check& check) {
  std::mt19937 random(2);
  for (const auto& [heads, kv_heads, dim] :
       {std::array{12, 2, 128}, std::array{14, 2, 64}, std::array{3, 3, 96}}) {
    for (const int committed : {5, 255, 1000}) {
      const int slots = committed + 60, rows = 33, width = heads * dim;
      auto keys = random_halves(static_cast<std::size_t>(kv_heads * slots * dim), 1.0F, random);
      auto values = random_halves(keys.size(), 1.0F, random);
      std::vector<std::int32_t> tails, chain(static_cast<std::size_t>(committed + 20));
      std::iota(chain.begin(), chain.end(), 0);
      for (int i = 0; i < 20; ++i) {
        tails.push_back(committed + 25 + 7 * i % 20);
        for (auto* all : {&keys, &values}) {
          for (int h = 0; h < kv_heads; ++h) {
            const auto strip = all->begin() + h * slots * dim;
            std::copy_n(strip + (committed + i) * dim, dim, strip + tails.back() * dim);
          }
        }
      }
      std::vector<std::int32_t> lengths, straight, begin(rows, 0);
      for (int r = 0; r < rows; ++r) {
        lengths.push_back(r == 17 ? committed + 20 : 1 + 31 * r % committed);
        straight.push_back(r == 17 ? committed : lengths.back());
      }
      const auto queries = random_halves(static_cast<std::size_t>(rows * width), 0.3F, random);
      const OnDevice k(queue, keys), v(queue, values), q(queue, queries), l(queue, lengths),
          s(queue, straight), t(queue, tails), b(queue, begin);
      const KvMemory kv{k.as<std::uint16_t>(), v.as<std::uint16_t>(), slots};
      const auto run = [&](const std::uint16_t* from, const Paths& paths, int count) {
        const Attention of{from, kv, heads, kv_heads, dim, paths};
        const int longest = committed + 20;
        const DeviceMemory scratch(attention_scratch_bytes(of, count, longest));
        const DeviceMemory out(static_cast<std::size_t>(count * padded_width(width)) * 2);
        const DeviceMemory scales(static_cast<std::size_t>(count) * 4);
        attention(of, count, longest, scratch.as<float>(),
                  {out.as<std::uint16_t>(), scales.as<float>()}, queue.stream());
        std::vector<std::uint16_t> result(static_cast<std::size_t>(count * padded_width(width)));
        queue.copy_out(result.data(), out.as<std::uint16_t>(), result.size() * 2);
        queue.wait();
        return result;
      };
      const auto all = run(
          q.as<std::uint16_t>(),
          {l.as<std::int32_t>(), s.as<std::int32_t>(), t.as<std::int32_t>(), b.as<std::int32_t>()},
          rows);
      // Alone, with its whole path in consecutive slots.
      const auto alone = run(q.as<std::uint16_t>() + 17 * width,
                             {l.as<std::int32_t>() + 17, l.as<std::int32_t>() + 17,
                              t.as<std::int32_t>(), b.as<std::int32_t>()},
                             1);
      check.expect(std::equal(alone.begin(), alone.end(), all.begin() + 17 * padded_width(width)),
                   "attention after " + std::to_string(committed) + ": a tree's row is a chain's");
    }
  }
}

void check_layer(DeviceQueue& queue, Check& check) {
  std::mt19937 random(3);
  const int n = 1536, rows = 40;
  const std::vector<float> hidden = random_floats(static_cast<std::size_t>(rows * n), random);
  const std::vector<float> weight = random_floats(static_cast<std::size_t>(n), random);
  const OnDevice x(queue, hidden), w(queue, weight);
  const auto run = [&](int first, int count) {
    const DeviceMemory out(static_cast<std::size_t>(count * n) * 2),
        scales(static_cast<std::size_t>(count) * 4);
    add_norm({x.as<float>() + first * n, nullptr, w.as<float>(), 1e-6F, n}, count,
             {out.as<std::uint16_t>(), scales.as<float>()}, queue.stream());
    std::vector<std::uint16_t> result(static_cast<std::size_t>(count * n));
    queue.copy_out(result.data(), out.as<std::uint16_t>(), result.size() * 2);
    queue.wait();
    return result;
  };
  const auto all = run(0, rows);
  bool same = true;
  for (int r = 0; r < rows; ++r) {
    const auto one = run(r, 1);
    same &= std::equal(one.begin(), one.end(), all.begin() + r * n);
  }
  check.expect(same, "norm: the bits of a row");
  const DeviceMemory rounded(static_cast<std::size_t>(rows * n) * 2),
      scales(static_cast<std::size_t>(rows) * 4);
  round_rows(x.as<float>(), n, rows, n, {rounded.as<std::uint16_t>(), scales.as<float>()},
             queue.stream());
  std::vector<std::uint16_t> got(static_cast<std::size_t>(rows * n)), expected(got.size());
  std::vector<float> expected_scales(static_cast<std::size_t>(rows));
  queue.copy_out(got.data(), rounded.as<std::uint16_t>(), got.size() * 2);
  queue.wait();
  round_rows_reference(hidden.data(), n, rows, n, expected.data(), expected_scales.data());
  check.expect(got == expected, "rounding: the reference");
}

int run() {
  const Result<DeviceInfo> device = find_device();
  if (!device) {
    std::printf("skipped: %s\n", device.error().message().c_str());
    return kNoDevice;
  }
  DeviceQueue queue;
  Check check;
  check_layer(queue, check);
  check_linears(queue, check);
  check_attention(queue, check);
  return check.finish(*device);
}

}  // namespace
}  // namespace redraft::cuda

int main() {
  try {
    return redraft::cuda::run();
  } catch (const std::exception& failure) {
    std::printf("WRONG: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
