#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "dialog/respond/responses.h"
#include "dialog/text/vocabulary.h"

namespace heed {

DecodeOptions::Method decode_method(const std::string& name);  // "greedy", "sample" or "beam"

constexpr const char* kResponses = "Responses";  // the group of the options

// How a program decodes responses, as options of a sub-command.
struct DecodeFlags {
  std::string method = "greedy";  // if --decode is not given
  DecodeOptions options;
  std::string rank = "D";  // of --best-of: "D", "logp" or "random"

  // Declares --decode, --max-length, --top-k, --temperature, --beam-size and so on.
  void declare(CLI::App& command);
  // Also declares --best-of and --noise-variance, and --rank unless the command has one of its own.
  void declare_best_of(CLI::App& command, bool with_rank = true);
  // The judge that --rank names: with D the run's word-level discriminator, for the run's model, to
  // which the judge keeps a reference. Throws DataError if the run has none.
  Judge judge(const std::string& run, const Responder& model) const;
  // Throws UsageError for an option that the method does not use.
  DecodeOptions get(uint64_t seed) const;
  // Throws UsageError for any of these options that was given: they only apply to something else.
  void refuse(const std::string& is_for) const;
  // The options that the method uses, under their names.
  nlohmann::ordered_json to_json() const;

 private:
  const CLI::App* command_ = nullptr;  // knows which options were given
  bool with_rank_ = false;
};

// The run's word-level discriminator as a judge, see DecodeFlags::judge().
Judge judge_of_words(const std::string& run, const Responder& model);

// How many generated responses were left out, and why.
nlohmann::ordered_json to_json(const ResponseSieve::Counts& left_out);

// A model's response in the form that a person would write ("don't", not "don ' t"): endless
// repetitions are shortened, and "..." marks a response that the model had not ended.
std::string reply_text(const Decoding& reply, const Vocabulary& vocabulary);

}  // namespace heed
