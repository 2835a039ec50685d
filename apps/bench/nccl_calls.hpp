// SPDX-License-Identifier: MIT
// What bench-peers calls of NCCL, which is loaded, not linked; and communicators of one process.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#ifdef DWELL_NCCL_LIBRARY
#include <dlfcn.h>
#include <nccl.h>

#include <cstdlib>
#endif

#include "dwell/base/error.hpp"

namespace dwell::bench {

#ifdef DWELL_NCCL_LIBRARY

class nccl_calls {
 public:
  /// NVLink multicast is off unless NCCL_NVLS_ENABLE says otherwise. Throws unsupported_error.
  static const nccl_calls& get() {
    static const nccl_calls& loaded = *new nccl_calls;
    return loaded;
  }
  void check(ncclResult_t status, const char* what) const {
    if (status != ncclSuccess)
      throw device_error(std::string("NCCL: ") + what + ": " + error_string(status));
  }
  decltype(&ncclCommInitAll) init_all = nullptr;
  decltype(&ncclCommDestroy) destroy = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;

 private:
  nccl_calls() {
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    void* found = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!found) found = dlopen(DWELL_NCCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!found)
      throw unsupported_error("NCCL was not found (LD_LIBRARY_PATH says where to look for it)");
    load(found, "ncclCommInitAll", init_all);
    load(found, "ncclCommDestroy", destroy);
    load(found, "ncclGetErrorString", error_string);
    load(found, "ncclAllReduce", all_reduce);
    load(found, "ncclAllGather", all_gather);
  }
  template <class F>
  static void load(void* from, const char* name, F& to) {
    to = reinterpret_cast<F>(dlsym(from, name));
    if (!to) throw unsupported_error(std::string("NCCL: found one without ") + name);
  }
};

/// A communicator for each of these GPUs, all different.
class nccl_peers {
 public:
  explicit nccl_peers(const std::vector<int>& devices) : comms_(devices.size()) {
    const nccl_calls& n = nccl_calls::get();
    n.check(n.init_all(comms_.data(), static_cast<int>(devices.size()), devices.data()),
            "its start");
  }
  ~nccl_peers() {
    for (const ncclComm_t c : comms_) nccl_calls::get().destroy(c);
  }
  nccl_peers(const nccl_peers&) = delete;
  nccl_peers& operator=(const nccl_peers&) = delete;
  void all_reduce(int me, const double* mine, double* sum, cudaStream_t on) const {
    const nccl_calls& n = nccl_calls::get();
    n.check(
        n.all_reduce(mine, sum, 1, ncclDouble, ncclSum, comms_[static_cast<std::size_t>(me)], on),
        "an all-reduce");
  }
  void all_gather(int me, const double* mine, double* all, cudaStream_t on) const {
    const nccl_calls& n = nccl_calls::get();
    n.check(n.all_gather(mine, all, 1, ncclDouble, comms_[static_cast<std::size_t>(me)], on),
            "an all-gather");
  }

 private:
  std::vector<ncclComm_t> comms_;
};

#else

class nccl_peers {
 public:
  explicit nccl_peers(const std::vector<int>&) {
    throw unsupported_error("this program was built without NCCL (DWELL_NCCL)");
  }
  void all_reduce(int, const double*, double*, cudaStream_t) const {}
  void all_gather(int, const double*, double*, cudaStream_t) const {}
};

#endif

}  // namespace dwell::bench
