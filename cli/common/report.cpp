#include "cli/common/report.h"

#include <openssl/evp.h>

#include <array>
#include <cstdio>
#include <stdexcept>

#include "decoding/statistics_json.h"

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

}  // namespace

std::string figures(const DecodeStatistics& statistics) {
  char line[160];
  std::snprintf(line, sizeof line, "%d tokens · %d passes · %.1f tokens/pass · %.1f tokens/s",
                statistics.new_tokens, statistics.passes, statistics.tokens_per_pass(),
                statistics.tokens_per_second());
  return line;
}

nlohmann::ordered_json to_json(const Report& report) {
  nlohmann::ordered_json json = {{"text", report.text},
                                 {"finish_reason", to_string(report.finish_reason)}};
  write_report(report.statistics, json);
  json["output_sha256"] = sha256_hex(report.output);
  json["decoder"] = report.decoder;
  json["target"] = report.target;
  json["device"] = report.device.text();
  if (report.prompt_size) json["prompt_size"] = to_string(*report.prompt_size);
  return json;
}

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace redraft::cli
