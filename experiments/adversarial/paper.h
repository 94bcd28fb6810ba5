// The paper: its numbers, from data/adversarial-evaluation.json, which is compiled in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/engine/report/variant_tables.h"

namespace heed {

struct AdversarialPaper {
  // By the names below; a "variant" is the place of a corpus in `corpora`.
  PaperNumbers numbers;
  std::vector<std::string> corpora;           // "switchboard", "movietriples", "subtle"
  std::map<std::string, std::string> claims;  // their texts, by id
};
const AdversarialPaper& adversarial_paper();
// The place of a corpus of the paper. Throws InternalError if there is none of that name.
size_t paper_corpus(const std::string& name);

// The tables: random responses and generated ones.
constexpr const char* kPaperTables[] = {"random", "generated"};
// "random.discriminator.real.f1", "generated.humans.accuracy": in [0, 1]
std::string paper_key(const std::string& table, const std::string& judge, const std::string& score);
// "random.humans.pi": agreement, of the people or of the discriminator with their majority
std::string agreement_key(const std::string& table, const std::string& judge);

// Ours have them by the same names.
//   generated.discriminator.p: the one-sided exact binomial test of the
//   accuracy against 1/2, of the paper's; of ours generated.discriminator.low,
//   .high: the accuracy's 95 % interval
constexpr char kChance[] = "p", kLow[] = "low", kHigh[] = "high";
//   cosine.p: of the rank-sum test of the cosines of passages judged real and
//   fake, the largest of the seeds, 1 where they do not agree; cosine.higher: 1
//   if those judged real are the higher ones, else 0
constexpr char kCosineP[] = "cosine.p", kCosineHigher[] = "cosine.higher";
//   attention.judged_real: mean attention mass on the response; of ours also
//   the lowest and the highest of the seeds, attention.judged_real.low, .high
constexpr char kAttentionReal[] = "attention.judged_real",
               kAttentionFake[] = "attention.judged_fake";

}  // namespace heed
