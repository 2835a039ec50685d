// SPDX-License-Identifier: MIT
// The engines of executors that cache the field on the chip. All that is said of an engine follows
// from this list: kernels, plans, refusals, launches, reports, `dwell info`.
#pragma once
#include <cstddef>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/block3d/engine.hpp"
#include "dwell/execution/stencil/engines/reference_block3d/engine.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/engine.hpp"
#include "dwell/execution/stencil/engines/stream2d/engine.hpp"
#include "dwell/execution/stencil/engines/stream3d/engine.hpp"
#include "dwell/execution/stencil/engines/strip2d/engine.hpp"
#include "dwell/execution/stencil/partition/neighbour_flags.hpp"

namespace dwell {

using caching_engines =
    engine_list<register_tile2d, stream2d, strip2d, block3d, reference_block3d, stream3d>;

/// The farthest neighbour that there are kernels for. In three dimensions a lane finds it in its
/// own cells or the next lane's, in two in those of the next two lanes. Linear stars of two
/// dimensions have a kernel more, whose rows in registers it must not pass (strip2d).
template <class S>
inline constexpr int perks_most_radius = S::dims == 3                ? 2
                                         : is_linear<S>&& is_star<S> ? 6
                                                                     : 8;
template <class S>
constexpr void require_engines() {
  static_assert(radius_of<S> <= perks_most_radius<S>,
                "a stencil's radius is at most 2 in three dimensions, in two 6 if it is a linear "
                "star, else 8");
}

/// Scratch that a kernel needs even if no layers stay there: the engine's own, numbers of flags,
/// and a value a lane for polls. 128: every piece begins at a multiple of 16 bytes.
template <class Engine, class S, class T>
constexpr std::size_t kernel_scratch_bytes(const typename Engine::config& c) {
  const std::size_t polls = Engine::idle_scratch ? 0 : perks_lanes * sizeof(double);
  return 128 + polls + Engine::template scratch_bytes<S, T>(c) + perks_flag_numbers * sizeof(int);
}

/// Scratch of kernel `number`.
template <class S, class T>
std::size_t caching_scratch_bytes(int number) {
  return caching_engines::with<S, T>(
      number, [&]<class Engine, auto C>() { return kernel_scratch_bytes<Engine, S, T>(C); });
}

/// The kernels of a shape as values.
template <class S, class T>
engine_row caching_row() {
  require_engines<S>();
  engine_row row;
  caching_engines::each<S, T>(
      [&](auto engine, const auto& c) { row.add<typename decltype(engine)::type>(c); });
  return row;
}

}  // namespace dwell
