// Lab 6, task schedule: when the rate is halved, which epoch is the best, and when it is over.
#include <cmath>

#include "labs/06-training/models.h"

namespace heed::lab {
namespace {

void check_patience(Draw& draw, int patience) {
  const HalvingSchedule::Options options = {.rate = draw.uniform(0.5, 2), .patience = patience};
  const double best = draw.uniform(50, 100);
  std::vector<double> perplexities = {best}, want = {options.rate}, at_once = {options.rate};
  for (int epoch = 2; epoch <= 9; ++epoch) {
    perplexities.push_back(draw.between(0, 1) ? best : best + draw.uniform(1, 50));
    want.push_back(options.rate * std::pow(0.5, patience > 0 ? (epoch - 1) / patience : 0));
    at_once.push_back(options.rate * std::pow(0.5, epoch - 1));
  }
  HalvingSchedule schedule(options);
  expect_close(
      "the rate after each epoch, patience " + std::to_string(patience) +
          ", when only the first epoch was an improvement",
      rates_of(schedule, perplexities), numbers(want),
      {.suspects = {{"halved after every epoch: patience says how many bad ones in a row "
                     "it takes",
                     patience > 1 ? numbers(at_once) : Tensor::zeros({0}, DType::f64)}},
       .law = "after `patience` epochs in a row without improvement the rate is halved, "
              "and they are counted anew; patience 0 is never; to be as good as the best is no "
              "improvement"});
  expect(schedule.state.best == best, "state.best is not the best perplexity so far.");
  expect(!schedule.finished(),
         "it is finished, although another halving is allowed and stop_after is 0, which says that "
         "no number of epochs without a best one ends it.");

  HalvingSchedule first(options), second(options);
  const std::vector<double> head(perplexities.begin(), perplexities.begin() + 4);
  const std::vector<double> tail(perplexities.begin() + 4, perplexities.end());
  (void)rates_of(first, head);
  second.state = first.state;
  expect_close("the rates of a run that goes on after a break", rates_of(second, tail),
               numbers({want.begin() + 4, want.end()}),
               {.suspects = {}, .law = "all that changes is in `state`"});
}

LAB_CHECK(HalvesWhenNothingImproves) {
  Draw draw;
  for (const int64_t patience : {int64_t{1}, draw.between(2, 3), int64_t{0}}) {
    check_patience(draw, static_cast<int>(patience));
  }
  const int patience = static_cast<int>(draw.between(2, 4));
  HalvingSchedule schedule({.rate = 1, .patience = patience});
  std::vector<double> perplexities;
  for (const double best : {99.0, 98.0, 97.0, 96.0}) {
    perplexities.push_back(best);
    perplexities.insert(perplexities.end(), patience - 1, 100.0);
  }
  expect_close("the rate with an improvement after every " + std::to_string(patience - 1) +
                   " bad epochs, patience " + std::to_string(patience),
               rates_of(schedule, perplexities),
               Tensor::full({std::ssize(perplexities)}, 1, DType::f64),
               {.law = "bad epochs in a row: after an improvement they are counted anew"});
  const int64_t longer = draw.between(3, 5);
  for (int64_t bad = 1; bad < longer; ++bad) {  // an improvement at any time
    std::vector<double> values = {99}, rates(static_cast<size_t>(bad + 1 + longer), 1);
    values.insert(values.end(), bad, 100.0);
    values.push_back(98);
    values.insert(values.end(), 2 * longer, 99.0);
    rates.insert(rates.end(), static_cast<size_t>(longer), 0.5);
    rates.push_back(0.25);
    HalvingSchedule late({.rate = 1, .patience = static_cast<int>(longer)});
    expect_close(
        text("the rate when epoch ", bad + 2, " is the last improvement, patience ", longer),
        rates_of(late, values), numbers(rates),
        {.law = "bad epochs are counted from the last improvement, or the last halving"});
  }
}

// Values that get better by 5 % an epoch, where `enough` of that counts as an improvement.
void check_steps(double value, bool higher, double enough, int64_t epochs) {
  HalvingSchedule schedule({.rate = 1, .min_rate = 0, .min_improvement = enough});
  std::vector<double> rates, want;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    expect(schedule.update(value, higher),
           "a value that is 5 % better than ever before is the best so far: update() has to return "
           "true.");
    value += (higher ? 0.05 : -0.05) * std::fabs(value);
    rates.push_back(schedule.rate());
    want.push_back(enough < 0.05 ? 1 : std::pow(0.5, static_cast<double>(epoch)));
  }
  expect_close(text("the rate while values ", value < 0 ? "below 0 " : "", higher ? "rise" : "fall",
                    " by 5 % an epoch, and ", 100 * enough, " % count as an improvement"),
               numbers(rates), numbers(want),
               {.law = "an epoch improves if value < best - min_improvement |best| (or is as much "
                       "above it); the best so far it may be all the same"});
}

LAB_CHECK(SmallStepsForward) {
  Draw draw;
  for (const double enough : {0.01, 0.049, 0.051, 0.2}) {
    for (const double sign : {1.0, -1.0}) {
      for (const bool higher : {false, true}) {
        for (const double size : {1.0, 0.01}) {
          check_steps(size * sign * draw.uniform(80, 100), higher, enough, draw.between(7, 9));
        }
      }
    }
  }
}

LAB_CHECK(SomeValuesRise) {
  Draw draw;
  const double worse = draw.uniform(-1, 0);
  HalvingSchedule schedule({.rate = 1, .min_rate = 0});
  expect(schedule.update(worse, true), "the first value of all is the best so far.");
  expect(schedule.update(0, true),
         "of a value of which higher is better, 0 is better than " + text(worse) + ".");
  expect(!schedule.update(worse, true),
         "of a value of which higher is better, " + text(worse) + " is worse than 0.");
  expect(!schedule.update(0, true),
         "of a value of which higher is better, to be as good as the best is not to be the best.");
  if (testing::Test::HasFailure()) return;
  HalvingSchedule patient({.rate = 1, .min_rate = 0, .patience = 2});
  std::vector<double> rates;
  for (const double value : {70, 60, 65, 60, 60, 71, 70, 60}) {
    patient.update(value, true);
    rates.push_back(patient.rate());
  }
  expect(!patient.update(71, true),
         "of a value of which higher is better, 71 after 71 is not best.");
  expect_close("the rate with patience 2, of a value of which higher is better", numbers(rates),
               numbers({1, 1, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125}),
               {.law = "epochs without improvement are counted whichever way is better"});
}

LAB_CHECK(StopsAfterEpochsWithoutABest) {
  Draw draw;
  const int64_t epochs = draw.between(2, 5);
  for (const int patience : {0, 1}) {  // alone, and without a break
    HalvingSchedule alone({.rate = 1,
                           .patience = patience,
                           .halve_after = patience,
                           .stop_after = static_cast<int>(epochs)});
    alone.update(1);
    for (int64_t i = 0; i < epochs; ++i) alone.update(i % 2 == 0 ? std::nan("") : 1);
    if (alone.finished()) continue;
    return expect(false, text("stop_after is ", epochs,
                              ", and after so many epochs of which none is the best one it goes "
                              "on."));
  }
  HalvingSchedule schedule({.rate = 1, .min_rate = 0, .stop_after = static_cast<int>(epochs)});
  schedule.update(2);
  schedule.update(3);
  schedule.update(1);
  for (int64_t i = 0; i < epochs; ++i) {
    expect(!schedule.finished(), "stop_after is " + text(epochs) + ", and it is over after " +
                                     text(i) + " epochs behind the best one.");
    expect(!schedule.update(i % 2 == 0 ? std::nan("") : 1),
           "an epoch that is as good as the best one is not the best: update() "
           "returns whether it is, also where it is over.");
    HalvingSchedule other({.rate = 1});  // what another one counts is its own
    other.update(2);
    HalvingSchedule again({.rate = 1, .min_rate = 0, .stop_after = static_cast<int>(epochs)});
    again.state = schedule.state;  // as a run that goes on after a break
    for (int64_t more = i + 1; more < epochs; ++more) again.update(3);
    expect(again.finished(),
           "a run that goes on after a break is not over after stop_after epochs "
           "without a best one: all that changes is in `state`.");
  }
  expect(schedule.finished(), "stop_after is " + text(epochs) +
                                  ", and after so many epochs of "
                                  "which none is the best one it goes on.");
  expect(schedule.update(0.5),
         "a value that is better than all before, after the end: update() "
         "returns whether it is the best, also where it is over.");
  expect(schedule.finished(), "it was over, and a better epoch after the end has undone it.");
  HalvingSchedule patient({.rate = 1, .patience = 2, .max_halvings = 0});
  for (int epoch = 0; epoch < 3; ++epoch) patient.update(70);
  expect(patient.finished(),
         "max_halvings is 0 and patience 2, and two epochs without improvement do not end it.");
  patient.update(70);
  expect(patient.finished(), "it was over, and one more epoch has undone it: what ends has ended.");
  HalvingSchedule nan({.rate = 1, .min_rate = 0, .stop_after = static_cast<int>(epochs)});
  for (int64_t i = 0; i < epochs; ++i) nan.update(std::nan(""));
  expect(nan.finished(), "stop_after is " + text(epochs) +
                             ", and so many epochs of NaN, the first ones, do not end it: none of "
                             "them is the best one.");
  HalvingSchedule falling({.rate = 1, .min_rate = 0, .min_improvement = 0.2, .stop_after = 2});
  double value = 100;
  while (value > 70) {
    falling.update(value);
    value *= 0.95;
  }
  expect(!falling.finished(),
         "stop_after is 2, every epoch was the best so far, and it is over: it counts epochs that "
         "were not the best, however little the best ones improved.");
}

LAB_CHECK(NanIsNeverBest) {
  Draw draw;
  for (const bool higher : {false, true}) {
    HalvingSchedule endless({.rate = 1});
    expect(endless.update(higher ? -INFINITY : INFINITY, higher),
           text("the first value of all is ", higher ? "-" : "",
                "infinity, and is not called the "
                "best so far: of all values only NaN never is."));
    endless.update(1, higher);
    expect(endless.rate() == 1,
           text("the best so far was ", higher ? "-" : "",
                "infinity, and 1 is no improvement: a share of infinity is infinite, or NaN. After "
                "such a best, whatever is better improves."));
  }
  const double nan = std::nan(""), good = draw.uniform(50, 100);
  HalvingSchedule schedule({.rate = 1});
  const int64_t epochs = draw.between(1, 4);
  for (int64_t i = 0; i < epochs; ++i) {
    expect(!schedule.update(nan), "NaN before all else was called the best perplexity so far.");
  }
  expect(schedule.rate() == std::pow(0.5, epochs),
         "an epoch that ends with NaN is one without improvement, the first ones, too.");
  expect(schedule.update(good),
         "a first perplexity after NaN is the best so far. Every comparison "
         "with NaN is false: was NaN kept as the best?");
  const double rate = schedule.rate();
  expect(!schedule.update(nan), "NaN was called the best perplexity so far.");
  expect(schedule.state.best == good, "after NaN state.best is " +
                                          text(schedule.state.best.value_or(NAN)) + " and not " +
                                          text(good) + ".");
  expect(schedule.rate() < rate, "an epoch that ends with NaN is one without improvement.");
  expect(schedule.update(good * 0.9),
         "after NaN an epoch that is better than all is not the best.");
}

LAB_CHECK(EndsInTime) {
  Draw draw;
  const int halvings = static_cast<int>(draw.between(2, 4));
  const double drawn = draw.uniform(0.02, 0.2);
  for (const double min_rate : {drawn, 0.25, 0.0}) {  // 0.25 is reached, and not below itself
    const bool by_rate = min_rate > 0;
    const HalvingSchedule::Options options = {
        .rate = 1, .min_rate = min_rate, .max_halvings = by_rate ? 100 : halvings};
    HalvingSchedule schedule(options);
    int last = 0;  // epoch after which it goes on
    while (last < 20 && (schedule.update(70), !schedule.finished())) ++last;
    const std::string what =
        by_rate ? "min_rate " + text(min_rate) : "max_halvings " + std::to_string(halvings);
    expect(schedule.finished(), "with " + what + ", 20 epochs without improvement do not end it.");
    expect(last == 1 - std::log2(schedule.rate()),
           text("with ", what, " it ends after epoch ", last + 1, ", with the rate 1 / ",
                std::lround(1 / schedule.rate()),
                ": it ends when another halving would be one too many, and not "
                "with the last one, whose rate nobody would train with."));
    expect(!by_rate || schedule.rate() >= min_rate,
           "with " + what + " the rate fell to " + text(schedule.rate()) +
               ", below min_rate: it ends when the next halving would go there.");
    expect(!by_rate || schedule.rate() / 2 < min_rate,
           "with " + what + " it ended at the rate " + text(schedule.rate()) +
               ", although another halving was allowed.");
    expect(by_rate || schedule.rate() == std::pow(0.5, halvings),
           "with " + what + " the rate ends at " + text(schedule.rate()) + ".");
    const double at_the_end = schedule.rate();
    for (int epoch = 0; epoch < 3; ++epoch) schedule.update(70);
    expect(schedule.rate() == at_the_end && schedule.finished(),
           "with " + what + " the rate is halved on after the end, or it is no longer over.");
  }
  HalvingSchedule nan({.rate = 1, .min_rate = 0, .patience = 0, .halve_after = 3});
  expect_close("the rate with halve_after 3 and patience 0, the second epoch NaN",
               rates_of(nan, {100, NAN, 98, 97}), numbers({1, 1, 0.5, 0.25}),
               {.law = "every epoch counts, also one that ends with NaN"});
  HalvingSchedule odd({.rate = 1, .min_rate = 0, .patience = 2});
  expect_close("the rate with patience 2, the second and the third epoch NaN",
               rates_of(odd, {100, NAN, NAN, 98}), numbers({1, 1, 0.5, 0.5}),
               {.law = "an epoch that ends with NaN is one bad epoch, like any other"});
  HalvingSchedule twice({.rate = 1, .min_rate = 0, .patience = 2, .halve_after = 3});
  expect_close("the rate with halve_after 3 and patience 2, without improvement",
               rates_of(twice, {70, 70, 70, 70, 70}), numbers({1, 1, 0.5, 0.25, 0.125}),
               {.law = "an epoch that has two reasons halves the rate once"});
  HalvingSchedule ends({.rate = 1, .min_rate = 0, .max_halvings = 2, .halve_after = 1});
  expect_close("the rate with halve_after 1 and max_halvings 2", rates_of(ends, {9, 8, 7, 6}),
               numbers({0.5, 0.25, 0.25, 0.25}),
               {.law = "max_halvings and min_rate hold for all halvings, also those by epoch"});
  expect(ends.finished(), "with halve_after 1 and max_halvings 2 it goes on after four epochs.");
  HalvingSchedule at_the_end({.rate = 1, .max_halvings = 0, .halve_after = 1});
  expect(
      at_the_end.update(9) && at_the_end.update(8),
      "an epoch that is the best so far, and after which it is over: update() returns whether it "
      "is the best.");
  HalvingSchedule low({.rate = 1, .min_rate = 0.25, .halve_after = 1});
  expect_close("the rate with halve_after 1 and min_rate 0.25", rates_of(low, {9, 8, 7, 6}),
               numbers({0.5, 0.25, 0.25, 0.25}),
               {.law = "max_halvings and min_rate hold for all halvings, also those by epoch"});
  expect(low.finished(), "with halve_after 1 and min_rate 0.25 it goes on after four epochs.");
  HalvingSchedule never({.rate = 1, .max_halvings = 0});
  expect_close("the rate with max_halvings 0, without improvement", rates_of(never, {70, 70, 70}),
               numbers({1, 1, 1}), {.law = "max_halvings 0: the first halving is one too many"});
  expect(never.finished(), "with max_halvings 0 three epochs without improvement do not end it.");
  HalvingSchedule schedule({.rate = 1, .min_rate = 0, .halve_after = 3});
  std::vector<double> falling;
  for (int epoch = 0; epoch < 6; ++epoch) falling.push_back(100.0 - epoch);
  expect_close("the rate with halve_after 3, while every epoch is better",
               rates_of(schedule, falling), numbers({1, 1, 0.5, 0.25, 0.125, 0.0625}),
               {.law = "from epoch halve_after on the rate is halved after every epoch"});
  if (testing::Test::HasFailure()) return;
  HalvingSchedule both({.rate = 1, .min_rate = 0, .patience = 1, .halve_after = 4});
  expect_close("the rate with halve_after 4 and patience 1, without improvement at first",
               rates_of(both, {70, 70, 69, 68, 67}), numbers({1, 0.5, 0.5, 0.25, 0.125}),
               {.law = "before epoch halve_after, too, patience halves the rate"});
  if (testing::Test::HasFailure()) return;
  HalvingSchedule high({.rate = 4, .min_rate = 1});
  expect_close("the rate with rate 4 and min_rate 1, without improvement",
               rates_of(high, {70, 70, 70, 70, 70}), numbers({4, 2, 1, 1, 1}),
               {.law = "min_rate is a rate, and not a share of the first one"});
}

}  // namespace
}  // namespace heed::lab
