#include "support/system/fault_handler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "support/files/guarded_pages.h"
#include "support/files/mapped_file.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 16;

TEST(FaultHandler, AGuardedPageThatIsLostReadsAsZerosAndIsCounted) {
  handle_faults();
  const TempFolder folder;
  const std::filesystem::path file = folder / "file";
  std::ofstream(file) << std::string(kBytes, 'x');
  Result<MappedFile> opened = MappedFile::open(file, MappedFile::LostPages::kReadAsZeros);
  ASSERT_TRUE(opened);
  const MappedFile map = std::move(*opened);  // the guard moves along
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::filesystem::resize_file(file, page);
  const std::uint64_t before = lost_pages();
  EXPECT_EQ(map.bytes()[0], 'x');
  EXPECT_EQ(lost_pages(), before);
  EXPECT_EQ(map.bytes()[kBytes - 1], 0);
  EXPECT_EQ(map.bytes()[kBytes - page], 0);
  EXPECT_EQ(lost_pages(), before + 1);
  EXPECT_EQ(map.bytes()[page], 0);
  EXPECT_EQ(lost_pages(), before + 2);
}

TEST(FaultHandler, AnyOtherLostPageEndsTheProcess) {
  EXPECT_EXIT(
      {
        handle_faults();
        const TempFolder folder;
        const std::filesystem::path file = folder / "file";
        std::ofstream(file) << std::string(kBytes, 'x');
        const Result<MappedFile> map = MappedFile::open(file);
        std::filesystem::resize_file(file, 0);
        ::_exit(map->bytes()[kBytes - 1]);
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace redraft
