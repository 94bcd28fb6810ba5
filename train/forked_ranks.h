// Ranks as processes of this machine that share memory: for machines with several cores or several
// GPUs, without MPI.
#pragma once

#include <atomic>
#include <functional>

#include "train/ranks.h"

namespace heed {

constexpr int kMostForkedRanks = 64;

// Runs `body` in `count` processes, and waits for them. They are forked, so data read before are in
// memory once. This process must have no threads except the kernels' and must not have used a GPU.
//
// If one rank throws or dies, the others are ended, and its UsageError or Error is rethrown with
// "rank 3 of 8 on HOST: " before the text. A SIGINT or SIGTERM that sets `stop` here is forwarded;
// when this process dies, the ranks die with it.
void fork_ranks(int count, const std::function<void(Ranks&)>& body, const std::atomic<bool>& stop);

}  // namespace heed
