// A draft head with a gradient: its losses are those of a plain computation, its gradients the
// differences of these.
#include "tuning/trainable_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "decoding/kernels/half.h"
#include "tuning/random_stream.h"

namespace redraft {
namespace {

constexpr double kEpsilon = 1e-5;
const DraftHeadShape kShape = {.hidden = 32,
                               .target_layers = 4,
                               .target_vocabulary = 50,
                               .layers = {0, 2},
                               .tokens = 3,
                               .width = 64,
                               .vocabulary = 20,
                               .target = "tiny"};
using Vector = std::vector<double>;

std::unique_ptr<TrainableHead> head(TrainingPrecision precision = TrainingPrecision::kFloat32,
                                    int threads = 1) {
  auto made = make_trainable_head(
      {.shape = kShape, .epsilon = kEpsilon, .precision = precision, .threads = threads});
  EXPECT_TRUE(made);
  const RandomStream random(3, 0);
  std::size_t at = 0;
  for (const DraftHeadTensor& tensor : draft_head_tensors(kShape)) {
    for (std::int64_t i = 0; i < tensor.size(); ++i, ++at) {
      const double unit = 2 * random.unit(at) - 1;
      (*made)->parameters()[at] = static_cast<float>(tensor.rows == 0 ? 1 + unit / 3 : unit / 4);
    }
  }
  EXPECT_EQ(at, (*made)->parameters().size());
  return std::move(*made);
}

// Rows of which some places are not learnt; all places of the last row.
HeadBatch batch(int rows, std::uint64_t seed = 1) {
  const RandomStream random(seed, 1);
  HeadBatch out;
  std::uint64_t at = 0;
  const auto next = [&] { return static_cast<float>(4 * random.unit(at++) - 2); };
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < 2 * kShape.hidden; ++i)
      out.features.push_back(kernels::float_to_half(next() * (i < kShape.hidden ? 1.0F : 20.0F)));
    for (int i = 0; i < kShape.hidden; ++i) out.embeddings.push_back(next() / 50);
    for (int place = 0; place < kShape.tokens; ++place) {
      const auto answer = static_cast<std::int32_t>(random.bits(at++) % 20);
      out.answers.push_back((row + place) % 4 == 3 && row + 1 < rows ? -1 : answer);
    }
  }
  return out;
}

// The design, written out in doubles (decoding/model/draft_head_files.h names the tensors).
class PlainHead {
 public:
  explicit PlainHead(std::span<const float> parameters) {
    std::size_t at = 0;
    for (const DraftHeadTensor& tensor : draft_head_tensors(kShape)) {
      const auto count = static_cast<std::size_t>(tensor.size());
      weights_[tensor.name] = Vector(parameters.begin() + static_cast<std::ptrdiff_t>(at),
                                     parameters.begin() + static_cast<std::ptrdiff_t>(at + count));
      at += count;
    }
  }

  // The logits of each place: [tokens][vocabulary].
  std::vector<Vector> logits(const HeadBatch& rows, std::size_t row) const {
    const auto hidden = static_cast<std::size_t>(kShape.hidden);
    Vector inputs;
    for (std::size_t layer = 0; layer < 2; ++layer) {
      Vector feature;
      for (std::size_t i = 0; i < hidden; ++i)
        feature.push_back(static_cast<double>(
            kernels::half_to_float(rows.features[(row * 2 + layer) * hidden + i])));
      append(inputs, rms(feature, "input_norm.feature." + std::to_string(layer)));
    }
    const auto from = rows.embeddings.begin() + static_cast<std::ptrdiff_t>(row * hidden);
    append(inputs,
           rms(Vector(from, from + static_cast<std::ptrdiff_t>(hidden)), "input_norm.token"));
    const Vector u = times("input.weight", inputs);
    const Vector n = rms(u, "mlp_norm");
    Vector active = times("mlp.gate.weight", n);
    const Vector up = times("mlp.up.weight", n);
    for (std::size_t i = 0; i < active.size(); ++i)
      active[i] = active[i] / (1 + std::exp(-active[i])) * up[i];
    const Vector x = sum(u, times("mlp.down.weight", active));
    const Vector p = rms(x, "place_norm");
    std::vector<Vector> out;
    for (int place = 0; place < kShape.tokens; ++place) {
      const std::string name = "place." + std::to_string(place) + ".weight";
      out.push_back(times("vocabulary.weight", rms(sum(x, times(name, p)), "output_norm")));
    }
    return out;
  }

