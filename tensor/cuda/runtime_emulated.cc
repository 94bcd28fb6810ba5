#include "tensor/cuda/runtime_emulated.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "tensor/cuda/runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) (static_cast<void>(address))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) (static_cast<void>(address))
#endif

namespace heed::cuda {
namespace {

// A number from the environment, for tests of what a device may do.
int64_t setting(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

// What this device claims to have: HEED_EMULATED_BYTES, or 8 GiB.
int64_t device_bytes() {
  static const int64_t bytes = setting("HEED_EMULATED_BYTES", int64_t{8} << 30);
  return bytes;
}

// From the HEED_EMULATED_FAULT-th copy on every one fails, as on a device with a broken kernel.
void fail_if_asked() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static int64_t left = setting("HEED_EMULATED_FAULT", 0);
  if (left > 1) {
    --left;
  } else if (left == 1) {
    fail("copy", "an error, as HEED_EMULATED_FAULT wants it");
  }
}

struct Memory {
  std::recursive_mutex mutex;
  std::map<std::byte*, int64_t> blocks;
  int64_t bytes = 0;
  int accesses = 0;  // MemoryAccess objects alive
};

Memory& memory() {
  static Memory* instance = new Memory;  // never destroyed: tensors may outlive main()
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

void check_device(int index) {
  if (index == 0) return;
  throw DeviceError("device cuda:" + std::to_string(index) +
                    ": the last CUDA device is cuda:0 (emulated on the CPU)");
}

std::string device_name(int) {
  return "emulated on the CPU";
}

int64_t device_memory(int) {
  return device_bytes();
}

Limits limits() {
  return {setting("HEED_EMULATED_MULTIPROCESSORS", 132), 227 << 10, true};  // those of an H100
}

void set_device(int) {}

std::byte* allocate(int64_t bytes) {
  std::lock_guard lock(memory().mutex);
  if (memory().bytes + bytes > device_bytes()) return nullptr;
  void* block = nullptr;
  if (posix_memalign(&block, 256, static_cast<size_t>(bytes))) return nullptr;
  std::memset(block, 0xff, static_cast<size_t>(bytes));  // NaN: what nothing wrote shows up
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

std::vector<Region> regions() {
  std::lock_guard lock(memory().mutex);
  std::vector<Region> all;
  for (const auto& [block, bytes] : memory().blocks) all.push_back({block, bytes});
  return all;
}

bool blocks_backwards() {
  return setting("HEED_EMULATED_BACKWARDS", 0) != 0;
}

CUstream_st* stream() {
  return nullptr;
}

void copy(void* to, const void* from, int64_t bytes) {
  fail_if_asked();
  count_copy(bytes);
  const MemoryAccess access;
  std::memmove(to, from, static_cast<size_t>(bytes));
}

void zero(void* to, int64_t bytes) {
  count_launch();
  const MemoryAccess access;
  std::memset(to, 0, static_cast<size_t>(bytes));
}

void upload(void* to, const void* from, int64_t bytes) {
  copy(to, from, bytes);
  if (bytes > kStaged) count_wait();
}

void download(void* to, const void* from, int64_t bytes) {
  copy(to, from, bytes);
  synchronize();
}

void synchronize() {
  count_wait();
}

struct Late {
  std::vector<std::byte> bytes;
};

Late* begin_download(const void* from, int64_t bytes) {
  auto late = std::make_unique<Late>();
  late->bytes.resize(static_cast<size_t>(bytes));
  copy(late->bytes.data(), from, bytes);
  return late.release();
}

void finish_download(Late* late, void* to) {
  count_wait();
  std::memcpy(to, late->bytes.data(), late->bytes.size());
  drop_download(late);
}

void drop_download(Late* late) noexcept {
  delete late;
}

void* scratch_bytes(int64_t bytes) {
  thread_local std::unique_ptr<std::byte, decltype(&free)> block(nullptr, &free);
  block.reset();  // of exactly the size asked for, so that nobody uses more
  block.reset(allocate_for_scratch(bytes, 0));
  return block.get();
}

void check_launch(const char*) {}

}  // namespace heed::cuda
