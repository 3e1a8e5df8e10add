#include "decoding/decoder_name.h"

#include <utility>
#include <vector>

#include "decoding/decoder_definition.h"

namespace redraft {
namespace {

std::vector<std::string_view> split_at_colons(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t colon; (colon = text.find(':')) != std::string_view::npos;) {
    parts.push_back(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string list_of_names() {
  std::string list;
  for (const DecoderDefinition* decoder : all_decoders()) {
    list += (list.empty() ? "" : ", ") + std::string(decoder->name);
  }
  return list;
}

const DecoderDefinition& default_decoder() { return *all_decoders().back(); }

}  // namespace

DecoderName::DecoderName()
    : DecoderName(default_decoder().name, default_decoder(),
                  DecoderOptions(default_decoder().options)) {}

DecoderName::DecoderName(std::string_view written, const DecoderDefinition& definition,
                         DecoderOptions options)
    : text(written), definition_(&definition), options_(std::move(options)) {}

Result<DecoderName> DecoderName::parse(std::string_view text) {
  const std::vector<std::string_view> parts = split_at_colons(text);
  const std::string where = "decoder '" + std::string(text) + "'";
  for (const DecoderDefinition* decoder : all_decoders()) {
    if (decoder->name != parts[0]) continue;
    Result<DecoderOptions> options =
        DecoderOptions::parse(decoder->options, std::span(parts).subspan(1));
    if (!options) return options.error().in(where);
    if (const Result<void> fit = decoder->check(*options); !fit) return fit.error().in(where);
    return DecoderName(text, *decoder, *std::move(options));
  }
  return Error("unknown decoder '" + std::string(parts[0]) + "'; there are: " + list_of_names());
}

bool DecoderName::lossless() const { return definition_->lossless(options_); }

bool DecoderName::asks_more_of_target() const { return definition_->fits != nullptr; }

bool DecoderName::needs_draft_model() const { return definition_->needs_draft_model(options_); }

bool DecoderName::needs_cost() const { return definition_->needs_cost; }

}  // namespace redraft
