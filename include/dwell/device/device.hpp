// SPDX-License-Identifier: MIT
// Where a solver runs, as a value: CPU threads or one CUDA device. Needs no CUDA headers; a build
// without CUDA has the same functions and says what is missing.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/backend.hpp"

namespace dwell {

/// "cpu" or "cuda".
DWELL_API std::string to_string(backend b);

struct device_limits;  // limits.hpp

/// What planning and reports need to know of a device. Sizes in bytes; on a CPU the fields that
/// have no meaning there are 0.
struct device_facts {
  std::string name;                    ///< "NVIDIA H200", "AMD EPYC ..."
  backend on = backend::cpu;           ///< kind of the device
  int ordinal = 0;                     ///< CUDA device number
  int units = 1;                       ///< streaming multiprocessors, or threads
  bool units_at_most = false;          ///< threads that nobody asked for: a plan may take fewer
  int compute_capability = 0;          ///< 90 for 9.0; 0 on a CPU
  std::size_t memory = 0;              ///< total
  std::size_t memory_free = 0;         ///< at the time of asking
  std::size_t l2 = 0;                  ///< last-level cache
  std::size_t core_cache = 0;          ///< second-level cache of a CPU's core; 0: not known
  std::size_t shared_per_team = 0;     ///< most scratch that one team (block) may use
  std::size_t shared_per_unit = 0;     ///< per multiprocessor
  std::size_t registers_per_unit = 0;  ///< 32-bit registers per multiprocessor
  int cluster_teams = 0;               ///< most blocks of a thread block cluster; 0: no clusters
  bool cooperative_launch = false;     ///< needed by executors with a grid barrier
  /// Rates to plan with; null: those that Dwell has of a device of this name (limits.hpp).
  std::shared_ptr<const device_limits> limits;
};

/// A chosen device. Copying it is cheap; it owns nothing of the device.
class DWELL_API device {
 public:
  /// CPU threads; 0 means as many as this process may use (by its affinity and the quota of its
  /// control groups) and a problem is worth. See thread_limit.hpp for what is refused.
  static device cpu(int threads = 0);
  /// CUDA device `ordinal`. Throws device_error, with the reason, if it is not there.
  static device cuda(int ordinal = 0);
  /// The first usable CUDA device, else the CPU.
  static device best();

  backend on() const { return on_; }        ///< CPU or CUDA
  int ordinal() const { return ordinal_; }  ///< CUDA device number
  int threads() const { return threads_; }  ///< that there may be
  device_facts facts() const;               ///< asks the device; throws device_error if it fails

  /// Returns this device, its work (allocations, copies, kernels) put in order by a CUDA stream of
  /// the caller, a cudaStream_t. The stream must outlive whatever is made with the device. Throws
  /// input_error on a CPU.
  device on_stream(void* stream) const;
  /// That stream; null where none was given.
  void* stream() const { return stream_; }

 private:
  friend device planned_with(const device& where, const device_facts& facts,
                             std::string_view source);  // limits.hpp
  device(backend on, int ordinal, int threads, bool at_most = false)
      : on_(on), ordinal_(ordinal), threads_(threads), at_most_(at_most) {}
  backend on_ = backend::cpu;
  int ordinal_ = 0;
  int threads_ = 1;
  bool at_most_ = false;
  void* stream_ = nullptr;
  std::shared_ptr<const device_limits> limits_;
};

/// What this machine has of CUDA: its devices, or the reason why there are none.
struct cuda_presence {
  bool built_in = false;  ///< was this library built with CUDA?
  int devices = 0;        ///< that there are
  std::string reason;     ///< one line, when devices == 0
};
/// Asks the driver, each time.
DWELL_API cuda_presence find_cuda();

}  // namespace dwell
