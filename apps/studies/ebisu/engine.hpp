// SPDX-License-Identifier: MIT
// Engine multi_queue: EBISU's kernels (Zhang et al. 2023; dissertation, chapter 5) with one
// optimisation at a time, to be measured beside the engines that Dwell uses. For three stencils in
// double precision, in a table of kernels of their own (kernels.hpp); a plan takes the variant that
// is asked for by name.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include "studies/ebisu/sizes.hpp"
#include "studies/ebisu/tiles.hpp"

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/column3d/engine.hpp"
#include "dwell/execution/stencil/plan/pass_capability.hpp"

namespace dwell {

struct multi_queue {
  using config = queue_config;

  static engine_shape shape(const config& c);
  static bool serves(const config& c, const stencil_problem&, const engine_request& asked);
  static int most_depth(const config&, const stencil_problem&);
  static extents most_of_layer(const config&, const stencil_problem&, int depth);
  static layout_result lay_out(const config&, const tiling_request&, const layout_problem&);
  static subdomain_facts subdomains(const config&, const stencil_plan&, const stencil_problem&);
  static std::string describe(const config&, const stencil_plan&, const stencil_problem&,
                              const std::string& scratch);
  static std::size_t streamed_values(const config&, const stencil_plan&);
  static std::size_t margin(const config&, const stencil_plan&, const stencil_problem&);
};

/// A variant under its own name.
template <int Variant>
struct multi_queue_of : multi_queue {
  static constexpr const char* name = queue_variants[Variant].engine;
};

/// With the kernels of a backend, as those of execution/stencil/engines/temporal_engines.hpp.
template <backend On, int Variant>
struct multi_queue_on : multi_queue_of<Variant> {
  using engine = multi_queue_of<Variant>;
  template <class S, class T>
  static constexpr auto configs = queue_configs<S, T, Variant, On == backend::cuda>();
  template <class S, class T, queue_config C>
  static constexpr std::size_t scratch_bytes = queue_sizes<S, T, C>::scratch_bytes;
  static bool runs_on(const queue_config&, int capability) {
    const bool bulk = queue_variants[Variant].fetch == layer_prefetch::bulk;
    return capability >= (bulk ? 90 : least_passing_capability);
  }
};

template <backend On, int... Variants>
engine_list<multi_queue_on<On, Variants>...> engines_of(std::integer_sequence<int, Variants...>);
/// All variants: engines of executor temporal.
template <backend On>
using queue_engines =
    decltype(engines_of<On>(std::make_integer_sequence<int, queue_variant_count>{}));

/// The runs of a plan's teams, for every pass of a run.
pass_runs queue_runs(const queue_config& c, int radius, const extents& size, boundary edge,
                     int pitch, const stencil_plan& p);

}  // namespace dwell
