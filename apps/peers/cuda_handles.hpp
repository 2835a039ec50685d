// SPDX-License-Identifier: MIT
// Owners of what the CUDA libraries hand out, and status codes turned into exceptions of one line.
#pragma once
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"

namespace dwell::peers {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw device_error(std::string(what) + ": " + cudaGetErrorString(e));
}
inline void check(cusparseStatus_t s, const char* what) {
  if (s != CUSPARSE_STATUS_SUCCESS)
    throw device_error(std::string(what) + ": cuSPARSE: " + cusparseGetErrorString(s));
}
inline void check(cublasStatus_t s, const char* what) {
  if (s != CUBLAS_STATUS_SUCCESS)
    throw device_error(std::string(what) + ": cuBLAS: " + cublasGetStatusString(s));
}

/// An opaque handle and the function that ends it.
template <class Handle, auto Destroy>
class owned {
 public:
  owned() = default;
  explicit owned(Handle h) : h_(h) {}
  owned(owned&& o) noexcept : h_(std::exchange(o.h_, Handle{})) {}
  owned& operator=(owned&& o) noexcept {
    std::swap(h_, o.h_);
    return *this;
  }
  ~owned() {
    if (h_) Destroy(h_);
  }
  Handle get() const { return h_; }
  Handle* out() { return &h_; }

 private:
  Handle h_{};
};

using stream_handle = owned<cudaStream_t, cudaStreamDestroy>;
using event_handle = owned<cudaEvent_t, cudaEventDestroy>;
using graph_handle = owned<cudaGraph_t, cudaGraphDestroy>;
using graph_exec_handle = owned<cudaGraphExec_t, cudaGraphExecDestroy>;
using cusparse_handle = owned<cusparseHandle_t, cusparseDestroy>;
using cublas_handle = owned<cublasHandle_t, cublasDestroy>;
using matrix_handle = owned<cusparseSpMatDescr_t, cusparseDestroySpMat>;
using vector_handle = owned<cusparseDnVecDescr_t, cusparseDestroyDnVec>;

/// Device memory for n elements.
template <class T>
class device_array {
 public:
  device_array() = default;
  explicit device_array(std::size_t n) {
    check(cudaMalloc(reinterpret_cast<void**>(memory_.out()), (n ? n : 1) * sizeof(T)),
          "cudaMalloc");
  }
  explicit device_array(std::span<const T> from) : device_array(from.size()) {
    check(cudaMemcpy(get(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    // From pageable memory it may be under way still, and other streams do not wait for it.
    check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
  }
  T* get() const { return memory_.get(); }

 private:
  owned<T*, cudaFree> memory_;
};

}  // namespace dwell::peers
