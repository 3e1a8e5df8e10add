#include "workspace/edit/prompt.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "text/chat_template.h"
#include "text/strings/trimmed.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/fenced_output.h"
#include "workspace/edit/instruction.h"

namespace redraft {
namespace {

// By default the answer may be half as long again as the region, plus this many tokens.
constexpr int kRoomForNewCode = 512;
// And this many more if the model thinks first.
constexpr int kRoomForThoughts = 4096;

constexpr const char* kSystem =
    "You are a precise code editor. You answer with the edited code in one code block and nothing "
    "else. Code that the "
    "instruction does not concern stays exactly as it is.";

// Without the last words a small model adds the imports that it was shown, or the class around.
constexpr const char* kAsk =
    " and answer with exactly these lines as they are after the edit, without the code around them";

// The same of lines that do not exist yet.
constexpr const char* kAskNew =
    ", which will stand between the lines before and after, and answer with exactly these new "
    "lines, without the code around them";

constexpr const char* kAskAgain =
    ". Carry out the instruction again, and answer with all of the lines to edit as they are after "
    "it. Keep every definition.";

// The last component of a path or URI, as far as it can be shown on one line.
std::string file_name(const std::string& uri) {
  const std::size_t slash = uri.find_last_of("/\\");
  std::string name = slash == std::string::npos ? uri : uri.substr(slash + 1);
  std::erase_if(name, [](unsigned char c) { return std::iscntrl(c) || c == '`'; });
  return name;
}

// The word after the opening fence: the language id, if it is a word.
std::string info_string(const Document& document) {
  std::string language = document.language();
  const bool word = std::all_of(language.begin(), language.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '+' || c == '#' || c == '_';
  });
  return word && language != "plaintext" ? language : std::string();
}

std::string with_overview(const std::string& system, const Document& document,
                          const std::string& overview) {
  if (overview.empty()) return system;
  return system + "\n\nThe user edits " + file_name(document.uri()) +
         ", which has, among others, these lines:\n<code>\n" + overview + "</code>";
}

// The turns before the answer.
struct Conversation {
  std::string system;
  std::string user;
  ByteRange region;             // where the region's lines are in `user`
  std::size_t fixed_bytes = 0;  // of `user`, those before the instruction
};

// Lays out the conversation.
class ConversationMaker {
 public:
  ConversationMaker(const EditRegion& region, std::string fence, const PromptForm& form)
      : region_(region),
        opening_(opening_fence(fence, region.document())),
        fence_(std::move(fence)),
        name_(file_name(region.document().uri())),
        form_(form) {}

  Conversation make(const std::string& instruction) {
    made_.system = kSystem;
    if (!region_.whole_file()) add_context();
    add_code("Other files have:", form_.elsewhere);
    const bool first = form_.order == PromptOrder::kInstructionFirst;
    if (first) add_instruction(instruction + "\n\n");
    if (region_.whole_file()) {
      add("File " + name_ + ":\n");
    } else if (region_.lines().empty()) {
      add("Write new lines of " + name_ + kAskNew + ":\n");
    } else {
      add("Edit these lines of " + name_ + kAsk + ":\n");
    }
    add_region();
    if (!first) {
      add("\n\n");
      add_instruction(instruction);
    }
    if (region_.whole_file())
      add("\n\nCarry out the instruction and answer with the whole edited file.");
    return std::move(made_);
  }

 private:
  void add(const std::string& text) { made_.user += text; }
  void add_region() {
    add(opening_);
    made_.region.begin = made_.user.size();
    add(region_.text());
    made_.region.end = made_.user.size();
    add(fence_);
  }
  // The first token of an instruction may contain the blank before it.
  void add_instruction(const std::string& instruction) {
    add("Instruction:");
    made_.fixed_bytes = made_.user.size();
    add(" " + instruction);
  }
  // In the turn of the system and between tags: a small model that sees the file around the region
  // in the user's turn, or in a fence like that of the answer, writes parts of it as the answer.
  void add_context() {
    const EditContext context =
        edit_context(region_, form_.context_bytes, form_.overview_bytes, form_.names);
    made_.system = with_overview(made_.system, region_.document(), context.overview);
    add_code("Before the lines to edit stands:", context.before);
    add_code("After them stands:", context.after);
  }
  void add_code(const std::string& title, const std::string& code) {
    if (!code.empty()) made_.system += "\n\n" + title + "\n<code>\n" + code + "</code>";
  }

