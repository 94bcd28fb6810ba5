#include "dialog/rewrite/example.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "dialog/data/fail_at.h"
#include "dialog/data/formats/corpora.h"
#include "dialog/data/formats/published.h"

namespace heed::rewrite {
namespace {

std::vector<Candidate> candidates_in(const Tokens& read, int32_t border, int max_span) {
  std::vector<Candidate> result;
  std::set<std::string> seen;
  for (int32_t end = border; end > 0; --end) {
    std::string text;
    for (int32_t begin = end; begin > 0 && end - begin < max_span; --begin) {
      const std::string& unit = read[begin - 1];
      if (unit.empty()) break;  // the end of the turn before
      text = unit + " " + text;
      if (seen.insert(text).second) result.push_back({begin - 1, end});
    }
  }
  return result;
}

// Throws for a last turn, or turns before it, that say nothing.
void check_words(const std::string& path, size_t dialogue, const std::vector<Turn>& turns) {
  const auto no_words = [](const Turn& turn) { return units(turn.text).empty(); };
  if (no_words(turns.back())) fail_at(path, dialogue, "the last turn has no words");
  if (turns.size() > 1 && std::all_of(turns.begin(), turns.end() - 1, no_words)) {
    fail_at(path, dialogue, "no turn before the last one has words");
  }
}

}  // namespace

std::optional<size_t> GapExample::answer(const Gap& gap) const {
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return std::equal(read.begin() + c.begin, read.begin() + c.end, gap.piece.begin(),
                      gap.piece.end());
  });
  if (found == candidates.end()) return {};
  return static_cast<size_t>(found - candidates.begin());
}

std::optional<GapExample> gap_example(const Dialogue& dialogue, const Bounds& bounds,
                                      const Vocabulary& vocabulary) {
  const Turn& last = dialogue.turns.back();
  const auto most = static_cast<size_t>(bounds.max_turn);
  GapExample e{.id = dialogue.id, .turn = units(last.text)};
  if (const auto& full = values_in(last.notes->labels, kRewritten); !full.empty()) {
    e.rewritten = units(full[0]);
    if (e.rewritten.empty() || e.rewritten.size() > most) return {};
  }
  if (e.turn.empty() || e.turn.size() > most) return {};
  if (!e.rewritten.empty()) e.gaps = align(e.turn, e.rewritten);
  for (size_t t = 0; t + 1 < dialogue.turns.size(); ++t) {
    for (std::string& unit : units(dialogue.turns[t].text)) e.read.push_back(std::move(unit));
    if (e.read.empty() || e.read.back().empty()) continue;
    e.read.emplace_back();
    e.distraction.push_back(dialogue.turns[t].distraction);
  }
  if (e.read.empty()) return {};
  const size_t cut = e.read.size() - std::min(e.read.size(), size_t(bounds.max_context));
  const auto begin = e.read.begin() + static_cast<ptrdiff_t>(cut);
  e.distraction.erase(e.distraction.begin(),
                      e.distraction.begin() + std::count(e.read.begin(), begin, ""));
  e.distraction.push_back(last.distraction);
  e.read.erase(e.read.begin(), begin);
  e.border = static_cast<int32_t>(e.read.size()) - 1;
  e.candidates = candidates_in(e.read, e.border, bounds.max_span);
  e.read.insert(e.read.end(), e.turn.begin(), e.turn.end());
  e.read.emplace_back();
  for (const std::string& unit : e.read) {
    e.ids.push_back(unit.empty() ? kEou : vocabulary.id_of_word(unit));
  }
  return e;
}

std::vector<GapExample> gap_examples(const std::string& path,
                                     const std::vector<Dialogue>& dialogues, const Bounds& bounds,
                                     const Vocabulary& vocabulary, bool labelled,
                                     size_t* left_out) {
  std::vector<GapExample> examples;
  for (size_t n = 0; n < dialogues.size(); ++n) {
    const Labels& labels = dialogues[n].turns.back().notes->labels;
    const auto rewritten = labels.find(kRewritten);
    if (rewritten != labels.end() && rewritten->second.size() != 1) {
      fail_at(path, n,
              "the label \"" + std::string(kRewritten) + "\" must have one text, got " +
                  std::to_string(rewritten->second.size()));
    }
    if (labelled && rewritten == labels.end()) {
      fail_at(path, n,
              "the last turn has no label \"" + std::string(kRewritten) +
                  "\"; heed prepare rewriting and heed prepare gaps write it");
    }
    if (rewritten != labels.end() && units(rewritten->second[0]).empty()) {
      fail_at(path, n, "the label \"" + std::string(kRewritten) + "\" has no words");
    }
    check_words(path, n, dialogues[n].turns);
    std::optional<GapExample> e = gap_example(dialogues[n], bounds, vocabulary);
    if (e) {
      examples.push_back(std::move(*e));
    } else if (left_out) {
      ++*left_out;
    }
  }
  if (examples.empty()) {
    throw DataError(path +
                    ": no dialogue with a turn before the last one, of which that has 1 to " +
                    std::to_string(bounds.max_turn) + " words or Chinese characters");
  }
  return examples;
}

TokenCounts count_units(const std::vector<Dialogue>& dialogues) {
  TokenCounts counts;
  for (const Dialogue& dialogue : dialogues) {
    for (const Turn& turn : dialogue.turns) {
      for (const std::string& unit : units(turn.text)) ++counts[unit];
    }
  }
  return counts;
}

}  // namespace heed::rewrite
