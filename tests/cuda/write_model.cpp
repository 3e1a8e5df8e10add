// write_model FILE SEED: a tiny model that GPUs support, with the tokens that chats and completions
// need.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

#include "tests/decoding/model/tiny_model.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "write_model FILE SEED" << std::endl;
    return 2;
  }
  redraft::TinyModel model;
  model.heads = 2;
  model.kv_heads = 1;
  model.head_dim = 64;
  model.context_length = 8192;
  model.chats = true;
  model.seed = static_cast<std::uint32_t>(std::atoi(argv[2]));
  const std::vector<std::uint8_t> bytes = model.writer().bytes();
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}
