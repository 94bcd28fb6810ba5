#include "dialog/comprehend/task.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>

#include "dialog/comprehend/score.h"
#include "train/run_json.h"

namespace heed::comprehend {
namespace {

std::vector<size_t> all_of(const ReadPassage& read) {
  std::vector<size_t> all(read.questions.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}
std::vector<size_t> placed_of(const ReadPassage& read) {
  std::vector<size_t> placed = all_of(read);
  std::erase_if(placed, [&](size_t q) { return !read.passage->questions[q].placed(); });
  return placed;
}

// Questions of one passage that follow each other.
struct Together {
  size_t passage;
  std::vector<size_t> questions;
};

class Reading {
 public:
  Reading(LoadedReader& reader, const Settings& settings, const Parts& parts)
      : model_(reader.model),
        pieces_(reader.pieces),
        settings_(settings),
        valid_(parts.valid),
        train_read_(read_all(parts.train, pieces_, settings.model)),
        valid_read_(read_all(parts.valid, pieces_, settings.model)) {
    for (size_t p = 0; p < train_read_.size(); ++p) {
      for (const size_t q : placed_of(train_read_[p])) {
        const bool full = examples_.empty() || examples_.back().passage != p ||
                          std::ssize(examples_.back().questions) == settings.together;
        if (full) examples_.push_back({p, {}});
        examples_.back().questions.push_back(q);
      }
    }
    if (reader.reads_ahead && settings.model.frozen) read_ahead(reader.reads_ahead);
  }

  std::vector<int64_t> sizes() const {
    std::vector<int64_t> sizes;
    for (const Together& t : examples_) {
      sizes.push_back(std::ssize(t.questions) * std::ssize(train_read_[t.passage].pieces));
    }
    return sizes;
  }

  std::vector<int64_t> questions() const {  // of each example
    std::vector<int64_t> counts;
    for (const Together& t : examples_) counts.push_back(std::ssize(t.questions));
    return counts;
  }

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    std::vector<Asked> questions;
    std::vector<Target> targets;
    Loss loss;
    for (const int64_t i : indices) {
      const Together& t = examples_[i];
      const ReadPassage& read = train_read_[t.passage];
      std::ranges::move(asked(read, t.questions, settings_.model), std::back_inserter(questions));
      for (const size_t q : t.questions) {
        targets.push_back(read.questions[q].target);
        loss.tokens += std::ssize(read.pieces);
      }
    }
    const DropoutMode drop(settings_.model.dropout, key.seed, key.number());
    loss.total = span_loss(model_(questions, drop), targets);
    loss.nll = loss.total.value().item();
    const auto count = static_cast<double>(questions.size());
    loss.counts = {{"nll", loss.nll * count}, {"questions", count}};
    return loss;
  }

  static Metrics measure(const Counts& c) {
    return {{kTrainNll, c.at("nll") / c.at("questions"), false}};
  }
  Metrics validate(const OnValidation& on_batch) const {
    const auto answers =
        answer_all(model_, pieces_, valid_read_, History::kGold, /*batch=*/16, on_batch);
    const Scores scores = comprehend::measure(valid_, texts_of(answers));
    return {{kValidF1, scores.f1, true}, {kValidExact, scores.exact, true}};
  }

  std::string describe(const std::vector<int64_t>& indices) const {
    int64_t questions = 0, longest = 0;
    for (const int64_t i : indices) {
      questions += std::ssize(examples_[i].questions);
      longest = std::max<int64_t>(longest, std::ssize(train_read_[examples_[i].passage].pieces));
    }
    return std::to_string(questions) + " questions on passages of up to " +
           std::to_string(longest) + " pieces";
  }

 private:
  void read_ahead(const std::function<bool(int64_t, int64_t)>& go_on) const {
    int64_t done = 0, of = 0;
    for (const auto* part : {&train_read_, &valid_read_}) {
      for (const ReadPassage& read : *part) of += std::ssize(read.questions);
    }
    for (const auto* part : {&train_read_, &valid_read_}) {
      for (const ReadPassage& read : *part) {
        if (!model_.read_ahead(asked(read, all_of(read), settings_.model))) return;
        done += std::ssize(read.questions);
        if (!go_on(done, of)) return;
      }
    }
  }

  SpanReader& model_;
  const pretrained::WordPiece& pieces_;
  const Settings& settings_;
  const Corpus& valid_;
  const std::vector<ReadPassage> train_read_, valid_read_;
  std::vector<Together> examples_;
};

}  // namespace

std::vector<ReadPassage> read_all(const Corpus& corpus, const pretrained::WordPiece& pieces,
                                  const Config& config) {
  std::vector<ReadPassage> all;
  for (const Passage& p : corpus.passages) {
    all.push_back(read_passage(p, pieces, config.longest_query));
  }
  if (!config.other_turns) return all;
  std::vector<std::vector<TurnBefore>> turns;
  for (const ReadPassage& read : all) turns.push_back(read.turns);
  for (size_t p = 0; p < all.size(); ++p) {
    const std::vector<TurnBefore>& other = turns[(p + all.size() / 2) % all.size()];
    for (size_t q = 0; q < all[p].turns.size(); ++q) all[p].turns[q] = other[q % other.size()];
  }
  return all;
}

uint32_t fingerprint(const Corpus& corpus, uint32_t crc) {
  const auto mix = [&](const std::string& text) {
    crc = checksum(std::to_string(text.size()) + " " + text, crc);
  };
  for (const Passage& p : corpus.passages) {
    mix(p.text);
    for (const Question& q : p.questions) {
      mix(q.text);
      for (const Answer& a : q.answers) {
        mix(a.text);
        for (const size_t n : {static_cast<size_t>(a.kind), a.begin, a.end}) mix(std::to_string(n));
      }
    }
  }
  return crc;
}

uint32_t Parts::fingerprint() const {
  return comprehend::fingerprint(valid, comprehend::fingerprint(train));
}

Task Own::task(Loaded& reader, const Settings& settings, const Parts& parts) {
  const auto reading = std::make_shared<const Reading>(reader, settings, parts);
  Task task = task_of(reader.model, reading->sizes(), reading);
  task.weights = reading->questions();
  return task;
}

}  // namespace heed::comprehend
