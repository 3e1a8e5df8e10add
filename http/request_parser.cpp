#include "http/request_parser.h"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <string>
#include <vector>

namespace redraft::http {
namespace {

namespace beast_http = boost::beast::http;

std::string text_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::vector<std::string> all_of(const RequestParser& parser, beast_http::field name) {
  std::vector<std::string> values;
  const auto [begin, end] = parser.get().equal_range(name);
  for (auto field = begin; field != end; ++field) values.push_back(text_of(field->value()));
  return values;
}

}  // namespace

void limit_parser(RequestParser& parser) {
  parser.header_limit(kMaxHeadBytes);
  parser.body_limit(kMaxBodyBytes);
}

std::optional<ApiError> unreadable(const boost::beast::error_code& error) {
  using Problem = beast_http::error;
  const boost::beast::error_code read = make_error_code(Problem::end_of_stream);
  if (error.category() != read.category() || error == Problem::end_of_stream ||
      error == Problem::partial_message)
    return std::nullopt;
  if (error == Problem::header_limit || error == Problem::buffer_overflow) {
    return ApiError{.status = 431,
                    .message = "the head of the request is longer than " +
                               std::to_string(kMaxHeadBytes) + " bytes"};
  }
  if (error == Problem::body_limit) {
    return ApiError{.status = 413,
                    .message = "the body of the request is longer than " +
                               std::to_string(kMaxBodyBytes) + " bytes"};
  }
  return ApiError{.message = "this is not a valid HTTP/1.1 request: " + error.message()};
}

RequestHead head_of(const RequestParser& parser) {
  RequestHead head;
  head.method = text_of(parser.get().method_string());
  head.target = text_of(parser.get().target());
  head.hosts = all_of(parser, beast_http::field::host);
  head.origins = all_of(parser, beast_http::field::origin);
  head.authorizations = all_of(parser, beast_http::field::authorization);
  head.has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
  head.expects_continue =
      boost::beast::iequals(parser.get()[beast_http::field::expect], "100-continue");
  return head;
}

}  // namespace redraft::http
