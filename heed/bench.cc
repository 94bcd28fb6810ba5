#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "autograd/keep_packed.h"
#include "dialog/respond/config.h"
#include "dialog/respond/das.h"
#include "dialog/respond/decode.h"
#include "dialog/respond/loss.h"
#include "dialog/respond/structures.h"
#include "dialog/text/text_file.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/shared_options.h"
#include "optim/optim.h"
#include "tensor/allocator.h"
#include "tensor/async_read.h"
#include "tensor/cuda/runtime.h"
#include "tensor/kernels/matmul.h"
#include "tensor/kernels/peak.h"
#include "train/settings.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  CommonPtr common;
  std::string structure = "dynamic", work = "train", lengths;
  int64_t batch = 64, embed = 256, hidden = 256, layers = 2, vocab = 10000, steps = 5;
  double dropout = 0.2;
  bool count = false;
};

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
  std::vector<const Example*> pointers;
  Batch batch;
};

std::vector<Work> make_work(const Options& o, const BatchParts& parts, Device device) {
  const std::vector<Lengths> lengths = o.lengths.empty()
                                           ? std::vector<Lengths>(o.batch)
                                           : read_lengths(o.lengths, o.batch * (o.steps + 1));
  Rng rng(o.common->seed, "bench");
  std::vector<Work> all;
  for (size_t at = 0; at < lengths.size(); at += o.batch) {
    Work work;
    for (size_t i = at; i < std::min(lengths.size(), at + o.batch); ++i) {
      work.examples.push_back(make_example(lengths[i], o.vocab, rng));
    }
    for (const Example& e : work.examples) work.pointers.push_back(&e);
    work.batch = make_batch(work.pointers, parts, device);
    all.push_back(std::move(work));
  }
  return all;
}

// One step of the work that was asked for, and what it did.
struct Done {
  double tokens, flops;
};

class Stepper {
 public:
  Stepper(const Options& o, Responder& model) : options_(o), model_(model), optimizer_(model) {
    if (o.work == "beam") weights_.emplace();  // as who answers many batches would
  }

  Done operator()(const Work& work, uint64_t step) {
    if (options_.count)
      make_batch(work.pointers, model_.parts(), parameters(model_)[0].var.device());
    if (options_.work == "score") return score_step(work);
    if (options_.work == "beam") return beam_step(work);
    const bool train = options_.work == "train";
    zero_grad(model_);
    const DropoutMode drop{options_.dropout, options_.common->seed, step};
    const Var loss = training_loss(work.batch, model_.teach(work.batch, drop), 1.0);
    std::vector<Tensor> numbers{loss.value()};
    if (train) {
      loss.backward();
      const Clipping clip = clipping(parameters(model_), {.max_norm = 5});
      optimizer_.step(clip);
      numbers.push_back(clip.norm());
    }
    take_loss();  // of the step before, as in training (train/loop.cc)
    late_ = AsyncRead(numbers);
    // The output layer makes its gradients in the forward pass.
    return {static_cast<double>(work.batch.token_count),
            train ? model_.training_flops(work.batch) : 0};
  }

  // Of the last step; waits until the device is done with it.
  double loss() {
    take_loss();
    return loss_;
  }

 private:
  void take_loss() {
    const std::vector<double> numbers = late_.get();
    if (!numbers.empty()) loss_ = numbers[0];
  }

  Done score_step(const Work& work) {
    double nll = 0;
    for (const DialogueScore& s : score(model_, work.examples, options_.batch)) {
      nll += std::accumulate(s.nll.begin(), s.nll.end(), 0.0);
    }
    loss_ = nll;
    return {static_cast<double>(work.batch.token_count), 0};
  }

  // Tokens are those of the contexts and, for each step, one for each hypothesis of the beam.
  Done beam_step(const Work& work) {
    DecodeOptions decoding;
    decoding.method = DecodeOptions::Method::kBeam;
    decoding.max_length = work.batch.response.packing.length(0);
    Done done{static_cast<double>(work.batch.context.packing.rows()), 0};
    loss_ = 0;
    for (const Decoding& d : decode(model_, work.pointers, decoding)) {
      done.tokens += static_cast<double>(d.attention.size() * decoding.beam_size);
      loss_ -= d.log_prob;
    }
    return done;
  }

  const Options& options_;
  Responder& model_;
  Sgd optimizer_;
  std::optional<KeepPacked> weights_;
  AsyncRead late_;
  double loss_ = 0;
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

struct Timing {
  std::vector<double> seconds;  // of each step, sorted
  double total = 0, processor = 0;
  Done sum{0, 0};
  double loss = 0;  // of the last step
  cuda::Counts counts;

