#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "decoding/kv_archive.h"
#include "tests/decoding/kv_archive_fixture.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Tokens = KvTokens;

class KvArchiveDamageTest : public KvArchiveTest {};

TEST_F(KvArchiveDamageTest, DamageAtAnyPlaceOfTheHeadRemovesTheFile) {
  const Tokens tokens = some_tokens(70, 1);
  {
    KvArchive archive = open();
    save(archive, tokens);
  }
  const fs::path file = only_file();
  const std::string whole = bytes_of(file);
  const std::size_t head = whole.size() - 70 * kRowBytes - 2 * sizeof(std::uint64_t);
  for (std::size_t at = 0; at < head; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    write_bytes(file, damaged);
    KvArchive archive = open();
    ASSERT_EQ(restored(archive, tokens), 0) << "byte " << at;
    ASSERT_THAT(files(), IsEmpty()) << "byte " << at;
  }
  write_bytes(file, whole);
  KvArchive archive = open();
  EXPECT_EQ(restored(archive, tokens), 70) << "without damage it is found";
}

TEST_F(KvArchiveDamageTest, DamageAnywhereIsNeverLoaded) {
  const Tokens tokens = some_tokens(300, 1);
  {
    KvArchive archive = open();
    save(archive, tokens);
  }
  const fs::path file = only_file();
  const std::string whole = bytes_of(file);
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i)
      damaged[random() % damaged.size()] += static_cast<char>(1 + random() % 255);
    if (damaged == whole) continue;
    write_bytes(file, damaged);
    KvArchive archive = open();
    ASSERT_EQ(restored(archive, tokens), 0) << "round " << round;
    ASSERT_THAT(files(), IsEmpty()) << "round " << round;
  }
}

TEST_F(KvArchiveDamageTest, DamageBehindWhatIsNeededDoesNotMatter) {
  const Tokens tokens = some_tokens(300, 1);
  KvArchive archive = open();
  save(archive, tokens);
  std::string damaged = bytes_of(only_file());
  damaged.back() ^= 1;
  write_bytes(only_file(), damaged);
  EXPECT_EQ(restored(archive, {tokens.begin(), tokens.begin() + 200}), 200);
  EXPECT_EQ(restored(archive, tokens), 0);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(KvArchiveDamageTest, AFileOfAnyOtherLengthIsRemoved) {
  const Tokens tokens = some_tokens(70, 1);
  {
    KvArchive archive = open();
    save(archive, tokens);
  }
  const fs::path file = only_file();
  const std::string whole = bytes_of(file);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(file, whole.substr(0, length));
    KvArchive archive = open();
    ASSERT_EQ(restored(archive, tokens), 0) << length;
    ASSERT_THAT(files(), IsEmpty()) << length;
  }
  write_bytes(file, whole + "x");
  KvArchive archive = open();
  EXPECT_EQ(restored(archive, tokens), 0);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(KvArchiveDamageTest, RemovesFilesThatOnlyHaveTheNameOfAnEntry) {
  const Tokens tokens = some_tokens(70, 1);
  KvArchive archive = open();
  temporary_.write("elsewhere", "text");
  fs::create_symlink(temporary_ / "elsewhere", folder_ / "0123456789abcdef.kv");
  ::mkfifo((folder_ / "1123456789abcdef.kv").c_str(), 0600);
  write_bytes(folder_ / "2123456789abcdef.kv", "text");
  fs::create_directories(folder_ / "3123456789abcdef.kv" / "within");
  write_bytes(folder_ / "notes.txt", "text");
  EXPECT_EQ(restored(archive, tokens), 0);
  EXPECT_THAT(files(),
              UnorderedElementsAre(folder_ / "3123456789abcdef.kv", folder_ / "notes.txt"));
  EXPECT_TRUE(fs::exists(temporary_ / "elsewhere"));
  save(archive, tokens);
  EXPECT_EQ(restored(archive, tokens), 70);
}

}  // namespace
}  // namespace redraft
