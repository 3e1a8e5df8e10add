#include "remote/verify_rounds.h"

#include <algorithm>
#include <utility>

#include "decoding/model_failure.h"
#include "remote/event_stream.h"

namespace redraft {
namespace {

constexpr std::size_t kMinOriginal = 256;  // bytes; a shorter one is streamed without a request
constexpr int kBytesPerToken = 4;          // of code
constexpr int kMinTokens = 16;             // of an original, or of its rest
constexpr int kSureMatch = 6;  // tokens that identify an answer's position in the original
constexpr int kMaxMisses = 2;

Error broke_off(const std::string& why) {
  return Error("the server broke off its answer" + (why.empty() ? "" : ": " + why));
}

bool tells_of_no_route(int status) {
  return status == 400 || status == 404 || status == 405 || status == 422 || status == 501;
}

}  // namespace

bool VerifyRounds::fits(const RemoteModelInfo& model, const RemotePrompt& prompt,
                        const std::string& original, const RoundsMemory& memory) {
  return model.verifies && !memory.is_refused && !prompt.messages.empty() &&
         original.size() >= kMinOriginal &&
         memory.price.is_worth_asking(static_cast<int>(original.size()) / kBytesPerToken);
}

VerifyRounds::VerifyRounds(const Server& server, RemoteAnswer& answer, int max_tokens,
                           const std::stop_token& stop)
    : server_(server), answer_(answer), max_tokens_(max_tokens), stop_(stop) {}

Result<std::optional<FinishReason>> VerifyRounds::write(const RemotePrompt& prompt,
                                                        const std::string& original) {
  const Result<bool> is_ready = prepare(prompt, original);
  if (!is_ready) return is_ready.error();
  is_refused_ = !*is_ready;
  while (!is_refused_ && !is_cancelled()) {
    if (left() <= 0) return End(FinishReason::kLength);
    const Result<End> end = is_in_sync_ && !has_given_up_ ? round() : stream();
    if (!end) return end.error();
    if (*end) return *end;
  }
  return is_cancelled() ? End(FinishReason::kCancelled) : End();
}

Result<std::optional<std::string>> VerifyRounds::fetch(const ExchangeRequest& request) {
  while (true) {
    std::string body;
    const auto take = [&](std::string_view bytes) {
      body += bytes;
      return body.size() <= kMaxGenerateBody;
    };
    const Result<ExchangeEnd> end = server_.exchange.run(request, take, stop_);
    if (is_cancelled()) return std::optional<std::string>();
    if (!end) return no_connection(end.error());
    if (end->status / 100 == 2) {
      server_.patience.answered();
      if (body.size() > kMaxGenerateBody) return std::optional<std::string>();
      return std::optional(std::move(body));
    }
    if (server_.patience.wait_after(*end, stop_) && !is_cancelled()) continue;
    // It has no such route, or does not support these arguments.
    if (is_cold_ && tells_of_no_route(end->status)) server_.memory.is_refused = true;
    return std::optional<std::string>();
  }
}

Error VerifyRounds::no_connection(const Error& reason) const {
  if (answer_.has_begun()) return broke_off(reason.message());
  throw ModelFailure(reason.message());
}

Result<bool> VerifyRounds::prepare(const RemotePrompt& prompt, const std::string& original) {
  server_.memory.price.forget_visits();
  const Result<std::optional<std::string>> body = fetch(chat_tokens_request(server_.model, prompt));
  if (!body) return body.error();
  if (!*body) return false;
  Result<std::vector<TokenId>> tokens = read_tokens(**body);
  if (!tokens || tokens->empty()) return false;
  written_ = std::move(*tokens);
  prompt_size_ = written_.size();
  const Result<bool> is_read = read_original(original);
  if (!is_read || !*is_read) return is_read;
  for (const TokenId token : original_.tokens()) places_.append(token);
  is_in_sync_ = server_.memory.price.pays(original_size(), 0, false);
  return left() > 0;
}

Result<bool> VerifyRounds::read_original(const std::string& original) {
  const Result<std::optional<std::string>> body =
      fetch(text_tokens_request(server_.model, original));
  if (!body) return body.error();
  if (!*body) return false;
  Result<std::vector<TokenId>> tokens = read_tokens(**body);
  if (!tokens) return false;
  std::optional<Error> broken;
  const auto spell =
      [&](const std::vector<ServerText::Group>& groups) -> Result<std::vector<std::string>> {
    const Result<std::optional<std::string>> texts = fetch(texts_request(server_.model, groups));
    if (!texts) broken = texts.error();
    if (!texts || !*texts) return Error("refused");
    return read_texts(**texts, groups.size());
  };
  Result<std::optional<ServerText>> text = ServerText::make(original, std::move(*tokens), spell);
  if (broken) return *broken;
  if (!text || !*text || (*text)->tokens().size() < kMinTokens) return false;
  original_ = std::move(**text);
  return true;
}

int VerifyRounds::left() const {
  const int context = server_.model.context_length.value_or(kUsualContext);
  return std::min(max_tokens_ - static_cast<int>(written_.size() - prompt_size_),
                  context - static_cast<int>(written_.size()) - 1);
}

void VerifyRounds::begin(int cached_tokens) {
  if (answer_.has_begun()) return;
  const int size = static_cast<int>(prompt_size_);
  DecodeStatistics& statistics = answer_.statistics();
  statistics.prompt_tokens = size;
  answer_.begin();
  statistics.cached_prompt_tokens = std::min(cached_tokens, size - 1);
  statistics.prefilled_tokens = size - 1 - statistics.cached_prompt_tokens;
}

Result<VerifyRounds::End> VerifyRounds::round() {
  const int drafted = std::min({draft_size_, original_size() - place_, left()});
  const std::span<const TokenId> draft =
      std::span(original_.tokens())
          .subspan(static_cast<std::size_t>(place_), static_cast<std::size_t>(drafted));
  const double asked = server_.seconds();
  const Result<std::optional<std::string>> body = fetch(round_request(written_, draft));
  if (!body) return body.error();
  if (is_cancelled()) return End(FinishReason::kCancelled);
  const Result<Round> round =
      *body ? read_round(**body, written_, draft) : Result<Round>(Error("refused"));
  if (!round) {
    has_given_up_ = true;
    return End();
  }
  if (!std::exchange(is_cold_, false)) server_.memory.price.saw_round(server_.seconds() - asked);
  begin(round->cached_tokens);
  const Result<End> end = take_round(*round, drafted);
  if (end) answer_.report_progress();
  return end;
}

// This rule decides what is written: a draft token is the server's own output if it is the
// likeliest at its position and all tokens before it are.
Result<VerifyRounds::End> VerifyRounds::take_round(const Round& round, int drafted) {
  const auto draft = original_.tokens().begin() + place_;
  const auto differs = std::ranges::mismatch(round.likeliest, std::span(draft, draft + drafted));
  const int right = static_cast<int>(differs.in1 - round.likeliest.begin());
  const int accepted = original_.whole(place_, right);
  constexpr auto kReuse = static_cast<std::size_t>(DraftOrigin::kReuse);
  DecodeStatistics& statistics = answer_.statistics();
  ++statistics.passes;
  ++statistics.forwards;
  ++statistics.drafted_passes;
  statistics.rows += drafted + 1;
  statistics.drafted_pass_tokens += accepted;
  ++statistics.passes_by_origin[kReuse];
  statistics.drafted_by_origin[kReuse] += drafted;
  statistics.accepted_by_origin[kReuse] += accepted;
  visit_ += accepted;
  misses_ = accepted > 0 ? 0 : misses_ + 1;
  has_given_up_ = misses_ >= kMaxMisses;
  const Result<End> end = emit_original(accepted, DraftOrigin::kReuse);
  if (!end || *end) return end;
  draft_size_ = RoundPrice::longer(drafted);
  is_in_sync_ = accepted == drafted && place_ < original_size();
  if (accepted == drafted && !round.next) return End(FinishReason::kStop);
  // The token after the draft is known as well. If it is the original's, its text is known too.
  if (is_in_sync_ && left() > 0) {
    is_in_sync_ = round.next == original_.tokens()[static_cast<std::size_t>(place_)];
    if (is_in_sync_ && original_.whole(place_, 1) == 1) {
      ++statistics.bonus_tokens;
      const Result<End> bonus = emit_original(1, std::nullopt);
      if (!bonus || *bonus) return bonus;
      is_in_sync_ = place_ < original_size();
    }
  }
  RoundPrice& price = server_.memory.price;
  if (!is_in_sync_) price.saw_visit(visit_);
  is_in_sync_ = is_in_sync_ && price.pays(original_size() - place_, visit_, false);
  if (!is_in_sync_) visit_ = run_ = 0;
  return End();
}

Result<VerifyRounds::End> VerifyRounds::emit_original(int count,
                                                      std::optional<DraftOrigin> origin) {
  const auto begin = original_.tokens().begin() + place_;
  written_.insert(written_.end(), begin, begin + count);
  answer_.statistics().new_tokens += count;
  const std::string text(original_.bytes(place_, count));
  place_ += count;
  if (answer_.emit(text, origin)) return End();
  if (answer_.problem()) return *answer_.problem();
  return End(FinishReason::kSink);
}

// Whether the answer, whose last `new_tokens` are new, follows the original again with enough
// certainty that rounds pay off.
bool VerifyRounds::rejoins(int new_tokens) {
  if (has_given_up_) return false;
  const std::span<const TokenId> answer = std::span(written_).subspan(prompt_size_);
  const std::vector<SuffixIndex::Match> found = places_.find_near(answer, place_, 1);
  const int needed = kSureMatch << misses_;  // more after a wrong guess
  if (found.empty() || found[0].length < std::min(needed, SuffixIndex::kLongestMatch)) {
    run_ = 0;
    return false;
  }
  const int next = found[0].next;
  const bool goes_on = run_ > 0 && next == place_ + new_tokens;
  run_ = goes_on ? run_ + new_tokens : found[0].length;
  place_ = next;
  const int rest = original_size() - next;
  if (rest < kMinTokens || !server_.memory.price.pays(rest, run_, true)) return false;
  // The text may lag behind the tokens within a character.
  const int known = found[0].length;
  if (!original_.is_border(next) || !original_.is_border(next - known)) return false;
  return answer_.text().ends_with(original_.bytes(next - known, known));
}

// Processes the stream from here on.
class VerifyRounds::Stream {
 public:
  explicit Stream(VerifyRounds& rounds) : rounds_(rounds), asked_(rounds.server_.seconds()) {}

