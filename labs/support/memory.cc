// The memory of the labs' programs.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "labs/support/check.h"
#include "tensor/allocator.h"

namespace heed {

bool lab::guards_blocks = true;
bool lab::judges_leaks = true;
std::atomic<int64_t> lab::allocations = 0;
std::atomic<int64_t> lab::held = 0;
std::atomic<bool> lab::mixes_deletes = false;

// In the labs' programs memory that was allocated and not written is full of NaN, that of a block
// that is used again, too: what is added to it shows. As much stands behind each block, so that
// what is read past its end shows, and what is written there harms nobody. The linker brings
// allocate() here (cmake/HeedLabs.cmake). Of huge blocks only addresses are looked at: nothing is
// behind these, so that they may be larger than what a process may have.
constexpr int64_t kBehind = lab::kSanitized ? 0 : 64, kHuge = int64_t{1} << 31;
constexpr unsigned char kFresh = 0xff;

std::shared_ptr<std::byte> real_allocate(int64_t bytes, Device device) asm(
    "__real__ZN4heed8allocateElNS_6DeviceE");
std::shared_ptr<std::byte> fresh(int64_t bytes,
                                 Device device) asm("__wrap__ZN4heed8allocateElNS_6DeviceE");

// In the second run of a check: the end of such a block is where a page begins that nobody may
// touch. It is never given back, as the process ends with its check; what is counted is the
// library's block.
static std::byte* with_a_fence(int64_t bytes) {
  constexpr int64_t kLargest = int64_t{1} << 24, kBlocks = 4096, kAll = int64_t{1} << 28;
  static std::atomic<int64_t> blocks = 0, all = 0;
  if (!lab::fenced || bytes > kLargest || ++blocks > kBlocks || (all += bytes) > kAll)
    return nullptr;
  const int64_t page = ::sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
  void* const at = ::mmap(nullptr, static_cast<size_t>(size + page), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  std::byte* const end = static_cast<std::byte*>(at) + size;
  ::mprotect(end, static_cast<size_t>(page), PROT_NONE);
  return end - bytes;
}

std::shared_ptr<std::byte> fresh(int64_t bytes, Device device) {
  const int64_t all = bytes + (lab::guards_blocks && !lab::fenced ? kBehind : 0);
  const bool huge = !device.is_cuda() && bytes >= kHuge;
  std::shared_ptr<std::byte> block = real_allocate(huge ? 1 : all, device);
  if (device.is_cuda() || huge) return block;
  if (std::byte* const other = with_a_fence(bytes)) block = {block, other};
  std::memset(block.get(), kFresh, all);
  return block;
}

}  // namespace heed

#ifndef __SANITIZE_ADDRESS__
// Other memory, that of a std::vector, too. In front of each block stands what asked for it.
namespace {

constexpr size_t kInFront = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

void* take(size_t bytes, bool array) {
  ++heed::lab::allocations;
  const size_t all = bytes + heed::kBehind;
  auto* const block = static_cast<bool*>(std::malloc(kInFront + all));
  if (!block) throw std::bad_alloc();
  *block = array;
  return std::memset(block + kInFront, heed::kFresh, all);
}

void give_back(void* block, bool array) {
  if (!block) return;
  bool* const at = static_cast<bool*>(block) - kInFront;
  if (*at != array) heed::lab::mixes_deletes = true;
  std::free(at);
}

}  // namespace

void* operator new(size_t bytes) {
  return take(bytes, false);
}
void* operator new[](size_t bytes) {
  return take(bytes, true);
}
void operator delete(void* block) noexcept {
  give_back(block, false);
}
void operator delete(void* block, size_t) noexcept {
  give_back(block, false);
}
void operator delete[](void* block) noexcept {
  give_back(block, true);
}
void operator delete[](void* block, size_t) noexcept {
  give_back(block, true);
}
#endif

// Counts blocks that were not given back. The linker brings the calls of what is linked into the
// program here, and not those of shared libraries.
#define HEED_LAB_COUNT(more, result, name, parameters, arguments) \
  extern "C" result real_##name parameters asm("__real_" #name);  \
  extern "C" result wrap_##name parameters asm("__wrap_" #name);  \
  result wrap_##name parameters {                                 \
    heed::lab::held += (more);                                    \
    return real_##name arguments;                                 \
  }
HEED_LAB_COUNT(1, void*, malloc, (size_t bytes), (bytes))
HEED_LAB_COUNT(1, void*, calloc, (size_t count, size_t bytes), (count, bytes))
HEED_LAB_COUNT(1, void*, aligned_alloc, (size_t to, size_t bytes), (to, bytes))
HEED_LAB_COUNT(1, int, posix_memalign, (void** at, size_t to, size_t bytes), (at, to, bytes))
HEED_LAB_COUNT(block ? 0 : 1, void*, realloc, (void* block, size_t bytes), (block, bytes))
HEED_LAB_COUNT(block ? -1 : 0, void, free, (void* block), (block))
