// SPDX-License-Identifier: MIT
// A reduction on either backend. Arrays are in memory of the device, or of the host if that is a
// CPU.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/solvers/arrays/reduce/reduce_scratch.hpp"

namespace dwell {

template <class T>
struct reduce_arrays;
class thread_pool;

namespace reduce_step {
struct sum;
struct least;
struct greatest;
struct largest_magnitude;
struct magnitudes;
struct squares;
struct scaled_squares;
struct products;
}  // namespace reduce_step

namespace cpu {

/// Threads of a CPU that are kept, and totals of chunks.
class reduce_team {
 public:
  explicit reduce_team(int most_threads);
  ~reduce_team();
  /// Returns as many threads as so many bytes are worth.
  int threads_for(double bytes) const;
  thread_pool& pool();  ///< pool of the most threads, started by the first call
  double* partial(std::size_t chunks);

 private:
  int most_;
  std::unique_ptr<thread_pool> pool_;
  std::vector<double> partial_;
};

template <class Op, class T>
double run_reduce(const Op& op, const reduce_arrays<T>& a, reduce_team& team);

}  // namespace cpu

namespace cuda {

/// A double of the host's memory that kernels may write.
class host_result {
 public:
  host_result() = default;
  explicit host_result(const device& where);
  ~host_result();
  host_result(const host_result&) = delete;
  host_result& operator=(const host_result&) = delete;
  double* get() const { return value_; }

 private:
  double* value_ = nullptr;
};

}  // namespace cuda

/// What results and totals need of a GPU.
struct reduce_results {
  std::size_t (*partial_size)(std::int64_t n);  ///< doubles that reduce_scratch::partial holds
  double* (*make)(const device&);               ///< see host_result
  void (*release)(double*);
};
/// One reduction on a GPU.
template <class Op, class T>
struct reduce_run {
  /// Puts it into the device's stream; the result to *to, which kernels may write.
  void (*run)(const device&, int units, const Op&, const reduce_arrays<T>&,
              const cuda::reduce_scratch&, double* to);
};

/// What each backend compiles: DO(operation, element type).
#define DWELL_EACH_REDUCTION_OF(DO, T) \
  DO(sum, T)                           \
  DO(least, T)                         \
  DO(greatest, T)                      \
  DO(largest_magnitude, T)             \
  DO(magnitudes, T)                    \
  DO(squares, T)                       \
  DO(scaled_squares, T)                \
  DO(products, T)
#define DWELL_EACH_REDUCTION(DO)      \
  DWELL_EACH_REDUCTION_OF(DO, double) \
  DWELL_EACH_REDUCTION_OF(DO, float)

/// All reductions of arrays of T on a GPU.
template <class T>
struct reduce_functions : reduce_run<reduce_step::sum, T>,
                          reduce_run<reduce_step::least, T>,
                          reduce_run<reduce_step::greatest, T>,
                          reduce_run<reduce_step::largest_magnitude, T>,
                          reduce_run<reduce_step::magnitudes, T>,
                          reduce_run<reduce_step::squares, T>,
                          reduce_run<reduce_step::scaled_squares, T>,
                          reduce_run<reduce_step::products, T> {};

}  // namespace dwell
