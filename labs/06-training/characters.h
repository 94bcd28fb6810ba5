// A model of characters: its text, how it is trained, and what it makes up.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "labs/06-training/models.h"
#include "optim/schedule.h"

namespace heed::lab {

// A text as numbers: those of the characters that occur in it.
struct Characters {
  std::string letters;  // letter of each number
  std::vector<int32_t> train, valid;
};

// heed's documentation in lower case, one blank for several; the last tenth of it is for
// validation.
inline Characters read_documentation() {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEED_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") files.insert(entry.path());
  }
  std::string text;
  for (const std::filesystem::path& file : files) {
    std::ostringstream content;
    content << std::ifstream(file).rdbuf();
    for (const char c : content.str()) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 128 || (c == ' ' && text.ends_with(' '))) continue;
      text += static_cast<char>(std::tolower(byte));
    }
  }
  const std::set<char> used(text.begin(), text.end());
  Characters found{std::string(used.begin(), used.end()), {}, {}};
  for (size_t i = 0; i < text.size(); ++i) {
    const auto number = static_cast<int32_t>(found.letters.find(text[i]));
    (i < text.size() / 10 * 9 ? found.train : found.valid).push_back(number);
  }
  return found;
}

// The mean of -log2 p(next character) over `pieces` of the text of `length` characters each.
inline Var bits_per_character(const SequenceModel& model, const std::vector<int32_t>& text,
                              int64_t pieces, int64_t length, Rng& rng) {
  std::vector<uint64_t> begins;
  for (int64_t b = 0; b < pieces; ++b) begins.push_back(rng.below(text.size() - length - 1));
  std::vector<int32_t> inputs, targets;
  for (int64_t t = 0; t < length; ++t) {
    for (const uint64_t begin : begins) {
      inputs.push_back(text[begin + t]);
      targets.push_back(text[begin + t + 1]);
    }
  }
  return model.loss(rectangle(pieces, length), inputs, targets) / std::log(2.0);
}

// The same of the text for validation, always of the same pieces.
inline double validation_bits(const SequenceModel& model, const Characters& text) {
  const NoGrad guard;
  Rng same(/*seed=*/1, "valid");
  return bits_per_character(model, text.valid, 50, 100, same).value().item();
}

// One character after the other, each drawn from p^(1 / temperature).
inline std::string make_up(const SequenceModel& model, const std::string& letters, int64_t length,
                           double temperature, Rng& rng) {
  const NoGrad guard;
  std::string text;
  LstmState state;
  auto last = static_cast<int32_t>(letters.find('\n'));
  for (int64_t i = 0; i < length; ++i) {
    const Tensor input = Tensor::from(std::vector<int32_t>{last});
    const Lstm::Output out = model.lstm(Packing::single_step(1), model.embedding(input), state);
    state = out.state;
    double left = rng.uniform();
    last = -1;
    for (const double p : softmax(model.output(out.y) / temperature).value().to_vector()) {
      ++last;
      if ((left -= p) < 0) break;
    }
    text += letters[last];
  }
  return text;
}

// Bits per character on the text for validation before the training and after every `every` steps.
// The rate is halved where they do not improve.
inline std::vector<double> train(SequenceModel& model, const Characters& text,
                                 const StepOptions& options, int64_t steps, int64_t every) {
  HalvingSchedule schedule({.rate = 4});
  Sgd sgd(model, {.rate = schedule.rate(), .momentum = 0.9});
  Rng rng(seed(), "pieces");
  std::vector<double> curve;
  for (int64_t step = 0; step <= steps; ++step) {
    if (step % every == 0) {
      curve.push_back(validation_bits(model, text));
      schedule.update(std::exp2(curve.back()));
      sgd.rate = schedule.rate();
    }
    bits_per_character(model, text.train, /*pieces=*/24, /*length=*/40, rng).backward();
    sgd.step(options);
    zero_grad(model);
  }
  return curve;
}

}  // namespace heed::lab
