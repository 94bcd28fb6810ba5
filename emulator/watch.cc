#include "emulator/watch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "emulator/marks.h"
#include "emulator/memory.h"

namespace emulator {
namespace {

constexpr int kWarp = 32, kSector = 32, kBankBytes = 128;  // bytes of all banks side by side

using By = Mark::By;
using Use = Mark::Use;

// The lanes of a warp that execute one place of the code for the same time, and the address of
// each.
struct Access {
  const char* shared;  // the name of an array in shared memory; null for device memory
  int64_t bytes;       // of an element
  Does does;
  int warp = 0;
  uint32_t lanes = 0;
  std::array<uintptr_t, kWarp> at{};
};

// The accesses of a block, in the order in which they began. Lanes run one after the other, each up
// to the next barrier or warp operation. They take part in one access if they execute the same
// place of the code for the same time since the last barrier or operation.
class Accesses {
 public:
  // in_register: this lane has the element already, and asks for nothing.
  void add(const void* place, const Moment& moment, const Access& begun, uintptr_t at,
           bool in_register = false) {
    const int lane = moment.thread % kWarp;
    Count& count = counts_[{place, moment.thread}];
    if (count.interval != moment.interval || count.warp_interval != moment.warp_interval) {
      count = {moment.interval, moment.warp_interval, 0};
    }
    const int64_t time = count.times++;
    if (in_register) return;
    const auto [found, is_new] = index_.try_emplace(
        {place, moment.thread / kWarp, count.interval, count.warp_interval, time}, list_.size());
    if (is_new) list_.push_back(begun);
    Access& access = list_[found->second];
    access.warp = moment.thread / kWarp;
    access.at[lane] = at;
    access.lanes |= 1u << lane;
  }
  std::vector<Access> take() {
    counts_.clear();
    index_.clear();
    return std::exchange(list_, {});
  }

 private:
  struct Count {
    uint64_t interval = 0;
    uint32_t warp_interval = 0;
    int64_t times = 0;
  };
  std::map<std::pair<const void*, int>, Count> counts_;
  std::map<std::tuple<const void*, int, uint64_t, uint32_t, int64_t>, size_t> index_;
  std::vector<Access> list_;
};

std::vector<uintptr_t> addresses(const Access& access, int first = 0, int end = kWarp) {
  std::vector<uintptr_t> found;
  for (int lane = first; lane < end; ++lane) {
    if (access.lanes >> lane & 1) found.push_back(access.at[lane]);
  }
  return found;
}

Traffic traffic_of(const Access& access) {
  std::set<uintptr_t> sectors;
  for (const uintptr_t at : addresses(access)) sectors.insert(at / kSector);
  const int64_t used = std::ssize(sectors),
                span = std::bit_width(access.lanes) - std::countr_zero(access.lanes);
  const int64_t coalesced = (span * access.bytes + kSector - 1) / kSector;
  return {1, used, coalesced, used > coalesced + 1, std::popcount(access.lanes)};
}

// The number of lanes that wait: for 128 bytes of lanes at a time, those that the worst bank serves
// later. Smaller elements share a word.
int64_t conflicts_of(const Access& access) {
  const auto word = static_cast<uintptr_t>(std::max<int64_t>(access.bytes, kBankBytes / kWarp));
  const int lanes = std::max(kBankBytes / static_cast<int>(word), 1);
  int64_t waits = 0;
  for (int first = 0; first < kWarp; first += lanes) {
    std::map<uintptr_t, std::set<uintptr_t>> of_bank;
    for (const uintptr_t at : addresses(access, first, first + lanes)) {
      of_bank[at / word * word % kBankBytes].insert(at / word);
    }
    size_t most = 1;
    for (const auto& [bank, words] : of_bank) most = std::max(most, words.size());
    waits += static_cast<int64_t>(most) - 1;
  }
  return waits;
}

}  // namespace

// What the one Watch that lives has seen of the launch that runs.
struct Watcher {
  using Array = std::map<uintptr_t, Watch::Array>::value_type;

