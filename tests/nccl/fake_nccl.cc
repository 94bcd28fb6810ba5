// libnccl.so.2 for tests without a GPU: carries blocks of the emulation's device memory between
// processes of this machine, through sockets. It refuses what NVIDIA's answers with a hang or with
// wrong numbers: blocks outside of a group, and of other sizes than the receiver expects.
//
// HEED_FAKE_NCCL=init: the start fails; send: an exchange fails; later: from the first exchange on
// nothing comes, and only ncclCommGetAsyncError() knows.
#include <nccl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#include "emulator/memory.h"

struct ncclComm {
  int rank;
  std::vector<int> sockets;  // to each rank; -1: this one
  std::atomic<bool> broken = false;
};

namespace {

// A block on its way: its size, and then its bytes.
struct Part {
  char* at;
  uint64_t bytes;
  uint64_t header = 0;  // the size that a sender has announced
  size_t done = 0;      // of header and bytes
};
struct Peer {
  std::deque<Part> out, in;
  bool idle() const { return out.empty() && in.empty(); }
};

thread_local int depth = 0;
thread_local ncclComm_t of_group = nullptr;
thread_local std::vector<Peer> peers;

bool fault(const char* name) {
  const char* wanted = std::getenv("HEED_FAKE_NCCL");
  return wanted && std::strcmp(wanted, name) == 0;
}

sockaddr_un address_of(const ncclUniqueId& id, int rank, socklen_t* size) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;  // abstract: the first byte is 0
  std::strncpy(address.sun_path + 1, id.internal, 60);
  address.sun_path[62] = static_cast<char>('0' + rank);
  *size = offsetof(sockaddr_un, sun_path) + 63;
  return address;
}

int connect_to(const ncclUniqueId& id, int rank, int own) {
  socklen_t size = 0;
  const sockaddr_un address = address_of(id, rank, &size);
  const int to = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  while (::connect(to, reinterpret_cast<const sockaddr*>(&address), size) != 0) ::usleep(1000);
  return ::send(to, &own, sizeof own, MSG_NOSIGNAL) == sizeof own ? to : -1;
}

// Those of higher ranks connect to those of lower ones.
bool connect_all(ncclComm& comm, const ncclUniqueId& id) {
  const int ranks = static_cast<int>(comm.sockets.size());
  socklen_t size = 0;
  const sockaddr_un address = address_of(id, comm.rank, &size);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) != 0) return false;
  if (::listen(listener, ranks) != 0) return false;
  for (int r = 0; r < comm.rank; ++r) comm.sockets[r] = connect_to(id, r, comm.rank);
  for (int r = comm.rank + 1; r < ranks; ++r) {
    const int from = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    int who = 0;
    if (::recv(from, &who, sizeof who, MSG_WAITALL) != sizeof who) return false;
    comm.sockets[who] = from;
  }
  ::close(listener);
  return true;
}

// As much of the front part as goes now; for ever where the other end is gone, as NVIDIA's kernels
// wait. False where the two ends do not mean the same size.
template <class Move> bool move_on(std::deque<Part>& parts, const Move& move) {
  Part& part = parts.front();
  constexpr size_t kHead = sizeof part.header;
  const bool head = part.done < kHead;
  char* const at =
      head ? reinterpret_cast<char*>(&part.header) + part.done : part.at + (part.done - kHead);
  const ssize_t n = move(at, head ? kHead - part.done : kHead + part.bytes - part.done);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  while (n <= 0) ::pause();
  part.done += static_cast<size_t>(n);
  if (part.done >= kHead && part.header != part.bytes) return false;
  if (part.done == kHead + part.bytes) parts.pop_front();
  return true;
}

ncclResult_t carry(const ncclComm& comm) {
  const emulator::MemoryAccess access;
  while (true) {
    std::vector<pollfd> waiting;
    std::vector<size_t> of_rank;
    for (size_t r = 0; r < peers.size(); ++r) {
      if (peers[r].idle()) continue;
      const int events = (peers[r].out.empty() ? 0 : POLLOUT) | (peers[r].in.empty() ? 0 : POLLIN);
      waiting.push_back({comm.sockets[r], static_cast<short>(events), 0});
      of_rank.push_back(r);
    }
    if (waiting.empty()) return ncclSuccess;
    ::poll(waiting.data(), waiting.size(), -1);
    for (size_t i = 0; i < waiting.size(); ++i) {
      const int socket = waiting[i].fd;
      Peer& peer = peers[of_rank[i]];
      const auto give = [&](const char* at, size_t n) {
        return ::send(socket, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
      };
      const auto get = [&](char* at, size_t n) { return ::recv(socket, at, n, MSG_DONTWAIT); };
      if (!peer.out.empty()) move_on(peer.out, give);
      if (!peer.in.empty() && (waiting[i].revents & (POLLIN | POLLHUP)) != 0 &&
          !move_on(peer.in, get)) {
        return ncclInvalidUsage;
      }
    }
  }
}

ncclResult_t put(void* at, size_t bytes, int peer, ncclComm_t comm, bool out) {
  if (depth == 0 || comm->broken) return ncclInvalidUsage;
  if (peer < 0 || peer >= static_cast<int>(comm->sockets.size()) || peer == comm->rank) {
    return ncclInvalidUsage;
  }
  of_group = comm;
  peers.resize(comm->sockets.size());
  Part part{static_cast<char*>(at), bytes};
  if (out) part.header = bytes;
  (out ? peers[peer].out : peers[peer].in).push_back(part);
  return ncclSuccess;
}

void drop(ncclComm_t comm) {
  for (const int socket : comm->sockets) {
    if (socket >= 0) ::close(socket);
  }
  delete comm;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static int made = 0;
  *id = {};
  std::snprintf(id->internal, sizeof id->internal, "heed-fake-nccl-%d-%d", ::getpid(), ++made);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  if (fault("init")) return ncclSystemError;
  *comm = new ncclComm{rank, std::vector<int>(ranks, -1)};
  return connect_all(**comm, id) ? ncclSuccess : ncclSystemError;
}

// Waits for the others, as NVIDIA's may.
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  for (const int socket : comm->sockets) {
    if (socket >= 0) ::shutdown(socket, SHUT_WR);
  }
  for (const int socket : comm->sockets) {
    char byte = 0;
    while (socket >= 0 && ::recv(socket, &byte, 1, 0) > 0) continue;  // until it destroys too
  }
  drop(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  drop(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  *error = comm->broken ? ncclRemoteError : ncclSuccess;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSystemError: return "unhandled system error (of the tests)";
    case ncclInvalidUsage: return "invalid usage (of the tests)";
    case ncclRemoteError:
      return "remote process exited or there was a network error (of the tests)";
    default: return "no error (of the tests)";
  }
}

ncclResult_t ncclGroupStart() {
  ++depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (depth == 0) return ncclInvalidUsage;
  if (--depth > 0 || !of_group) return ncclSuccess;
  ncclResult_t result = ncclSuccess;
  if (fault("later")) {
    of_group->broken = true;
  } else {
    result = fault("send") ? ncclSystemError : carry(*of_group);
  }
  peers.clear();
  of_group = nullptr;
  return result;
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      CUstream_st*) {
  return put(const_cast<void*>(from), count, peer, comm, true);
}

ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      CUstream_st*) {
  return put(to, count, peer, comm, false);
}

}  // extern "C"
