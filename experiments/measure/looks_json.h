// Where a discriminator looks (Bruni and Fernández 2017, section 6): means over classes of
// passages, and passages with the attention on every word.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "dialog/discriminate/analysis.h"
#include "dialog/discriminate/discriminator.h"
#include "dialog/text/vocabulary.h"
#include "dialog/view/passages.h"

namespace heed {

// Passages, and what a discriminator that reads so much of them says.
struct JudgedPassages {
  const std::vector<discriminate::Passage>& passages;
  const std::vector<discriminate::Verdict>& verdicts;
  const std::vector<std::optional<double>>& cosines;  // of context and response
  discriminate::Reads reads;
};

// {"context", "response", "sos", "eou"}: the masses over n.
nlohmann::ordered_json mass_json(const discriminate::Mass& mass, double n = 1);

// Means over those that are real, fake, judged real and judged fake: attention masses beside the
// shares of the tokens and heed's score of the response, and the cosine, with the rank-sum test of
// judged real against judged fake and of real against fake.
nlohmann::ordered_json looks_json(const JudgedPassages& judged);

// Of each kind, real or fake and judged real or fake, the places of the ones that the discriminator
// is surest of.
std::vector<size_t> surest(const JudgedPassages& judged, size_t of_each);
// A passage in words, with the attention on each.
PassageView view_of(const JudgedPassages& judged, size_t place, const Vocabulary& vocabulary);

}  // namespace heed
