// Files of scores of candidates.
#include "dialog/retrieve/score_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const auto must_be_share = [](double x) { fuzz::must(x >= 0 && x <= 1 + 1e-9); };
  const fuzz::InputFile file(data, size);
  fuzz::tolerate([&] {
    std::string again;
    for (const retrieve::ScoredList& list : retrieve::read_scores(file.path())) {
      const retrieve::Ranks ranks(list);
      fuzz::must(ranks.first() >= 1 && ranks.first() + ranks.ties() <= std::ssize(list.scores));
      for (const int64_t k : {1, 2, 10}) must_be_share(ranks.recall(k));
      must_be_share(ranks.reciprocal());
      must_be_share(ranks.average_precision());
      again += retrieve::score_line(list);
    }
    const fuzz::InputFile copy(reinterpret_cast<const uint8_t*>(again.data()), again.size());
    (void)retrieve::read_scores(copy.path());
  });
  return 0;
}
