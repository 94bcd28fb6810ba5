#include "train/carrier.h"

#include <map>
#include <set>
#include <string>

#include "tensor/cuda/communicator.h"
#include "tensor/cuda/runtime.h"
#include "train/lock.h"

namespace heed {
namespace {

// The head, and the bytes of the tensors behind it.
BytesOut message_of(const Carrier::Block& block) {
  const std::string_view head = block.head.bytes();
  size_t size = sizeof(size_t) + head.size();
  for (const Tensor& x : block.tensors) size += static_cast<size_t>(x.bytes());
  BytesOut out;
  out.reserve(size);
  out.put_text(head);
  for (const Tensor& x : block.tensors) out.append(x.raw(), static_cast<size_t>(x.bytes()));
  return out;
}

class HostCarrier : public Carrier {
 public:
  explicit HostCarrier(Ranks& ranks) : Carrier(ranks, Device{}) {}

  void exchange(const std::vector<const Block*>& blocks, const Open& open) override {
    const auto me = static_cast<size_t>(ranks().rank());
    std::map<const Block*, BytesOut> messages;  // one that is for several ranks is there once
    std::vector<std::string_view> bytes(blocks.size());
    for (size_t r = 0; r < blocks.size(); ++r) {
      if (r == me) continue;
      const auto [at, is_new] = messages.try_emplace(blocks[r]);
      if (is_new) at->second = message_of(*blocks[r]);
      bytes[r] = at->second.bytes();
    }
    const std::vector<Bytes> got = ranks().exchange(bytes);
    for (size_t r = 0; r < got.size(); ++r) {
      if (r == me) continue;
      BytesIn in(got[r].view());
      const std::string head = in.get_text();
      for (const Tensor& x : open(static_cast<int>(r), head)) {
        in.copy(x.raw(), static_cast<size_t>(x.bytes()));
      }
      check_internal(in.done(), "a message of a rank ends with its numbers");
    }
  }
};

// The heads by the ranks, the tensors from GPU to GPU: the host goes on while they are on their
// way.
class NcclCarrier : public Carrier {
 public:
  NcclCarrier(Ranks& ranks, Device device)
      : Carrier(ranks, device),
        communicator_(ranks.of_first(ranks.first() ? cuda::make_nccl_id() : ""), ranks.rank(),
                      ranks.size(), [&ranks](const std::string& why) { ranks.fail(why); }) {}

  void exchange(const std::vector<const Block*>& blocks, const Open& open) override {
    const int me = ranks().rank();
    std::vector<std::string_view> heads(blocks.size());
    std::vector<cuda::Communicator::Block> to_send, to_get;
    for (int r = 0; r < ranks().size(); ++r) {
      if (r == me) continue;
      const Block& block = *blocks[static_cast<size_t>(r)];
      heads[static_cast<size_t>(r)] = block.head.bytes();
      add(to_send, r, block.tensors);
    }
    const std::vector<Bytes> got = ranks().exchange(heads);
    for (int r = 0; r < ranks().size(); ++r) {
      if (r != me) add(to_get, r, open(r, got[static_cast<size_t>(r)].view()));
    }
    for (const cuda::Communicator::Block& block : to_send) ranks().count_from_gpu(block.bytes);
    cuda::set_device(memory().index);
    communicator_.exchange(to_send, to_get);
  }

 private:
  static void add(std::vector<cuda::Communicator::Block>& list, int rank,
                  const std::vector<Tensor>& tensors) {
    for (const Tensor& x : tensors) {
      if (x.bytes() > 0) list.push_back({rank, x.raw(), x.bytes()});
    }
  }

  cuda::Communicator communicator_;
};

bool all_have_a_gpu(Ranks& ranks, Device device) {
  std::string gpu;
  if (device.is_cuda() && cuda::has_nccl()) {
    gpu = host_name() + " " + cuda::gpu_of(device.index);
  }
  std::set<std::string> all;
  for (const std::string& of_rank : ranks.gather(gpu)) {
    if (of_rank.empty() || !all.insert(of_rank).second) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Carrier> host_carrier(Ranks& ranks) {
  return std::make_unique<HostCarrier>(ranks);
}

std::unique_ptr<Carrier> make_carrier(Ranks& ranks, Device device) {
  if (!all_have_a_gpu(ranks, device)) return host_carrier(ranks);
  cuda::set_device(device.index);
  return std::make_unique<NcclCarrier>(ranks, device);
}

}  // namespace heed
