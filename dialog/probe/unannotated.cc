#include "dialog/probe/unannotated.h"

#include <algorithm>

#include "base/list.h"

namespace heed::probe {
namespace {

constexpr size_t kWords = 500;
constexpr double kLeast = 1000, kMost = 3000, kExamples = 150000;
constexpr size_t kLocations = 5, kLengthBucket = 5;

LabelSets locations(const std::vector<Example>& examples) {
  LabelSets labels;
  for (size_t begin = 0; begin < examples.size();) {
    size_t end = begin + 1;
    while (end < examples.size() && examples[end].dialogue_id == examples[begin].dialogue_id) ++end;
    for (size_t i = begin; i < end; ++i) {
      labels.push_back({std::to_string(kLocations * (i - begin) / (end - begin))});
    }
    begin = end;
  }
  return labels;
}

std::vector<std::string> rarest_word(const Example& example, const Vocabulary& vocabulary,
                                     const WordCounts& words) {
  const std::pair<const int32_t, int64_t>* rarest = nullptr;
  for (const int32_t word : example.response) {
    const auto found = words.find(word);
    if (found == words.end()) continue;
    const bool rarer = !rarest || found->second < rarest->second ||
                       (found->second == rarest->second && found->first < rarest->first);
    if (rarer) rarest = &*found;
  }
  return {rarest ? vocabulary.token(rarest->first) : "none"};
}

std::string length_bucket(const Example& example) {
  const size_t first = example.response.size() / kLengthBucket * kLengthBucket;
  return std::to_string(first) + "-" + std::to_string(first + kLengthBucket - 1);
}

}  // namespace

WordCounts mid_frequency_words(const std::vector<Example>& train) {
  std::map<int32_t, int64_t> counts;
  for (const Example& e : train) {
    for (const auto& utterance : e.context) {
      for (const int32_t word : utterance) ++counts[word];
    }
    for (const int32_t word : e.response) ++counts[word];
  }
  const double scale = static_cast<double>(train.size()) / kExamples;
  std::vector<std::pair<int64_t, int32_t>> window;  // the most frequent ones first
  for (const auto& [word, count] : counts) {
    const auto times = static_cast<double>(count);
    if (word < kSpecialTokens || times < kLeast * scale || times > kMost * scale) continue;
    window.emplace_back(-count, word);
  }
  std::sort(window.begin(), window.end());
  window.resize(std::min(window.size(), kWords));
  WordCounts result;
  for (const auto& [minus, word] : window) result[word] = -minus;
  return result;
}

LabelledExamples unannotated_labels(const std::vector<Example>& examples,
                                    const Vocabulary& vocabulary, const WordCounts& mid_frequency) {
  LabelledExamples result;
  LabelSets &words = result.tasks["WordCont"], &lengths = result.tasks["ResponseLength"];
  for (const Example& e : examples) {
    result.ids.push_back(e.id);
    result.keys.push_back(joined(vocabulary.words(e.context.back()), " "));
    words.push_back(rarest_word(e, vocabulary, mid_frequency));
    lengths.push_back({length_bucket(e)});
  }
  result.tasks["UtteranceLoc"] = locations(examples);
  return result;
}

}  // namespace heed::probe
