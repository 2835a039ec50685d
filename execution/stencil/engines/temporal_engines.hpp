// SPDX-License-Identifier: MIT
// The engines of executor temporal: passes of several steps over a field in device memory.
#pragma once
#include <array>
#include <type_traits>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/column3d/engine.hpp"
#include "dwell/execution/stencil/engines/ring2d/engine.hpp"
#include "dwell/execution/stencil/engines/skewed/engine.hpp"
#include "dwell/execution/stencil/plan/pass_capability.hpp"

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
template <backend On, bool Caching = true>
using temporal_engines =
    std::conditional_t<Caching, engine_list<skewed_on<On>, ring2d_on<On>, column3d_on<On>>,
                       engine_list<skewed_on<On>>>;

/// The kernels of a shape as values. Engines: an engine_list, here and in the launchers. A program
/// may have one of its own; apps/studies/ebisu has.
template <class Engines, class S, class T>
const engine_row& pass_kernels() {
  static const engine_row* const row = lasting([] {
    engine_row all;
    Engines::template each<S, T>(
        [&](auto of, const auto& c) { all.add<typename decltype(of)::type::engine>(c); });
    return all;
  }());
  return *row;
}

}  // namespace dwell
