#include "dialog/discriminate/passage.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "dialog/data/split.h"

namespace heed::discriminate {
namespace {

// The dialogue's turns in numbers; those that no passage may hold are empty.
std::vector<TokenIds> fitting_turns(const Dialogue& dialogue, const Vocabulary& vocabulary,
                                    const PassageOptions& options) {
  std::vector<TokenIds> turns;
  for (const Turn& turn : dialogue.turns) {
    TokenIds tokens = encode_utterance(turn.text, vocabulary);
    const auto size = static_cast<int>(std::min<size_t>(tokens.size(), INT32_MAX));
    const bool fits = !turn.distraction && size >= options.min_tokens && size <= options.max_tokens;
    turns.push_back(fits ? std::move(tokens) : TokenIds{});
  }
  return turns;
}

void check_ids(const std::vector<Dialogue>& dialogues) {
  std::set<std::string_view> seen;
  for (const Dialogue& dialogue : dialogues) {
    if (seen.insert(dialogue.id).second) continue;
    throw DataError("passages: two dialogues have the id \"" + dialogue.id +
                    "\"; what stands in place of a response is drawn by it");
  }
}

}  // namespace

void PassageOptions::check() const {
  if (context < 1 || context > 2) {
    throw UsageError("passages: expected a context of 1 or 2 utterances, got " +
                     std::to_string(context));
  }
  if (min_tokens < 1 || max_tokens < min_tokens) {
    throw UsageError("passages: expected 1 <= fewest tokens <= most tokens, got " +
                     std::to_string(min_tokens) + " and " + std::to_string(max_tokens));
  }
}

int64_t add_passages(std::vector<Passage>& passages, const std::vector<Dialogue>& dialogues,
                     const Vocabulary& vocabulary, const PassageOptions& options, int corpus) {
  options.check();
  check_ids(dialogues);
  int first = 0;
  for (const Passage& p : passages) first = std::max(first, p.conversation + 1);
  const std::vector<size_t> groups = group_dialogues(dialogues, SplitBy::kConversation);
  const auto before = static_cast<size_t>(options.context);
  int64_t other_length = 0;
  for (size_t d = 0; d < dialogues.size(); ++d) {
    const std::vector<TokenIds> turns = fitting_turns(dialogues[d], vocabulary, options);
    for (size_t end = before; end < turns.size(); ++end) {
      const auto begin = turns.begin() + static_cast<ptrdiff_t>(end - before);
      const auto response = turns.begin() + static_cast<ptrdiff_t>(end);
      if (std::any_of(begin, response + 1, [](const TokenIds& turn) { return turn.empty(); })) {
        ++other_length;
        continue;
      }
      passages.push_back({.id = dialogues[d].id + "#" + std::to_string(end + 1),
                          .dialogue_id = end + 1 == turns.size() ? dialogues[d].id : "",
                          .corpus = corpus,
                          .conversation = first + static_cast<int>(groups[d]),
                          .context = {begin, response},
                          .response = *response});
    }
  }
  return other_length;
}

Example sequence_of(const Passage& passage, Reads reads) {
  Example example;
  example.id = passage.id;
  if (reads != Reads::kResponse) example.context = passage.context;
  if (reads != Reads::kContext) {
    TokenIds& response = example.context.emplace_back(TokenIds{kSos});
    response.insert(response.end(), passage.response.begin(), passage.response.end());
  }
  example.distraction.assign(example.context.size(), 0);
  return example;
}

}  // namespace heed::discriminate
