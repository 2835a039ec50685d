// SPDX-License-Identifier: MIT
// An iterative method of your own, without touching Dwell: one struct, compiled in your program for
// every executor. dwell/linear/program.hpp says what the struct holds.
//
//   dwell::program_runner<richardson> runner(dwell::device::cpu(), a.view());
//   runner.set_vector(richardson::b, b);
//   const auto end = runner.run({.omega = 0.1});
//   runner.vector(richardson::x, x);
//
// A file for a C++20 compiler gets the kernels for CPU threads; a file for nvcc, with a library
// that has CUDA, those for GPUs; the struct can stand in a header for both. Executors are
// host-loop, persistent, perks, and on GPUs graph. On a CPU perks runs the protocol of a GPU on
// threads, to be tested: it is not faster there. Link the CMake target dwell::custom_program: it
// brings the compiler options on which equal bits rest.
#pragma once
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_for.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/krylov/launch/run.hpp"
#include "dwell/execution/krylov/loops/host_loop.hpp"
#include "dwell/execution/krylov/loops/perks.hpp"
#include "dwell/execution/krylov/loops/persistent.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/linear/program.hpp"
#if defined(__CUDACC__)
#include "dwell/execution/krylov/launch/launch_cuda.cuh"
#include "dwell/execution/krylov/loops/graph.hpp"
#else
#include "dwell/execution/krylov/launch/launch_cpu.hpp"
#endif

