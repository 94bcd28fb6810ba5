#include "tensor/async_read.h"

#include "tensor/cuda/runtime.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"

namespace heed {

void AsyncRead::Drop::operator()(cuda::Download* pending) const noexcept {
  cuda::drop_download(pending);
}

AsyncRead::AsyncRead(const std::vector<Tensor>& tensors) {
  int64_t count = 0;
  for (const Tensor& x : tensors) count += x.numel();
  check_shape(count <= kMost, "AsyncRead: at most ", kMost, " elements, got ", count);
  if (count == 0) return;
  const Device device = tensors[0].device();
  const Tensor all = Tensor::empty({count}, DType::f64, device);
  int64_t at = 0;
  for (const Tensor& x : tensors) {
    if (x.device() != device) {
      throw DeviceError(text("AsyncRead: tensors on ", device, " and ", x.device()));
    }
    const Tensor place = all.rows(at, at + x.numel());
    at += x.numel();
    if (x.dtype() == DType::f32) {
      ON_DEVICE(all, convert(place.data<double>(), x.data<float>(), x.numel()));
    } else {
      place.copy_from(x.reshape(place.shape()));
    }
  }
  values_.resize(count);
  if (device.is_cuda()) {
    cuda::set_device(device.index);
    pending_.reset(cuda::begin_download(all.raw(), all.bytes()));
  } else {
    values_ = all.to_vector();
  }
}

std::vector<double> AsyncRead::get() {
  if (pending_) cuda::finish_download(pending_.release(), values_.data());
  return std::move(values_);
}

}  // namespace heed
