#include "lsp/wire/transport.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/kit/hang_limit.h"

namespace redraft::lsp {
namespace {

using namespace std::chrono_literals;

// A transport that notes what happens and stops when it is over.
struct Recorder {
  Recorder(int in_fd, int out_fd)
      : transport(
            io, in_fd, out_fd,
            {.on_message = [this](std::string content) { messages.push_back(std::move(content)); },
             .on_unread =
                 [this](const UnreadMessage& message) {
                   messages.push_back("unread: " + std::to_string(message.bytes));
                 },
             .on_malformed =
                 [this](const Error& error) {
                   malformed = error.message();
                   end();
                 },
             .on_gone =
                 [this] {
                   gone = true;
                   end();
                 }}) {
    transport.start();
  }
  void end() {
    transport.finish(kHangLimit, [this] { io.stop(); });
  }
  void run() { io.run_for(kHangLimit); }
  // All that can be done without waiting for the other side.
  void run_what_is_ready() {
    while (io.poll() > 0) {
    }
  }

  boost::asio::io_context io;
  std::vector<std::string> messages;
  std::string malformed;
  bool gone = false;
  Transport transport;
};

class TransportTest : public testing::Test {
 protected:
  void SetUp() override { ::signal(SIGPIPE, SIG_IGN); }
  int open_file(const std::string& content) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("redraft_transport_" + std::to_string(::getpid()));
    std::ofstream(path, std::ios::binary) << content;
    const int fd = ::open(path.c_str(), O_RDWR);
    std::filesystem::remove(path);
    return fd;
  }
};

TEST_F(TransportTest, ReadsARegularFileToItsEnd) {
  std::string stream;
  for (int i = 0; i < 5000; ++i) stream += frame("message " + std::to_string(i));
  const int in = open_file(stream);
  const int out = open_file("");
  Recorder recorder(in, out);
  recorder.transport.send("an answer");
  recorder.run();
  EXPECT_EQ(recorder.messages.size(), 5000U);
  EXPECT_EQ(recorder.messages.back(), "message 4999");
  EXPECT_TRUE(recorder.gone);
  EXPECT_EQ(recorder.malformed, "");
  std::string written(100, '\0');
  written.resize(static_cast<std::size_t>(::pread(out, written.data(), written.size(), 0)));
  EXPECT_EQ(written, frame("an answer"));
  ::close(in);
  ::close(out);
}

TEST_F(TransportTest, ReadsAPipeAndSeesItsEnd) {
  int to_us[2];
  int from_us[2];
  ASSERT_EQ(::pipe(to_us), 0);
  ASSERT_EQ(::pipe(from_us), 0);
  std::thread client([&] {
    for (const char c : frame("{}") + frame("[]")) (void)!::write(to_us[1], &c, 1);
    ::close(to_us[1]);
  });
  Recorder recorder(to_us[0], from_us[1]);
  recorder.run();
  client.join();
  EXPECT_EQ(recorder.messages, (std::vector<std::string>{"{}", "[]"}));
  EXPECT_TRUE(recorder.gone);
  for (const int fd : {to_us[0], from_us[0], from_us[1]}) ::close(fd);
}

// Other clients of the loop wait for one message at most, however many have come at once.
TEST_F(TransportTest, EachMessageHasATurnToItself) {
  int to_us[2];
  ASSERT_EQ(::pipe(to_us), 0);
  std::string stream;
  for (int i = 0; i < 100; ++i) stream += frame("{}");
  ASSERT_EQ(::write(to_us[1], stream.data(), stream.size()), std::ssize(stream));
  ::close(to_us[1]);
  const int out = open_file("");
  Recorder recorder(to_us[0], out);
  std::size_t most_at_once = 0;
  std::size_t seen = 0;
  std::function<void()> others = [&] {
    most_at_once = std::max(most_at_once, recorder.messages.size() - seen);
    seen = recorder.messages.size();
    if (!recorder.gone) boost::asio::post(recorder.io, others);
  };
  boost::asio::post(recorder.io, others);
  recorder.run();
  EXPECT_EQ(recorder.messages.size(), 100U);
  EXPECT_EQ(most_at_once, 1U);
  for (const int fd : {to_us[0], out}) ::close(fd);
}

TEST_F(TransportTest, WhatIsHeldComesLaterAndInOrder) {
  int to_us[2];
  ASSERT_EQ(::pipe(to_us), 0);
  const std::string stream = frame("a") + frame("b") + frame("c");
  ASSERT_EQ(::write(to_us[1], stream.data(), stream.size()), std::ssize(stream));
  ::close(to_us[1]);
  const int out = open_file("");
  Recorder recorder(to_us[0], out);
  recorder.transport.hold();
  recorder.transport.hold();
  recorder.run_what_is_ready();
  EXPECT_TRUE(recorder.messages.empty());
  recorder.io.restart();
  recorder.transport.resume();
  recorder.run_what_is_ready();
  EXPECT_TRUE(recorder.messages.empty()) << "it is held twice";
  EXPECT_FALSE(recorder.gone) << "the end comes after what was sent before it";
  recorder.io.restart();
  recorder.transport.resume();
  recorder.run();
  EXPECT_EQ(recorder.messages, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(recorder.gone);
  for (const int fd : {to_us[0], out}) ::close(fd);
}

TEST_F(TransportTest, AMessageBeyondTheLimitIsPassedOver) {
  int to_us[2];
  ASSERT_EQ(::pipe(to_us), 0);
  const std::string stream =
      frame("first") + frame(std::string(kMessageLimit + 1, 'x')) + frame("last");
  std::thread client([&] {
    for (std::size_t sent = 0; sent < stream.size();) {
      const ssize_t count = ::write(to_us[1], stream.data() + sent, stream.size() - sent);
      ASSERT_GT(count, 0);
      sent += static_cast<std::size_t>(count);
    }
    ::close(to_us[1]);
  });
  Recorder recorder(to_us[0], STDERR_FILENO);
  recorder.run();
  client.join();
  EXPECT_EQ(recorder.messages, (std::vector<std::string>{"first", "unread: 67108865", "last"}));
  EXPECT_TRUE(recorder.gone);
  EXPECT_EQ(recorder.malformed, "");
  ::close(to_us[0]);
}

TEST_F(TransportTest, AnEndWithinWhatIsPassedOverIsMalformed) {
  const int in = open_file("Content-Length: 100000000\r\n\r\n{}");
  Recorder recorder(in, STDERR_FILENO);
  recorder.run();
  EXPECT_NE(recorder.malformed.find("within a message"), std::string::npos);
  EXPECT_TRUE(recorder.messages.empty());
  ::close(in);
}

TEST_F(TransportTest, AnEndWithinAMessageIsMalformed) {
  const int in = open_file("Content-Length: 10\r\n\r\n{}");
  Recorder recorder(in, STDERR_FILENO);
  recorder.run();
  EXPECT_NE(recorder.malformed.find("within a message"), std::string::npos);
  EXPECT_FALSE(recorder.gone);
  ::close(in);
}

TEST_F(TransportTest, AnEmptyInputIsAnEnd) {
  const int in = ::open("/dev/null", O_RDONLY);
  Recorder recorder(in, STDERR_FILENO);
  recorder.run();
  EXPECT_TRUE(recorder.gone);
  ::close(in);
}

TEST_F(TransportTest, ABigMessageToASlowReaderArrivesWhole) {
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const std::string big(20 << 20, 'x');
  auto recorder = std::make_unique<Recorder>(sockets[0], sockets[0]);
  std::string received;
  std::thread client([&] {
    std::vector<char> chunk(1 << 20);
    std::this_thread::sleep_for(50ms);
    for (ssize_t count; (count = ::read(sockets[1], chunk.data(), chunk.size())) > 0;) {
      received.append(chunk.data(), static_cast<std::size_t>(count));
    }
  });
  recorder->transport.send(big);
  EXPECT_TRUE(recorder->transport.congested());
  recorder->transport.send("end");
  recorder->end();
  recorder->run();
  EXPECT_FALSE(recorder->transport.congested());
  recorder.reset();
  ::close(sockets[0]);
  client.join();
  ::close(sockets[1]);
  EXPECT_EQ(received, frame(big) + frame("end"));
}

TEST_F(TransportTest, AClientThatReadsNothingIsNotReadFromWithoutEnd) {
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  auto recorder = std::make_unique<Recorder>(sockets[0], sockets[0]);
  recorder->transport.send(std::string(80 << 20, 'x'));  // more than may wait
  const std::string request = frame("{}");
  ASSERT_EQ(::write(sockets[1], request.data(), request.size()),
            static_cast<ssize_t>(request.size()));
  recorder->run_what_is_ready();
  // The read that was already under way may bring one message; then it rests.
  const std::size_t first = recorder->messages.size();
  ASSERT_EQ(::write(sockets[1], request.data(), request.size()),
            static_cast<ssize_t>(request.size()));
  recorder->run_what_is_ready();
  EXPECT_EQ(recorder->messages.size(), first);
  std::thread client([&] {
    std::vector<char> chunk(1 << 20);
    while (::read(sockets[1], chunk.data(), chunk.size()) > 0) {
    }
  });
  const auto limit = std::chrono::steady_clock::now() + kHangLimit;
  while (recorder->messages.size() < 2 && std::chrono::steady_clock::now() < limit)
    recorder->io.run_for(50ms);
  EXPECT_EQ(recorder->messages.size(), 2U);
  recorder.reset();
  ::close(sockets[0]);
  client.join();
  ::close(sockets[1]);
}

TEST_F(TransportTest, AReaderThatIsGoneIsNoticed) {
  int to_us[2];
  int from_us[2];
  ASSERT_EQ(::pipe(to_us), 0);
  ASSERT_EQ(::pipe(from_us), 0);
  ::close(from_us[0]);
  Recorder recorder(to_us[0], from_us[1]);
  recorder.transport.send("nobody reads this");
  recorder.run();
  EXPECT_TRUE(recorder.gone);
  for (const int fd : {to_us[0], to_us[1], from_us[1]}) ::close(fd);
}

TEST_F(TransportTest, ItMayGoWhileTheLoopGoesOn) {
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  boost::asio::io_context io;
  const auto never = [] { ADD_FAILURE() << "called although the transport has gone"; };
  auto transport = std::make_unique<Transport>(
      io, sockets[0], sockets[0],
      Transport::Handlers{.on_message = [&](const std::string&) { never(); },
                          .on_unread = [&](const UnreadMessage&) { never(); },
                          .on_malformed = [&](const Error&) { never(); },
                          .on_gone = never});
  transport->start();
  transport->send(std::string(20 << 20, 'x'));
  io.run_for(20ms);
  const std::string request = frame("{}");
  ASSERT_EQ(::write(sockets[1], request.data(), request.size()),
            static_cast<ssize_t>(request.size()));
  transport->finish(10ms, never);
  std::this_thread::sleep_for(20ms);  // completed, but no handler has run yet
  transport.reset();
  ::close(sockets[0]);
  ::close(sockets[1]);
  io.run_for(100ms);
}

TEST_F(TransportTest, TheDescriptorsAreLeftAsTheyWere) {
  int to_us[2];
  ASSERT_EQ(::pipe(to_us), 0);
  const int before = ::fcntl(to_us[0], F_GETFL);
  {
    Recorder recorder(to_us[0], STDERR_FILENO);
    recorder.run_what_is_ready();
    EXPECT_NE(::fcntl(to_us[0], F_GETFL), before);
  }
  EXPECT_EQ(::fcntl(to_us[0], F_GETFL), before);
  ::close(to_us[0]);
  ::close(to_us[1]);
}

}  // namespace
}  // namespace redraft::lsp
