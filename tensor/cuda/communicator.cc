#include "tensor/cuda/communicator.h"

#include "base/error.h"

#ifdef HEED_NCCL
#include <dlfcn.h>
#include <nccl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "tensor/cuda/runtime.h"
#endif

namespace heed::cuda {

#ifdef HEED_NCCL

namespace {

constexpr auto kLook = std::chrono::milliseconds(500);  // how often for an error of the network

struct Nccl {
  decltype(&ncclGetUniqueId) make_id;
  decltype(&ncclCommInitRank) init;
  decltype(&ncclCommDestroy) destroy;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclCommGetAsyncError) async_error;
  decltype(&ncclGetErrorString) error_string;
  decltype(&ncclGroupStart) begin_group;
  decltype(&ncclGroupEnd) end_group;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) receive;
};

template <class F> bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

// Null where there is none. It is some hundred megabytes, and a training on one GPU needs none of
// it: so it is opened where several ranks ask for it.
const Nccl* opened() {
  static Nccl f;
  static const bool found = [] {
    void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && find(library, "ncclGetUniqueId", f.make_id) &&
           find(library, "ncclCommInitRank", f.init) &&
           find(library, "ncclCommDestroy", f.destroy) && find(library, "ncclCommAbort", f.abort) &&
           find(library, "ncclCommGetAsyncError", f.async_error) &&
           find(library, "ncclGetErrorString", f.error_string) &&
           find(library, "ncclGroupStart", f.begin_group) &&
           find(library, "ncclGroupEnd", f.end_group) && find(library, "ncclSend", f.send) &&
           find(library, "ncclRecv", f.receive);
  }();
  return found ? &f : nullptr;
}

const Nccl& nccl() {
  const Nccl* const functions = opened();
  if (!functions) throw DeviceError("NCCL: libnccl.so.2 is not there, or too old");
  return *functions;
}

std::string text_of(ncclResult_t status, const char* doing) {
  return std::string("NCCL: ") + doing + ": " + nccl().error_string(status);
}

void check(ncclResult_t status, const char* doing) {
  if (status != ncclSuccess) throw DeviceError(text_of(status, doing));
}

constexpr const char* kExchange = "exchange between GPUs";

}  // namespace

// NCCL's communicator, and the thread that asks it for errors.
class Communicator::Watched {
 public:
  Watched(ncclComm_t members, std::function<void(const std::string&)> on_failure)
      : members_(members), on_failure_(std::move(on_failure)), thread_([this] { watch(); }) {}

  ~Watched() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    end_.notify_all();
    thread_.join();
    if (std::uncaught_exceptions() > 0) {
      nccl().abort(members_);
    } else {
      nccl().destroy(members_);
    }
  }

  void exchange(const std::vector<Block>& to_send, const std::vector<Block>& to_get) const {
    ncclResult_t status = nccl().begin_group();
    for (const Block& b : to_send) {
      if (status != ncclSuccess) break;
      status =
          nccl().send(b.at, static_cast<size_t>(b.bytes), ncclInt8, b.rank, members_, stream());
    }
    for (const Block& b : to_get) {
      if (status != ncclSuccess) break;
      status =
          nccl().receive(b.at, static_cast<size_t>(b.bytes), ncclInt8, b.rank, members_, stream());
    }
    const ncclResult_t ended = nccl().end_group();  // after an error too
    check(status != ncclSuccess ? status : ended, kExchange);
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, kLook, [this] { return ended_; })) {
      ncclResult_t found = ncclSuccess;
      const ncclResult_t asked = nccl().async_error(members_, &found);
      if (asked != ncclSuccess) found = asked;
      if (found == ncclSuccess || found == ncclInProgress) continue;
      return on_failure_(text_of(found, kExchange));
    }
  }

  const ncclComm_t members_;
  const std::function<void(const std::string&)> on_failure_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

std::string nccl_version() {
#ifdef HEED_CUDA_EMULATED
  return "of the tests";
#else
  return std::to_string(NCCL_MAJOR) + "." + std::to_string(NCCL_MINOR) + "." +
         std::to_string(NCCL_PATCH);
#endif
}

bool has_nccl() {
  return opened() != nullptr;
}

std::string gpu_of(int index) {
#ifdef HEED_CUDA_EMULATED
  return std::to_string(::getpid() + index);  // every process has its own
#else
  char text[32] = {};
  const cudaError_t status = cudaDeviceGetPCIBusId(text, sizeof text, index);
  if (status != cudaSuccess) fail("bus of a device", cudaGetErrorString(status));
  return text;
#endif
}

std::string make_nccl_id() {
  ncclUniqueId id;
  check(nccl().make_id(&id), "identifier");
  return {id.internal, sizeof id.internal};
}

Communicator::Communicator(const std::string& id, int rank, int size,
                           std::function<void(const std::string&)> on_failure) {
  ncclUniqueId common;
  check_internal(id.size() == sizeof common.internal, "an identifier of NCCL");
  std::memcpy(common.internal, id.data(), id.size());
  ncclComm_t members = nullptr;
  check(nccl().init(&members, size, common, rank), "start");
  members_ = std::make_unique<Watched>(members, std::move(on_failure));
}

#else

class Communicator::Watched {
 public:
  static void exchange(const std::vector<Block>&, const std::vector<Block>&) {}
};

std::string nccl_version() {
  return "";
}
bool has_nccl() {
  return false;
}
std::string gpu_of(int) {
  return "";
}
std::string make_nccl_id() {
  throw DeviceError("NCCL: this heed was built without");
}
Communicator::Communicator(const std::string&, int, int, std::function<void(const std::string&)>) {
  throw DeviceError("NCCL: this heed was built without");
}

#endif

Communicator::~Communicator() = default;

void Communicator::exchange(const std::vector<Block>& to_send, const std::vector<Block>& to_get) {
  members_->exchange(to_send, to_get);
}

}  // namespace heed::cuda
