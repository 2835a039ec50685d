// SPDX-License-Identifier: MIT
// Every CUDA call goes through here: a failure becomes a device_error that names the call.
#pragma once
#include <cuda_runtime_api.h>

#include <string>

#include "dwell/base/error.hpp"

namespace dwell::cuda {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw device_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

/// Destroys what a create function made.
template <class Handle, cudaError_t (*Destroy)(Handle)>
class handle {
 public:
  handle() = default;
  ~handle() {
    if (h_) Destroy(h_);
  }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  operator Handle() const { return h_; }
  Handle* out() { return &h_; }

 private:
  Handle h_ = nullptr;
};
using stream = handle<cudaStream_t, cudaStreamDestroy>;
using event = handle<cudaEvent_t, cudaEventDestroy>;
using recorded_graph = handle<cudaGraph_t, cudaGraphDestroy>;
using executable_graph = handle<cudaGraphExec_t, cudaGraphExecDestroy>;

}  // namespace dwell::cuda

#define DWELL_CUDA(call) ::dwell::cuda::check((call), #call)
