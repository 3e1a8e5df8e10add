// A checkpoint is a line that names the format, the length of the header in eight bytes, the header
// (JSON), four arrays of floats, and the SHA-256 of everything before. Only this machine reads it
// again, so numbers have the machine's byte order.
#include "tuning/training_state.h"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "support/files/mapped_file.h"
#include "support/files/whole_file.h"
#include "support/json/json_document.h"

namespace redraft {
namespace {

constexpr std::string_view kMagic = "redraft training checkpoint 1\n";
constexpr std::size_t kDigestBytes = 32;
constexpr int kMaxSteps = 100'000'000;
using Digest = std::array<std::byte, kDigestBytes>;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
std::span<const std::byte> bytes_of(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

std::optional<Digest> digest_of(std::initializer_list<std::span<const std::byte>> pieces) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  Digest digest{};
  bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const auto piece : pieces)
    good = good && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  good = good && EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()),
                                    nullptr) == 1;
  return good ? std::optional(digest) : std::nullopt;
}

Error no_digest(const std::filesystem::path& file) {
  return Error(file.string() + ": SHA-256 is not available in this OpenSSL");
}

std::string header_of(const RunIdentity& identity, const TrainingState& state) {
  nlohmann::ordered_json header;
  header["run"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : identity) header["run"][name] = value;
  header["parameters"] = state.parameters.size();
  header["place"] = state.place;
  header["batch"] = {
      {"sum", state.batch.sum}, {"right", state.batch.right}, {"tokens", state.batch.tokens}};
  header["seconds"] = state.seconds;
  header["steps"] = nlohmann::ordered_json::array();
  for (const StepRecord& step : state.steps) {
    nlohmann::ordered_json entry = {step.loss,   step.accuracy, step.rate,
                                    step.length, step.tokens,   step.seconds};
    entry.push_back(step.held_out ? nlohmann::ordered_json(*step.held_out) : nullptr);
    for (const double each : step.more) entry.push_back(each);
    header["steps"].push_back(std::move(entry));
  }
  return header.dump();
}

// Reads members one after the other and keeps the first error.
class Reader {
 public:
  double number(const JsonValue& value) { return take(value.number()); }
  std::int64_t integer(const JsonValue& value, std::int64_t most) {
    return take(value.integer(0, most));
  }
  std::optional<JsonValue> at(const JsonValue& object, std::string_view key) {
    const Result<JsonValue> value = object.at(key);
    if (value) return *value;
    fail(value.error());
    return std::nullopt;
  }
  void fail(const Error& error) {
    if (!error_) error_ = error;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  template <typename T>
  T take(const Result<T>& result) {
    if (result) return *result;
    fail(result.error());
    return {};
  }
  std::optional<Error> error_;
};

StepRecord step_of(const JsonValue& entry, Reader& reader) {
  StepRecord step;
  if (entry.kind() != JsonValue::Kind::kArray || entry.size() < 7) {
    reader.fail(entry.error("expected an array of 7 or more"));
    return step;
  }
  std::array<double*, 7> numbers = {&step.loss, &step.accuracy, &step.rate, &step.length,
                                    nullptr,    &step.seconds,  nullptr};
  std::size_t i = 0;
  for (const JsonValue value : entry) {
    if (i < numbers.size() && numbers[i] != nullptr) *numbers[i] = reader.number(value);
    if (i == 4) step.tokens = reader.integer(value, INT64_MAX);
    if (i == 6 && !value.is_null()) step.held_out = reader.number(value);
    if (i >= 7) step.more.push_back(reader.number(value));
    ++i;
  }
  return step;
}

// "… had batch 16 …" for the first member that differs; nullopt if none does.
std::optional<Error> difference(const JsonValue& run, const RunIdentity& identity,
                                const std::filesystem::path& file) {
  for (const auto& [name, value] : identity) {
    const std::optional<JsonValue> member = run.find(name);
    const Result<std::string_view> was =
        member ? member->text() : Result<std::string_view>(std::string_view("none"));
    if (!was) return was.error();
    if (*was != value) {
      return Error(file.parent_path().string() + ": its run has " + name + " " + std::string(*was) +
                   ", not " + value +
                   "; continue with the original options, or choose another --out");
    }
  }
  return std::nullopt;
}

Result<TrainingState> read_header(const JsonValue& root, const RunIdentity& identity,
                                  const std::filesystem::path& file, std::size_t parameters) {
  Reader reader;
  TrainingState state;
  if (const auto run = reader.at(root, "run")) {
    if (const auto differs = difference(*run, identity, file)) return *differs;
  }
  const auto count = reader.at(root, "parameters");
  if (count && static_cast<std::size_t>(reader.integer(*count, INT64_MAX)) != parameters)
    reader.fail(count->error("is not the number of this run's parameters"));
  if (const auto place = reader.at(root, "place"))
    state.place = static_cast<int>(reader.integer(*place, kMaxSteps));
  if (const auto seconds = reader.at(root, "seconds")) state.seconds = reader.number(*seconds);
  if (const auto batch = reader.at(root, "batch")) {
    if (const auto sum = reader.at(*batch, "sum")) state.batch.sum = reader.number(*sum);
    if (const auto right = reader.at(*batch, "right"))
      state.batch.right = reader.integer(*right, INT64_MAX);
    if (const auto tokens = reader.at(*batch, "tokens"))
      state.batch.tokens = reader.integer(*tokens, INT64_MAX);
  }
  if (const auto steps = reader.at(root, "steps")) {
    for (const JsonValue entry : *steps) state.steps.push_back(step_of(entry, reader));
  }
  if (reader.error()) return *reader.error();
  return state;
}

}  // namespace

