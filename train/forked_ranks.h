// Ranks as processes of this machine that share memory: for who has several cores, or several GPUs,
// and no MPI.
#pragma once

#include <atomic>
#include <functional>

#include "train/ranks.h"

namespace heed {

constexpr int kMostForkedRanks = 64;

// Runs `body` in `count` processes, and waits for them. They are forked: what was read before is in
// memory once. So this process must have no threads but the kernels' and not have used a GPU.
//
// Where one throws or dies the others are ended. Throws then what it threw, a UsageError or an
// Error, with "rank 3 of 8 on HOST: " before the text. A SIGINT or SIGTERM that sets `stop` here is
// passed on; when this process dies the ranks die with it.
void fork_ranks(int count, const std::function<void(Ranks&)>& body, const std::atomic<bool>& stop);

}  // namespace heed
