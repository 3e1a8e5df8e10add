#include "remote/http_fetch.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/rfc2818_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace redraft {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

constexpr std::chrono::seconds kToConnect{10};
constexpr std::chrono::seconds kToSend{30};
constexpr std::chrono::minutes kToBegin{10};  // a busy server may read a long prompt
constexpr std::chrono::minutes kToGoOn{2};
constexpr std::uint32_t kMaxHeader = 1 << 16;  // bytes

// Its message is for users.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void check(const error_code& problem, const std::string& what) {
  if (!problem) return;
  throw Failure(
      what + ": " +
      (problem == beast::error::timeout ? std::string("it took too long") : problem.message()));
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A list of hosts, each including its subdomains, with or without a leading dot, as curl reads it.
bool is_exempt(std::string host, const std::string& list) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string entry = list.substr(begin, end - begin);
    begin = end + 1;
    std::erase(entry, ' ');
    if (entry == "*") return true;
    if (entry.starts_with('.')) entry.erase(0, 1);
    if (!entry.empty() && (host == entry || host.ends_with("." + entry))) return true;
  }
  return false;
}

}  // namespace

Result<std::optional<RemoteAddress>> proxy_of_environment(const RemoteAddress& server) {
  const auto first = [](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (std::string value = environment(name); !value.empty()) return value;
    }
    return std::string();
  };
  if (server.is_loopback() || is_exempt(server.host, first({"no_proxy", "NO_PROXY"})))
    return std::optional<RemoteAddress>();
  const std::string proxy = server.tls
                                ? first({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                                : first({"http_proxy", "all_proxy", "ALL_PROXY"});
  if (proxy.empty()) return std::optional<RemoteAddress>();
  const Result<RemoteAddress> address =
      parse_remote_address(proxy.find("://") == std::string::npos ? "http://" + proxy : proxy);
  // Do not show the address: it may contain a password.
  if (!address || address->tls)
    return Error(
        "cannot use the proxy from the environment: redraft supports http://HOST:PORT "
        "without a password");
  return std::optional(*address);
}

struct HttpFetch::Connection {
  Connection(asio::io_context& context, const FetchOptions& given, ExchangeRequest sent)
      : io(context), options(given), request(std::move(sent)), plain(context) {}

  asio::io_context& io;
  const FetchOptions& options;
  ExchangeRequest request;
  beast::tcp_stream plain;
  std::optional<asio::ssl::context> tls_context;
  std::optional<beast::ssl_stream<beast::tcp_stream&>> tls;

  bool is_by_proxy() const { return options.proxy && !options.server.tls; }

  asio::awaitable<void> connect() {
    const RemoteAddress& to = options.proxy ? *options.proxy : options.server;
    const std::string name = (options.proxy ? "the proxy " : "") + to.shown();
    error_code problem;
    asio::ip::tcp::resolver resolver(io);
    const auto found = co_await resolver.async_resolve(
        to.host, to.port, asio::redirect_error(asio::use_awaitable, problem));
    check(problem, name + " cannot be resolved");
    plain.expires_after(kToConnect);
    co_await plain.async_connect(found, asio::redirect_error(asio::use_awaitable, problem));
    check(problem, name + " cannot be reached");
    plain.socket().set_option(asio::ip::tcp::no_delay(true), problem);
    if (!options.server.tls) co_return;
    if (options.proxy) co_await open_tunnel();
    co_await shake_hands();
  }

  asio::awaitable<void> open_tunnel() {
    const std::string to = options.server.host + ":" + options.server.port;
    http::request<http::empty_body> ask(http::verb::connect, to, 11);
    ask.set(http::field::host, to);
    error_code problem;
    plain.expires_after(kToSend);
    co_await http::async_write(plain, ask, asio::redirect_error(asio::use_awaitable, problem));
    check(problem, "the proxy does not answer");
    beast::flat_buffer buffer;
    http::response_parser<http::empty_body> answer;
    answer.skip(true);
    co_await http::async_read_header(plain, buffer, answer,
                                     asio::redirect_error(asio::use_awaitable, problem));
    check(problem, "the proxy does not answer");
    if (answer.get().result_int() / 100 != 2)
      throw Failure("the proxy refused (" + std::to_string(answer.get().result_int()) + ")");
  }

  asio::awaitable<void> shake_hands() {
    tls_context.emplace(asio::ssl::context::tls_client);
    error_code problem;
    tls_context->set_default_verify_paths(problem);
    check(problem, "cannot read this system's certificates");
    tls_context->set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
    tls.emplace(plain, *tls_context);
    tls->set_verify_mode(asio::ssl::verify_peer);
    tls->set_verify_callback(asio::ssl::rfc2818_verification(options.server.host));
    SSL_set_tlsext_host_name(tls->native_handle(), options.server.host.c_str());
    plain.expires_after(kToConnect);
    co_await tls->async_handshake(asio::ssl::stream_base::client,
                                  asio::redirect_error(asio::use_awaitable, problem));
    const long verified = SSL_get_verify_result(tls->native_handle());
    if (problem && verified != X509_V_OK)
      throw Failure(options.server.shown() + " has a certificate that is not trusted: " +
                    X509_verify_cert_error_string(verified));
    check(problem, options.server.shown() + ": the TLS handshake failed");
  }

  http::request<http::string_body> message() const {
    const std::string target = options.server.base + request.path;
    http::request<http::string_body> sent(
        request.method == "GET" ? http::verb::get : http::verb::post,
        is_by_proxy() ? options.server.shown() + target : target, 11);
    sent.set(http::field::host, options.server.authority());
    sent.set(http::field::user_agent, "redraft");
    sent.set(http::field::accept, "text/event-stream, application/json");
    sent.set(http::field::connection, "close");
    if (!options.key.empty()) sent.set(http::field::authorization, "Bearer " + options.key);
    if (!options.session.empty()) sent.set("X-Session-ID", options.session);
    if (!request.body.empty()) sent.set(http::field::content_type, "application/json");
    sent.body() = request.body;
    sent.prepare_payload();
    return sent;
  }

  template <typename Stream>
  asio::awaitable<void> exchange(Stream& stream, const Tell& tell) {
    const std::string name = options.server.shown();
    error_code problem;
    plain.expires_after(kToSend);
    const http::request<http::string_body> sent = message();
    co_await http::async_write(stream, sent, asio::redirect_error(asio::use_awaitable, problem));
    check(problem, name + " does not accept the request");
    beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> answer;
    answer.header_limit(kMaxHeader);
    answer.body_limit(std::numeric_limits<std::uint64_t>::max());  // the caller limits the size
    plain.expires_after(kToBegin);
    co_await http::async_read_header(stream, buffer, answer,
                                     asio::redirect_error(asio::use_awaitable, problem));
    check(problem, name + " does not answer");
    std::string head = std::to_string(answer.get().result_int());
    if (const auto wait = answer.get()[http::field::retry_after]; !wait.empty())
      head += " " + std::string(wait);
    co_await tell(Frame::Kind::kHead, head);
    bool has_begun = false;  // some servers send the head before they read the prompt
    std::array<char, 1 << 14> piece;
    while (!answer.is_done()) {
      answer.get().body().data = piece.data();
      answer.get().body().size = piece.size();
      plain.expires_after(has_begun ? kToGoOn : kToBegin);
      co_await http::async_read_some(stream, buffer, answer,
                                     asio::redirect_error(asio::use_awaitable, problem));
      if (problem == http::error::need_buffer) problem = {};
      const std::size_t size = piece.size() - answer.get().body().size;
      has_begun = has_begun || size > 0;
      if (size > 0) co_await tell(Frame::Kind::kData, {piece.data(), size});
      check(problem, name + " broke off the answer");
    }
    co_await tell(Frame::Kind::kEnd, {});
  }
};

HttpFetch::HttpFetch(asio::io_context& io, const FetchOptions& options, ExchangeRequest request)
    : connection_(std::make_unique<Connection>(io, options, std::move(request))) {}

HttpFetch::~HttpFetch() = default;

asio::awaitable<void> HttpFetch::run(Tell tell) {
  std::string reason;
  try {
    co_await connection_->connect();
    if (connection_->tls) {
      co_await connection_->exchange(*connection_->tls, tell);
    } else {
      co_await connection_->exchange(connection_->plain, tell);
    }
    co_return;
  } catch (const std::exception& failure) {
    reason = failure.what();
  }
  co_await tell(Frame::Kind::kError, reason);
}

void HttpFetch::cancel() {
  error_code ignored;
  connection_->plain.socket().close(ignored);
}

}  // namespace redraft
