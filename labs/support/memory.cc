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
// Other memory, that of a std::vector, too.
void* operator new(size_t bytes) {
  ++heed::lab::allocations, ++heed::lab::held;
  const size_t all = bytes + heed::kBehind;
  if (void* const block = std::malloc(all)) return std::memset(block, heed::kFresh, all);
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  if (block) --heed::lab::held;
  std::free(block);
}
void operator delete(void* block, size_t) noexcept {
  operator delete(block);
}
#endif
