// SPDX-License-Identifier: MIT
// A kernel that was compiled at run time, on the devices of this process: a handle that the CUDA
// runtime takes wherever it takes the address of a kernel (cudaLaunchKernelExC,
// cudaFuncGetAttributes, cudaOccupancyMaxActiveBlocksPerMultiprocessor, nodes of graphs).
#pragma once
#include <cstddef>
#include <memory>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell::cuda {

class loaded_kernel {
 public:
  /// Loads machine code. Throws device_error with the driver's reason. By the driver's functions,
  /// which there are since version 12.0: the runtime's own came with 12.8.
  explicit loaded_kernel(std::shared_ptr<const compiled_kernel> code);
  ~loaded_kernel();
  loaded_kernel(const loaded_kernel&) = delete;
  loaded_kernel& operator=(const loaded_kernel&) = delete;

  const void* handle() const { return kernel_; }  ///< for launches, as long as this lives
  /// The handle of another kernel of the same code, by its symbol.
  const void* handle_of(const std::string& symbol) const;
  const compiled_kernel& code() const { return *code_; }

 private:
  std::shared_ptr<const compiled_kernel> code_;
  void* library_ = nullptr;
  const void* kernel_ = nullptr;
};

/// Loaded once, to the end of the process: what is known of a handle (kernel_cuda.cuh) stays true.
const loaded_kernel& lasting(const std::shared_ptr<const compiled_kernel>& code);

/// Asks the driver of a kernel, and keeps what it says for plans (kernel_facts.hpp).
void note_facts(const compiled_kernel& code, const void* handle, int lanes, std::size_t scratch,
                const device& where);

/// What kernels for a device are compiled for.
kernel_target target_of(const device& where);
kernel_target target_of(int ordinal);

}  // namespace dwell::cuda
