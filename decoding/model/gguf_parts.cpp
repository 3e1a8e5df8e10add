#include "decoding/model/gguf_parts.h"

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include "decoding/model/gguf.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNumber = "split.no";
constexpr std::string_view kCount = "split.count";
constexpr std::string_view kTensors = "split.tensors.count";
constexpr std::string_view kArchitecture = "general.architecture";
constexpr std::int64_t kMaxTensors = std::int64_t{1} << 31;
constexpr std::string_view kEnding = ".gguf";
constexpr std::string_view kOf = "-of-";
constexpr std::size_t kDigits = 5;

// Removes the digits of "-00002" or "-of-00003" from the end of a name; -1: it has none.
int take_number(std::string_view& name) {
  if (name.size() < kDigits) return -1;
  int number = 0;
  for (const char c : name.substr(name.size() - kDigits)) {
    if (c < '0' || c > '9') return -1;
    number = 10 * number + (c - '0');
  }
  name.remove_suffix(kDigits);
  return number;
}

// What a part says about itself.
struct Split {
  int index = 0;  // from 0
  int count = 1;
};

Result<Split> split_of(const GgufFile& file) {
  if (!file.has(kCount)) return Split{};
  const Result<std::int64_t> count = file.integer(kCount, 1, kMaxGgufParts);
  if (!count) return count.error();
  if (*count == 1) return Split{};
  const Result<std::int64_t> index = file.integer(kNumber, 0, *count - 1);
  if (!index) return index.error();
  return Split{static_cast<int>(*index), static_cast<int>(*count)};
}

std::string part_text(const Split& split) {
  return "part " + std::to_string(split.index + 1) + " of " + std::to_string(split.count);
}

// The files of the other parts, if `file` has the name of the first one.
Result<std::vector<fs::path>> other_files(const fs::path& file, const Split& split) {
  const std::optional<GgufPartName> name = gguf_part_name(file.filename().native());
  if (split.index > 0) {
    const std::string first = name ? ", " + name->other(1) : "";
    return Error(file.string() + ": is " + part_text(split) + " of a model; name the first part" +
                 first);
  }
  if (!name || name->number != 1 || name->count != split.count) {
    const GgufPartName right{name ? name->model : file.stem().string(), 1, split.count};
    return Error(file.string() + ": is " + part_text(split) +
                 " of a model, and the others are found by their names: rename it to " +
                 right.other(1));
  }
  std::vector<fs::path> files = gguf_files(file);
  files.erase(files.begin());
  return files;
}

// Whether a part, by what it says, belongs at that place of the model.
Result<void> check_part(const GgufFile& first, const GgufFile& part, const Split& wanted) {
  const Result<Split> split = split_of(part);
  if (!split) return split.error();
  const auto is_other = [&](const std::string& what) {
    return Error(part.name() + ": " + what + ", where " + part_text(wanted) + " of " +
                 first.name() + " is expected; fetch the model again");
  };
  if (split->count == 1 && !part.has(kCount)) return is_other("is no part of a model");
  if (split->index != wanted.index || split->count != wanted.count)
    return is_other("is " + part_text(*split));
  const Result<std::int64_t> tensors = part.integer(kTensors, 0, kMaxTensors);
  const Result<std::int64_t> all = first.integer(kTensors, 0, kMaxTensors);
  if (tensors && all && *tensors != *all) return is_other("is of a model with other tensors");
  const Result<std::string_view> architecture = part.text(kArchitecture);
  const Result<std::string_view> wanted_one = first.text(kArchitecture);
  if (architecture && wanted_one && *architecture != *wanted_one)
    return is_other("is of the architecture " + quoted(*architecture));
  return {};
}

}  // namespace

std::string GgufPartName::other(int part) const {
  char numbers[32];
  std::snprintf(numbers, sizeof numbers, "-%05d-of-%05d", part, count);
  return model + numbers + std::string(kEnding);
}

std::optional<GgufPartName> gguf_part_name(std::string_view file_name) {
  if (!file_name.ends_with(kEnding)) return std::nullopt;
  file_name.remove_suffix(kEnding.size());
  const int count = take_number(file_name);
  if (count < 0 || !file_name.ends_with(kOf)) return std::nullopt;
  file_name.remove_suffix(kOf.size());
  const int number = take_number(file_name);
  if (number < 1 || number > count || count > kMaxGgufParts || !file_name.ends_with('-'))
    return std::nullopt;
  file_name.remove_suffix(1);
  return GgufPartName{std::string(file_name), number, count};
}

std::vector<fs::path> gguf_files(const fs::path& file) {
  const std::optional<GgufPartName> name = gguf_part_name(file.filename().native());
  if (!name || name->number != 1) return {file};
  std::vector<fs::path> files = {file};
  for (int part = 2; part <= name->count; ++part)
    files.push_back(file.parent_path() / name->other(part));
  return files;
}

Result<GgufFile> GgufFile::open(const fs::path& file) {
  Result<GgufFile> first = open_one(file);
  if (!first) return first;
  const Result<Split> split = split_of(*first);
  if (!split) return split.error();
  if (split->count == 1) return first;
  const Result<std::vector<fs::path>> others = other_files(file, *split);
  if (!others) return others.error();
  std::vector<GgufFile> parts;
  parts.push_back(std::move(*first));
  for (const fs::path& other : *others) {
    std::error_code problem;
    if (!fs::exists(other, problem)) {
      return Error(
          file.string() + ": is " + part_text(*split) + " of a model, and " +
          other.filename().string() +
          " is missing. Put all parts into one folder; `redraft models pull` fetches them, "
          "and `llama-gguf-split --merge FIRST OUT` makes one file of them");
    }
    Result<GgufFile> part = open_one(other);
    if (!part) return part;
    parts.push_back(std::move(*part));
  }
  return join(std::move(parts));
}

Result<GgufFile> GgufFile::join(std::vector<GgufFile> parts) {
  GgufFile& whole = parts.front();
  const auto count = static_cast<int>(parts.size());
  for (int i = 0; i < count; ++i) {
    GgufFile& part = parts[static_cast<std::size_t>(i)];
    if (Result<void> checked = check_part(whole, part, {i, count}); !checked)
      return checked.error();
    if (i > 0) {
      if (Result<void> added = whole.add(std::move(part)); !added) return added.error();
    }
  }
  if (!whole.has(kTensors)) return std::move(whole);
  const auto n_tensors = static_cast<std::int64_t>(whole.tensors_.size());
  const Result<std::int64_t> stated = whole.integer(kTensors, 0, kMaxTensors);
  if (!stated) return stated.error();
  if (*stated != n_tensors) {
    return Error(whole.name_ + ": its " + std::to_string(count) + " parts have " +
                 std::to_string(n_tensors) + " tensors where " + std::to_string(*stated) +
                 " are expected; fetch the model again");
  }
  return std::move(whole);
}

Result<void> GgufFile::add(GgufFile part) {
  parts_.push_back({part.name_, tensors_.size()});
  for (StoredTensor& tensor : part.tensors_) {
    if (!tensor_index_.emplace(tensor.name, tensors_.size()).second) {
      return Error(part.name_ + ": tensor " + quoted(tensor.name) +
                   ": is in another part of the model too; fetch the model again");
    }
    tensors_.push_back(std::move(tensor));
  }
  for (MappedFile& map : part.maps_) maps_.push_back(std::move(map));
  return {};
}

}  // namespace redraft
