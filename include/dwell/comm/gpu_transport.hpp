// SPDX-License-Identifier: MIT
// How ranks with GPUs exchange data, as a value.
#pragma once
#include <string>

#include "dwell/base/api.hpp"

namespace dwell {

/// How ranks exchange data that are in the memory of their GPUs.
enum class gpu_transport {
  /// nccl where every rank has a GPU of its own and finds NCCL, else mpi where that is possible,
  /// else host.
  automatic,
  nccl,  ///< from GPU to GPU, by NVIDIA's NCCL
  /// The communicator itself moves what is in the memory of GPUs
  /// (communicator::takes_gpu_memory()): by a CUDA-aware MPI. Ranks may share a GPU.
  mpi,
  host  ///< through the memory of the hosts; ranks may share a GPU
};

/// Empty, or why there is no NCCL here, in one line.
DWELL_API std::string why_no_nccl();

}  // namespace dwell
