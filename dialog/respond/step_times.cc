#include "dialog/respond/step_times.h"

#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "autograd/keep_packed.h"
#include "base/clock.h"
#include "dialog/respond/das.h"
#include "dialog/respond/decode.h"
#include "dialog/respond/loss.h"
#include "dialog/text/text_file.h"
#include "optim/optim.h"
#include "tensor/allocator.h"
#include "tensor/async_read.h"
#include "tensor/kernels/matmul.h"

namespace heed {
namespace {

struct Lengths {
  std::vector<int64_t> context{12, 12, 12, 12, 12, 12};
  int64_t response = 16;
};

// One dialogue a line: {"context": [utterance lengths], "response": n}.
std::vector<Lengths> read_lengths(const std::string& path, size_t count) {
  LineReader reader(path);
  std::vector<Lengths> result;
  std::string_view line;
  while (result.size() < count && reader.next(line)) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    try {
      result.push_back({json.at("context"), json.at("response")});
    } catch (const nlohmann::json::exception&) {
      reader.fail("expected {\"context\": [lengths], \"response\": length}");
    }
    const auto in_range = [](int64_t n) { return n >= 1 && n <= 1'000'000; };
    if (result.back().context.empty() || !in_range(result.back().response) ||
        !std::all_of(result.back().context.begin(), result.back().context.end(), in_range)) {
      reader.fail("lengths must be 1 to 1000000, at least one utterance");
    }
  }
  if (result.empty()) throw DataError(path + ": no lengths");
  return result;
}

// Random words of the given lengths; the first utterance is a distraction where there are three.
Example make_example(const Lengths& lengths, int64_t vocab, Rng& rng) {
  const auto words = [&](int64_t n) {
    std::vector<int32_t> ids(n);
    for (int32_t& id : ids) id = static_cast<int32_t>(5 + rng.below(vocab - 5));
    return ids;
  };
  Example example;
  for (int64_t n : lengths.context) example.context.push_back(words(n));
  example.distraction.assign(example.context.size(), 0);
  if (example.context.size() > 2) example.distraction[0] = 1;
  example.response = words(lengths.response);
  return example;
}

// A batch and the examples that it is made of.
struct Work {
  std::vector<Example> examples;
  Batch batch;
};

std::vector<Work> make_work(const StepWork& o, const Responder& model, Device device) {
  const int64_t vocab = model.config().vocab_size;
  const std::vector<Lengths> lengths = o.lengths.empty()
                                           ? std::vector<Lengths>(o.batch)
                                           : read_lengths(o.lengths, o.batch * (o.steps + 1));
  Rng rng(o.seed, "bench");
  std::vector<Work> all;
  for (size_t at = 0; at < lengths.size(); at += o.batch) {
    Work work;
    for (size_t i = at; i < std::min(lengths.size(), at + o.batch); ++i) {
      work.examples.push_back(make_example(lengths[i], vocab, rng));
    }
    work.batch = make_batch(pointers(work.examples), model.parts(), device);
    all.push_back(std::move(work));
  }
  return all;
}

// Does one step of the work that was asked for; says how many tokens it had.
class Stepper {
 public:
  Stepper(const StepWork& o, Responder& model) : options_(o), model_(model), optimizer_(model) {
    if (decodes(o)) weights_.emplace();  // as who answers many batches would
  }

  double operator()(const Work& work, uint64_t step) {
    if (options_.make_batches)
      make_batch(pointers(work.examples), model_.parts(), parameters(model_)[0].var.device());
    if (options_.work == "score") return score_step(work);
    if (decodes(options_)) return decode_step(work);
    const bool train = options_.work == "train";
    zero_grad(model_);
    const DropoutMode drop{options_.dropout, options_.seed, step};
    const Var loss = training_loss(work.batch, model_.teach(work.batch, drop), 1.0);
    std::vector<Tensor> numbers{loss.value()};
    held_bytes_ = std::max(held_bytes_, memory_stats(loss.value().device()).bytes_in_use);
    if (train) {
      loss.backward();
      const Clipping clip = clipping(parameters(model_), {.max_norm = 5});
      optimizer_.step(clip);
      numbers.push_back(clip.norm());
    }
    take_loss();  // of the step before, as in training (train/loop.cc)
    late_ = AsyncRead(numbers);
    return static_cast<double>(work.batch.token_count);
  }

  int64_t held_bytes() const { return held_bytes_; }

  // Of the last step; waits until the device is done with it.
  double loss() {
    take_loss();
    return loss_;
  }

 private:
  static bool decodes(const StepWork& o) { return o.work == "greedy" || o.work == "beam"; }

  void take_loss() {
    const std::vector<double> numbers = late_.get();
    if (!numbers.empty()) loss_ = numbers[0];
  }

  double score_step(const Work& work) {
    double nll = 0;
    for (const DialogueScore& s : score(model_, work.examples, options_.batch)) {
      nll += std::accumulate(s.nll.begin(), s.nll.end(), 0.0);
    }
    loss_ = nll;
    return static_cast<double>(work.batch.token_count);
  }

  // Tokens are those of the contexts and, for each step, one for each hypothesis of the beam.
  double decode_step(const Work& work) {
    DecodeOptions decoding;
    if (options_.work == "beam") decoding.method = DecodeOptions::Method::kBeam;
    decoding.max_length = work.batch.response.packing.length(0);
    const int64_t hypotheses = options_.work == "beam" ? decoding.beam_size : 1;
    auto tokens = static_cast<double>(work.batch.context.packing.rows());
    loss_ = 0;
    for (const Decoding& d : decode(model_, pointers(work.examples), decoding)) {
      tokens += static_cast<double>(d.attention.size() * hypotheses);
      loss_ -= d.log_prob;
    }
    return tokens;
  }

  const StepWork& options_;
  Responder& model_;
  Sgd optimizer_;
  std::optional<KeepPacked> weights_;
  AsyncRead late_;
  double loss_ = 0;
  int64_t held_bytes_ = 0;
};

// Processor time of all threads since the program began.
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

cuda::Counts operator-(const cuda::Counts& a, const cuda::Counts& b) {
  return {a.launches - b.launches, a.host_waits - b.host_waits, a.copies - b.copies,
          a.copied_bytes - b.copied_bytes};
}

}  // namespace

StepTimes step_times(Responder& model, const StepWork& o, Device device) {
  const std::vector<Work> all = make_work(o, model, device);
  Stepper stepper(o, model);
  StepTimes timing;
  stepper(all[0], 0);  // the warm-up
  const cuda::Counts before = cuda::counts();
  const double processor = processor_seconds(), flops = cpu::product_flops();
  for (int64_t i = 1; i <= o.steps; ++i) {
    const double begin = now();
    timing.tokens += stepper(all[i % all.size()], static_cast<uint64_t>(i));
    timing.seconds.push_back(now() - begin);
    timing.total += timing.seconds.back();
    if (o.progress) o.progress(i, timing.total);
  }
  timing.counts = cuda::counts() - before;
  timing.flops = cpu::product_flops() - flops;
  const double begin = now();
  timing.loss = stepper.loss();
  timing.held_bytes = stepper.held_bytes();
  timing.total += now() - begin;
  timing.processor = processor_seconds() - processor;
  std::sort(timing.seconds.begin(), timing.seconds.end());
  return timing;
}

}  // namespace heed
