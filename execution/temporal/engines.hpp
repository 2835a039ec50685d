// SPDX-License-Identifier: MIT
// The engines of executor temporal: passes of several steps over a field in device memory.
#pragma once
#include <array>
#include <type_traits>
#include <utility>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/pass_capability.hpp"
#include "dwell/execution/temporal/column3d/engine.hpp"
#ifdef DWELL_EBISU
#include "dwell/execution/temporal/multi_queue/engine.hpp"
#endif
#include "dwell/execution/temporal/ring2d/engine.hpp"
#include "dwell/execution/temporal/skewed/engine.hpp"

namespace dwell {

/// With the kernels of a backend, and the scratch of one. runs_on: on GPUs of a compute capability
/// (90: 9.0).
template <backend On>
struct ring2d_on : ring2d {
  using engine = ring2d;
  template <class S, class T>
  static constexpr auto configs = ring_configs<On, S, T>();
  template <class S, class T, config C>
  static constexpr std::size_t scratch_bytes = ring_sizes<S, T, C>::scratch_bytes;
  static bool runs_on(const config& c, int capability) {
    return c.bulk ? capability == 90 : capability >= least_passing_capability && capability != 90;
  }
};
template <backend On>
struct column3d_on : column3d {
  using engine = column3d;
  template <class S, class T>
  static constexpr auto configs = column_configs<On, S, T>();
  template <class S, class T, config C>
  static constexpr std::size_t scratch_bytes = column_sizes<S, T, C>::scratch_bytes;
  static bool runs_on(const config&, int capability) {
    return capability >= least_passing_capability;
  }
};
/// For CPUs alone, and all shapes.
template <backend On>
struct skewed_on : skewed {
  using engine = skewed;
  template <class S, class T>
  static constexpr auto configs = [] {
    if constexpr (On == backend::cpu)
      return std::array{skewed_config{8}};
    else
      return std::array<skewed_config, 0>{};
  }();
};

/// On a CPU, for which nothing is projected, the first one that serves is taken; the others
/// are there to test the protocols of GPUs: without `Caching` it is the only one.
#ifdef DWELL_EBISU
template <backend On, int... Variants>
engine_list<skewed_on<On>, ring2d_on<On>, column3d_on<On>, multi_queue_on<On, Variants>...>
    with_variants(std::integer_sequence<int, Variants...>);
template <backend On>
using all_temporal_engines =
    decltype(with_variants<On>(std::make_integer_sequence<int, queue_variant_count>{}));
#else
template <backend On>
using all_temporal_engines = engine_list<skewed_on<On>, ring2d_on<On>, column3d_on<On> >;
#endif
template <backend On, bool Caching = true>
using temporal_engines =
    std::conditional_t<Caching, all_temporal_engines<On>, engine_list<skewed_on<On> > >;

/// Whether there is one for a shape.
template <backend On, class S, class T>
inline constexpr bool has_temporal_engines = temporal_engines<On>::template count<S, T> > 0;

/// The kernels of a shape as values.
template <backend On, class S, class T, bool Caching = true>
const engine_row& temporal_kernels() {
  static const engine_row& row = lasting([] {
    engine_row all;
    temporal_engines<On, Caching>::template each<S, T>(
        [&](auto of, const auto& c) { all.add<typename decltype(of)::type::engine>(c); });
    return all;
  }());
  return row;
}

}  // namespace dwell
