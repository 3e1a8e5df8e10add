#include "tests/kit/random_decoder.h"

#include <algorithm>
#include <cmath>

namespace redraft {
namespace {

// Mostly small, because that is where decoders differ.
int random_integer(Random& random, const DecoderOption& option) {
  const int least = static_cast<int>(option.least);
  const int most = static_cast<int>(option.most);
  const int bits = between(random, 0, static_cast<int>(std::log2(most - least + 1)));
  return least + between(random, 0, std::min(most - least, (1 << bits) - 1));
}

std::string random_option(Random& random, const DecoderOption& option) {
  const std::string name = ":" + std::string(option.name);
  switch (option.kind) {
    case DecoderOption::Kind::kSwitch:
      return name;
    case DecoderOption::Kind::kInteger:
      return name + "=" + std::to_string(random_integer(random, option));
    case DecoderOption::Kind::kText:
      return name + "=" + std::string(option.example);
    case DecoderOption::Kind::kReal:
      break;
  }
  const int most = static_cast<int>(100 * std::min(option.most, 5.0));
  return name + "=" + std::to_string(between(random, 0, most) / 100.0);
}

}  // namespace

std::string random_decoder(Random& random, const DecoderDefinition& definition) {
  while (true) {
    std::string text(definition.name);
    for (const DecoderOption& option : definition.options) {
      // Text options may be required.
      if (between(random, 0, 2) == 0 || option.kind == DecoderOption::Kind::kText)
        text += random_option(random, option);
    }
    const auto name = parse_decoder_name(text);
    if (name && name->lossless()) return text;
  }
}

}  // namespace redraft
