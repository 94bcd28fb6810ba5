#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "dialog/respond/responses.h"
#include "dialog/text/vocabulary.h"

namespace heed {

DecodeOptions::Method decode_method(const std::string& name);  // "greedy", "sample" or "beam"

// How a program's responses are decoded, as options of a sub-command.
struct DecodeFlags {
  std::string method = "greedy";  // if --decode is not given
  DecodeOptions options;

  // Declares --decode, --max-length, --top-k, --temperature, --beam-size and so on.
  void declare(CLI::App& command);
  // Declares --best-of, --rank and --noise-variance, too.
  void declare_best_of(CLI::App& command);
  // Whom --rank asks: with D the discriminator of words of the run, for its model, to which it
  // refers. Throws DataError where it has none.
  Judge judge(const std::string& run, const Responder& model) const;
  // Throws UsageError for an option that the method would not look at.
  DecodeOptions get(uint64_t seed) const;
  // Throws UsageError for any that was given: they are for something else.
  void refuse(const std::string& is_for) const;
  // Those that the method looks at, under their names.
  nlohmann::ordered_json to_json() const;

 private:
  const CLI::App* command_ = nullptr;  // knows which options were given
  std::string rank_ = "D";
};

// The discriminator of words of a run as a judge, see DecodeFlags::judge().
Judge judge_of_words(const std::string& run, const Responder& model);

// Of generated responses, why and how many.
nlohmann::ordered_json to_json(const ResponseSieve::Counts& left_out);

// What a model wrote, as a person writes it ("don't", not "don ' t"): endless repetitions are
// shortened, and "..." stands where the model had not ended.
std::string reply_text(const Decoding& reply, const Vocabulary& vocabulary);

}  // namespace heed
