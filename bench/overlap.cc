// The gain from sending gradients during the backward pass (docs/scaling.md, "Overlap"): two ranks
// on this machine, one thread each. Their exchanges additionally take the time of a network, 20
// microseconds and bytes / bandwidth, during which a waiting rank sleeps.
//
//   build/release/bin/heed_bench_overlap laptop|paper [TURNS [EXCHANGE ...]]
//
// EXCHANGE: how long the network takes for the bytes of a step, as a multiple of a step without
// one; 0 is no network. Prints medians of the turns as a Markdown table: efficiencies, step without
// a network / step with it, where all is sent at the end of the step and where it is sent on the
// way, each beside what is expected: 1 / (1 + EXCHANGE), and what follows from the time at which
// each gradient is complete, if sending took nothing but the network's time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "autograd/node.h"
#include "base/clock.h"
#include "dialog/respond/loss.h"
#include "dialog/respond/structures.h"
#include "tensor/parallel.h"
#include "train/forked_ranks.h"
#include "train/step.h"

namespace heed {
namespace {

using Seconds = std::chrono::duration<double>;

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Size {
  int batch, width, layers, vocabulary;
};

// A model and one of its steps: a piece with this many dialogues on each rank.
struct Work {
  Work(const Size& size, int ranks)
      : model(make_responder({Structure::parse("static-ui"), size.vocabulary, size.width,
                              size.width, size.layers, false, 0.2},
                             1)) {
    Rng rng(1, "overlap");
    const auto words = [&](int n) {
      std::vector<int32_t> ids(static_cast<size_t>(n));
      for (int32_t& id : ids) {
        id = static_cast<int32_t>(5 + rng.below(static_cast<uint64_t>(size.vocabulary) - 5));
      }
      return ids;
    };
    for (int b = 0; b < ranks * size.batch; ++b) {
      Example& e = examples.emplace_back();
      for (int u = 0; u < 6; ++u) e.context.push_back(words(12));
      e.distraction.assign(6, 0);
      e.response = words(16);
      all.push_back(b);
      task.sizes.push_back(1);
    }
    task.module = model.get();
    task.loss = [this](const std::vector<int64_t>& some, const StepKey& key) {
      ExamplePointers pointers;
      for (const int64_t i : some) pointers.push_back(&examples[static_cast<size_t>(i)]);
      const Batch batch = make_batch(pointers, model->parts());
      const Taught taught = model->teach(batch, {0.2, key.seed, key.number()});
      return Loss{training_loss(batch, taught, 1.0)};
    };
  }

  std::unique_ptr<Responder> model;
  std::vector<Example> examples = {};
  std::vector<int64_t> all = {};
  Task task = {};
};

// A network between ranks of one machine. It uses no processor time.
class Network : public Ranks {
 public:
  Network(Ranks& ranks, bool any_thread)
      : Ranks(ranks.rank(), ranks.size()), ranks_(ranks), any_thread_(any_thread) {}

  bool any_thread() const override { return any_thread_; }
  double seconds_a_byte = 0;  // 0: there is no network

 private:
  static constexpr double kLatency = 20e-6;

  std::vector<Bytes> deliver(const std::vector<std::string_view>& blocks) override {
    int64_t bytes = 0;
    for (int r = 0; r < size(); ++r) {
      if (r != rank()) bytes += std::ssize(blocks[static_cast<size_t>(r)]);
    }
    std::vector<Bytes> got = ranks_.exchange(blocks);
    if (seconds_a_byte > 0) {
      std::this_thread::sleep_for(Seconds(kLatency + static_cast<double>(bytes) * seconds_a_byte));
    }
    return got;
  }