namespace dwell {

/// How a program is run.
struct program_options {
  std::string executor = automatic;  ///< auto: perks on a GPU, persistent on a CPU
  std::string policy = automatic;    ///< perks: what to cache; not `measured`, which tries plans
  int teams = 0;                     ///< thread blocks or threads; 0: as planned
  int config = -1;                   ///< one of the executor's kernels; -1: as planned
  std::size_t scratch_per_team = 0;  ///< bytes of shared memory at most; 0: what the device has
  /// Set from elsewhere, it makes the program's poll() say so. Must stay valid while runs last.
  const std::atomic<bool>* interrupt = nullptr;
  /// Called now and then with what note() was given last: a step, and the root of `square`. False,
  /// or an exception, which is rethrown, does what an interrupt does.
  std::function<bool(int step, double norm)> progress;
  double progress_interval = 0.1;  ///< seconds
};

/// What a plan and the last run were.
struct program_report {
  std::string executor;                 ///< that runs it
  std::string policy;                   ///< none where the executor caches nothing
  std::string reason;                   ///< reason of the plan, one line
  int teams = 0;                        ///< thread blocks or threads
  int lanes = 0;                        ///< lanes of a team
  std::size_t bytes_per_iteration = 0;  ///< that an iteration moves if nothing is cached
  std::size_t cached_bytes = 0;         ///< in the scratch of a team; registers are not in it
  double seconds = 0;                   ///< time of the last run, by the device's clock
};

// What differs between the two compilers has another name for the linker.
#if defined(__CUDACC__)
inline namespace on_gpus {
#else
inline namespace on_cpus {
#endif

/// The kernels of a program that are compiled here, one row per executor.
template <Program P, class T>
std::span<const program_kernel> program_kernels_of() {
  // Never destroyed: what runs while the program ends may still solve.
  static const auto& rows = *new const std::vector<program_kernel> {
    kernels::kernel_of<P, T, host_loop>(),
#if defined(__CUDACC__)
        kernels::kernel_of<P, T, graph>(),
#endif
        kernels::kernel_of<P, T, persistent>(), kernels::kernel_of<P, T, perks>()
  };
  return rows;
}

/// Runs a program with one matrix, again and again: holds the matrix as the teams read it, the
/// vectors and the plan.
template <Program P, class T = double>
requires std::same_as<T, double> || std::same_as<T, float>
class program_runner {
  static_assert(
      [] {
        for (const use u : P::uses)
          if (u != use::own && u != use::gather) return false;
        return P::sum_count <= max_sums;
      }(),
      "vectors are own or gather, and sums at most max_sums");

 public:
  using scalars = typename P::scalars;  ///< what a run begins and ends with

  /// `a`: square, checked here, with arrays of the host that stay valid where they are read in
  /// place (on a CPU). Vectors have a.rows elements, zeros at first. Throws input_error for a
  /// matrix that is malformed or not square, and unsupported_error for an executor, policy or
  /// number that this device does not have, or a program that leaves a vector untouched in an
  /// iteration.
  program_runner(const device& where, const csr_view<T>& a, const program_options& o = {})
      : options_(o),
        kernel_(kernel_for(where, o)),
        queue_(where),
        matrix_(queue_.where(), checked(a)),
        cuts_(queue_.where(), matrix_.arrays()),
        plan_(planned_for(where)),
        run_(queue_.where(), kernel_, plan_) {
    rows_ = static_cast<std::size_t>(a.rows);
    const program_config& config = kernel_.configs[static_cast<std::size_t>(plan_.how.config)];
    report_.executor = kernel_.executor;
    report_.policy = plan_.how.policy.empty() ? nothing_cached : plan_.how.policy;
    report_.reason = plan_.how.reason;
    report_.teams = plan_.how.teams;
    report_.lanes = config.lanes;
    report_.bytes_per_iteration = plan_.facts.bytes_per_iteration;
    report_.cached_bytes = cached_bytes<T>(plan_.how.cache, plan_.cut->outline.narrow);
  }

  /// Vector k from the host: one element per row. Throws input_error for another number.
  void set_vector(int k, std::span<const T> from) {
    check_vector(k, from.size());
    run_.vector(k).upload(from);
  }
  /// Vector k to the host. After a run those in P::results have what the run made of them, and
  /// those that the program only reads what they had; others that it writes are undefined.
  void vector(int k, std::span<T> to) const {
    check_vector(k, to.size());
    run_.vector(k).download(to);
  }
  /// The elements of vector k in the device's memory: to be read and written between two runs by
  /// work that has ended before the next one, and begun after the last.
  T* data(int k) {
    check_vector(k, rows_);
    return run_.vector(k).data();
  }

  /// Runs until scalars::stop is not 0, and returns the scalars of the end. Vectors begin as they
  /// were set, or as vector() gives them after the run before. Throws device_error, and what
  /// options.progress throws.
  scalars run(const scalars& start = {}) {
    run_control control;
    control.interrupt = options_.interrupt;
    control.progress = options_.progress;
    control.progress_interval = options_.progress_interval;
    report_.seconds = run_.run(start, control);
    return run_.outcome();
  }

  const program_report& report() const { return report_; }  ///< report of the plan and the last run

 private:
  static const program_kernel& kernel_for(const device& where, const program_options& o) {
    if (where.on() != compiled_for)
      throw unsupported_error(std::string("program '") + P::name + "': compiled here for " +
                              to_string(compiled_for) + ", found a device of " +
                              to_string(where.on()) +
                              (compiled_for == backend::cpu ? " (nvcc compiles for those)" : ""));
    const bool on_cpu = where.on() == backend::cpu;
    const std::string name = o.executor != automatic ? o.executor
                             : on_cpu                ? executors::persistent.name
                                                     : executors::perks.name;
    return find_kernel_among(program_kernels_of<P, T>(), P::name, name, precision_of<T>,
                             where.on());
  }
  static const csr_view<T>& checked(const csr_view<T>& a) {
    check(a);
    if (a.rows != a.cols)
      throw input_error("matrix: expected as many rows as columns, found " +
                        std::to_string(a.rows) + " x " + std::to_string(a.cols));
    return a;
  }
  /// Scalars of an iteration as most are, for counting what it moves.
  static scalars steady_state() {
    if constexpr (requires { P::steady_state(); })
      return P::steady_state();
    else
      return {};
  }
  planned<T> planned_for(const device& where) {
    const auto& arrays = matrix_.arrays();
    const traffic moved = traffic_of<P, T>(arrays.rows, arrays.nonzeros, steady_state());
    for (int k = 0; k < P::vectors; ++k)
      if (moved.loads[k] + moved.stores[k] == 0)
        throw unsupported_error(std::string("program '") + P::name + "': vector " +
                                std::to_string(k) +
                                " is not touched in an iteration from steady_state(), or from the "
                                "scalars' defaults without it");
    const plan_target target = target_of(where);
    plan_request request;
    request.policy = options_.policy;
    request.teams = options_.teams;
    request.config = options_.config;
    request.scratch_per_team = options_.scratch_per_team;
    return make_plan<P, T>(kernel_, configs_of(kernel_, target), target.facts, cuts_, request,
                           steady_state());
  }
  void check_vector(int k, std::size_t elements) const {
    if (k < 0 || k >= P::vectors)
      throw input_error(std::string("program '") + P::name + "': expected a vector from 0 to " +
                        std::to_string(P::vectors - 1) + ", found " + std::to_string(k));
    if (elements != rows_)
      throw input_error(std::string("program '") + P::name + "': expected " +
                        std::to_string(rows_) + " elements, found " + std::to_string(elements));
  }

  program_options options_;
  const program_kernel& kernel_;
  work_queue queue_;
  placed_csr<T> matrix_;
  cut_cache<T> cuts_;
  planned<T> plan_;
  mutable program_run<P, T> run_;
  std::size_t rows_ = 0;
  program_report report_;
};

}  // inline namespace

}  // namespace dwell
