#include "emulator/marks.h"

namespace emulator {

using Use = Mark::Use;
using By = Mark::By;

static constexpr int kWarp = 32;

bool at_one_time(const Use& use) {
  const Moment moment = now();
  if (use.by == By::nobody || use.interval != moment.interval) return false;
  if (use.by == By::thread && use.thread == moment.thread) return false;
  const bool same_warp = use.by != By::block && use.thread / kWarp == moment.thread / kWarp;
  return !same_warp || use.warp_interval == moment.warp_interval;
}

void note(Use& use, bool adds) {
  const Moment moment = now();
  By by = By::thread;
  if (adds && use.by != By::nobody && use.interval == moment.interval) {
    by = use.by == By::thread && use.thread == moment.thread                  ? By::thread
         : use.by != By::block && use.thread / kWarp == moment.thread / kWarp ? By::warp
                                                                              : By::block;
  }
  use = {moment.interval, moment.warp_interval, moment.thread, place_of_block(), by};
}

void fail_race(const std::string& does, const Use& other, const char* did) {
  std::string who =
      other.by == By::thread ? "thread " + thread_text(other.thread) : "several threads";
  if (other.by == By::grid) who = "several blocks";
  const bool elsewhere = other.by != By::grid && other.block != place_of_block();
  if (elsewhere) who += " of block " + std::to_string(other.block);
  fail(does + ", which " + who + " " + did +
       (elsewhere || other.by == By::grid ? " in the same launch: nothing orders blocks (a race)"
                                          : " between the same two barriers (a race)"));
}

// ---- shared memory

static std::string element(const char* name, int64_t i) {
  return std::string(name) + "[" + std::to_string(i) + "]";
}

static void check_written(const Mark& mark, const char* name, int64_t i) {
  if (mark.block == now().block) return;
  fail("reads shared memory that nothing has written: " + element(name, i));
}

void check_bounds(const char* name, int64_t i, int64_t n) {
  if (i >= 0 && i < n) return;
  accessed_from = __builtin_return_address(0);
  fail("uses " + element(name, i) + " of shared memory with " + std::to_string(n) + " elements");
}

void check_read(Mark& mark, const char* name, int64_t i) {
  accessed_from = __builtin_return_address(0);
  check_written(mark, name, i);
  if (at_one_time(mark.write)) fail_race("reads " + element(name, i), mark.write, "wrote");
  note(mark.read, /*adds=*/true);
}

void check_write(Mark& mark, const char* name, int64_t i) {
  accessed_from = __builtin_return_address(0);
  if (at_one_time(mark.write)) fail_race("writes " + element(name, i), mark.write, "wrote");
  if (at_one_time(mark.read)) fail_race("writes " + element(name, i), mark.read, "read");
  mark.block = now().block;
  mark.atomic = false;
  note(mark.write, /*adds=*/false);
}

void check_atomic(Mark& mark, const char* name, int64_t i) {
  accessed_from = __builtin_return_address(0);
  check_written(mark, name, i);
  if (!mark.atomic && at_one_time(mark.write)) {
    fail_race("updates " + element(name, i), mark.write, "wrote");
  }
  if (at_one_time(mark.read)) fail_race("updates " + element(name, i), mark.read, "read");
  note(mark.write, /*adds=*/mark.atomic);
  mark.atomic = true;
}

}  // namespace emulator
