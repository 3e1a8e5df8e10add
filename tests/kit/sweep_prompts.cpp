#include "tests/kit/sweep_prompts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "indexing/store/memory_datastore.h"
#include "tests/workspace/edit/edit_case.h"
#include "text/chat_template.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/prompt.h"

namespace redraft {
namespace {

constexpr const char* kQuestions[] = {
    "Name three rivers.",
    "Count from one to twenty in words, one to a line.",
    "Say the word tide ten times.",
    "What is the difference between a list and a tuple in Python?",
    "Write a C function that adds two integers.",
    "List the files that a small npm package needs, as JSON.",
    "Explain recursion by explaining recursion.",
    "Écris une phrase sur la mer, puis traduis-la en anglais.",
    "Write the same SQL query for tables a, b and c: all rows where id is 7.",
    "Repeat this exactly: for (int i = 0; i < n; ++i) sum += values[i];",
    "Give me a haiku about compilers.",
    "用一句话介绍上海。",
};
constexpr std::size_t kCuts[] = {300, 700, 1100};  // prompt lengths in bytes of a text

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            const std::string& ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ending) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class PromptMaker {
 public:
  explicit PromptMaker(PromptEncoder& encoder) : encoder_(encoder) {}

  void add_edit(const std::filesystem::path& file) {
    const Result<EditCase> edit = read_edit_case(file);
    ASSERT_TRUE(edit) << edit.error().message();
    const auto document = Document::make("text.py", 0, edit->before);
    ASSERT_TRUE(document) << document.error().message();
    const auto region = EditRegion::make(*document, EditScope::kFile, std::nullopt);
    ASSERT_TRUE(region) << region.error().message();
    Result<EditPrompt> prompt = make_edit_prompt(encoder_, *region, edit->instruction);
    ASSERT_TRUE(prompt) << prompt.error().message();
    DecodeRequest request;
    request.prompt = std::move(prompt->tokens);
    request.original = std::move(prompt->original);
    request.replacements = std::move(prompt->replacements);
    request.stop_tokens = std::move(prompt->stop_tokens);
    add(file.filename().string(), std::move(request), edit->after);
  }

  void add_chat(const std::string& question) {
    const auto parts = chat_prompt(encoder_.tokenizer(), {{"user", question}});
    ASSERT_TRUE(parts) << parts.error().message();
    add_parts("chat: " + question, *parts, question);
  }

  // For every second prompt, the text after the cut is given as the original: in reality, continued
  // text sometimes resembles its original, too.
  void add_continuation(const std::filesystem::path& file, std::size_t cut) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    ASSERT_GT(text.size(), cut) << file;
    while ((text[cut] & 0xC0) == 0x80) --cut;  // not inside a character
    const std::string name = file.filename().string() + " up to " + std::to_string(cut);
    add_parts(name, {{text.substr(0, cut)}}, text);
    if (prompts_.size() % 2)
      prompts_.back().request.original = encoder_.tokenizer().encode(text.substr(cut, 500));
  }

  // All prompts may look up tokens in the texts of all.
  std::vector<SweepPrompt> take() {
    const auto store = std::make_shared<MemoryDatastore>(texts_);
    for (std::size_t i = 0; i < prompts_.size(); ++i) {
      if (i % 3 != 1) prompts_[i].request.repository = store;
      if (i % 3 != 2) prompts_[i].request.common = store;
    }
    return std::move(prompts_);
  }

 private:
  void add_parts(const std::string& name, const std::vector<PromptPart>& parts,
                 const std::string& text) {
    const auto tokens = encoder_.encode(parts);
    ASSERT_TRUE(tokens) << tokens.error().message();
    DecodeRequest request;
    request.prompt = *tokens;
    request.stop_tokens = end_of_turn_tokens(encoder_.tokenizer());
    add(name, std::move(request), text);
  }

  void add(std::string name, DecodeRequest request, const std::string& text) {
    request.max_new_tokens = 16 + static_cast<int>(prompts_.size() * 7 % 49);  // 16 to 64
    prompts_.push_back({std::move(name), std::move(request)});
    texts_.push_back(encoder_.tokenizer().encode(text));
  }

  PromptEncoder& encoder_;
  std::vector<SweepPrompt> prompts_;
  std::vector<std::vector<TokenId>> texts_;
};

}  // namespace

std::vector<SweepPrompt> sweep_prompts(PromptEncoder& encoder, const std::filesystem::path& cases) {
  PromptMaker maker(encoder);
  for (const auto& file : files_of(cases / "edits", ".case")) maker.add_edit(file);
  for (const char* question : kQuestions) maker.add_chat(question);
  for (const std::size_t cut : kCuts) {
    for (const auto& file : files_of(cases / "reference", ".txt"))
      maker.add_continuation(file, cut);
  }
  return maker.take();
}

}  // namespace redraft
