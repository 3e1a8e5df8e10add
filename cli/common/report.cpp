#include "cli/common/report.h"

#include <openssl/evp.h>

#include <array>
#include <cstdio>
#include <stdexcept>

namespace redraft::cli {
namespace {

std::string sha256_hex(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  }
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex.append(1, kDigits[digest[i] >> 4]).append(1, kDigits[digest[i] & 15]);
  }
  return hex;
}

nlohmann::ordered_json accepted_by_source(const DecodeStatistics& statistics) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (int origin = 0; origin < kDraftOriginCount; ++origin) {
    json[to_string(static_cast<DraftOrigin>(origin))] = statistics.accepted_by_origin[origin];
  }
  return json;
}

}  // namespace

std::string figures(const DecodeStatistics& statistics) {
  char line[160];
  std::snprintf(line, sizeof line, "%d tokens · %d passes · %.1f tokens/pass · %.1f tokens/s",
                statistics.new_tokens, statistics.passes, statistics.tokens_per_pass(),
                statistics.tokens_per_second());
  return line;
}

nlohmann::ordered_json to_json(const Report& report) {
  const DecodeStatistics& statistics = report.statistics;
  return {{"text", report.text},
          {"finish_reason", to_string(report.finish_reason)},
          {"prompt_tokens", statistics.prompt_tokens},
          {"cached_prompt_tokens", statistics.cached_prompt_tokens},
          {"new_tokens", statistics.new_tokens},
          {"passes", statistics.passes},
          {"rows", statistics.rows},
          {"tokens_per_pass", statistics.tokens_per_pass()},
          {"acceptance_length", statistics.acceptance_length()},
          {"prefill_seconds", statistics.prefill_seconds},
          {"decode_seconds", statistics.decode_seconds},
          {"draft_seconds", statistics.draft_seconds},
          {"tokens_per_second", statistics.tokens_per_second()},
          {"total_tokens_per_second", statistics.total_tokens_per_second()},
          {"accepted_by_source", accepted_by_source(statistics)},
          {"output_sha256", sha256_hex(report.output)},
          {"decoder", report.decoder},
          {"target", report.target},
          {"device", report.device}};
}

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace redraft::cli