  Ranks& ranks_;
  const bool any_thread_;
};

// The time at which each gradient is complete, as a share of the piece's time, and its bytes.
struct Completed {
  double when;
  int64_t bytes;
};

std::vector<Completed> watch(Work& work, const std::vector<int64_t>& piece) {
  std::vector<Completed> all;
  zero_grad(*work.model);
  const auto begin = std::clock();  // processor time
  work.task.loss(piece, {}).total.backward([&](const Node& leaf) {
    const Gradient& g = leaf.outputs[0].total;
    all.push_back(
        {static_cast<double>(std::clock() - begin), (g.sparse() ? g.rows : g.dense).bytes()});
  });
  const auto took = static_cast<double>(std::clock() - begin);
  for (Completed& c : all) c.when /= took;
  return all;
}

// Efficiency if each gradient is sent as soon as it is complete and the network is free, and all
// together take `exchange` times a step.
double expected(const std::vector<Completed>& all, double exchange) {
  double bytes = 0, free = 0;
  for (const Completed& c : all) bytes += static_cast<double>(c.bytes);
  for (const Completed& c : all) {
    free = std::max(free, c.when) + exchange * static_cast<double>(c.bytes) / bytes;
  }
  return 1 / std::max(free, 1.0);
}

class Bench {
 public:
  Bench(const Size& size, Ranks& ranks)
      : ranks_(ranks),
        work_(size, ranks.size()),
        after_(ranks, /*any_thread=*/false),
        beside_(ranks, /*any_thread=*/true) {
    for (int i = 0; i < 3; ++i) {
      step(send_after_);
      step(send_beside_);
    }
    completed_ = watch(work_, {work_.all.begin(), work_.all.begin() + size.batch});
  }

  // Three kinds of steps take turns, because the machine may have other work: without a network,
  // and two with one that takes `exchange` times the first.
  void print_row(const char* name, double exchange, int turns) {
    std::vector<double> alone, after, beside;  // the last two as efficiencies
    for (int i = 0; i < turns; ++i) {
      const int64_t before = after_.bytes_sent();
      after_.seconds_a_byte = 0;
      alone.push_back(step(send_after_));
      after_.seconds_a_byte = beside_.seconds_a_byte =
          exchange * alone.back() / static_cast<double>(after_.bytes_sent() - before);
      after.push_back(alone.back() / step(send_after_));
      beside.push_back(alone.back() / step(send_beside_));
    }
    if (!ranks_.first()) return;
    std::printf("| %s | %.1f | %.0f ms | %.0f %% | %.0f %% | %.0f %% | %.0f %% |\n", name, exchange,
                1e3 * median(alone), 100 / (1 + exchange), 100 * median(after),
                100 * expected(completed_, exchange), 100 * median(beside));
    std::fflush(stdout);
  }

 private:
  double step(PiecewiseGradients& gradients) {
    ranks_.any(0);
    const double begin = now();
    gradients.compute_gradients(work_.task, work_.all, {});
    ranks_.any(0);
    return now() - begin;
  }

  Ranks& ranks_;
  Work work_;
  Network after_, beside_;
  PiecewiseGradients send_after_{ranks_.size(), after_}, send_beside_{ranks_.size(), beside_};
  std::vector<Completed> completed_;
};

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  using namespace heed;
  const std::string name = argc > 1 ? argv[1] : "";
  if (name != "laptop" && name != "paper") {
    std::fprintf(stderr, "usage: heed_bench_overlap laptop|paper [TURNS [EXCHANGE ...]]\n");
    return 2;
  }
  const Size size = name == "laptop" ? Size{32, 256, 2, 10000} : Size{32, 512, 4, 25000};
  const int turns = argc > 2 ? static_cast<int>(std::strtol(argv[2], nullptr, 10)) : 9;
  std::vector<double> exchanges = {0, 0.1, 0.3, 1, 3};
  if (argc > 3) exchanges.clear();
  for (int i = 3; i < argc; ++i) exchanges.push_back(std::strtod(argv[i], nullptr));
  std::printf(
      "| size | exchange | step alone | at the end: expected | measured | on the way: expected | "
      "measured |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  const std::atomic<bool> stop = false;
  fork_ranks(
      2,
      [&](Ranks& ranks) {
        set_num_threads(1);
        Bench bench(size, ranks);
        for (const double exchange : exchanges) bench.print_row(name.c_str(), exchange, turns);
      },
      stop);
}
