#include "dialog/data/example.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/text/tokenizer.h"

namespace heed {
namespace {

void check_options(const ExampleOptions& options) {
  const auto check = [](bool ok, const char* rule, int value) {
    if (!ok) throw UsageError(std::string(rule) + ", got " + std::to_string(value));
  };
  check(options.min_turns >= 2, "min-turns: the turns of a dialogue must be at least 2",
        options.min_turns);
  const int least = options.min_turns == 2 ? 1 : 2;
  check(options.max_turns == 0 || options.max_turns >= least,
        least == 1 ? "max-turns: the turns to keep must be 0 (all) or more"
                   : "max-turns: the turns to keep must be 0 (all) or at least 2, or 1 with "
                     "--min-turns 2",
        options.max_turns);
  check(options.max_utterance_tokens >= 0,
        "max-utterance: the tokens of an utterance must be 0 (all) or more",
        options.max_utterance_tokens);
  check(options.max_response_tokens >= 0,
        "max-response: the tokens of a response must be 0 (all) or more",
        options.max_response_tokens);
  check(options.max_context_tokens == 0 || options.max_context_tokens >= 2,
        "max-context: the tokens of a context must be 0 (all) or at least 2, a word and its <eou>",
        options.max_context_tokens);
}

constexpr const char* kNoWord = "<unk>";  // no word of the tokenizer

int64_t count_unknown(const std::vector<int32_t>& tokens) {
  return std::count(tokens.begin(), tokens.end(), kUnk);
}

// A text's words in numbers, all of them.
Utterance encoded(const std::vector<std::string_view>& words, const Vocabulary& vocabulary) {
  Utterance utterance(vocabulary.encode(words));
  if (count_unknown(utterance.tokens) == 0) return utterance;
  for (const std::string_view word : words) {
    if (!vocabulary.knows(word)) utterance.unknown.emplace_back(word);
  }
  return utterance;
}

// Its first `count` words (0: all).
Utterance first(Utterance said, int count, const Vocabulary& vocabulary) {
  if (count > 0) said.tokens.resize(vocabulary.end_of_word(said.tokens, count));
  said.unknown.resize(static_cast<size_t>(count_unknown(said.tokens)));
  return said;
}

// The same, or the one <unk>.
Utterance cut(const Utterance& whole, int max_tokens, const Vocabulary& vocabulary) {
  if (whole.tokens.empty()) return Utterance(std::vector<int32_t>{kUnk}, {kNoWord});
  return first(whole, max_tokens, vocabulary);
}

// The words of tokens, of which the first unknown one is e.unknown[at]; moves `at` behind them.
// What is <unk> and no word, as in an example made of numbers, stays so.
std::vector<std::string> words_of(const std::vector<int32_t>& tokens, const Vocabulary& vocabulary,
                                  const Example& e, size_t& at) {
  std::vector<std::string> words = vocabulary.words(tokens);
  if (count_unknown(tokens) == 0) return words;
  for (std::string& word : words) {
    if (word == vocabulary.token(kUnk) && at < e.unknown.size()) word = e.unknown[at++];
  }
  return words;
}

// The first turn of a context of the query and most - 1 utterances of the dialogue itself (0: all),
// with the distractions among and directly before them.
size_t first_turn(const Dialogue& dialogue, size_t response, size_t most) {
  size_t first = response, own = 0;
  while (first > 0) {
    const bool counts = first == response || !dialogue.turns[first - 1].distraction;
    if (counts && most > 0 && own == most) break;
    own += counts;
    --first;
  }
  return first;
}

bool is_longer(const std::vector<int32_t>& tokens, int bound, const Vocabulary& vocabulary) {
  return bound > 0 && vocabulary.end_of_word(tokens, bound) < tokens.size();
}

// Words, each utterance with its <eou>.
int64_t count_words(const std::vector<std::vector<int32_t>>& context,
                    const Vocabulary& vocabulary) {
  int64_t count = 0;
  for (const auto& utterance : context) count += vocabulary.count_words(utterance) + 1;
  return count;
}

// Of the first `most` words (0: all).
Example::Characters characters_of(const std::vector<std::string_view>& words, int most,
                                  const Vocabulary& vocabulary) {
  if (words.empty()) return {1, 0};
  Example::Characters characters;
  for (size_t i = 0; i < words.size() && (most == 0 || i < static_cast<size_t>(most)); ++i) {
    const int64_t size = count_code_points(words[i]) + 1;
    characters.all += size;
    if (!vocabulary.knows(words[i])) characters.unknown += size;
  }
  return characters;
}

// A turn in the numbers of a vocabulary, and its characters if it can be a response.
struct EncodedTurn {
  Utterance said;
  Example::Characters characters;
};

// turns[0 .. response-1] are the context, turns[response] is the response.
Example make_example(const Dialogue& dialogue, const std::vector<EncodedTurn>& turns,
                     size_t response, const ExampleOptions& options, const Vocabulary& vocabulary) {
  Example example;
  example.id = dialogue.id;
  if (options.all_positions) example.id += "#" + std::to_string(response + 1);
  example.dialogue_id = dialogue.id;
  size_t begin = first_turn(dialogue, response, static_cast<size_t>(options.max_turns));
  for (size_t i = begin; i < response; ++i) {
    Utterance read = cut(turns[i].said, options.max_utterance_tokens, vocabulary);
    example.context.push_back(std::move(read.tokens));
    example.unknown.insert(example.unknown.end(), read.unknown.begin(), read.unknown.end());
  }
  const int64_t words = count_words(example.context, vocabulary);
  begin += keep_last_words(example.context, options.max_context_tokens, vocabulary);
  int64_t unknown = 0;  // of the words that are left, which are the last ones
  for (const auto& utterance : example.context) unknown += count_unknown(utterance);
  example.unknown.erase(example.unknown.begin(), example.unknown.end() - unknown);
  example.cut.context = count_words(example.context, vocabulary) < words;
  example.cut.turns = static_cast<int>(begin);
  for (size_t i = 0; i < begin; ++i) example.cut.distractions += dialogue.turns[i].distraction;
  for (size_t i = begin; i < response; ++i) {
    example.distraction.push_back(dialogue.turns[i].distraction);
    example.cut.utterances +=
        is_longer(turns[i].said.tokens, options.max_utterance_tokens, vocabulary);
  }
  Utterance said = first(turns[response].said, options.max_response_tokens, vocabulary);
  example.cut.response = said.tokens.size() < turns[response].said.tokens.size();
  example.response = std::move(said.tokens);
  example.unknown.insert(example.unknown.end(), said.unknown.begin(), said.unknown.end());
  example.response_is_distraction = dialogue.turns[response].distraction;
  example.characters = turns[response].characters;
  for (const Condition& condition : options.conditions) {
    example.conditions.push_back(condition.numbers(dialogue, dialogue.turns[response]));
  }
  return example;
}

}  // namespace

TokenCounts count_tokens(const std::vector<Dialogue>& dialogues) {
  TokenCounts counts;
  counts.reserve(1 << 17);  // a corpus of 50,000 dialogues has 80,000 different tokens
  Tokenizer tokenizer;
  for (const Dialogue& dialogue : dialogues) {
    for (const Turn& turn : dialogue.turns) {
      for (std::string_view token : tokenizer(turn.text)) {
        const auto found = counts.find(token);
        if (found != counts.end()) {
          ++found->second;
        } else {
          counts.emplace(token, 1);
        }
      }
    }
  }
  return counts;
}

Utterance read_utterance(const std::string& text, const Vocabulary& vocabulary, int max_tokens) {
  Tokenizer tokenizer;
  return cut(encoded(tokenizer(text), vocabulary), max_tokens, vocabulary);
}

bool is_wordless(const Utterance& utterance) {
  return utterance.unknown.size() == 1 && utterance.unknown[0] == kNoWord;
}

std::vector<std::vector<std::string>> context_words(const Example& example,
                                                    const Vocabulary& vocabulary) {
  std::vector<std::vector<std::string>> words;
  size_t at = 0;
  for (const auto& utterance : example.context) {
    words.push_back(words_of(utterance, vocabulary, example, at));
  }
  return words;
}

std::vector<std::string> response_words(const Example& example, const Vocabulary& vocabulary) {
  size_t at = example.unknown.size();
  at -= std::min(at, static_cast<size_t>(count_unknown(example.response)));
  return words_of(example.response, vocabulary, example, at);
}

void insert_utterance(Example& example, size_t place, const Utterance& utterance) {
  check_internal(place < example.context.size(), "a distraction may not follow the query");
  int64_t before = 0;
  for (size_t k = 0; k < place; ++k) before += count_unknown(example.context[k]);
  before = std::min(before, std::ssize(example.unknown));
  const auto at = static_cast<ptrdiff_t>(place);
  example.context.insert(example.context.begin() + at, utterance.tokens);
  example.distraction.insert(example.distraction.begin() + at, 1);
  example.unknown.insert(example.unknown.begin() + before, utterance.unknown.begin(),
                         utterance.unknown.end());
}

size_t keep_last_words(std::vector<std::vector<int32_t>>& context, int most,
                       const Vocabulary& vocabulary) {
  if (most == 0) return 0;
  size_t room = static_cast<size_t>(most), begin = context.size();
  while (begin > 0 && room >= 2) {  // of a word and its <eou>
    --begin;
    std::vector<int32_t>& utterance = context[begin];
    const auto words = static_cast<size_t>(vocabulary.count_words(utterance));
    const size_t kept = std::min(words, room - 1);
    const size_t gone = vocabulary.end_of_word(utterance, static_cast<int64_t>(words - kept));
    utterance.erase(utterance.begin(), utterance.begin() + static_cast<ptrdiff_t>(gone));
    room -= kept + 1;
  }
  context.erase(context.begin(), context.begin() + static_cast<ptrdiff_t>(begin));
  return begin;
}

std::string no_example(const ExampleOptions& options) {
  const std::string none =
      options.min_turns == kMinTurns
          ? "no dialogue with two utterances of context and a response"
          : "no dialogue with " + std::to_string(options.min_turns) + " turns or more";
  return options.speaker.empty() ? none : none + " of the speaker '" + options.speaker + "'";
}

std::vector<size_t> responses_of(const Dialogue& dialogue, const ExampleOptions& options) {
  std::vector<size_t> responses;
  const size_t count = dialogue.turns.size();
  for (size_t i = static_cast<size_t>(options.min_turns) - 1; i < count; ++i) {
    const Turn& turn = dialogue.turns[i];
    if (!options.speaker.empty() && turn.speaker != options.speaker) continue;
    if (turn.distraction && i + 1 < count) continue;  // nobody's response
    responses.push_back(i);
  }
  if (!options.all_positions && !responses.empty()) responses = {responses.back()};
  return responses;
}

std::vector<Example> make_examples(const std::vector<Dialogue>& dialogues,
                                   const Vocabulary& vocabulary, const ExampleOptions& options,
                                   int64_t* left_out) {
  std::vector<Example> examples;
  const int64_t others = for_each_example(dialogues, vocabulary, options, [&](Example example) {
    examples.push_back(std::move(example));
  });
  if (left_out) *left_out = others;
  return examples;
}

int64_t for_each_example(const std::vector<Dialogue>& dialogues, const Vocabulary& vocabulary,
                         const ExampleOptions& options, const std::function<void(Example)>& take) {
  check_options(options);
  int64_t left_out = 0;
  Tokenizer tokenizer;
  for (const Dialogue& dialogue : dialogues) {
    const std::vector<size_t> responses = responses_of(dialogue, options);
    if (responses.empty()) {
      ++left_out;
      continue;
    }
    std::vector<EncodedTurn> turns;
    for (const Turn& turn : dialogue.turns) {
      const std::vector<std::string_view>& words = tokenizer(turn.text);
      turns.push_back({encoded(words, vocabulary), {}});
      if (turns.size() <= responses[0]) continue;
      turns.back().characters = characters_of(words, options.max_response_tokens, vocabulary);
    }
    for (size_t i : responses) take(make_example(dialogue, turns, i, options, vocabulary));
  }
  return left_out;
}

}  // namespace heed
