#pragma once

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>

#include "http/api/api_error.h"
#include "http/request_head.h"

namespace redraft::http {

// A request is read by Boost.Beast, within these limits.
using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;
inline constexpr std::uint32_t kMaxHeadBytes = 16 << 10;
inline constexpr std::uint64_t kMaxBodyBytes = std::uint64_t{16} << 20;

void limit_parser(RequestParser& parser);
// The answer to a request that cannot be read; none: the connection failed, or it ended where none
// began.
std::optional<ApiError> unreadable(const boost::beast::error_code& error);
// Once the head is there.
RequestHead head_of(const RequestParser& parser);

}  // namespace redraft::http
