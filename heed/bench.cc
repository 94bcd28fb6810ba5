#include <sys/resource.h>

#include "dialog/respond/config.h"
#include "dialog/respond/das.h"
#include "dialog/respond/step_times.h"
#include "dialog/respond/structures.h"
#include "heed/command.h"
#include "heed/progress.h"
#include "tensor/allocator.h"
#include "tensor/kernels/matmul.h"
#include "tensor/kernels/peak.h"
#include "train/settings.h"

namespace heed {
namespace {

struct BenchOptions : CommandOptions {
  std::string structure = "dynamic", work = "train", lengths;
  int64_t batch = 64, embed = 256, hidden = 256, layers = 2, vocab = 10000, steps = 5;
  double dropout = 0.2;
  bool count = false;
};

Json inputs_json(const BenchOptions& o) {
  return {{"structure", o.structure}, {"work", o.work},
          {"batch", o.batch},         {"embed", o.embed},
          {"hidden", o.hidden},       {"layers", o.layers},
          {"vocab", o.vocab},         {"dropout", o.dropout},
          {"steps", o.steps},         {"lengths", o.lengths.empty() ? Json() : Json(o.lengths)},
          {"seed", o.common->seed}};
}

// Means over the steps.
void add_counts(Json& line, const StepTimes& t) {
  const auto a_step = [&](int64_t n) { return static_cast<double>(n) / t.steps(); };
  line["launches"] = a_step(t.counts.launches);
  line["host_waits"] = a_step(t.counts.host_waits);
  line["copies"] = a_step(t.counts.copies);
  line["copied_bytes"] = a_step(t.counts.copied_bytes);
}

// Null where nothing was measured.
Json report(const BenchOptions& o, Device device, const StepTimes& t, double peak) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto number = [](bool known, double value) { return known ? Json(value) : Json(); };
  const bool bf16 = matmul() == Matmul::bf16 && !device.is_cuda();
  return {{"heed", provenance(o)},
          {"inputs", inputs_json(o)},
          {"median_step_s", *median(t.seconds)},
          {"cpu_step_s", t.processor / t.steps()},
          {"tokens_per_step", t.tokens / t.steps()},
          {"tokens_per_s", t.tokens / t.total},
          {"loss", t.loss},
          {"peak_rss_mb", usage.ru_maxrss / 1024},
          {"peak_tensor_mb", memory_stats(device).peak_bytes >> 20},
          {"held_tensor_mb", number(t.held_bytes > 0, static_cast<double>(t.held_bytes >> 20))},
          {"bf16_tile", bf16 ? Json(cpu::name_of(cpu::bf16_tile())) : Json()},
          {"peak_gflops", number(peak > 0, peak / 1e9)},
          {"gflop_per_step", t.flops / 1e9 / t.steps()},
          {"gflops", t.flops / t.total / 1e9},
          {"share_of_peak", number(peak > 0, t.flops / t.total / peak)}};
}

void run(const BenchOptions& o) {
  const Device device = start(*o.common);
  if (o.count && !device.is_cuda()) {
    throw UsageError("--count: counts the calls of a CUDA device; give --device cuda");
  }
  const ModelConfig config{
      Structure::parse(o.structure), o.vocab, o.embed, o.hidden, o.layers, false, o.dropout};
  config.check();
  check_memory(config);
  const std::unique_ptr<Responder> made = make_responder(config, o.common->seed);
  Responder& model = *made;
  move(model, device);
  const double peak = device.is_cuda() ? 0 : cpu::measure_peak();
  Progress progress;
  const auto show = [&](int64_t done, double seconds) {
    progress.show(
        "step " + std::to_string(done) + " of " + std::to_string(o.steps) + "  " +
        format_seconds(seconds / static_cast<double>(done) * static_cast<double>(o.steps - done)) +
        " left");
  };
  const StepTimes t = step_times(model,
                                 {.work = o.work,
                                  .lengths = o.lengths,
                                  .batch = o.batch,
                                  .steps = o.steps,
                                  .dropout = o.dropout,
                                  .seed = o.common->seed,
                                  .make_batches = o.count,
                                  .progress = show},
                                 device);
  progress.done();
  Json line = report(o, device, t, peak);
  if (o.count) add_counts(line, t);
  std::printf("%s\n", line.dump().c_str());
}

}  // namespace

void add_bench(CLI::App& app) {
  const auto [c, o] = declare<BenchOptions>(
      app, "bench", "Time training steps, scoring or decoding; prints one line of JSON",
      "A step on random words consists of the forward pass, the loss with the attention loss, the "
      "backward pass, clipping and SGD. The program first measures the peak rate of multiply-adds "
      "(with --matmul bf16: of bf16). The share of peak counts the multiply-adds of all matrix "
      "products and of attention.\n"
      "Example:\n"
      "  heed bench --structure dynamic --batch 64 --hidden 512 --embed 512 --layers 4 --vocab "
      "25000 --threads 1",
      {.seed = "Seed of the weights and the words"}, run);
  add_structure(c, o.structure);
  option(
      c, "--work", o.work,
      "What a step does: train: a training step; forward: its forward pass only; score: the "
      "work of `heed score`; greedy, beam: greedy or beam search (5 hypotheses) for responses of "
      "the same lengths",
      one_of({"train", "forward", "score", "greedy", "beam"}));
  option(c, "--batch", o.batch, "Dialogues in a batch", whole_number(1, kMaxBatch));
  CLI::App& bench = c;
  const auto size = [&bench](const char* name, int64_t& value, const char* text,
                             int64_t least = 1) {
    option(bench, name, value, text, whole_number(least, kMaxModelSize));
  };
  size("--embed", o.embed, "Embedding size");
  size("--hidden", o.hidden, "Hidden size");
  size("--layers", o.layers, "LSTM layers");
  size("--vocab", o.vocab, "Vocabulary size", kSpecialTokens + 1);
  option(c, "--dropout", o.dropout, "Dropout probability");
  option(c, "--steps", o.steps, "Steps to time, after one for warm-up", whole_number(1, 1'000'000));
  c.add_option("--lengths", o.lengths,
               "Utterance lengths, one {\"context\": [..], \"response\": n} a line; if not given, "
               "every dialogue has 6 utterances of 12 tokens and a response of 16");
  c.add_flag("--count", o.count,
             "With --device cuda: also count the calls of a step and of making its batch: "
             "launches (kernels, cuBLAS calls, clearing of memory), copies, and how often the "
             "host waits");
}

}  // namespace heed
