// What the live page asks and is told: JSON in, JSON out, and nothing of sockets. It keeps no
// conversation: every question brings all of it, so that any number of pages can be open.
//
//   question  {"model": "trained", "history": [{"text": "hello", "distraction": false}, ...],
//              "decode": "greedy", "draw": 0}
//             The last turn is answered, and is no distraction. "distraction", "decode" (greedy,
//             sample or beam) and "draw" (another number, other random numbers) may be left out.
//   answer    {"model", "structure",
//              "answer": {"text": for people, "read": the same as it is given back as a turn,
//                         "words": [...] one for each step, "finished": ends in <eos>, a step too},
//              "attention": "none" (the structure has none, and even attention is shown), "once"
//                           (the same in all steps) or "steps",
//              "forgotten": turns of the history, from its first on, that are not read,
//              "utterances": of each turn that is read
//                [{"words": [...], "unknown": [0, 1, ...] not in the vocabulary,
//                  "cut": words behind them that are not read, "distraction",
//                  "even": its share of even attention, "steps": [its share in each step]
//                  "word_steps": of models that look at words, in each step the share of each of
//                                its words, and last that of its end}, ...],
//              "das_ratio": mean score of distractions / of the history, null where one is missing,
//              "choices": of a model that ranks, the best texts of its pool, of which the first is
//                         the answer: [{"text", "score", "common": [words of the context]}, ...]}
//   mistake   {"error": "history[2].text: ..."}
//
// Shares of a step sum to 1. A score, Eq. 7 of Xing & Gulla (2022), is the mean of "steps" over
// "even" (dialog/respond/das.h).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/respond/config.h"
#include "dialog/respond/decode.h"
#include "heed/pool.h"
#include "heed/web/reply.h"

namespace heed {

// The limits of a question.
constexpr size_t kMaxTurns = 100, kMaxTurnBytes = 4000, kMaxWords = 2000;

struct LiveModel {
  std::string name = {};  // no two have the same
  LoadedModel loaded = {};
  ExampleOptions bounds = {};
  std::optional<double> insert_prob = {};         // of its training; none if unknown
  std::shared_ptr<const PoolRanker> ranker = {};  // in the place of what is loaded
};

class LiveApi {
 public:
  // `decode`: how answers are written where a question does not say it, and the sizes of all ways.
  LiveApi(std::vector<LiveModel> models, const DecodeOptions& decode);

  // {"models": [{"name", "structure", "layers", "hidden", "vocabulary", "expect",
  //              "distractions": the probability of an insertion in training, or null}, ...],
  //              of a model that ranks "pool", its texts, in the place of layers to vocabulary
  //  "decode": "sample", "distractions": [{"name": "frequent", "texts": [...]}, ...]}
  std::string describe() const;

  // The reply to a question; 400 for what is none, 503 where the models are busy for longer than a
  // question waits: one is answered at a time. Throws nothing but InternalError and std::bad_alloc.
  WebReply respond(const std::string& question);

 private:
  std::vector<LiveModel> models_;
  DecodeOptions decode_;
  std::timed_mutex computing_;
};

}  // namespace heed
