// write_model FILE SEED [last]: a tiny model that GPUs support, with the tokens that chats and
// completions need. With `last` its layers add nothing, so that what it writes depends on the last
// token alone.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string_view>
#include <vector>

#include "tests/decoding/model/tiny_model.h"

int main(int argc, char** argv) {
  const bool last = argc == 4 && std::string_view(argv[3]) == "last";
  if (argc != 3 && !last) {
    std::cerr << "write_model FILE SEED [last]" << std::endl;
    return 2;
  }
  redraft::TinyModel model;
  model.heads = 2;
  model.kv_heads = 1;
  model.head_dim = 64;
  model.context_length = 8192;
  model.chats = true;
  if (last)
    model.zeros = {"blk.0.attn_output.weight", "blk.0.ffn_down.weight", "blk.1.attn_output.weight",
                   "blk.1.ffn_down.weight"};
  model.seed = static_cast<std::uint32_t>(std::atoi(argv[2]));
  const std::vector<std::uint8_t> bytes = model.writer().bytes();
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}
