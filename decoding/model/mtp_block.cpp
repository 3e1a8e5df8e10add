// What it computes for token t_p at position p, with h the model's output (after its last norm) at
// the position before, 0 at the start of the text, and rms(x; g) = g * x / rms(x):
//
//   x   = W_join [rms(embedding of t_p; g_token)  rms(h; g_hidden)]
//   y   = x + attention + feed-forward, as in every other layer
//   h'  = rms(y; g_output)
//   the logits of t_{p + 1} are those that the model's head gives for h'
//
// For the next token of a draft, h' takes the place of h. This is DeepSeek-V3's block (2024) as
// Qwen3.5 and Qwen3-Next have it; llama.cpp calls it "nextn".
//
// An example. "a b c" is committed and "d" has been predicted: the block has keys and values for
// "a" (with 0), "b" (with the output at "a") and "c" (with that at "b"), and the state has the
// output at "c". The first step of a draft reads "d" with that output, in slot 3, and predicts "e";
// the second one reads "e" with its own output. The next pass writes slot 3 again, with the same
// bits, and slot 4 with the model's output at "d".
#include "decoding/model/mtp_block.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "decoding/kernels/transformer_ops.h"
#include "decoding/model/activations.h"
#include "decoding/model/best_places.h"
#include "decoding/model/operators.h"

namespace redraft {

void MtpBlock::read(const PassRows& rows, const kernels::TreeRows& pass, int committed,
                    TransformerKvStorage& storage) {
  const auto width = static_cast<std::size_t>(shape_.hidden);
  RecurrentState& state = *storage.recurrent();
  reserve(pass.count());
  const float* const outputs = rows.normed.const_data_ptr<float>();
  float* previous = std::copy_n(state.last_output(), width, previous_.mutable_data_ptr<float>());
  const auto last = static_cast<std::size_t>(pass.context) - 1;
  previous = std::copy_n(outputs, last * width, previous);
  for (const std::int32_t parent : pass.parents) {
    const std::size_t row = last + 1 + static_cast<std::size_t>(parent);  // -1: the context's last
    previous = std::copy_n(outputs + row * width, width, previous);
  }
  std::copy_n(outputs + last * width, width, state.last_output());
  const float* const nodes = outputs + (last + 1) * width;
  state.noted_outputs().assign(nodes, nodes + pass.parents.size() * width);
  const at::Tensor& stream = join(rows.ids, pass.count());
  const int own = storage.layers() - 1;
  blocks_.store_keys_and_values(weights_.mtp->layer, stream, rows, committed, storage.keys(own),
                                storage.values(own));
}

std::vector<HeadPlace> MtpBlock::draft(TokenId token, int most, KvCache& cache) {
  const MtpWeights& own = *weights_.mtp;
  auto& storage = static_cast<TransformerKvStorage&>(*cache.storage());
  const at::Tensor& keys = storage.keys(storage.layers() - 1);
  const at::Tensor& values = storage.values(storage.layers() - 1);
  LinearWeight head = own.head.n > 0 ? own.head : weights_.head;
  head.n = drafted_vocabulary(shape_.vocabulary);  // its first rows
  const int count = std::min({most, kMaxTokens, cache.capacity() - cache.length()});
  reserve(1);
  blocks_.reserve_positions(cache.length() + std::max(count, 0));
  if (!logits_.defined()) logits_ = at::empty({1, head.n}, at::kFloat);
  std::copy_n(storage.recurrent()->last_output(), shape_.hidden,
              previous_.mutable_data_ptr<float>());
  const PassRows& rows = one_row_.rows(1);
  std::vector<HeadPlace> places;
  for (int i = 0; i < count; ++i) {
    const int slot = cache.length() + i;
    *rows.ids.mutable_data_ptr<std::int32_t>() = token;
    *rows.positions.mutable_data_ptr<std::int32_t>() = slot;
    rows.hidden.copy_(join(rows.ids, 1));
    blocks_.attention(own.layer, rows, {.heads = shape_.heads, .committed = slot, .context = 1},
                      keys, values);
    blocks_.feed_forward(own.layer, rows);
    const at::Tensor output = previous_.narrow(0, 0, 1);
    operators::rms_norm(rows.hidden, own.output_norm, shape_.epsilon, output);
    const Activations input(output, rows.quantized, {&head});
    operators::linears({{head, input.of(head), logits_}});
    places.push_back(best_places(logits_).front());
    token = places.back().first.token;
  }
  return places;
}

// The stream that enters the layer, for tokens and the outputs before them, which are in previous_
// and are overwritten.
const at::Tensor& MtpBlock::join(const at::Tensor& ids, int count) {
  const MtpWeights& own = *weights_.mtp;
  const at::Tensor embedded = embedded_.narrow(0, 0, count);
  const at::Tensor previous = previous_.narrow(0, 0, count);
  const at::Tensor joined = joined_.narrow(0, 0, count);
  if (own.embedding.n > 0) {
    operators::packed_embedding(own.embedding, ids, embedded);
  } else {
    blocks_.embed(ids, embedded);
  }
  blocks_.charge(PassPart::kEmbedding);
  operators::rms_norm(embedded, own.token_norm, shape_.epsilon, embedded);
  operators::rms_norm(previous, own.hidden_norm, shape_.epsilon, previous);
  float* to = joined.mutable_data_ptr<float>();
  for (std::int64_t row = 0; row < count; ++row) {
    to = std::copy_n(embedded.const_data_ptr<float>() + row * shape_.hidden, shape_.hidden, to);
    to = std::copy_n(previous.const_data_ptr<float>() + row * shape_.hidden, shape_.hidden, to);
  }
  now_ = stream_.narrow(0, 0, count);
  const Activations input(joined, quantized_, {&own.join});
  operators::linears({{own.join, input.of(own.join), now_}});
  blocks_.charge(PassPart::kOther);
  return now_;
}

void MtpBlock::reserve(int rows) {
  if (rows <= capacity_) return;
  capacity_ = 0;  // so that a failed allocation leaves nothing half valid
  const auto floats = [rows](int width) { return at::empty({rows, width}, at::kFloat); };
  embedded_ = floats(shape_.hidden);
  previous_ = floats(shape_.hidden);
  joined_ = floats(2 * shape_.hidden);
  stream_ = floats(shape_.hidden);
  quantized_ = at::empty(
      {static_cast<std::int64_t>(kernels::quantized_bytes(isa_, rows, 2 * shape_.hidden))},
      at::kByte);
  capacity_ = rows;
}

}  // namespace redraft