  double steps() const { return static_cast<double>(seconds.size()); }
  double median() const {
    const size_t half = seconds.size() / 2;
    return seconds.size() % 2 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  }
};

cuda::Counts operator-(const cuda::Counts& a, const cuda::Counts& b) {
  return {a.launches - b.launches, a.host_waits - b.host_waits, a.copies - b.copies,
          a.copied_bytes - b.copied_bytes};
}

Timing time_steps(int64_t steps, Stepper& stepper, const std::vector<Work>& all) {
  Timing timing;
  Progress progress;
  stepper(all[0], 0);  // the warm-up
  const cuda::Counts before = cuda::counts();
  const double processor = processor_seconds();
  for (int64_t i = 1; i <= steps; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Done done = stepper(all[i % all.size()], static_cast<uint64_t>(i));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    timing.seconds.push_back(seconds.count());
    timing.total += seconds.count();
    progress.show(
        "step " + std::to_string(i) + " of " + std::to_string(steps) + "  " +
        format_seconds(timing.total / static_cast<double>(i) * static_cast<double>(steps - i)) +
        " left");
    timing.sum = {timing.sum.tokens + done.tokens, timing.sum.flops + done.flops};
  }
  timing.counts = cuda::counts() - before;
  const auto begin = std::chrono::steady_clock::now();
  timing.loss = stepper.loss();
  timing.total += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  timing.processor = processor_seconds() - processor;
  std::sort(timing.seconds.begin(), timing.seconds.end());
  return timing;
}

Json inputs_json(const Options& o) {
  return {{"structure", o.structure}, {"work", o.work},
          {"batch", o.batch},         {"embed", o.embed},
          {"hidden", o.hidden},       {"layers", o.layers},
          {"vocab", o.vocab},         {"dropout", o.dropout},
          {"steps", o.steps},         {"lengths", o.lengths.empty() ? Json() : Json(o.lengths)},
          {"seed", o.common->seed}};
}

// Of a step, on average.
void add_counts(Json& line, const Timing& t) {
  const auto a_step = [&](int64_t n) { return static_cast<double>(n) / t.steps(); };
  line["launches"] = a_step(t.counts.launches);
  line["host_waits"] = a_step(t.counts.host_waits);
  line["copies"] = a_step(t.counts.copies);
  line["copied_bytes"] = a_step(t.counts.copied_bytes);
}

// Null for what is not counted or not measured.
Json report(const Options& o, Device device, const Timing& t, double peak) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto number = [](bool known, double value) { return known ? Json(value) : Json(); };
  const double flops = t.sum.flops;
  const bool bf16 = matmul() == Matmul::bf16 && !device.is_cuda();
  return {{"heed", provenance("bench", *o.common)},
          {"inputs", inputs_json(o)},
          {"median_step_s", t.median()},
          {"cpu_step_s", t.processor / t.steps()},
          {"tokens_per_step", t.sum.tokens / t.steps()},
          {"tokens_per_s", t.sum.tokens / t.total},
          {"loss", t.loss},
          {"peak_rss_mb", usage.ru_maxrss / 1024},
          {"peak_tensor_mb", memory_stats(device).peak_bytes >> 20},
          {"bf16_tile", bf16 ? Json(cpu::name_of(cpu::bf16_tile())) : Json()},
          {"peak_gflops", number(peak > 0, peak / 1e9)},
          {"gflop_per_step", number(flops > 0, flops / 1e9 / t.steps())},
          {"gflops", number(flops > 0, flops / t.total / 1e9)},
          {"share_of_peak", number(flops > 0 && peak > 0, flops / t.total / peak)}};
}

void run(const Options& o) {
  const Device device = start(*o.common);
  if (o.count && !device.is_cuda()) {
    throw UsageError("--count: counts what is asked of a CUDA device; give --device cuda");
  }
  const ModelConfig config{
      Structure::parse(o.structure), o.vocab, o.embed, o.hidden, o.layers, false, o.dropout};
  config.check();
  check_memory(config);
  const std::unique_ptr<Responder> made = make_responder(config, o.common->seed);
  Responder& model = *made;
  move(model, device);
  const std::vector<Work> all = make_work(o, model.parts(), device);
  const double peak = device.is_cuda() ? 0 : cpu::measure_peak();
  Stepper stepper(o, model);
  const Timing t = time_steps(o.steps, stepper, all);
  Json line = report(o, device, t, peak);
  if (o.count) add_counts(line, t);
  std::printf("%s\n", line.dump().c_str());
}

}  // namespace

void add_bench(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "bench", "Time training steps, scoring or decoding; prints one line of JSON");
  c->footer(
      "A step is forward, loss with attention loss, backward, clipping and SGD, on random words. "
      "The share of peak is against the multiply-add peak, of bf16 with --matmul bf16, that the "
      "same "
      "program measures first; "
      "multiply-adds are counted for training the LSTM structures, and null for all else.\n"
      "Example:\n"
      "  heed bench --structure dynamic --batch 64 --hidden 512 --embed 512 --layers 4 "
      "--vocab 25000 --threads 1");
  o->common = add_common(*c, {.seed = "Seed of the weights and the words"});
  add_structure(*c, o->structure);
  c->add_option(
       "--work", o->work,
       "What a step is: train; forward, the first half of it; score, as `heed score` does; "
       "beam, responses of the same lengths by beam search with 5 hypotheses")
      ->check(one_of({"train", "forward", "score", "beam"}))
      ->capture_default_str();
  c->add_option("--batch", o->batch, "Dialogues in a batch")
      ->check(whole_number(1, kMaxBatch))
      ->capture_default_str();
  const auto size = [&](const char* name, int64_t& value, const char* text, int64_t least = 1) {
    c->add_option(name, value, text)
        ->check(whole_number(least, kMaxModelSize))
        ->capture_default_str();
  };
  size("--embed", o->embed, "Embedding size");
  size("--hidden", o->hidden, "Hidden size");
  size("--layers", o->layers, "LSTM layers");
  size("--vocab", o->vocab, "Vocabulary size", kSpecialTokens + 1);
  c->add_option("--dropout", o->dropout, "Dropout probability")->capture_default_str();
  c->add_option("--steps", o->steps, "Steps timed, after one for warm-up")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  c->add_option("--lengths", o->lengths,
                "Utterance lengths, {\"context\": [..], \"response\": n} a line; without it every "
                "dialogue has 6 utterances of 12 tokens and a response of 16");
  c->add_flag("--count", o->count,
              "With --device cuda: also what a step asks of the device, the making of its batch "
              "included: launches (kernels, cuBLAS calls, clearing of memory), copies, and how "
              "often the host waits");
  c->callback([o] { run(*o); });
}

}  // namespace heed