  bool add(std::string_view bytes) {
    const Result<void> read =
        events_.add(bytes, [this](std::string_view event) { return on_event(event); });
    is_faulty_ = is_faulty_ || !read;
    return !is_faulty_ && !is_over_;
  }

  bool has_begun() const { return tokens_ > 0; }
  bool is_faulty() const { return is_faulty_; }
  bool has_rejoined() const { return has_rejoined_; }
  End end() const { return end_; }

 private:
  bool on_event(std::string_view event) {
    const Result<GeneratedPiece> piece = reader_.read(event);
    const int count = piece ? static_cast<int>(piece->tokens.size()) : 0;
    is_faulty_ = !piece || (piece->cut && tokens_ + count == 0);
    is_over_ = is_faulty_ || !take(*piece, count);
    return !is_over_;
  }

  // Returns false after the last piece.
  bool take(const GeneratedPiece& piece, int count) {
    if (count > rounds_.left()) return end_with(FinishReason::kLength);
    note_time(count);
    rounds_.begin(piece.cached_tokens);
    rounds_.written_.insert(rounds_.written_.end(), piece.tokens.begin(), piece.tokens.end());
    DecodeStatistics& statistics = rounds_.answer_.statistics();
    ++statistics.passes;
    ++statistics.forwards;
    ++statistics.rows;
    statistics.new_tokens += count;
    statistics.bonus_tokens += count;
    if (!rounds_.answer_.emit(piece.text)) return end_with(FinishReason::kSink);
    rounds_.answer_.report_progress();
    if (piece.ended) return end_with(FinishReason::kStop);
    if (piece.cut) return end_with(FinishReason::kLength);
    has_rejoined_ = count > 0 && rounds_.rejoins(count);
    return !has_rejoined_;
  }

