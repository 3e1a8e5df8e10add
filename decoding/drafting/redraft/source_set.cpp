// Why states are bytes
//
// A draft tries many branches, and at the end of each every source has to know that branch's
// position in its own text. If the sources stored that themselves, each would need a table of
// branches. So a branch carries one block of bytes, with the state of the original first and then
// that of every source that has one:
//
//   | OriginalState | copy source's State | remembered source's State | …
//
// A child's block is computed from its parent's block and one token. Many blocks are kept in one
// array, and an abandoned branch needs no clean-up. A source only sees its own State, by its type
// (SourceWith); sources without one, such as indentation, take no room.

#include "decoding/drafting/redraft/source_set.h"

#include <cassert>
#include <cstring>

namespace redraft {
namespace {

// The state of the original comes first.
OriginalState original_of(const std::byte* states) {
  OriginalState original;
  std::memcpy(&original, states, sizeof original);
  return original;
}

Branch branch_of(const std::byte* states, const Tail& tail) {
  return {tail.tokens, tail.output, original_of(states)};
}

}  // namespace

SourceSet::SourceSet(std::span<const SourceMaker> makers, const DecodeRequest& request,
                     SourceMemory& memory, const Tokenizer* tokenizer, const Proposals& proposals)
    : prompt_size_(request.prompt.size()),
      original_(request.original, tokenizer, request.replacements) {
  const SourceInputs inputs{request, tokenizer, original_, proposals, memory, kinds_};
  for (const SourceMaker make : makers) {
    std::unique_ptr<GuessSource> source = make(inputs);
    if (!source) continue;
    const std::size_t bytes = source->state_bytes();
    members_.push_back({std::move(source), state_bytes_});
    state_bytes_ += bytes;
  }
  for (const Member& member : members_) {
    if (member.source->state_bytes() > 0) stateful_.push_back(&member);
  }
}

Branch SourceSet::end_of(std::span<const TokenId> context) const {
  return {context, context.subspan(prompt_size_), at_end_};
}

void SourceSet::follow(std::span<const TokenId> context) {
  at_end_ = original_.follow(at_end_, context.subspan(prompt_size_));
  const Branch end = end_of(context);
  for (const Member& member : members_) member.source->follow(end);
}

void SourceSet::prepare(std::span<const TokenId> context) {
  const Branch end = end_of(context);
  for (const Member& member : members_) member.source->prepare(end);
}

void SourceSet::observe(const VerifiedDraft& pass) {
  for (const Member& member : members_) member.source->observe(pass);
}

SourceStates SourceSet::at_end() const {
  SourceStates states(state_bytes_);
  std::memcpy(states.data(), &at_end_, sizeof at_end_);
  for (const Member* member : stateful_) member->source->put_end(states.data() + member->offset);
  return states;
}

void SourceSet::advance(const std::byte* states, const Tail& tail, std::byte* next) const {
  const OriginalState original = original_.advance(original_of(states), tail.output);
  std::memcpy(next, &original, sizeof original);
  const Branch branch{tail.tokens, tail.output, original};
  for (const Member* member : stateful_)
    member->source->put_next(states + member->offset, branch, next + member->offset);
}

void SourceSet::add_guesses(const std::byte* states, const Tail& tail,
                            std::vector<Guess>& out) const {
  const Branch branch = branch_of(states, tail);
  for (const Member& member : members_) member.source->guess(states + member.offset, branch, out);
}

void SourceSet::add_unlikely_guesses(const std::byte* states, const Tail& tail,
                                     std::vector<Guess>& out) const {
  const Branch branch = branch_of(states, tail);
  if (!branch.original.in_sync) return;
  for (const Member& member : members_) member.source->add_unlikely_guesses(branch, out);
}

bool SourceSet::foresees(const std::byte* states, const Tail& tail) const {
  const Branch branch = branch_of(states, tail);
  for (const Member& member : members_) {
    if (!member.source->foresees(branch)) return false;
  }
  return true;
}

}  // namespace redraft
