#include "heed/decode_flags.h"

#include "dialog/tokenizer.h"

namespace heed {

void DecodeFlags::declare(CLI::App& c) {
  const auto add = [&](const char* name, auto& value, const char* help) {
    c.add_option(name, value, help)->capture_default_str()->group("Responses");
  };
  c.add_option("--decode", method,
               "greedy: the most probable word each time; sample: drawn from the most probable "
               "ones; beam: the best of several hypotheses")
      ->check(CLI::IsMember({"greedy", "sample", "beam"}))
      ->capture_default_str()
      ->group("Responses");
  add("--max-length", options.max_length, "Longest response, in words");
  add("--top-k", options.top_k, "sample: from how many words to draw, 0: all");
  add("--temperature", options.temperature,
      "sample: below 1 keeps to probable words, above 1 is more daring");
  add("--beam-size", options.beam_size, "beam: how many hypotheses");
  add("--length-penalty", options.length_penalty,
      "beam: ranks by log p / length^PENALTY; 0 favours short responses, 1 does not");
  c.add_flag("--allow-unk", options.allow_unk, "Responses may hold <unk>, the unknown word")
      ->group("Responses");
}

DecodeOptions DecodeFlags::get(uint64_t seed) const {
  DecodeOptions result = options;
  using Method = DecodeOptions::Method;
  result.method = method == "beam"     ? Method::kBeam
                  : method == "sample" ? Method::kSample
                                       : Method::kGreedy;
  result.seed = seed;
  result.check();
  return result;
}

std::string readable(const std::vector<int32_t>& tokens, const Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (int32_t token : tokens) words.push_back(vocabulary.token(token));
  return detokenize(words);
}

}  // namespace heed
