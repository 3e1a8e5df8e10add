#include "bench/methods/llma.h"

#include <algorithm>
#include <utility>

#include "bench/methods/lab_decoders.h"
#include "decoding/drafting/methods/source_plan.h"

namespace redraft {
namespace {

std::unique_ptr<PhasePlan> make_plan(const PlanInputs& inputs) {
  const DecodeRequest& request = inputs.request;
  // The prompt is a document too: it contains retrieved code and earlier turns.
  std::vector<std::vector<TokenId>> documents;
  if (!request.original.empty()) documents.push_back(request.original);
  documents.push_back(request.prompt);
  return std::make_unique<SourcePlan>(std::make_unique<LlmaSource>(
      LlmaOptions{
          .shortest = inputs.options.integer("n"),
          .longest = std::max(inputs.options.integer("n"), inputs.options.integer("longest")),
          .rows = inputs.options.integer("k")},
      std::move(documents), request.prompt.size()));
}

}  // namespace

LlmaSource::LlmaSource(const LlmaOptions& options, std::vector<std::vector<TokenId>> documents,
                       std::size_t prompt_size)
    : options_(options), prompt_size_(prompt_size) {
  for (std::vector<TokenId>& tokens : documents) {
    Document& document = documents_.emplace_back(Document{std::move(tokens), {}});
    for (int length = options.shortest; length <= options.longest; ++length)
      document.places.emplace_back(length).absorb(document.tokens);
  }
}

DraftTree LlmaSource::draft(std::span<const TokenId> context, int limit) {
  const auto output = context.subspan(prompt_size_);
  const int longest = std::min(options_.longest, static_cast<int>(output.size()));
  for (int length = longest; length >= options_.shortest; --length) {
    const auto run = output.last(static_cast<std::size_t>(length));
    for (const Document& document : documents_) {
      const auto place = document.places[static_cast<std::size_t>(length - options_.shortest)].of(
          run, document.tokens);
      if (!place) continue;
      const auto after = std::span(document.tokens).subspan(*place + run.size());
      const int count = std::min({options_.rows - 1, limit, static_cast<int>(after.size())});
      return DraftTree::chain(after.first(static_cast<std::size_t>(count)), DraftOrigin::kCopy);
    }
  }
  return {};
}

const DecoderDefinition& llma_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "llma",
      .summary = "LLMA: what followed the output's last tokens in a reference document",
      .options = {DecoderOption::integer(
                      "n", 1, 1, 16, "minimum number of last tokens that must occur in a document"),
                  DecoderOption::integer("longest", 5, 1, 16,
                                         "maximum number of them, tried first"),
                  DecoderOption::integer("k", 20, 2, 128, "rows of a pass, so k-1 tokens copied")},
      .make_plan = make_plan,
  };
  return kDefinition;
}

}  // namespace redraft
