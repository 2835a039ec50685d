// SPDX-License-Identifier: MIT
// Runs of stencils whose kernels are compiled when they are needed: the launchers of kernels that
// are compiled ahead, of handles and of a call that has room for the weights of any shape.
#include <algorithm>
#include <array>
#include <string_view>

#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/launch/launch_cuda.hpp"
#include "dwell/execution/stencil/loops/graph.hpp"
#include "dwell/execution/stencil/loops/host_loop.hpp"
#include "dwell/execution/stencil/loops/naive.hpp"
#include "dwell/execution/stencil/loops/perks.hpp"
#include "dwell/execution/stencil/loops/temporal.hpp"
#include "dwell/execution/stencil/plan/planning.hpp"

namespace dwell {

namespace cuda {
namespace {
/// In the place of a shape, in calls.
struct any_shape {};
constexpr int most_weights = 128;
}  // namespace
}  // namespace cuda

/// A kernel of a shape takes the first of these bytes: its weights begin where these do.
template <class T>
struct stencil_call<cuda::any_shape, T> : stencil_args<T> {
  T w[cuda::most_weights];
};

namespace cuda {
namespace {

compiled_kernels compiled(const needed_kernel& k, const device& where) {
  return compile_kernels(k.sources, cuda::target_of(where));
}
/// The handles of its kernels, the one for shorter passes first. What the driver says of the other
/// one is kept for plans.
std::array<const void*, 2> handles_of(const stencil_kernel& v, const needed_kernel& k, int config,
                                      bool has_source, const device& where) {
  const compiled_kernels all = compiled(k, where);
  const std::array<const void*, 2> handles = {lasting(all.codes.front()).handle(),
                                              lasting(all.codes.back()).handle()};
  note_facts(*all.codes.back(), handles[1], k.lanes, bare_kernel(v, config, has_source).scratch,
             where);
  return handles;
}

/// The passes of a plan: a launch each.
template <class T>
class loaded_passes {
 public:
  loaded_passes(const needed_kernel& k, std::array<const void*, 2> kernels, const pass_runs& runs)
      : kernels_(kernels), steps_(k.pass_steps), lanes_(k.lanes), scratch_(k.scratch), runs_(runs) {
    for (const void* kernel : kernels_) {
      allow_scratch(kernel, scratch_);
      loaded(kernel);
    }
  }
  /// So many steps from field[from] to the other copy.
  void launch(cudaStream_t on, const stencil_call<any_shape, T>& a, int from, int steps) const {
    pass_runs pass = runs_;
    pass.from = from;
    pass.steps = steps;
    launch_apart(kernels_[steps == steps_], a.plan.teams, lanes_, scratch_, on, a, pass);
  }

 private:
  std::array<const void*, 2> kernels_;  ///< for shorter passes, and for whole ones
  int steps_, lanes_;
  std::size_t scratch_;
  pass_runs runs_;
};

template <class T, class E>
std::unique_ptr<stencil_launcher> prepare_steps(const stencil_args<T>& a, const device& where,
                                                const void* kernel) {
  return std::make_unique<launcher<any_shape, T, driven_loop<any_shape, T, E>>>(
      where, a, single_steps<any_shape, T>(kernel));
}

template <class T>
std::unique_ptr<stencil_launcher> prepare_as(const stencil_kernel& v, const void* args,
                                             const device& where) {
  const auto& a = *static_cast<const stencil_args<T>*>(args);
  const current_device here(where.ordinal());
  const needed_kernel k = v.needs(a.plan, a.source != nullptr);
  const auto kernels = handles_of(v, k, a.plan.config, a.source != nullptr, where);
  const std::string_view executor = v.executor;
  if (v.cooperative)
    return std::make_unique<launcher<any_shape, T, whole_loop<any_shape, T>>>(
        where, whole_kernel<T>{kernels[0], k.lanes, k.scratch,
                               k.owns_tiles ? &perks_stencil::last_copy<T> : &copy_after_steps<T>});
  if (executor == temporal_stencil::name)
    return std::make_unique<
        launcher<any_shape, T, driven_loop<any_shape, T, temporal_stencil, loaded_passes<T>>>>(
        where, a, loaded_passes<T>(k, kernels, v.divide(args)));
  if (executor == graph_stencil::name) return prepare_steps<T, graph_stencil>(a, where, kernels[0]);
  if (executor == host_loop_stencil::name)
    return prepare_steps<T, host_loop_stencil>(a, where, kernels[0]);
  return prepare_steps<T, naive_stencil>(a, where, kernels[0]);
}

}  // namespace
}  // namespace cuda

kernel_making make_needed(const stencil_kernel& v, const stencil_plan& how, bool has_source,
                          const device& where) {
  const compiled_kernels all = cuda::compiled(v.needs(how, has_source), where);
  return {all.compiler, all.seconds};
}

engine_facts probe_needed(const stencil_kernel& v, const stencil_plan& how, bool has_source,
                          const device& where) {
  const cuda::current_device here(where.ordinal());
  const needed_kernel k = v.needs(how, has_source);
  return cuda::facts_of(cuda::handles_of(v, k, how.config, has_source, where)[1],
                        *v.engines[static_cast<std::size_t>(how.config)], k.scratch, where);
}

std::unique_ptr<stencil_launcher> prepare_needed(const stencil_kernel& v, const void* args,
                                                 const device& where) {
  return v.type == precision::f64 ? cuda::prepare_as<double>(v, args, where)
                                  : cuda::prepare_as<float>(v, args, where);
}

}  // namespace dwell
