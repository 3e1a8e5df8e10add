#include "tuning/adapter_files.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "support/files/whole_file.h"

namespace redraft {
namespace {

using Json = nlohmann::ordered_json;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string config_of(const LoraOptions& options, const std::string& base_model) {
  Json modules = Json::array();
  for (const LinearRole role : options.adapted) modules.push_back(to_string(role));
  const Json config = {{"base_model_name_or_path", base_model},
                       {"bias", "none"},
                       {"fan_in_fan_out", false},
                       {"inference_mode", true},
                       {"lora_alpha", options.alpha},
                       {"lora_dropout", options.dropout},
                       {"peft_type", "LORA"},
                       {"r", options.rank},
                       {"target_modules", std::move(modules)},
                       {"task_type", "CAUSAL_LM"},
                       {"use_rslora", false}};
  return config.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The parameters have the same layout as the file: A and B of one matrix after the other.
std::string header_of(const LoraLayout& layout) {
  Json header;
  header["__metadata__"] = {{"format", "pt"}};
  const auto add = [&](const LoraPair& pair, const char* part, std::size_t first, std::int64_t rows,
                       std::int64_t columns) {
    const std::size_t begin = first * sizeof(float);
    const std::size_t end = begin + static_cast<std::size_t>(rows * columns) * sizeof(float);
    header["base_model.model." + pair.name + part] = {
        {"dtype", "F32"}, {"shape", {rows, columns}}, {"data_offsets", {begin, end}}};
  };
  for (const LoraPair& pair : layout.pairs()) {
    add(pair, ".lora_A.weight", pair.a, layout.options().rank, pair.in);
    add(pair, ".lora_B.weight", pair.b, pair.out, layout.options().rank);
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the numbers
  return text;
}

}  // namespace

Result<void> write_adapter(const std::filesystem::path& folder, const LoraLayout& layout,
                           std::span<const float> parameters, const std::string& base_model) {
  static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");
  assert(parameters.size() == layout.size());
  const std::string config = config_of(layout.options(), base_model);
  if (Result<void> written = write_whole_file(folder / "adapter_config.json", {bytes_of(config)});
      !written)
    return written;
  const std::string header = header_of(layout);
  const auto length = std::bit_cast<std::array<std::byte, 8>>(std::uint64_t{header.size()});
  return write_whole_file(folder / "adapter_model.safetensors",
                          {length, bytes_of(header), std::as_bytes(parameters)});
}

}  // namespace redraft
