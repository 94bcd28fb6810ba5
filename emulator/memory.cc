#include "emulator/memory.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) (static_cast<void>(address))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) (static_cast<void>(address))
#endif

namespace emulator {
namespace {

struct Memory {
  std::recursive_mutex mutex;
  std::map<std::byte*, int64_t> blocks;
  int64_t bytes = 0;
  int accesses = 0;  // MemoryAccess objects alive
};

Memory& memory() {
  static Memory* instance = new Memory;  // never destroyed: its users may outlive main()
  return *instance;
}

}  // namespace

MemoryAccess::MemoryAccess() {
  std::lock_guard lock(memory().mutex);
  if (memory().accesses++) return;
  for (const auto& [block, bytes] : memory().blocks) ASAN_UNPOISON_MEMORY_REGION(block, bytes);
}

MemoryAccess::~MemoryAccess() {
  std::lock_guard lock(memory().mutex);
  if (--memory().accesses) return;
  for (const auto& [block, bytes] : memory().blocks) ASAN_POISON_MEMORY_REGION(block, bytes);
}

std::byte* allocate(int64_t bytes) {
  std::lock_guard lock(memory().mutex);
  void* block = nullptr;
  if (posix_memalign(&block, 256, static_cast<size_t>(bytes))) return nullptr;
  std::memset(block, 0xff, static_cast<size_t>(bytes));
  if (!memory().accesses) ASAN_POISON_MEMORY_REGION(block, static_cast<size_t>(bytes));
  memory().blocks[static_cast<std::byte*>(block)] = bytes;
  memory().bytes += bytes;
  return static_cast<std::byte*>(block);
}

void free(std::byte* block) noexcept {
  std::lock_guard lock(memory().mutex);
  const auto found = memory().blocks.find(block);
  if (found == memory().blocks.end()) return;
  ASAN_UNPOISON_MEMORY_REGION(block, static_cast<size_t>(found->second));
  memory().bytes -= found->second;
  memory().blocks.erase(found);
  std::free(block);
}

void copy(void* to, const void* from, int64_t bytes) {
  const MemoryAccess access;
  std::memmove(to, from, static_cast<size_t>(bytes));
}

void fill(void* at, int byte, int64_t bytes) {
  const MemoryAccess access;
  std::memset(at, byte, static_cast<size_t>(bytes));
}

std::vector<Region> regions() {
  std::lock_guard lock(memory().mutex);
  std::vector<Region> all;
  for (const auto& [block, bytes] : memory().blocks) all.push_back({block, bytes});
  return all;
}

int64_t allocated() {
  std::lock_guard lock(memory().mutex);
  return memory().bytes;
}

}  // namespace emulator
