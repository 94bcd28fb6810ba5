#include "dialog/data/formats/english_gaps.h"

#include <algorithm>

#include "dialog/data/formats/corpora.h"
#include "dialog/data/gaps.h"
#include "tensor/random.h"

namespace heed::rewrite {
namespace {

// "there", "then" or "it", by the name of a slot: "inform pickup_city", "hotels_2-check_in_date".
std::string pronoun_for(const std::string& slot) {
  const auto has = [&](std::initializer_list<const char*> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const char* part) { return slot.find(part) != slot.npos; });
  };
  if (has({"city", "location", "address", "destination", "origin", "area", "where"})) {
    return "there";
  }
  return has({"date", "time", "day"}) ? "then" : "it";
}

// A value that stands in a turn, from the unit `at` on.
struct Found {
  size_t at = 0, size = 0;
  std::string pronoun = {};  // none of a number
};

bool holds(const Tokens& text, const Tokens& value) {
  return std::search(text.begin(), text.end(), value.begin(), value.end()) != text.end();
}

// The longest value of the turn's labels that stands in it and in a turn before; size 0: none.
Found find_value(const Labels& labels, const Tokens& turn, const std::vector<Tokens>& before) {
  Found found;
  for (const char* label : {"act", "state"}) {
    const auto values = labels.find(label);
    if (values == labels.end()) continue;
    for (const std::string& text : values->second) {
      NameAndValue slot = split_value(text);
      std::replace(slot.value.begin(), slot.value.end(), '_', ' ');
      const Tokens value = units(slot.value);
      const bool said = slot.value != "true" && slot.value != "false" && slot.value != "?";
      if (!said || value.size() <= found.size) continue;
      const auto at = std::search(turn.begin(), turn.end(), value.begin(), value.end());
      const bool stood = std::any_of(before.begin(), before.end(),
                                     [&](const Tokens& text) { return holds(text, value); });
      if (at == turn.end() || !stood) continue;
      const bool number = std::all_of(slot.value.begin(), slot.value.end(),
                                      [](unsigned char c) { return c >= '0' && c <= '9'; });
      found = {static_cast<size_t>(at - turn.begin()), value.size(),
               number ? "" : pronoun_for(slot.name)};
    }
  }
  return found;
}

}  // namespace

Published with_gaps(const std::vector<Dialogue>& dialogues, uint64_t seed) {
  Published made;
  for (size_t d = 0; d < dialogues.size(); ++d) {
    const std::vector<Turn>& turns = dialogues[d].turns;
    Rng rng(seed, "rewrite.english", d);
    const size_t first = made.dialogues.size();
    const auto add = [&](size_t turn, const Tokens& short_form, const Tokens& rewritten) {
      Dialogue& dialogue = made.dialogues.emplace_back();
      dialogue.id = dialogues[d].id + "#" + std::to_string(turn + 1);
      for (size_t t = turn - std::min(turn, kTurnsBefore); t < turn; ++t) {
        dialogue.turns.push_back({turns[t].speaker, turns[t].text});
      }
      dialogue.turns.push_back({turns[turn].speaker, joined(short_form)});
      dialogue.turns.back().notes.edit().labels[kRewritten] = {joined(rewritten)};
    };
    std::vector<Tokens> texts;
    std::vector<size_t> others;  // turns without such a value
    for (size_t t = 0; t < turns.size(); ++t) {
      const Tokens turn = texts.emplace_back(units(turns[t].text));
      if (t == 0 || turns[t].speaker != "user" || turn.empty()) continue;
      const auto begin = texts.end() - 1 - static_cast<ptrdiff_t>(std::min(t, kTurnsBefore));
      const Found value = find_value(turns[t].notes->labels, turn, {begin, texts.end() - 1});
      if (value.size == 0) {
        others.push_back(t);
        continue;
      }
      Gap gap{static_cast<int32_t>(value.at), static_cast<int32_t>(value.at + value.size)};
      const bool pronoun = rng.below(2) == 0 || value.size == turn.size();
      if (pronoun && !value.pronoun.empty()) gap.piece = {value.pronoun};
      if (const Tokens short_form = filled(turn, {gap}); !short_form.empty()) {
        add(t, short_form, turn);
      }
    }
    if (made.dialogues.size() == first) {
      ++made.left_out["dialogues without a value that stood before"];
    } else if (!others.empty()) {
      const size_t t = others[rng.below(others.size())];
      add(t, texts[t], texts[t]);
    }
  }
  return made;
}

}  // namespace heed::rewrite
