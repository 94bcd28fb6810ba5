#include "dialog/data/condition.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/list.h"
#include "dialog/data/formats/published.h"

namespace heed {
namespace {

// The emotions of DailyDialog are three sentiments, for each of the negative ones is rare; any
// other value is itself.
const std::string& sentiment_of(const std::string& value) {
  static const std::map<std::string, std::string> kSentiments = {
      {"happiness", "positive"}, {"anger", "negative"},   {"disgust", "negative"},
      {"fear", "negative"},      {"sadness", "negative"}, {"no_emotion", "neutral"},
      {"surprise", "neutral"}};
  const auto found = kSentiments.find(value);
  return found == kSentiments.end() ? value : found->second;
}

}  // namespace

std::string Condition::text() const {
  return label + (values.empty() ? "" : "=" + joined(values, "|"));
}

Condition Condition::parse(const std::string& text) {
  const size_t sign = text.find('=');
  Condition condition{text.substr(0, sign)};
  if (sign != text.npos) condition.values = fields_of(text.substr(sign + 1), '|');
  const std::set<std::string> different(condition.values.begin(), condition.values.end());
  if (condition.label.empty() || different.contains("") ||
      different.size() != condition.values.size()) {
    throw UsageError("condition: expected LABEL or LABEL=VALUE|VALUE, each value once, got '" +
                     text + "'");
  }
  return condition;
}

void Condition::learn(const std::vector<Dialogue>& dialogues) {
  std::set<std::string> found;
  const auto add = [&](const Labels& labels) {
    for (const std::string& value : values_in(labels, label)) found.insert(sentiment_of(value));
  };
  for (const Dialogue& dialogue : dialogues) {
    add(dialogue.notes->labels);
    for (const Turn& turn : dialogue.turns) add(turn.notes->labels);
  }
  for (const std::string& value : found) {
    if (!value.empty() && value.find('|') == value.npos) continue;
    throw DataError("label " + label + ": a value is empty or holds '|': '" + value + "'");
  }
  values.assign(found.begin(), found.end());
}

bool Condition::add_number(const std::string& value, std::vector<int32_t>& numbers) const {
  const auto at = std::find(values.begin(), values.end(), sentiment_of(value));
  if (at == values.end()) return false;
  numbers.push_back(static_cast<int32_t>(at - values.begin()));
  return true;
}

std::vector<int32_t> Condition::numbers(const Dialogue& dialogue, const Turn& response) const {
  std::vector<int32_t> numbers;
  for (const Labels* labels : {&response.notes->labels, &dialogue.notes->labels}) {
    for (const std::string& value : values_in(*labels, label)) add_number(value, numbers);
    if (!numbers.empty()) break;
  }
  return numbers;
}

std::vector<std::vector<int32_t>> wanted_numbers(const std::vector<Condition>& conditions,
                                                 const std::vector<std::string>& wanted) {
  std::vector<std::vector<int32_t>> numbers(conditions.size());
  for (const std::string& text : wanted) {
    const Condition one = Condition::parse(text);
    bool known = false;
    std::string all;
    for (size_t i = 0; i < conditions.size(); ++i) {
      all += (i > 0 ? " or " : "") + conditions[i].text();
      if (one.label != conditions[i].label) continue;
      known = !one.values.empty();
      for (const std::string& v : one.values) known &= conditions[i].add_number(v, numbers[i]);
    }
    if (known) continue;
    throw UsageError("condition: the model knows " + (all.empty() ? "none" : all) + ", got '" +
                     text + "'");
  }
  return numbers;
}

}  // namespace heed
