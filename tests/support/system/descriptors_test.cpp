#include "support/system/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>

namespace redraft {
namespace {

namespace fs = std::filesystem;

bool is_closed_on_exec(const FileHandle& handle) {
  return (::fcntl(handle.get(), F_GETFD) & FD_CLOEXEC) != 0;
}

class DescriptorsTest : public testing::Test {
 protected:
  DescriptorsTest()
      : folder_(fs::temp_directory_path() /
                ("redraft-ends-" + std::to_string(std::random_device()()))) {
    fs::create_directory(folder_);
  }
  ~DescriptorsTest() override { fs::remove_all(folder_); }

  const fs::path folder_;
};

TEST_F(DescriptorsTest, SocketsAndPipesAreNotInherited) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  (folder_ / "socket").native().copy(address.sun_path, sizeof address.sun_path - 1);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  const FileHandle listener = make_stream_socket(AF_UNIX);
  ASSERT_EQ(::bind(listener.get(), generic, sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  const FileHandle client = make_stream_socket(AF_UNIX);
  ASSERT_EQ(::connect(client.get(), generic, sizeof address), 0);
  const FileHandle accepted = accept_connection(listener.get());
  const std::optional<Pipe> pipe = make_pipe();
  ASSERT_TRUE(accepted && pipe);
  for (const FileHandle* each : {&listener, &client, &accepted, &pipe->read_end, &pipe->write_end})
    EXPECT_TRUE(is_closed_on_exec(*each));
  EXPECT_TRUE(is_own_peer(accepted.get()));
  EXPECT_FALSE(is_own_peer(pipe->read_end.get()));
}

TEST_F(DescriptorsTest, AClosedEndIsAnErrorAndNoSignal) {
  std::array<int, 2> ends;
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const FileHandle ours(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(::send(ours.get(), "x", 1, kSendWithoutSignal), -1);
  EXPECT_EQ(errno, EPIPE);
}

TEST_F(DescriptorsTest, OnlyTheFirstStayOpen) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int kept = ::open("/dev/null", O_RDONLY);
    const int closed = ::dup(kept);
    close_descriptors_from(closed);
    const bool as_wanted = ::fcntl(kept, F_GETFD) >= 0 && ::fcntl(closed, F_GETFD) < 0;
    ::_exit(as_wanted ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(DescriptorsTest, AnOpenFolderIsFoundUnderItsNewName) {
  fs::create_directory(folder_ / "old");
  std::ofstream(folder_ / "old" / "file") << "text";
  const FileHandle open(::open((folder_ / "old").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  fs::rename(folder_ / "old", folder_ / "new");
  EXPECT_TRUE(fs::exists(fs::path(path_of_open_folder(open.get())) / "file"));
}

}  // namespace
}  // namespace redraft
