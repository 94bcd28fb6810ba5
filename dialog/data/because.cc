#include "dialog/data/because.h"

#include <algorithm>

#include "dialog/text/tokenizer.h"
#include "dialog/text/word_bytes.h"

namespace heed {
namespace {

constexpr std::string_view kBecause = "because", kSpaces = " \t\r\n\v\f";
constexpr size_t kLeast = 3, kMost = 50;  // tokens

bool is_space(char c) {
  return kSpaces.find(c) != kSpaces.npos;
}

// A letter, a digit or "_"; every byte of a sign that is not ASCII counts as one.
bool is_word(char c) {
  return c == '_' || is_of_word(c);
}

// Whether this word stands at `at`, and no longer one.
bool stands(std::string_view text, std::string_view word, size_t at) {
  return text.substr(at, word.size()) == word && (at == 0 || !is_word(text[at - 1])) &&
         (at + word.size() == text.size() || !is_word(text[at + word.size()]));
}

size_t find_because(std::string_view text) {
  for (size_t at = text.find(kBecause); at != text.npos; at = text.find(kBecause, at + 1)) {
    const size_t behind = at + kBecause.size(), next = text.find_first_not_of(kSpaces, behind);
    const bool before_of = next != text.npos && next > behind && stands(text, "of", next);
    if (stands(text, kBecause, at) && !before_of) return at;
  }
  return text.npos;
}

bool ends_sentence(std::string_view text, size_t at) {
  return (text[at] == '.' || text[at] == '!' || text[at] == '?') && at + 1 < text.size() &&
         is_space(text[at + 1]);
}

bool has_size(std::string_view text) {
  const size_t tokens = tokenize(text).size();
  return tokens >= kLeast && tokens <= kMost;
}

// The turns [.., end), `before` of them at most, and an id.
Dialogue context_before(const Dialogue& dialogue, size_t end, size_t before, size_t turn) {
  const auto first = dialogue.turns.begin();
  Dialogue result{dialogue.id + "#" + std::to_string(turn + 1),
                  {first + static_cast<std::ptrdiff_t>(end - std::min(end, before)),
                   first + static_cast<std::ptrdiff_t>(end)}};
  return result;
}

}  // namespace

std::optional<Explanation> explanation_in(std::string_view text) {
  const std::string small = lower_case(text);
  const size_t at = find_because(small);
  if (at == small.npos) return std::nullopt;
  size_t begin = at, end = at + kBecause.size();
  while (begin > 0 && !ends_sentence(text, begin - 1)) --begin;
  while (end < text.size() && !ends_sentence(text, end)) ++end;
  const size_t behind = at + kBecause.size();
  const std::string_view what = text.substr(begin, at - begin),
                         why = text.substr(behind, end - behind);
  if (!has_size(what) || !has_size(why)) return std::nullopt;
  return Explanation{std::string(trimmed(what)), std::string(trimmed(why))};
}

std::vector<Dialogue> explanations(const std::vector<Dialogue>& dialogues, size_t before) {
  std::vector<Dialogue> result;
  for (const Dialogue& dialogue : dialogues) {
    for (size_t t = 0; t < dialogue.turns.size(); ++t) {
      const Turn& turn = dialogue.turns[t];
      const auto found = explanation_in(turn.text);
      if (!found) continue;
      result.push_back(context_before(dialogue, t, before, t));
      result.back().turns.push_back({turn.speaker, found->what});
      result.back().turns.push_back({turn.speaker, found->why});
    }
  }
  return result;
}

std::vector<Dialogue> answers_to_why(const std::vector<Dialogue>& dialogues, size_t before) {
  std::vector<Dialogue> result;
  for (const Dialogue& dialogue : dialogues) {
    for (size_t t = 1; t < dialogue.turns.size(); ++t) {
      const std::string question = lower_case(trimmed(dialogue.turns[t - 1].text));
      if (!stands(question, "why", 0)) continue;
      result.push_back(context_before(dialogue, t, before + 1, t));
      result.back().turns.push_back(dialogue.turns[t]);
    }
  }
  return result;
}

}  // namespace heed
