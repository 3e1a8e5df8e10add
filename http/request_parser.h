#pragma once

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>

#include "http/api/api_error.h"
#include "http/request_head.h"

namespace redraft::http {

// Boost.Beast reads requests within these limits.
using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;
inline constexpr std::uint32_t kMaxHeadBytes = 16 << 10;
inline constexpr std::uint64_t kMaxBodyBytes = std::uint64_t{16} << 20;

void limit_parser(RequestParser& parser);
// The answer to an unreadable request; nothing if the connection failed, or ended before a request
// began.
std::optional<ApiError> unreadable(const boost::beast::error_code& error);
// Call this once the head has been read.
RequestHead head_of(const RequestParser& parser);

}  // namespace redraft::http
