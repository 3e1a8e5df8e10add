// Any bytes that come over a connection of HTTP, in pieces: Boost.Beast's parser within our limits,
// who is served, where a request leads, and its JSON as a request for text. The first byte is the
// size of the pieces: what is read is the same as from the whole. A request that was read has no
// field that is not known and no value outside its limits, and an answer to it is JSON that parses
// again, on one line.
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/access.h"
#include "http/api/answer.h"
#include "http/api/answer_text.h"
#include "http/api/read_generation.h"
#include "http/request_parser.h"

namespace {

using redraft::http::ApiError;
using redraft::http::Generation;
using redraft::http::Interface;
using redraft::http::RequestHead;
using redraft::http::RequestParser;

void require(bool condition) {
  if (!condition) std::abort();
}

struct Read {
  boost::beast::error_code error;
  bool whole = false;
  RequestHead head;
  std::string body;
};

Read read(std::string_view bytes, std::size_t piece) {
  RequestParser parser;
  redraft::http::limit_parser(parser);
  parser.eager(true);
  boost::beast::flat_buffer buffer;
  Read read;
  while (!bytes.empty() && !parser.is_done() && !read.error) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    buffer.commit(boost::asio::buffer_copy(buffer.prepare(part.size()),
                                           boost::asio::buffer(part.data(), part.size())));
    while (buffer.size() > 0 && !parser.is_done() && !read.error) {
      const std::size_t used = parser.put(buffer.data(), read.error);
      buffer.consume(used);
      if (read.error == boost::beast::http::error::need_more) {
        read.error = {};
        break;
      }
      if (used == 0) break;
    }
  }
  read.whole = parser.is_done();
  if (parser.is_header_done()) read.head = redraft::http::head_of(parser);
  if (read.whole) read.body = parser.get().body();
  return read;
}

void check_error(const ApiError& error) {
  require(error.status >= 400 && error.status < 600 && !error.message.empty());
  const std::string text = redraft::lsp::to_text(redraft::http::to_json(error));
  require(redraft::lsp::parse_json(text) && text.find('\n') == std::string::npos);
}

void check_limits(const Generation& generation) {
  require(bool(redraft::check(generation.sampling)));
  require(generation.stops.size() <= redraft::http::kMaxStops);
  for (const std::string& stop : generation.stops) require(!stop.empty());
  require(generation.max_tokens.value_or(0) >= 0 && generation.min_indent >= 0);
  require(generation.choices >= 1 && generation.choices <= redraft::http::kMaxChoices);
  require(generation.candidates >= generation.choices);
  require(!generation.time_limit || generation.time_limit->count() > 0);
  const int likeliest = generation.log_probabilities.value_or(0);
  require(likeliest >= 0 && likeliest <= redraft::kMaxLikeliest);
}

void check_generation(const Generation& generation, std::string_view text) {
  check_limits(generation);
  redraft::http::AnswerText answer_text(
      {generation.stops, generation.min_indent, generation.time_limit});
  answer_text.add(text);
  answer_text.finish();
  const redraft::http::Answer answer(generation, "model", 0, 1);
  const auto count = static_cast<std::size_t>(generation.choices);
  const std::vector<redraft::http::AnswerPart> texts(count, {.text = answer_text.take()});
  const redraft::http::GenerationEnd end{.choices = std::vector<redraft::http::ChoiceEnd>(count)};
  const std::string whole = redraft::lsp::to_text(answer.whole(texts, end));
  require(bool(redraft::lsp::parse_json(whole)));
  const std::string events =
      answer.first_events() + answer.part_event({"a"}) + answer.last_events(end);
  require(events.ends_with("\n\n"));
}

void read_body(std::string_view body) {
  for (const Interface interface :
       {Interface::kCompletions, Interface::kChat, Interface::kInfill}) {
    const auto read = redraft::http::read_generation(interface, body);
    if (const auto* error = std::get_if<ApiError>(&read)) {
      check_error(*error);
    } else {
      check_generation(std::get<Generation>(read), body);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  read_body(bytes);
  const Read whole = read(bytes, bytes.size());
  const Read pieces = read(bytes, std::size_t{data[0]} + 1);
  require(whole.whole == pieces.whole && whole.body == pieces.body);
  if (whole.error) {
    if (const auto problem = redraft::http::unreadable(whole.error)) check_error(*problem);
    return 0;
  }
  if (const auto refused = redraft::http::refusal(whole.head, "token")) check_error(*refused);
  const auto route = redraft::http::route_of(whole.head);
  if (const auto* error = std::get_if<ApiError>(&route)) check_error(*error);
  if (whole.whole) read_body(whole.body);
  return 0;
}
