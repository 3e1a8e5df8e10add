#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/kv_archive.h"
#include "tests/kit/scripted_model.h"
#include "tests/kit/temp_folder.h"

namespace redraft {

using KvTokens = std::vector<TokenId>;

inline constexpr std::size_t kRowBytes = 24;

// A row that tells its token and its slot.
inline std::vector<std::byte> row_of(TokenId token, int slot) {
  std::vector<std::byte> row(kRowBytes);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<std::byte>(hash_of(static_cast<std::uint64_t>(slot), {{token}}) >> i);
  return row;
}

class Rows : public KvStorage {
 public:
  explicit Rows(int slots) : rows_(static_cast<std::size_t>(slots)) {}
  explicit Rows(std::span<const TokenId> tokens) {
    for (const TokenId token : tokens)
      rows_.push_back(row_of(token, static_cast<int>(rows_.size())));
  }
  void move_slot(int, int) override {}
  std::unique_ptr<KvStorage> fork(int) const override { return nullptr; }
  void discard(int) override {}
  std::size_t bytes(int slots) const override { return kRowBytes * slots; }
  std::size_t bytes_per_slot() const override { return kRowBytes; }
  void copy_slots_out(int first, std::span<std::byte> rows) const override {
    for (std::size_t i = 0; i * kRowBytes < rows.size(); ++i)
      std::ranges::copy(rows_.at(first + i), rows.begin() + i * kRowBytes);
  }
  void copy_slots_in(int first, std::span<const std::byte> rows) override {
    for (std::size_t i = 0; i * kRowBytes < rows.size(); ++i) {
      const auto row = rows.subspan(i * kRowBytes, kRowBytes);
      rows_.at(first + i).assign(row.begin(), row.end());
    }
  }
  // How many of the first slots have the rows of these tokens.
  int holds(std::span<const TokenId> tokens) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i == rows_.size() || rows_[i] != row_of(tokens[i], static_cast<int>(i)))
        return static_cast<int>(i);
    }
    return static_cast<int>(tokens.size());
  }

 private:
  std::vector<std::vector<std::byte>> rows_;
};

inline KvTokens some_tokens(int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  KvTokens tokens(static_cast<std::size_t>(count));
  for (TokenId& token : tokens) token = static_cast<TokenId>(random() % 50000);
  return tokens;
}

inline KvTokens joined(KvTokens a, const KvTokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

class KvArchiveTest : public testing::Test {
 protected:
  KvArchive open(const std::string& model = "model", const std::string& build = "build",
                 std::uint64_t budget = KvArchive::kDefaultBudget) {
    Result<KvArchive> archive = KvArchive::open(folder_, {model, build}, budget);
    EXPECT_TRUE(archive) << archive.error().message();
    return std::move(*archive);
  }
  static void save(KvArchive& archive, const KvTokens& tokens,
                   const std::string& source = "/a/b.py", int slack = 0) {
    const Rows rows(tokens);
    const Result<void> saved = archive.save(tokens, source, slack, [&] { return &rows; });
    EXPECT_TRUE(saved) << saved.error().message();
  }
  // How many of the tokens come back, with the right rows.
  static int restored(KvArchive& archive, const KvTokens& tokens) {
    const KvArchive::Match match = archive.find(tokens);
    Rows rows(static_cast<int>(tokens.size()));
    if (match.length == 0 || !archive.load(match, tokens, rows)) return 0;
    const int right = rows.holds(std::span(tokens).first(static_cast<std::size_t>(match.length)));
    EXPECT_EQ(right, match.length) << "what was loaded is not what was saved";
    return right;
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      all.push_back(entry.path());
    return all;
  }
  std::filesystem::path only_file() const {
    EXPECT_EQ(files().size(), 1U);
    return files().empty() ? std::filesystem::path() : files().front();
  }
  std::vector<std::string> sources() const {
    std::vector<std::string> all;
    for (const KvArchive::Listed& entry : KvArchive::list(folder_)) all.push_back(entry.source);
    return all;
  }
  // As if the file was used last so long ago.
  static void age(const std::filesystem::path& file, int seconds) {
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }
  std::filesystem::path file_of(const std::string& source) const {
    for (const KvArchive::Listed& entry : KvArchive::list(folder_)) {
      if (entry.source == source) return entry.file;
    }
    return {};
  }

  TempFolder temporary_;
  std::filesystem::path folder_ = temporary_ / "made/for it";
};

}  // namespace redraft
