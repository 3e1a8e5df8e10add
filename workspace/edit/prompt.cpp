#include "workspace/edit/prompt.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "decoding/text/chat_template.h"
#include "indexing/files/file_kind.h"
#include "support/trimmed.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/fenced_output.h"
#include "workspace/edit/instruction.h"

namespace redraft {
namespace {

// By default the answer may be half as long again as the region, plus this many tokens.
constexpr int kRoomForNewCode = 512;

constexpr const char* kSystem =
    "You are a precise code editor. You answer with the edited code in one code block and nothing "
    "else. Code that the "
    "instruction does not concern stays exactly as it is.";

// The last component of a path or URI, as far as it can be shown on one line.
std::string file_name(const std::string& uri) {
  const std::size_t slash = uri.find_last_of("/\\");
  std::string name = slash == std::string::npos ? uri : uri.substr(slash + 1);
  std::erase_if(name, [](unsigned char c) { return std::iscntrl(c) || c == '`'; });
  return name;
}

// The word after the opening fence: the language id, if it is a word.
std::string info_string(const Document& document) {
  std::string language = document.language_id().empty() ? std::string(language_of(document.uri()))
                                                        : document.language_id();
  const bool word = std::all_of(language.begin(), language.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '+' || c == '#' || c == '_';
  });
  return word && language != "plaintext" ? language : std::string();
}
struct UserMessage {
  std::string text;
  ByteRange region;  // where the region's lines are in it
};

// Lays out the user's turn.
class UserMessageMaker {
 public:
  UserMessageMaker(const EditRegion& region, std::string fence, const PromptForm& form)
      : region_(region),
        opening_(opening_fence(fence, region.document())),
        fence_(std::move(fence)),
        form_(form) {}

  UserMessage make(const std::string& instruction) {
    const std::string wish = "Instruction: " + std::string(trimmed(instruction)) + "\n\n";
    const bool first = form_.order == PromptOrder::kInstructionFirst;
    if (first) add(wish);
    add("File " + file_name(region_.document().uri()) + ":\n" + opening_);
    if (region_.whole_file()) {
      add_region();
      add(fence_ + "\n\n" + (first ? "" : wish));
      add("Carry out the instruction and answer with the whole edited file.");
    } else if (form_.region == RegionForm::kTwice) {
      add(file_around(region_, form_.context_bytes).text);
      add(fence_ + "\n\n" + (first ? "" : wish));
      add("Carry out the instruction in the following lines of the file only. Answer with all of "
          "these lines as they are after the edit:\n" +
          opening_);
      add_region();
      add(fence_);
    } else if (form_.region == RegionForm::kLast) {
      const FileAround around = file_around(region_, form_.context_bytes);
      add(around.text.substr(0, around.region.begin) + kHole +
          around.text.substr(around.region.end) + fence_ + "\n\n");
      add("These are the lines to edit, which stand at that place in the file:\n" + opening_);
      add_region();
      add(fence_ + "\n\n" + (first ? "" : wish));
      add("Carry out the instruction in these lines only. Answer with all of these lines as they "
          "are after the edit.");
    } else {
      const FileAround around = file_around(region_, form_.context_bytes);
      add(around.text.substr(0, around.region.begin) + kBeginMark);
      add_region();
      add(kEndMark + around.text.substr(around.region.end) + fence_ + "\n\n" + (first ? "" : wish));
      add("Carry out the instruction in the lines between the two marks only. Answer with all of "
          "these lines as they are after the edit, without the marks.");
    }
    return std::move(message_);
  }

 private:
  static constexpr const char* kHole = "[the lines to edit]\n";
  static constexpr const char* kBeginMark = "[the lines to edit begin]\n";
  static constexpr const char* kEndMark = "[the lines to edit end]\n";

  void add(const std::string& text) { message_.text += text; }
  void add_region() {
    message_.region.begin = message_.text.size();
    message_.text += region_.text();
    message_.region.end = message_.text.size();
  }

  const EditRegion& region_;
  std::string opening_, fence_;
  const PromptForm& form_;
  UserMessage message_;
};

std::string text_of(const std::vector<PromptPart>& parts) {
  std::string text;
  for (const PromptPart& part : parts) {
    if (!part.control) text += part.text;
  }
  return text;
}

}  // namespace

Result<EditPrompt> make_edit_prompt(PromptEncoder& encoder, const EditRegion& region,
                                    const std::string& instruction, const PromptForm& form) {
  const Tokenizer& tokenizer = encoder.tokenizer();
  EditPrompt prompt;
  prompt.fence = fence_around(region.document().text());
  const std::string opening = opening_fence(prompt.fence, region.document());
  const UserMessage user = UserMessageMaker(region, prompt.fence, form).make(instruction);
  Result<std::vector<PromptPart>> parts =
      chat_prompt(tokenizer, {{"system", kSystem}, {"user", user.text}});
  if (!parts) return parts.error().in("edit prompt");
  parts->push_back({opening, false});
  Result<std::vector<TokenId>> tokens = encoder.encode(*parts);
  if (!tokens) return tokens.error().in("edit prompt");
  prompt.tokens = std::move(*tokens);
  const std::size_t user_begin = text_of(*parts).find(user.text);
  prompt.original = tokens_within(tokenizer, prompt.tokens,
                                  {user_begin + user.region.begin, user_begin + user.region.end});
  const std::vector<TokenId> closing = tokenizer.encode(prompt.fence);
  prompt.original.insert(prompt.original.end(), closing.begin(), closing.end());
  prompt.replacements = replacements_in(instruction, region.document().text());
  prompt.stop_tokens = end_of_turn_tokens(tokenizer);
  return prompt;
}

std::string opening_fence(const std::string& fence, const Document& document) {
  return fence + info_string(document) + "\n";
}

Result<int> edit_token_budget(const EditPrompt& prompt, int asked, int context_length) {
  const int n_prompt = static_cast<int>(prompt.tokens.size());
  const int n_original = static_cast<int>(prompt.original.size());
  const int least = asked > 0 ? std::min(asked, n_original) : n_original;
  if (n_prompt + least + 1 > context_length) {
    return Error("too long to edit at once: it needs " + std::to_string(n_prompt + least + 1) +
                 " tokens (" + std::to_string(n_prompt) + " for the prompt, " +
                 std::to_string(least + 1) + " for the answer) and the context holds " +
                 std::to_string(context_length) +
                 "; select fewer lines, or raise the context length");
  }
  const int wanted = asked > 0 ? asked : n_original + n_original / 2 + kRoomForNewCode;
  return std::min(wanted, context_length - n_prompt);
}

std::vector<TokenId> tokens_within(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens,
                                   ByteRange range) {
  std::vector<TokenId> within;
  std::size_t end = 0;
  for (const TokenId token : tokens) {
    const std::string_view bytes = tokenizer.bytes(token);
    const std::size_t begin = end;
    end += bytes.size();
    if (bytes.empty() || end <= range.begin || begin >= range.end) continue;
    if (begin >= range.begin && end <= range.end) {
      within.push_back(token);
      continue;
    }
    const std::size_t from = std::max(begin, range.begin);
    const std::vector<TokenId> part =
        tokenizer.encode(bytes.substr(from - begin, std::min(end, range.end) - from));
    within.insert(within.end(), part.begin(), part.end());
  }
  return within;
}

}  // namespace redraft
