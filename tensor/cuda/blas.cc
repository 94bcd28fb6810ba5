#include "tensor/cuda/blas.h"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "tensor/cuda/runtime.h"
#include "tensor/kernels/matmul.h"

namespace heed::cuda {
namespace {

std::atomic<Matmul> matmul{Matmul::f32};

// cuBLAS is half a gigabyte and takes longer to load than most programs that need none of it run:
// so it is opened at the first product.
struct Cublas {
  using Op = cublasOperation_t;
  using Type = cudaDataType_t;
  decltype(&cublasCreate) create;
  decltype(&cublasDestroy) destroy;
  decltype(&cublasSetStream) set_stream;
  decltype(&cublasGetStatusString) error_string;
  // Spelled out, as both names have two overloads in C++.
  cublasStatus_t (*gemm)(cublasHandle_t, Op, Op, int m, int n, int k, const void* alpha,
                         const void* a, Type, int lda, const void* b, Type, int ldb,
                         const void* beta, void* c, Type, int ldc, cublasComputeType_t,
                         cublasGemmAlgo_t);
  cublasStatus_t (*gemm_batched)(cublasHandle_t, Op, Op, int m, int n, int k, const void* alpha,
                                 const void* a, Type, int lda, long long stride_a, const void* b,
                                 Type, int ldb, long long stride_b, const void* beta, void* c, Type,
                                 int ldc, long long stride_c, int batch, cublasComputeType_t,
                                 cublasGemmAlgo_t);
};

template <class F> void find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (!function) throw DeviceError(std::string("cuBLAS has no ") + name);
}

const Cublas& cublas() {
  static const Cublas functions = [] {
    const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      throw DeviceError("cannot load cuBLAS, which matrix products on CUDA need (" +
                        std::string(dlerror()) + "); install it or add its folder to " +
                        "LD_LIBRARY_PATH");
    }
    Cublas f;
    find(library, "cublasCreate_v2", f.create);
    find(library, "cublasDestroy_v2", f.destroy);
    find(library, "cublasSetStream_v2", f.set_stream);
    find(library, "cublasGemmEx", f.gemm);
    find(library, "cublasGemmStridedBatchedEx", f.gemm_batched);
    find(library, "cublasGetStatusString", f.error_string);
    return f;
  }();
  return functions;
}

void check(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(std::string("cuBLAS: ") + doing + ": " + cublas().error_string(status));
}

struct Destroy {
  void operator()(cublasHandle_t handle) const { cublas().destroy(handle); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy>;

// One for each thread and device, for its stream and workspace; made when first needed, and given
// back with the thread.
cublasHandle_t handle() {
  thread_local std::map<int, Handle> handles;
  int device = 0;
  cudaGetDevice(&device);
  Handle& kept = handles[device];
  if (!kept) {
    cublasHandle_t made = nullptr;
    check(cublas().create(&made), "start");
    Handle fresh(made);
    check(cublas().set_stream(made, stream()), "stream");
    kept = std::move(fresh);
  }
  return kept.get();
}

cublasComputeType_t compute_type(DType dtype) {
  if (dtype == DType::f64) return CUBLAS_COMPUTE_64F;
  switch (matmul) {
    case Matmul::tf32: return CUBLAS_COMPUTE_32F_FAST_TF32;
    case Matmul::bf16: return CUBLAS_COMPUTE_32F_FAST_16BF;
    default: return CUBLAS_COMPUTE_32F;
  }
}

}  // namespace

void set_matmul(Matmul precision) {
  matmul = precision;
}

// cuBLAS takes matrices column by column; ours lie row by row, which to cuBLAS is their transpose.
// So it is asked for C^T = op(B)^T op(A)^T: the operands change places, and nothing else changes.
template <class T>
void blas_gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, int64_t batch, Write write) {
  constexpr cudaDataType_t kType = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;
  const T one = 1, beta = T(write == Write::add);
  const auto op = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const auto narrow = [](int64_t size) {
    if (size >= int64_t{1} << 31) throw ShapeError("matrix product: an axis of 2^31 or more");
    return static_cast<int>(size);
  };
  count_launch();
  cpu::count_product(batch * c.rows, c.cols, a.cols);
  const cublasComputeType_t compute = compute_type(DTypeOf<T>::value);
  const int m = narrow(c.cols), n = narrow(c.rows), k = narrow(a.cols);
  const cublasStatus_t status =
      batch == 1 ? cublas().gemm(handle(), op(b.transposed), op(a.transposed), m, n, k, &one, b.at,
                                 kType, narrow(b.ld), a.at, kType, narrow(a.ld), &beta, c.at, kType,
                                 narrow(c.ld), compute, CUBLAS_GEMM_DEFAULT)
                 : cublas().gemm_batched(handle(), op(b.transposed), op(a.transposed), m, n, k,
                                         &one, b.at, kType, narrow(b.ld), b.stride, a.at, kType,
                                         narrow(a.ld), a.stride, &beta, c.at, kType, narrow(c.ld),
                                         c.stride, narrow(batch), compute, CUBLAS_GEMM_DEFAULT);
  check(status, "matrix product");
}

template void blas_gemm(Mat<float>, Mat<const float>, Mat<const float>, int64_t, Write);
template void blas_gemm(Mat<double>, Mat<const double>, Mat<const double>, int64_t, Write);

}  // namespace heed::cuda