 private:
  static void append(Vector& to, const Vector& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  static Vector sum(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  Vector rms(Vector x, const std::string& norm) const {
    double squares = 0;
    for (const double each : x) squares += each * each;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + kEpsilon);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale * weights_.at(norm)[i];
    return x;
  }
  Vector times(const std::string& name, const Vector& x) const {
    const Vector& matrix = weights_.at(name);
    Vector out(matrix.size() / x.size());
    for (std::size_t row = 0; row < out.size(); ++row)
      for (std::size_t i = 0; i < x.size(); ++i) out[row] += matrix[row * x.size() + i] * x[i];
    return out;
  }

  std::map<std::string, Vector> weights_;
};

struct PlainLoss {
  double sum = 0, weight = 0;
  Vector losses;
  std::vector<std::uint8_t> right;
};

PlainLoss plain_loss(std::span<const float> parameters, const HeadBatch& rows) {
  const PlainHead plain(parameters);
  PlainLoss out;
  const double weights[] = {1, 0.8, 0.6};
  for (std::size_t at = 0; at < rows.answers.size(); ++at) {
    out.losses.push_back(0);
    out.right.push_back(0);
    if (rows.answers[at] < 0) continue;
    const Vector logits = plain.logits(rows, at / 3)[at % 3];
    double all = 0;
    for (const double each : logits) all += std::exp(each);
    const auto answer = static_cast<std::size_t>(rows.answers[at]);
    out.losses.back() = std::log(all) - logits[answer];
    out.right.back() = std::ranges::max_element(logits) - logits.begin() == rows.answers[at];
    out.sum += weights[at % 3] * out.losses.back();
    out.weight += weights[at % 3];
  }
  return out;
}

TEST(TrainableHead, LossesAreThoseOfAPlainComputation) {
  const auto trained = head();
  const HeadBatch rows = batch(300);  // more places than logits exist at once
  const PlainLoss plain = plain_loss(trained->parameters(), rows);
  for (const HeadLoss& loss : {trained->loss(rows), trained->add_gradients(rows, 1)}) {
    EXPECT_NEAR(loss.sum, plain.sum, 1e-5 * plain.sum);
    EXPECT_NEAR(loss.weight, plain.weight, 1e-9 * plain.weight + 1e-4);
    ASSERT_EQ(loss.losses.size(), plain.losses.size());
    for (std::size_t i = 0; i < plain.losses.size(); ++i)
      EXPECT_NEAR(loss.losses[i], plain.losses[i], 1e-4) << i;
    EXPECT_EQ(loss.right, plain.right);
  }
  EXPECT_GT(std::count(plain.right.begin(), plain.right.end(), 1), 10);
}

// Each of some numbers of every tensor, against the plain computation in doubles: its differences
// are good to 1e-6 or so, the gradient to the roundings of floats.
TEST(TrainableHead, GradientsAreFiniteDifferencesOfAPlainComputation) {
  const auto trained = head();
  const HeadBatch rows = batch(6);
  trained->add_gradients(rows, 1);
  std::vector<float> parameters(trained->parameters().begin(), trained->parameters().end());
  const RandomStream random(5, 0);
  std::size_t first = 0;
  for (const DraftHeadTensor& tensor : draft_head_tensors(kShape)) {
    const auto size = static_cast<std::size_t>(tensor.size());
    double largest = 0;
    for (std::size_t i = 0; i < size; ++i)
      largest = std::max(largest, std::fabs(static_cast<double>(trained->gradients()[first + i])));
    EXPECT_GT(largest, 0) << tensor.name;
    for (std::uint64_t i = 0; i < 12; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(random.bits(first + i) % size);
      const float start = parameters[at];
      const auto loss_at = [&](float value) {
        parameters[at] = value;
        return plain_loss(parameters, rows).sum;
      };
      const float above = start + 0x1p-9F;
      const float below = start - 0x1p-9F;
      const double slope = (loss_at(above) - loss_at(below)) / static_cast<double>(above - below);
      parameters[at] = start;
      EXPECT_NEAR(trained->gradients()[at], slope, 1e-3 * largest + 1e-4 * std::fabs(slope))
          << tensor.name << " " << at - first;
    }
    first += size;
  }
}

TEST(TrainableHead, GradientsAddUpAndScale) {
  const auto trained = head();
  const HeadBatch rows = batch(10);
  trained->add_gradients(rows, 1);
  const std::vector<float> once(trained->gradients().begin(), trained->gradients().end());
  trained->add_gradients(rows, 0.5F);
  double largest = 0;
  for (const float each : once) largest = std::max(largest, std::fabs(static_cast<double>(each)));
  for (std::size_t i = 0; i < once.size(); ++i)
    EXPECT_NEAR(trained->gradients()[i], 1.5 * once[i], 1e-5 * largest);
}

TEST(TrainableHead, PlacesThatAreNotLearntTeachNothing) {
  const auto trained = head();
  HeadBatch rows = batch(3);
  for (std::size_t i = 0; i < rows.answers.size(); ++i)
    if (i % 3 != 0) rows.answers[i] = -1;  // the first place alone
  trained->add_gradients(rows, 1);
  std::size_t at = 0;
  for (const DraftHeadTensor& tensor : draft_head_tensors(kShape)) {
    const auto part = trained->gradients().subspan(at, static_cast<std::size_t>(tensor.size()));
    const bool taught = std::ranges::any_of(part, [](float each) { return each != 0; });
    EXPECT_EQ(taught, tensor.name != "place.1.weight" && tensor.name != "place.2.weight")
        << tensor.name;
    at += part.size();
  }
  std::ranges::fill(rows.answers, -1);
  EXPECT_EQ(trained->loss(rows).weight, 0);
}

TEST(TrainableHead, GivesTheSameBitsAgain) {
  std::vector<std::vector<float>> runs;
  for (int run = 0; run < 2; ++run) {
    const auto trained = head(TrainingPrecision::kBFloat16, 2);
    for (std::uint64_t i = 0; i < 3; ++i) trained->add_gradients(batch(200, i), 0.1F);
    runs.emplace_back(trained->gradients().begin(), trained->gradients().end());
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(TrainableHead, HalfPrecisionIsNearby) {
  const auto exact = head();
  const auto rounded = head(TrainingPrecision::kBFloat16);
  const HeadBatch rows = batch(100);
  const double loss = exact->add_gradients(rows, 1).sum;
  const double other = rounded->add_gradients(rows, 1).sum;
  EXPECT_NE(other, loss);
  EXPECT_NEAR(other, loss, 0.02 * loss);
  EXPECT_EQ(rounded->loss(rows).sum, exact->loss(rows).sum);  // measured in floats
  double product = 0, left = 0, right = 0;
  for (std::size_t i = 0; i < exact->gradients().size(); ++i) {
    const double a = exact->gradients()[i];
    const double b = rounded->gradients()[i];
    product += a * b;
    left += a * a;
    right += b * b;
  }
  EXPECT_GT(product / std::sqrt(left * right), 0.98);  // the cosine of their angle
}

}  // namespace
}  // namespace redraft
