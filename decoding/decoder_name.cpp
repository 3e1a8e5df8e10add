#include "decoding/decoder_name.h"

#include <algorithm>
#include <iterator>
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

// The decoders that the laboratory registers (bench/methods/lab_decoders.h). redraft knows their
// names alone, to tell who asks for one where it is; a test compares the list with what is there.
constexpr std::string_view kLabDecoders[] = {
    "ouroboros", "selfspec",    "pld",  "llma",      "lookahead",     "fastfixer",
    "copyspec",  "copyspec+sd", "rest", "fastcoder", "efficientedit",
};

const DecoderDefinition* find(std::string_view name) {
  const auto all = all_decoders();
  const auto found = std::ranges::find(all, name, [](const auto* each) { return each->name; });
  return found == all.end() ? nullptr : *found;
}

std::string list_of_names() {
  std::string list;
  for (const DecoderDefinition* decoder : all_decoders()) {
    list += (list.empty() ? "" : ", ") + std::string(decoder->name);
  }
  return list;
}

Error no_such_decoder(std::string_view text, std::string_view name) {
  if (is_lab_decoder(text)) {
    return Error("decoder '" + std::string(name) +
                 "' is part of the laboratory: use redraft-lab in place of redraft (`make build` "
                 "compiles both), or one of " +
                 list_of_names());
  }
  std::string others;
  for (const std::string_view lab : kLabDecoders) {
    if (find(lab) == nullptr) others += (others.empty() ? "" : ", ") + std::string(lab);
  }
  if (!others.empty()) others = "; in redraft-lab also: " + others;
  return Error("unknown decoder '" + std::string(name) + "'; there are: " + list_of_names() +
               others);
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
  const DecoderDefinition* const decoder = find(parts[0]);
  if (decoder == nullptr) return no_such_decoder(text, parts[0]);
  Result<DecoderOptions> options =
      DecoderOptions::parse(decoder->options, std::span(parts).subspan(1));
  if (!options) return options.error().in(where);
  if (const Result<void> fit = decoder->check(*options); !fit) return fit.error().in(where);
  return DecoderName(text, *decoder, *std::move(options));
}

bool is_lab_decoder(std::string_view text) {
  const std::string_view name = split_at_colons(text).front();
  return find(name) == nullptr && std::ranges::find(kLabDecoders, name) != std::end(kLabDecoders);
}

bool DecoderName::lossless() const { return definition_->lossless(options_); }

bool DecoderName::asks_more_of_target() const { return definition_->fits != nullptr; }

bool DecoderName::needs_draft_model() const { return definition_->needs_draft_model(options_); }

bool DecoderName::needs_cost() const { return definition_->needs_cost; }

}  // namespace redraft
