#include "heed/left_out.h"

#include "base/list.h"
#include "dialog/text/format.h"
#include "heed/messages.h"

namespace heed {

using Json = nlohmann::ordered_json;

namespace {

// "a, b, c and 7 more"
std::string list(const std::vector<std::string>& ids) {
  constexpr size_t kShown = 5;
  if (ids.size() <= kShown) return joined(ids);
  return joined(std::vector(ids.begin(), ids.begin() + kShown)) + " and " +
         std::to_string(ids.size() - kShown) + " more";
}

// The source of the limit on the age of the turns in a context.
std::string options_of(const ExampleOptions& bounds) {
  if (bounds.max_context_tokens == 0) return "--max-turns";
  return bounds.max_turns == 0 ? "--max-context" : "--max-turns or --max-context";
}

std::string older_than(const ExampleOptions& bounds) {
  if (bounds.max_context_tokens > 0) return "older than " + options_of(bounds) + " allows";
  return "older than the last " + std::to_string(bounds.max_turns) +
         " of the context (--max-turns)";
}

}  // namespace

LeftOut find_left_out(const Inputs& inputs, const std::vector<Example>& examples) {
  LeftOut left_out;
  for (const Dialogue& d : inputs.dialogues) {
    if (responses_of(d, inputs.bounds).empty()) left_out.dialogues.push_back(d.id);
  }
  left_out.dialogues_read = inputs.dialogues.size() - left_out.dialogues.size();
  for (const Example& e : examples) {
    left_out.turns += e.cut.turns;
    left_out.with_turns += e.cut.turns > 0;
    left_out.distractions += e.cut.distractions;
    left_out.utterances += e.cut.utterances;
    left_out.responses += e.cut.response;
    left_out.contexts += e.cut.context;
    if (e.cut.distractions > 0) left_out.with_distractions.push_back(e.id);
    if (e.response_is_distraction) left_out.marked_responses.push_back(e.id);
  }
  return left_out;
}

Json to_json(const LeftOut& l) {
  Json json = {{"dialogues", l.dialogues},
               {"turns", l.turns},
               {"distractions", l.distractions},
               {"distractions_of", l.with_distractions},
               {"cut_utterances", l.utterances},
               {"cut_responses", l.responses},
               {"marked_responses", l.marked_responses}};
  if (l.contexts > 0) json["cut_contexts"] = l.contexts;
  return json;
}

void say(const LeftOut& l, const Inputs& inputs) {
  const ExampleOptions& bounds = inputs.bounds;
  if (inputs.unbounded) {
    note(
        "the model's folder has no settings.json, so that utterances of any number and length are "
        "read; --max-turns, --max-context and --max-utterance bound them");
  }
  if (!l.dialogues.empty()) {
    note(counted(l.dialogues.size(), "dialogue") + " left out (fewer than " +
         std::to_string(bounds.min_turns) + " turns" +
         (bounds.speaker.empty() ? "" : ", or none of " + bounds.speaker + " from there on") +
         "): " + list(l.dialogues));
  }
  if (l.turns > 0) {
    note(counted(l.turns, "turn") + " of " + std::to_string(l.with_turns) + " " +
         inputs.unit(l.with_turns) + " not read: " + older_than(bounds));
  }
  if (l.distractions > 0) {
    const size_t examples = l.with_distractions.size();
    note(counted(l.distractions, "distraction") + " not read, in " + std::to_string(examples) +
         " " + inputs.unit(examples) + " (older than " + options_of(bounds) +
         "): " + list(l.with_distractions));
  }
  if (l.contexts > 0) {
    note(counted(l.contexts, "context") + " cut to the last " +
         std::to_string(bounds.max_context_tokens) + " words (--max-context)");
  }
  if (l.utterances > 0) {
    note(counted(l.utterances, "utterance") + " cut to the first " +
         std::to_string(bounds.max_utterance_tokens) + " words (--max-utterance)");
  }
  if (l.responses > 0) {
    note(counted(l.responses, "response") + " cut to the first " +
         std::to_string(bounds.max_response_tokens) + " words (--max-response)");
  }
  if (!l.marked_responses.empty()) {
    note(counted(l.marked_responses.size(), "response") +
         " marked as a distraction; the mark has no effect: " + list(l.marked_responses));
  }
}

}  // namespace heed
