#include "decoding/drafting/redraft/redraft_source.h"

#include <algorithm>
#include <utility>

namespace redraft {
namespace {

constexpr int kCopies = 3;  // tokens that are looked at in each text for each guess
constexpr int kMaxNodes = 512;
constexpr int kPromptEnd = 16;  // tokens of the prompt that matches in memory may reach back into
constexpr int kAround = 32;     // tokens before and after new ones that are remembered with them

}  // namespace

RedraftSource::RedraftSource(const DecodeRequest& request, const RedraftOptions& options,
                             RedraftMemory& memory, const Tokenizer* tokenizer,
                             std::unique_ptr<ModelProposer> model)
    : prompt_size_(request.prompt.size()),
      memory_(memory),
      repository_(request.repository),
      common_(request.common),
      original_(request.original, tokenizer, request.replacements),
      priced_(memory.pace, options.max_nodes.value_or(kMaxNodes)),
      model_(std::move(model)) {
  for (const TokenId token : request.prompt) text_.append(token);
  if (tokenizer) indentation_.emplace(*tokenizer, request.original);
  const auto prompt = std::span(request.prompt);
  memory_.open.follow(request.open_files);
  for (const TokenId token : prompt.last(std::min<std::size_t>(prompt.size(), kPromptEnd)))
    state_ = follow_elsewhere(state_, token);
}

// Each stretch of new tokens with some around it: unchanged text is in the buffer anyway.
RedraftSource::~RedraftSource() {
  const auto size = output_.size();
  for (std::size_t begin = 0; begin < size;) {
    if (!is_new_[begin]) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    for (std::size_t last = begin; end < size && end - last <= 2 * kAround; ++end) {
      if (is_new_[end]) last = end;
    }
    const std::size_t from = begin > kAround ? begin - kAround : 0;
    memory_.text.add(std::span(output_).subspan(from, end - from));
    begin = end;
  }
}

DraftTree RedraftSource::draft(std::span<const TokenId> context, int limit) {
  absorb(context);
  retrieve(context);
  DraftTree draft = priced_.choose(*this, state_, context, prompt_size_, limit);
  if (!model_) return draft;
  proposal_ = model_->propose(context, limit, priced_.rate());
  priced_.charge(model_->seconds());
  if (proposal_.empty()) return draft;
  // The other sources go on behind the proposal, and beside it.
  return priced_.choose(*this, state_, context, prompt_size_, limit);
}

void RedraftSource::look_ahead() {
  // What the draft model will say cannot be foreseen.
  if (proposal_.empty()) priced_.look_ahead(*this);
}

// What datastores have is searched for only while out of sync.
bool RedraftSource::foresees(const GuessState& state) const {
  if (!repository_.has_store() && !common_.has_store()) return true;
  return state_.original.in_sync && state.original.in_sync;
}

// In sync the original knows better, and a search takes longer than all the rest.
void RedraftSource::retrieve(std::span<const TokenId> context) {
  for (RetrievedText* text : {&repository_, &common_}) {
    if (state_.original.in_sync && !output_.empty()) {
      text->clear();
    } else {
      text->search(context);
    }
  }
  state_.repository = repository_.all();
  state_.common = common_.all();
}

void RedraftSource::observe(const VerifiedDraft& pass) {
  memory_.successors.learn(pass.draft, pass.predictions);
  const auto context = static_cast<int>(prompt_size_ + output_.size());
  memory_.pace.measured(pass.rows, context, pass.seconds);
}

GuessState RedraftSource::advance(const GuessState& state, const Tail& tail) const {
  const TokenId token = tail.tokens.back();
  const bool as_proposed = state.proposed >= 0 && state.proposed < std::ssize(proposal_) &&
                           proposal_[static_cast<std::size_t>(state.proposed)] == token;
  GuessState next = follow_elsewhere(state, token);
  next.original = original_.advance(state.original, tail.output);
  next.text = text_.advance(state.text, token);
  next.repository = repository_.advance(state.repository, token);
  next.common = common_.advance(state.common, token);
  next.proposed = as_proposed ? state.proposed + 1 : -1;
  return next;
}

// In the texts that are neither prompt nor output.
GuessState RedraftSource::follow_elsewhere(GuessState state, TokenId token) const {
  state.recent = memory_.text.recent().advance(state.recent, token);
  state.old = memory_.text.old().advance(state.old, token);
  state.open = memory_.open.text().advance(state.open, token);
  return state;
}

void RedraftSource::add_guesses(const GuessState& state, const Tail& tail,
                                std::vector<Guess>& guesses) const {
  original_.add_guesses(state.original, tail.output, guesses);
  if (state.proposed >= 0 && state.proposed < std::ssize(proposal_)) {
    guesses.push_back(
        {proposal_[static_cast<std::size_t>(state.proposed)], GuessKind::kModel, state.proposed});
  }
  repository_.add_guesses(state.repository, guesses);
  common_.add_guesses(state.common, guesses);
  if (indentation_) indentation_->add_guesses(tail.tokens, guesses);
  if (const auto* successors = memory_.successors.after(tail.tokens.back())) {
    for (int i = 0; i < SuccessorTable::kKept; ++i) {
      if ((*successors)[i] >= 0) guesses.push_back({(*successors)[i], GuessKind::kRecycled, i});
    }
  }
  const auto add = [&](const SuffixAutomaton& text, SuffixAutomaton::Cursor cursor,
                       GuessKind kind) {
    found_.clear();
    text.find_next(cursor, kCopies, found_);
    for (const SuffixAutomaton::Next& next : found_) {
      if (next.token != DraftMemory::kBorder) guesses.push_back({next.token, kind, next.length});
    }
  };
  add(text_, state.text, GuessKind::kCopy);
  add(memory_.text.recent(), state.recent, GuessKind::kRemembered);
  add(memory_.text.old(), state.old, GuessKind::kRemembered);
  add(memory_.open.text(), state.open, GuessKind::kOpenFile);
}

void RedraftSource::add_unlikely_guesses(const GuessState& state, const Tail& tail,
                                         std::vector<Guess>& guesses) const {
  if (state.original.in_sync) original_.add_elsewhere(state.original, tail.output, guesses);
}

void RedraftSource::absorb(std::span<const TokenId> context) {
  const std::size_t known = prompt_size_ + output_.size();
  priced_.learn(context.subspan(known));
  if (model_) model_->learn(proposal_, context.subspan(known));
  proposal_.clear();
  for (const TokenId token : context.subspan(known)) {
    text_.append(token);
    output_.push_back(token);
    state_.original = original_.follow(state_.original, output_);
    state_ = follow_elsewhere(state_, token);
    is_new_.push_back(!state_.original.in_sync);
  }
  state_.text = text_.end();
}

}  // namespace redraft