  const EditRegion& region_;
  std::string opening_, fence_, name_;
  const PromptForm& form_;
  Conversation made_;
};

// What the tokens of `parts` decode to.
std::string text_of(const Tokenizer& tokenizer, const std::vector<PromptPart>& parts) {
  std::string text;
  for (const PromptPart& part : parts) {
    text += part.control ? tokenizer.bytes(tokenizer.special(part.text)) : part.text;
  }
  return text;
}

// Where the lines of an answer are in the text of a prompt, behind `from`. A template may trim the
// answer; if it changes more, the range is empty.
ByteRange place_of_answer(std::string_view text, std::size_t from, std::string_view answer,
                          std::string_view fence) {
  std::size_t begin = text.find(answer, from);
  if (begin == std::string_view::npos) {
    answer = trimmed_as_in_templates(answer);
    begin = text.find(answer, from);
    if (begin == std::string_view::npos) return {};
  }
  const std::size_t first = text.find('\n', begin) + 1;
  const std::size_t end = begin + answer.size();
  const std::size_t close = text.substr(0, end).rfind(fence);
  return {first, close >= first && close < end ? close : end};
}

// How many of `tokens` spell nothing but the first `bytes` of their text.
int tokens_before(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens,
                  std::size_t bytes) {
  std::size_t end = 0;
  int n = 0;
  for (const TokenId token : tokens) {
    end += tokenizer.bytes(token).size();
    if (end > bytes) break;
    ++n;
  }
  return n;
}

}  // namespace

Result<EditPrompt> make_edit_prompt(PromptEncoder& encoder, const EditRegion& region,
                                    const std::string& instruction, const PromptForm& form,
                                    const FaultyAnswer* faulty) {
  const Tokenizer& tokenizer = encoder.tokenizer();
  EditPrompt prompt;
  prompt.fence = fence_around(region.document().text());
  const std::string opening = opening_fence(prompt.fence, region.document());
  const Conversation made =
      ConversationMaker(region, prompt.fence, form).make(std::string(trimmed(instruction)));
  std::vector<ChatMessage> messages = {{"system", made.system}, {"user", made.user}};
  if (faulty != nullptr) {
    messages.push_back({"assistant", opening + faulty->text});
    messages.push_back({"user", "That is wrong: " + faulty->fault + kAskAgain});
  }
  Result<std::vector<PromptPart>> parts = chat_prompt(tokenizer, messages);
  if (!parts) return parts.error().in("edit prompt");
  prompt.beginning = beginning_of_code(*parts, region, instruction);
  if (prompt.beginning != AnswerBeginning::kThinks) parts->push_back({opening, false});
  Result<std::vector<TokenId>> tokens = encoder.encode(*parts);
  if (!tokens) return tokens.error().in("edit prompt");
  prompt.tokens = std::move(*tokens);
  const std::string text = text_of(tokenizer, *parts);
  const std::size_t user_begin =
      text.find(trimmed_as_in_templates(made.user), trimmed_as_in_templates(made.system).size());
  prompt.original = tokens_within(
      tokenizer, prompt.tokens,
      faulty == nullptr ? ByteRange{user_begin + made.region.begin, user_begin + made.region.end}
                        : place_of_answer(text, user_begin + made.user.size(),
                                          opening + faulty->text, prompt.fence));
  prompt.before_instruction =
      tokens_before(tokenizer, prompt.tokens, user_begin + made.fixed_bytes);
  const std::vector<TokenId> closing = tokenizer.encode(prompt.fence);
  prompt.original.insert(prompt.original.end(), closing.begin(), closing.end());
  prompt.replacements = replacements_in(instruction, region.document().text());
  prompt.stop_tokens = end_of_turn_tokens(tokenizer);
  return prompt;
}

Result<QuestionPrompt> make_question_prompt(PromptEncoder& encoder, const Document& document,
                                            const std::string& question, const std::string& opening,
                                            std::size_t overview_bytes) {
  const std::string system =
      with_overview(kSystem, document, file_overview(document, overview_bytes));
  Result<std::vector<PromptPart>> parts =
      chat_prompt(encoder.tokenizer(), {{"system", system}, {"user", question}});
  if (!parts) return parts.error().in("prompt for a question");
  const bool thinks = beginning_of_answer(*parts) == AnswerBeginning::kThinks;
  if (!thinks) parts->push_back({opening, false});
  Result<std::vector<TokenId>> tokens = encoder.encode(*parts);
  if (!tokens) return tokens.error().in("prompt for a question");
  return QuestionPrompt{std::move(*tokens), end_of_turn_tokens(encoder.tokenizer()), thinks};
}

AnswerBeginning beginning_of_code(std::span<const PromptPart> parts, const EditRegion& region,
                                  std::string_view instruction) {
  const AnswerBeginning beginning = beginning_of_answer(parts);
  const bool is_text = begins_with_thought(region.text()) || mentions_thought(instruction);
  return is_text && beginning == AnswerBeginning::kMayThink ? AnswerBeginning::kNoThought
                                                            : beginning;
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
  const bool thinks = prompt.beginning == AnswerBeginning::kThinks;
  const int room = kRoomForNewCode + (thinks ? kRoomForThoughts : 0);
  const int wanted = asked > 0 ? asked : n_original + n_original / 2 + room;
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
