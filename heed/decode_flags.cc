#include "heed/decode_flags.h"
#include "heed/command.h"

#include "dialog/text/tokenizer.h"

namespace heed {

DecodeOptions::Method decode_method(const std::string& name) {
  using Method = DecodeOptions::Method;
  return name == "beam" ? Method::kBeam : name == "sample" ? Method::kSample : Method::kGreedy;
}

void DecodeFlags::declare(CLI::App& c) {
  command_ = &c;
  const InGroup group(c, kResponses);
  option(c, "--decode", method,
         "greedy: the most probable token each time; sample: drawn from the most probable ones; "
         "beam: the best of several hypotheses",
         one_of({"greedy", "sample", "beam"}));
  option(c, "--max-length", options.max_length, "Longest response, in tokens (words or pieces)",
         whole_number(1, 10000));
  option(c, "--top-k", options.top_k, "sample: draw from this many most probable tokens, 0: all",
         whole_number(0, 1'000'000'000));
  option(c, "--temperature", options.temperature,
         "sample: below 1 favours probable words, above 1 improbable ones", number(0.001, 1000));
  option(c, "--beam-size", options.beam_size, "beam: the number of hypotheses",
         whole_number(1, 1000));
  option(c, "--length-penalty", options.length_penalty,
         "beam: rank by log p / length^PENALTY; 0 favours short responses, 1 does not",
         number(0, 10));
  c.add_option("--condition", options.wanted,
               "The label that responses of a model that reads labels should have, such as "
               "emotion=happiness (several with commas); if not given: the labels of the dialogues")
      ->delimiter(',')
      ->option_text("LABEL=VALUE");
  c.add_flag("--allow-unk", options.allow_unk, "Allow <unk>, the unknown word, in responses");
}

void DecodeFlags::declare_best_of(CLI::App& c, bool with_rank) {
  declare(c);
  with_rank_ = with_rank;
  const InGroup group(c, kResponses);
  option(c, "--best-of", options.best_of,
         "Take the best of this many answers, each greedy with different noise, from a model that "
         "was trained with noise (heed train hredgan --noise utterance)",
         whole_number(1, 10000));
  if (with_rank) {
    option(c, "--rank", rank,
           "The score by which --best-of ranks: D: the word-level discriminator of the run; logp: "
           "the probability; random: chance",
           one_of({"D", "logp", "random"}));
  }
  option(c, "--noise-variance", options.noise_variance,
         "--best-of: variance of the noise (default: 7 of --noise utterance, 9 of --noise word)",
         number(0, 1e6));
}

Judge DecodeFlags::judge(const std::string& run, const Responder& model) const {
  if (options.best_of == 0 || rank != "D") return {};
  return judge_of_words(run, model);
}

DecodeOptions DecodeFlags::get(uint64_t seed) const {
  if (options.best_of > 0) {
    refuse_given(*command_, "--decode", "without --best-of, which draws the answers itself");
  } else if (command_->get_option_no_throw("--best-of")) {
    refuse_given(*command_, "--noise-variance", "with --best-of");
    if (with_rank_) refuse_given(*command_, "--rank", "with --best-of");
  }
  DecodeOptions result = options;
  const auto only_for = [&](const char* one, const std::vector<const char*>& options) {
    if (method == one && result.best_of == 0) return;
    for (const char* option : options) {
      refuse_given(*command_, option, std::string("with --decode ") + one);
    }
  };
  only_for("sample", {"--top-k", "--temperature"});
  only_for("beam", {"--beam-size", "--length-penalty"});
  result.method = decode_method(method);
  using Rank = DecodeOptions::Rank;
  result.rank = rank == "D" ? Rank::kJudge : rank == "logp" ? Rank::kLogProb : Rank::kRandom;
  result.seed = seed;
  result.check();
  return result;
}

void DecodeFlags::refuse(const std::string& is_for) const {
  refuse_group(*command_, kResponses, is_for);
}

nlohmann::ordered_json DecodeFlags::to_json() const {
  nlohmann::ordered_json json = {
      {"method", method}, {"max_length", options.max_length}, {"allow_unk", options.allow_unk}};
  if (options.best_of > 0) {
    json["method"] = "best-of";
    json["best_of"] = options.best_of;
    json["rank"] = rank;
    const auto& variance = options.noise_variance;  // null: the usual one of the model's noise
    json["noise_variance"] = variance ? nlohmann::ordered_json(*variance) : nullptr;
    return json;
  }
  if (!options.wanted.empty()) json["condition"] = options.wanted;
  if (method == "sample") {
    json["top_k"] = options.top_k;
    json["temperature"] = options.temperature;
  } else if (method == "beam") {
    json["beam_size"] = options.beam_size;
    json["length_penalty"] = options.length_penalty;
  }
  return json;
}

nlohmann::ordered_json to_json(const ResponseSieve::Counts& left_out) {
  return {{"repeated", left_out.repeated},
          {"unknown", left_out.unknown},
          {"empty", left_out.empty},
          {"as_people", left_out.as_people}};
}

std::string reply_text(const Decoding& reply, const Vocabulary& vocabulary) {
  const std::string text = detokenize(shorten_repetitions(vocabulary.words(reply.tokens)));
  return text.empty() || reply.finished ? text : text + " ...";
}

}  // namespace heed
