#include "dialog/data/conversations.h"
#include "heed/command.h"
#include "heed/progress.h"
#include "heed/rank.h"

namespace heed {

using retrieve::Lists;
using retrieve::ScoredList;

RankedPart::RankedPart(const std::string& path, std::vector<Dialogue> dialogues,
                       const ExampleOptions& options, bool whole_context)
    : path(path),
      dialogues(std::move(dialogues)),
      pairs(retrieve::make_pairs(this->dialogues, options, whole_context)) {
  if (pairs.empty()) {
    const bool usual = options.min_turns == kMinTurns;
    throw DataError(path + ": " + no_example(options) +
                    (usual ? "; --min-turns 2 takes dialogues of two turns, too" : ""));
  }
}

Json RankedPart::to_json() const {
  return {{"path", path},
          {"fingerprint", fingerprint(dialogues)},
          {"dialogues", dialogues.size()},
          {"responses", pairs.size()}};
}

static retrieve::ListKind kind_of(const std::string& name, uint64_t seed) {
  retrieve::ListKind kind = retrieve::parse_list_kind(name);
  kind.seed = seed;
  return kind;
}

RankedLists::RankedLists(const RankedPart& part, const std::string& kind, uint64_t seed)
    : kind(kind),
      lists(part.path, part.dialogues, part.pairs, kind_of(kind, seed)),
      duplicates(find_duplicates(lists)) {}

void RankedLists::say(const std::string& path) const {
  const retrieve::Duplicates& d = duplicates;
  const std::string sizes = d.shortest == d.longest
                                ? std::to_string(d.longest)
                                : std::to_string(d.shortest) + " to " + std::to_string(d.longest);
  std::string text =
      path + ": " + counted(lists.size(), "list") + " (" + kind + ") of " + sizes + " candidates";
  if (lists.left_out() > 0) {
    text += "; " + counted(lists.left_out(), "response") + " left out, " +
            (kind == "given"               ? "without candidates"
             : kind.starts_with("covered") ? "not in the whitelist"
                                           : "too few for one more batch");
  }
  note(text);
  if (d.right > 0) {
    note("in " + counted(d.right, "list") +
         " another candidate has the right response's text: they share the credit");
  }
  if (d.others > 0) note(counted(d.others, "candidate") + " repeated within a list");
}

Json RankedLists::to_json() const {
  return {{"kind", kind},
          {"lists", lists.size()},
          {"left_out", lists.left_out()},
          {"candidates", {{"least", duplicates.shortest}, {"most", duplicates.longest}}},
          {"duplicates", {{"right", duplicates.right}, {"others", duplicates.others}}}};
}

std::vector<ScoredList> unscored(const RankedPart& part, const Lists& lists, bool several) {
  std::vector<size_t> places;
  for (size_t i = 0; i < lists.size(); ++i) places.push_back(lists.pair(i).dialogue);
  const std::vector<int> numbers = conversations(part.dialogues, places);
  std::vector<ScoredList> result;
  for (size_t i = 0; i < lists.size(); ++i) {
    result.push_back({.id = id_of(part.dialogues, lists.pair(i), several),
                      .conversation = numbers[i],
                      .scores = {},
                      .right = {0}});
  }
  return result;
}

std::vector<MarkedContext> contexts_of(const RankedPart& part, const Lists& lists) {
  std::vector<MarkedContext> contexts;
  for (size_t i = 0; i < lists.size(); ++i) {
    const retrieve::Pair& pair = lists.pair(i);
    contexts.push_back({part.dialogues[pair.dialogue].id, context_turns(part.dialogues, pair)});
  }
  return contexts;
}

Ranker::Scores scores_of(const Ranker& ranker, const std::string& name, const Lists& lists,
                         const std::vector<MarkedContext>& contexts) {
  std::vector<RankQuery> queries;
  for (size_t i = 0; i < lists.size(); ++i) {
    queries.push_back({contexts[i].utterances, lists.candidates(i)});
  }
  Progress progress;
  Ranker::Scores scores = ranker.score(lists.texts(), queries, /*batch=*/64,
                                       show_counts(progress, "text", name + ": "));
  progress.done();
  return scores;
}

void note_remark(const std::string& name, const Ranker::Scores& scores) {
  if (!scores.remark.empty()) note(name + ": " + scores.remark);
}

}  // namespace heed