  void note_time(int count) {
    const double now = rounds_.server_.seconds();
    RoundPrice& price = rounds_.server_.memory.price;
    if (has_begun()) {
      price.saw_tokens(now - last_, count);
    } else if (!std::exchange(rounds_.is_cold_, false)) {
      price.saw_start(now - asked_);
    }
    last_ = now;
    tokens_ += count;
  }

  bool end_with(FinishReason reason) {
    end_ = reason;
    return false;
  }

  VerifyRounds& rounds_;
  EventStream events_;
  GeneratedStream reader_;
  double asked_, last_ = 0;
  int tokens_ = 0;
  bool is_faulty_ = false, is_over_ = false, has_rejoined_ = false;
  End end_;
};

Result<VerifyRounds::End> VerifyRounds::stream() {
  while (true) {
    Stream stream(*this);
    const auto take = [&](std::string_view bytes) { return stream.add(bytes); };
    const Result<ExchangeEnd> end =
        server_.exchange.run(generate_request(written_, left()), take, stop_);
    if (answer_.problem()) return *answer_.problem();
    if (stream.end()) return stream.end();
    if (is_cancelled()) return End(FinishReason::kCancelled);
    if (stream.has_rejoined()) {
      is_in_sync_ = true;
      draft_size_ = RoundPrice::first_draft(run_);
      return End();
    }
    if (!stream.is_faulty() && !end) return no_connection(end.error());
    const bool is_answered = end && end->status / 100 == 2;
    if (!stream.is_faulty() && is_answered && stream.has_begun()) return broke_off("");
    if (!stream.is_faulty() && !is_answered && server_.patience.wait_after(*end, stop_)) continue;
    is_refused_ = true;
    // A server that is busy now may support the routes later.
    const bool lacks_it = stream.is_faulty() || is_answered || tells_of_no_route(end->status);
    if (lacks_it && !answer_.has_begun()) server_.memory.is_refused = true;
    return End();
  }
}

}  // namespace redraft