Result<void> save_checkpoint(const std::filesystem::path& file, const RunIdentity& identity,
                             const TrainingState& state) {
  const std::string header = header_of(identity, state);
  const auto length = std::bit_cast<std::array<std::byte, 8>>(std::uint64_t{header.size()});
  const auto digest = digest_of({bytes_of(kMagic), length, bytes_of(header),
                                 bytes_of(state.parameters), bytes_of(state.gradients),
                                 bytes_of(state.moments.mean), bytes_of(state.moments.square)});
  if (!digest) return no_digest(file);
  return write_whole_file(file,
                          {bytes_of(kMagic), length, bytes_of(header), bytes_of(state.parameters),
                           bytes_of(state.gradients), bytes_of(state.moments.mean),
                           bytes_of(state.moments.square), *digest});
}

Result<TrainingState> load_checkpoint(const std::filesystem::path& file,
                                      const RunIdentity& identity, std::size_t parameters) {
  const Result<MappedFile> map = MappedFile::open(file);
  if (!map) return map.error();
  const auto damaged = [&] {
    return Error(file.string() + ": is not a checkpoint, or is damaged; remove it to start over");
  };
  const std::span<const std::byte> all = std::as_bytes(map->bytes());
  constexpr std::size_t kFixed = kMagic.size() + 8 + kDigestBytes;
  if (all.size() < kFixed) return damaged();
  const auto body = all.first(all.size() - kDigestBytes);
  const auto digest = digest_of({body});
  if (!digest) return no_digest(file);
  if (std::memcmp(body.data(), kMagic.data(), kMagic.size()) != 0 ||
      std::memcmp(digest->data(), body.data() + body.size(), kDigestBytes) != 0)
    return damaged();
  std::uint64_t length = 0;
  std::memcpy(&length, body.data() + kMagic.size(), sizeof(length));
  auto rest = body.subspan(kMagic.size() + sizeof(length));
  if (length > rest.size()) return damaged();
  const auto size = static_cast<std::size_t>(length);
  const Result<JsonDocument> header =
      JsonDocument::parse(file.string(), {reinterpret_cast<const char*>(rest.data()), size});
  if (!header) return header.error();
  Result<TrainingState> state = read_header(header->root(), identity, file, parameters);
  if (!state) return state.error();
  rest = rest.subspan(size);
  if (rest.size() / sizeof(float) / 4 != parameters || rest.size() % (4 * sizeof(float)) != 0)
    return damaged();
  for (std::vector<float>* values :
       {&state->parameters, &state->gradients, &state->moments.mean, &state->moments.square}) {
    values->resize(parameters);
    std::memcpy(values->data(), rest.data(), parameters * sizeof(float));
    rest = rest.subspan(parameters * sizeof(float));
  }
  return state;
}

}  // namespace redraft
