#include "dialog/respond/distracted_dialogues.h"

#include "dialog/text/tokenizer.h"

namespace heed {
namespace {

// Texts by their numbers. To see which one is inserted where, pool and phrases hold these numbers
// in place of words, and the dialogues' own words are all unknown.
class Texts {
 public:
  std::vector<int32_t> add(const std::string& text) {
    texts_.push_back(text);
    return {static_cast<int32_t>(kSpecialTokens + texts_.size() - 1)};
  }
  // Nothing for an utterance of the dialogue itself.
  const std::string* inserted(const std::vector<int32_t>& utterance) const {
    return utterance[0] < kSpecialTokens ? nullptr : &texts_[utterance[0] - kSpecialTokens];
  }

 private:
  std::vector<std::string> texts_;
};

// The utterances that make_pool() takes.
Pool pool_of(const std::vector<Dialogue>& dialogues, Texts& texts) {
  Pool pool;
  for (const Dialogue& d : dialogues) {
    for (const Turn& turn : d.turns) {
      if (!tokenize(turn.text).empty()) pool.push_back({d.id, texts.add(turn.text)});
    }
  }
  return pool;
}

Phrases phrases_of(const PhraseText& text, Texts& texts) {
  Phrases phrases;
  for (const std::string& phrase : text.frequent) phrases.frequent.push_back(texts.add(phrase));
  for (const std::string& phrase : text.rare) phrases.rare.push_back(texts.add(phrase));
  return phrases;
}

// The dialogue up to the response of the example, with what was inserted into the example.
Dialogue insert(const Dialogue& dialogue, size_t response, const Example& example,
                const Texts& texts) {
  const auto first = dialogue.turns.begin();
  Dialogue result{example.id, {first, first + example.cut.turns}, dialogue.notes};
  auto own = first + example.cut.turns;
  for (const auto& utterance : example.context) {
    const std::string* text = texts.inserted(utterance);
    result.turns.push_back(text ? Turn{"", *text, true} : *own++);
  }
  result.turns.push_back(dialogue.turns[response]);
  return result;
}

}  // namespace

std::vector<Dialogue> distracted_dialogues(const std::vector<Dialogue>& dialogues,
                                           const std::vector<Example>& examples,
                                           const ExampleOptions& bounds, const TestSet& set,
                                           const std::vector<Dialogue>& pool,
                                           const PhraseText& phrases, uint64_t seed) {
  Texts texts;
  const Pool numbered = pool_of(pool, texts);
  const auto inserted = distracted(examples, set, numbered, phrases_of(phrases, texts), seed);
  std::vector<Dialogue> result;
  for (const Dialogue& d : dialogues) {
    for (size_t i : responses_of(d, bounds))
      result.push_back(insert(d, i, inserted[result.size()], texts));
  }
  return result;
}

}  // namespace heed