  Watch& watch;
  std::vector<Region> regions;
  std::unordered_map<uintptr_t, Mark> marks;
  std::vector<uintptr_t> last;  // for each thread of the block: the element that it used last
  Accesses accesses;

  const Region* region(uintptr_t at) const;
  Array* array(uintptr_t at, const Region& in);
  std::string element(uintptr_t at, int64_t bytes);
  void check_bounds(uintptr_t at, int64_t bytes, const Region& in);
  void check(uintptr_t at, int64_t bytes, Does does);
  void check_written(uintptr_t at, int64_t bytes, const Mark& mark);
  void count_block();
  void keep(const Access& access, const std::string& name, uintptr_t begin, int64_t cost,
            int64_t least);
};

namespace {

std::unique_ptr<Watcher> watcher;

uintptr_t address(const void* at) {
  return reinterpret_cast<uintptr_t>(at);
}

// Blocks of a launch run at the same time. Marks belong to this launch.
bool by_another_block(const Use& use) {
  return use.by == By::grid || (use.by != By::nobody && use.block != place_of_block());
}
bool unordered(const Use& use) {
  return by_another_block(use) || at_one_time(use);
}
void note_global(Use& use, bool adds) {
  const bool several = adds && by_another_block(use);
  note(use, adds);
  if (several) use.by = By::grid;
}

void see(const void* at, int64_t bytes, Does does) {
  const void* const place = accessed_from = __builtin_return_address(0);
  const Moment moment = now();
  const int thread = moment.thread;
  const Region* const region = thread < 0 ? nullptr : watcher->region(address(at));
  if (!region) return;  // a local variable
  watcher->check_bounds(address(at), bytes, *region);
  watcher->check(address(at), bytes, does);
  uintptr_t& last = watcher->last[thread];
  const bool in_register = does == Does::read && last == address(at);
  watcher->accesses.add(place, moment, {nullptr, bytes, does}, address(at), in_register);
  last = address(at);
}

void see_shared(const char* name, int64_t at, int64_t bytes, Does does) {
  watcher->accesses.add(__builtin_return_address(0), now(), {name, bytes, does},
                        static_cast<uintptr_t>(at));
}

}  // namespace

const Region* Watcher::region(uintptr_t at) const {
  const auto next =
      std::upper_bound(regions.begin(), regions.end(), at,
                       [](uintptr_t a, const Region& region) { return a < address(region.begin); });
  if (next == regions.begin()) return nullptr;
  const Region& found = *std::prev(next);
  return at - address(found.begin) < static_cast<uintptr_t>(found.bytes) ? &found : nullptr;
}

// The array with the highest start at or below the address in the same block of memory; the first
// one if there is none; null if no array has a name.
Watcher::Array* Watcher::array(uintptr_t at, const Region& in) {
  const auto next = watch.arrays_.upper_bound(at);
  const auto is_in = [&](const auto& found) {
    return found != watch.arrays_.end() && found->first >= address(in.begin) &&
           found->first < address(in.begin) + static_cast<uintptr_t>(in.bytes);
  };
  if (next != watch.arrays_.begin() && is_in(std::prev(next))) return &*std::prev(next);
  return is_in(next) ? &*next : nullptr;
}

std::string Watcher::element(uintptr_t at, int64_t bytes) {
  const Region& in = *region(at);
  const Array* const found = array(at, in);
  const uintptr_t begin = found ? found->first : address(in.begin);
  return (found ? found->second.name : "device memory") + "[" +
         std::to_string(static_cast<int64_t>(at - begin) / bytes) + "]";
}

void Watcher::check_bounds(uintptr_t at, int64_t bytes, const Region& in) {
  const Array* const found = array(at, in);
  if (!found || at - found->first < static_cast<uintptr_t>(found->second.bytes)) return;
  fail("uses " + element(at, bytes) + ", which has " + std::to_string(found->second.bytes / bytes) +
       " elements");
}

// Device memory is filled with 0xff before it is written (memory.h): a NaN that no arithmetic
// produces.
void Watcher::check_written(uintptr_t at, int64_t bytes, const Mark& mark) {
  if (mark.write.by != By::nobody) return;
  const auto* const byte = reinterpret_cast<const std::byte*>(at);  // NOLINT
  if (std::any_of(byte, byte + bytes, [](std::byte b) { return b != std::byte{0xff}; })) return;
  fail("reads device memory that nothing has written: " + element(at, bytes));
}

void Watcher::check(uintptr_t at, int64_t bytes, Does does) {
  Mark& mark = marks[at];
  if (does != Does::write) check_written(at, bytes, mark);
  const char* const verb = does == Does::read    ? "reads "
                           : does == Does::write ? "writes "
                                                 : "updates ";
  const bool both_atomic = does == Does::update && mark.atomic;
  if (!both_atomic && unordered(mark.write)) {
    fail_race(verb + element(at, bytes), mark.write, "wrote");
  }
  if (does != Does::read && unordered(mark.read)) {
    fail_race(verb + element(at, bytes), mark.read, "read");
  }
  if (does == Does::read) return note_global(mark.read, true);
  note_global(mark.write, both_atomic);
  mark.atomic = does == Does::update;
}

void Watcher::count_block() {
  for (const Access& access : accesses.take()) {
    if (access.shared) {
      const int64_t conflicts = conflicts_of(access);
      ++watch.shared_accesses;
      watch.bank_conflicts += conflicts;
      keep(access, access.shared, 0, conflicts, 0);
      continue;
    }
    const Traffic traffic = traffic_of(access);
    const uintptr_t any = addresses(access).front();
    const Region& in = *region(any);
    Array* const found = array(any, in);
    if (found) found->second.traffic.add(traffic);
    watch.total.add(traffic);
    keep(access, found ? found->second.name : "", found ? found->first : address(in.begin),
         traffic.sectors, traffic.coalesced);
  }
}

void Watcher::keep(const Access& access, const std::string& name, uintptr_t begin, int64_t cost,
                   int64_t least) {
  if (watch.blocks > 0 || access.warp > 0 || watch.first_warp.size() == Watch::kSeen) return;
  std::vector<int64_t> bytes(kWarp, -1);
  for (int lane = 0; lane < kWarp; ++lane) {
    if (access.lanes >> lane & 1) bytes[lane] = static_cast<int64_t>(access.at[lane] - begin);
  }
  watch.first_warp.push_back(
      {name, access.shared != nullptr, access.does, std::move(bytes), cost, least});
}

void Traffic::add(const Traffic& other) {
  accesses += other.accesses;
  sectors += other.sectors;
  coalesced += other.coalesced;
  scattered += other.scattered;
  lanes += other.lanes;
}

Watch::Watch() {
  if (watcher) throw Fault("a Watch lives already, and there can be one only");
  watcher = std::make_unique<Watcher>(Watcher{*this, {}, {}, {}, {}});
  saw = see;
  saw_shared = see_shared;
}

Watch::~Watch() {
  saw = nullptr;
  saw_shared = nullptr;
  watcher.reset();
}

Traffic Watch::of(const std::string& name) const {
  for (const auto& [begin, array] : arrays_) {
    if (array.name == name) return array.traffic;
  }
  throw Fault("no array is named " + name);
}

void watch_launch() {
  if (!watcher) return;
  watcher->regions = regions();
  watcher->marks.clear();
  watcher->last.assign(blockDim.x * blockDim.y * blockDim.z, 0);
  watcher->accesses.take();  // from a launch that ended with an error
}

void watch_block(int64_t barriers, int64_t warp_operations) {
  if (!watcher) return;
  watcher->count_block();
  std::fill(watcher->last.begin(), watcher->last.end(), 0);
  ++watcher->watch.blocks;
  watcher->watch.barriers += barriers;
  watcher->watch.warp_operations += warp_operations;
}

}  // namespace emulator
