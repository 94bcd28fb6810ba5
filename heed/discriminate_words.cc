#include "dialog/discriminate/words/hredgan.h"
#include "heed/decode_flags.h"

namespace heed {

Judge judge_of_words(const std::string& run, const Responder& model) {
  return words::load_judge(run, model);
}

}  // namespace heed
