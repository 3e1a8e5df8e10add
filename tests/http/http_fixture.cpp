#include "tests/http/http_fixture.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <future>

#include "tests/kit/hang_limit.h"

namespace redraft::http {
namespace {

constexpr timeval kLimit{.tv_sec = 120, .tv_usec = 0};

}  // namespace

RawClient::RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
  EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

void RawClient::send(const std::string& bytes) {
  EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
}

bool RawClient::read_more() {
  char bytes[4096];
  const ssize_t size = ::recv(socket_.get(), bytes, sizeof bytes, 0);
  if (size > 0) received_.append(bytes, static_cast<std::size_t>(size));
  return size > 0;
}

const std::string& RawClient::read_until(const std::string& bytes) {
  while (received_.find(bytes) == std::string::npos && read_more()) continue;
  EXPECT_NE(received_.find(bytes), std::string::npos) << received_;
  return received_;
}

const std::string& RawClient::read_to_end() {
  while (read_more()) continue;
  return received_;
}

std::string post(const std::string& path, const std::string& body, const std::string& more) {
  return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer the-token\r\n" +
         more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string get(const std::string& path) {
  return "GET " + path +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer the-token\r\n"
         "Connection: close\r\n\r\n";
}

HttpTest::HttpTest() : passes_(std::make_shared<ScriptedPasses>()) {
  const Post post = [this](std::function<void()> f) { boost::asio::post(io_, std::move(f)); };
  engine_ = std::make_unique<EngineHost>(
      [passes = passes_](const LoadControl&) { return scripted_engine(passes); }, post);
  side_ = std::make_unique<lsp::SideThread>();
  HttpOptions options{.token = kToken, .model = "scripted", .context_length = 1000};
  server_ = std::make_unique<HttpServer>(io_, *engine_, *side_, options);
  Result<lsp::LoopbackSocket> socket = lsp::listen_on_loopback(0);
  EXPECT_TRUE(socket);
  socket_ = std::move(*socket);
  port_ = socket_.port;
  listener_ = std::make_unique<lsp::Listener>(
      io_, socket_.socket.get(),
      [this](FileHandle connection) { server_->add(std::move(connection)); });
  loop_ = std::thread([this] {
    const auto guard = boost::asio::make_work_guard(io_);
    io_.run();
  });
}

HttpTest::~HttpTest() {
  passes_->release();
  io_.stop();
  loop_.join();
  listener_.reset();
  server_.reset();
  side_.reset();
  engine_.reset();
}

std::string HttpTest::ask(const std::string& request) {
  RawClient client(port_);
  client.send(request);
  return client.read_to_end();
}

void HttpTest::on_loop(const std::function<void()>& function) {
  std::promise<void> done;
  boost::asio::post(io_, [&] {
    function();
    done.set_value();
  });
  done.get_future().wait();
}

double HttpTest::metric(const std::string& name) {
  std::string text;
  on_loop([&] { text = "\n" + server_->metrics().text(server_->now()); });
  const std::size_t at = text.find("\n" + name + " ");
  EXPECT_NE(at, std::string::npos) << name << " in " << text;
  return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size() + 2));
}

void HttpTest::wait_until(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + kHangLimit;
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace redraft::http
