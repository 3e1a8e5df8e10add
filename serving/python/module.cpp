// BatchDrafter for Python. Reads the engine's batch in place, without a copy.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "serving/batch_drafter.h"
#include "serving/make_drafter.h"
#include "support/token.h"

namespace py = pybind11;

namespace redraft {
namespace {

std::unique_ptr<BatchDrafter> make(int longest, std::size_t most_tokens,
                                   std::optional<std::string> tokenizer,
                                   std::optional<std::string> cost, bool remembers) {
  auto drafter = make_drafter({.longest = longest,
                               .most_tokens = most_tokens,
                               .tokenizer = std::move(tokenizer),
                               .cost = std::move(cost),
                               .remembers = remembers});
  if (!drafter) throw std::invalid_argument(drafter.error().message());
  return std::move(*drafter);
}

// `written` is the number of tokens that the last step wrote in each row. The first `lengths[i]` of
// `tokens[i]` are prompt and output of row i.
std::vector<std::vector<TokenId>> propose(BatchDrafter& drafter,
                                          const std::vector<std::vector<TokenId>>& written,
                                          const std::vector<std::int64_t>& lengths,
                                          const py::buffer& tokens) {
  const py::buffer_info ids = tokens.request();
  if (ids.ndim != 2 || !ids.item_type_is_equivalent_to<TokenId>() ||
      ids.strides[1] != static_cast<py::ssize_t>(sizeof(TokenId)))
    throw std::invalid_argument("the tokens of a batch are rows of 32-bit numbers");
  if (written.size() != lengths.size() || static_cast<py::ssize_t>(written.size()) > ids.shape[0])
    throw std::invalid_argument("more rows wrote than there are in the batch");
  std::vector<BatchRow> batch;
  for (std::size_t row = 0; row < written.size(); ++row) {
    const auto own = static_cast<std::int64_t>(written[row].size());
    if (lengths[row] < own || lengths[row] > ids.shape[1])
      throw std::invalid_argument("a row's length is not in its range");
    const auto* first =
        static_cast<const std::byte*>(ids.ptr) + ids.strides[0] * static_cast<py::ssize_t>(row);
    batch.push_back(
        {{reinterpret_cast<const TokenId*>(first), static_cast<std::size_t>(lengths[row])},
         written[row].size()});
  }
  return drafter.propose(batch);
}

}  // namespace
}  // namespace redraft

PYBIND11_MODULE(_core, module) {
  using redraft::BatchDrafter;
  py::class_<BatchDrafter>(module, "BatchDrafter")
      .def(py::init(&redraft::make), py::kw_only(), py::arg("longest"), py::arg("most_tokens"),
           py::arg("tokenizer") = py::none(), py::arg("cost") = py::none(),
           py::arg("remembers") = true)
      .def("propose", &redraft::propose, py::arg("written"), py::arg("lengths"), py::arg("tokens"));
}
