// SPDX-License-Identifier: MIT
// How a GPU runs temporal: a launch for each pass, of as many blocks as fit on the device.
#pragma once
#include "dwell/execution/stencil/launch/launch_cuda.cuh"
#include "dwell/execution/stencil/launch/rows_temporal_cuda.hpp"
#include "dwell/execution/stencil/launch/temporal_kernels_cuda.cuh"
#include "dwell/execution/stencil/loops/temporal.hpp"

namespace dwell::cuda {

template <class S, class T>
using pass_kernel_type = void (*)(stencil_call<S, T>, pass_runs);

/// The kernels of config K of an engine: what is launched, and how a plan is divided. whole: for
/// passes of all steps; together: teams wait for each other.
template <class S, class T, class Engine, int K>
struct pass_kernel_of;

template <class Kernel>
bool has_body(Kernel kernel) {
  return loaded(kernel).sharedSizeBytes == 0;
}

template <class S, class T, int K>
struct pass_kernel_of<S, T, ring2d_on<backend::cuda>, K> {
  static constexpr int threads = ring_team_of<S, T, K>::threads;
  static constexpr std::size_t scratch_bytes = ring_sizes_of<S, T, K>::scratch_bytes;

  static constexpr int steps = ring_sizes_of<S, T, K>::depth;
  static constexpr bool together = false;

  static pass_kernel_type<S, T> kernel(bool source, bool) {
    return source ? ring_kernel<S, T, K, true> : ring_kernel<S, T, K, false>;
  }
  static pass_runs runs(const stencil_args<T>& a) {
    return divided_pass(ring_config_of<S, T, K>, radius_of<S>, a.size, a.edge, a.plan);
  }
  static bool is_there() { return has_body(kernel(false, true)); }
};

template <class S, class T, int K>
struct pass_kernel_of<S, T, column3d_on<backend::cuda>, K> {
  static constexpr int threads = perks_lanes;
  static constexpr std::size_t scratch_bytes =
      cuda_grid_team<perks_lanes>::reserved_bytes() +
      column_sizes<S, T, column_config_of<S, T, K>>::scratch_bytes;

  static constexpr int steps = column_config_of<S, T, K>.steps;
  static constexpr bool together = false;

  static pass_kernel_type<S, T> kernel(bool source, bool whole) {
    return source || !whole ? column_kernel<S, T, K, true> : column_kernel<S, T, K, false>;
  }
  static pass_runs runs(const stencil_args<T>& a) {
    return column_pass_of(column_config_of<S, T, K>, radius_of<S>, a.size, a.edge, a.pitch, a.plan);
  }
  static bool is_there() { return true; }
};

/// The passes of a plan: a launch each.
template <class S, class T, class Engines>
class launched_passes {
 public:
  explicit launched_passes(const stencil_args<T>& a) {
    Engines::template with_index<S, T>(a.plan.config, [&]<class Engine, int K>() {
      using pass_kernel = pass_kernel_of<S, T, Engine, K>;
      for (const bool whole : {false, true})
        kernel_[whole] = pass_kernel::kernel(a.source != nullptr, whole);
      steps_ = pass_kernel::steps;
      threads_ = pass_kernel::threads;
      scratch_ = pass_kernel::scratch_bytes;
      runs_ = pass_kernel::runs(a);
      together_ = pass_kernel::together;
    });
    for (const auto kernel : kernel_) {
      allow_scratch(kernel, scratch_);
      loaded(kernel);
    }
  }
  /// So many steps from field[from] to the other copy.
  void launch(cudaStream_t on, const stencil_call<S, T>& a, int from, int steps) const {
    pass_runs pass = runs_;
    pass.from = from;
    pass.steps = steps;
    const auto kernel = kernel_[steps == steps_];
    if (together_)
      launch_together(kernel, a.plan.teams, threads_, scratch_, on, false, a, pass);
    else
      kernel<<<a.plan.teams, threads_, scratch_, on>>>(a, pass);
  }

 private:
  pass_kernel_type<S, T> kernel_[2] = {};  ///< for shorter passes, and for others
  int steps_ = 0;
  int threads_ = 0;
  std::size_t scratch_ = 0;
  bool together_ = false;  ///< teams wait for each other
  pass_runs runs_;
};

template <class S, class T, class E, class Engines>
std::unique_ptr<stencil_launcher> prepare_passes(const void* args, const device& where) {
  const auto& a = *static_cast<const stencil_args<T>*>(args);
  const current_device here(where.ordinal());
  using passes = launched_passes<S, T, Engines>;
  return std::make_unique<launcher<S, T, driven_loop<S, T, E, passes>>>(where, a, passes(a));
}

template <class S, class T, class Engines>
engine_facts probe_passes(const device& where, int config) {
  const current_device here(where.ordinal());
  const stencil_engine& engine =
      *pass_kernels<Engines, S, T>().all()[static_cast<std::size_t>(config)];
  return Engines::template with_index<S, T>(config, [&]<class Engine, int K>() {
    using pass_kernel = pass_kernel_of<S, T, Engine, K>;
    if (!pass_kernel::is_there() || pass_kernel::scratch_bytes > where.facts().shared_per_team)
      return engine_facts{&engine, 0, 0, 0, pass_kernel::scratch_bytes};
    return facts_of(pass_kernel::kernel(false, true), engine, pass_kernel::scratch_bytes, where);
  });
}

template <class S, class T, class E, class Engines>
void add_passing_kernel(std::vector<stencil_kernel>& all) {
  constexpr int configs = Engines::template count<S, T>;
  if constexpr (configs > 0) {
    add_passing_row<S, T, E, Engines>(all);
    all.back().probe = &probe_passes<S, T, Engines>;
    all.back().prepare = &prepare_passes<S, T, E, Engines>;
  }
}

}  // namespace dwell::cuda
