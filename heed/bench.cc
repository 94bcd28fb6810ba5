#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dialog/attention_loss.h"
#include "dialog/config.h"
#include "dialog/flops.h"
#include "dialog/text_file.h"
#include "heed/commands.h"
#include "optim/optim.h"
#include "tensor/allocator.h"
#include "tensor/cuda/runtime.h"
#include "tensor/kernels/isa.h"
#include "tensor/kernels/peak.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::string structure = "dynamic", lengths;
  int64_t batch = 64, embed = 256, hidden = 256, layers = 2, vocab = 10000, steps = 5;
  double dropout = 0.2;
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

std::vector<Batch> make_batches(const Options& o, bool hierarchical, Device device) {
  const std::vector<Lengths> lengths = o.lengths.empty()
                                           ? std::vector<Lengths>(o.batch)
                                           : read_lengths(o.lengths, o.batch * (o.steps + 1));
  Rng rng(o.common->seed, "bench");
  std::vector<Batch> batches;
  for (size_t at = 0; at < lengths.size(); at += o.batch) {
    std::vector<Example> examples;
    for (size_t i = at; i < std::min(lengths.size(), at + o.batch); ++i) {
      examples.push_back(make_example(lengths[i], o.vocab, rng));
    }
    std::vector<const Example*> pointers;
    for (const Example& e : examples) pointers.push_back(&e);
    batches.push_back(make_batch(pointers, hierarchical, device));
  }
  return batches;
}

void run(const Options& o) {
  const Device device = start(*o.common);
  ModelConfig config{
      Structure::parse(o.structure), o.vocab, o.embed, o.hidden, o.layers, false, o.dropout};
  config.check();
  check_memory(config);
  DialogModel model(config, o.common->seed);
  move(model, device);
  const std::vector<Batch> batches = make_batches(o, config.structure.hierarchical, device);
  const double peak = device.is_cuda() ? 0 : cpu::measure_peak();
  Sgd optimizer(model);
  const auto all = parameters(model);
  std::vector<double> times;
  double tokens = 0, flops = 0, loss_value = 0;
  for (int64_t i = 0; i <= o.steps; ++i) {
    const Batch& batch = batches[i % batches.size()];
    const auto begin = std::chrono::steady_clock::now();
    zero_grad(model);
    const DropoutMode drop{config.dropout, o.common->seed, static_cast<uint64_t>(i)};
    const Var loss = training_loss(batch, model(batch, drop), 1.0);
    loss.backward();
    optimizer.step(clip_grad_norm(all, 5).scale);
    loss_value = loss.value().item();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (i == 0) continue;  // the first step is the warm-up
    times.push_back(seconds.count());
    tokens += static_cast<double>(batch.token_count);
    flops += training_flops(config, batch);
  }
  const double total = std::accumulate(times.begin(), times.end(), 0.0);
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  const double median = times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  nlohmann::ordered_json json = {{"heed", HEED_VERSION},
                                 {"kernels", cpu::isa()},
                                 {"structure", o.structure},
                                 {"device", device.str()},
                                 {"threads", num_threads()},
                                 {"median_step_s", median},
                                 {"tokens_per_s", tokens / total},
                                 {"loss", loss_value},
                                 {"peak_rss_mb", usage.ru_maxrss / 1024},
                                 {"gflop_per_step", flops / 1e9 / double(times.size())},
                                 {"gflops", flops / total / 1e9},
                                 {"peak_tensor_mb", memory_stats(device).peak_bytes >> 20}};
  if (device.is_cuda()) {
    json["device_name"] = cuda::device_name(device.index);
    json["matmul"] = o.common->matmul;
  } else {
    json["peak_gflops"] = peak / 1e9;
    json["share_of_peak"] = flops / total / peak;
  }
  std::printf("%s\n", json.dump().c_str());
}

}  // namespace

void add_bench(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("bench", "Time training steps; prints one line of JSON");
  c->footer(
      "A step is forward, loss with attention loss, backward, clipping and SGD, on random words.\n"
      "The share of peak is against the multiply-add peak that the same program measures first.\n"
      "Example: heed bench --structure dynamic --batch 64 --hidden 512 --embed 512 --layers 4 \\\n"
      "           --vocab 25000 --threads 1");
  o->common = add_common(*c);
  c->add_option("--structure", o->structure, "The model structure")->capture_default_str();
  c->add_option("--batch", o->batch, "Dialogues in a batch")->capture_default_str();
  c->add_option("--embed", o->embed, "Embedding size")->capture_default_str();
  c->add_option("--hidden", o->hidden, "Hidden size")->capture_default_str();
  c->add_option("--layers", o->layers, "LSTM layers")->capture_default_str();
  c->add_option("--vocab", o->vocab, "Vocabulary size")->capture_default_str();
  c->add_option("--dropout", o->dropout, "Dropout probability")->capture_default_str();
  c->add_option("--steps", o->steps, "Steps timed, after one for warm-up")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  c->get_option("--batch")->check(CLI::Range(1, 1'000'000));
  c->add_option("--lengths", o->lengths,
                "Utterance lengths, {\"context\": [..], \"response\": n} a line; without it every\n"
                "dialogue has 6 utterances of 12 tokens and a response of 16");
  c->callback([o] { run(*o); });
}

}  // namespace heed
