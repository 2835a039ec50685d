// SPDX-License-Identifier: MIT
// The tile of one team, several steps in one pass (temporal blocking, as EBISU does it, here by
// streams in registers). A pass goes down the layers once, rows in two dimensions and planes in
// three: a layer comes in, and with it time step 1 completes the layer R above it. Time step 2
// takes that layer and completes the layer R above it, and so on; the layer that the last time step
// completes goes back to where it was. A cell is loaded and stored once in `Depth` steps.
//
// In two dimensions every warp goes down rows of its own, and no lane waits for another warp. In
// three the warps of a team lie below one another in a plane and meet once per plane, see
// step_plane(), stream3d/planes.hpp and stream3d/edges.hpp.
//
// A warp (a team in three dimensions) begins Depth * R layers above its own and ends as many
// below, and its lanes reach as far to the sides: the cells that others own there it computes too,
// from the values that they published in the copy of the field that this pass reads; in the other
// copy it publishes the cells that others need of it. A copy is written again only after all
// neighbours have signalled the pass in which they read it (neighbour_flags.hpp), so a pass needs
// no other barrier of teams; in two dimensions warps signal, each its own pass.
#pragma once
#include "dwell/execution/stencil/cell/partial_sums.hpp"
#include "dwell/execution/stencil/engines/stream2d/rows.hpp"
#include "dwell/execution/stencil/engines/stream3d/planes.hpp"

namespace dwell {

/// What advance_layer() does beside the stencil. plain: nothing; sides: cells at the sides keep
/// their values; border: so do whole layers; any: a source may be added too, time steps may rest,
/// and rows and subdomains need not consist of whole pieces.
enum class stream_path { plain, sides, border, any };

template <class S, class T, class Team>
using stream_layers =
    std::conditional_t<S::dims == 3, stream_planes<S, T, Team>, stream_rows<S, T, Team>>;

template <class S, class T, class Team, int Depth>
class temporal_stream {
 public:
  DWELL_FN temporal_stream(Team& team, const stencil_call<S, T>& a)
      : team_(team),
        a_(a),
        edges_(S::dims == 3 ? team.template scratch<T>((Depth - 1) * stream_edge_values<S, T>)
                            : nullptr),
        fixed_cells_(team.template scratch<fixed_cells>(perks_lanes)),
        layers_(team, a),
        most_(team.warp_most([&](int l) { return subdomain_of(l).layers(); })),
        below_(team.warp_least([&](int l) {
          const subdomain own = subdomain_of(l);
          const bool ends = fixed() && own.last + own.halo > subdomain::inner_last(a);
          return own.layers() + (ends ? own.halo - R : never);
        })),
        where_(where()) {
    team.each([&](int l) { fixed_cells_[l] = fixed_cells::of<S>(a, subdomain_of(l), l); });
  }

  /// The team's own layers from a copy of the field.
  DWELL_FN void load(T* field) {
    layers_.begin(field, field, true);
    team_.each([&](int l) { layers_.load(l); });
  }

  /// Steps, at most `Depth`, in one pass which reads halos from one copy of the field and leaves
  /// the cells that others need, or all that the team owns, in the other.
  DWELL_FN void advance(int steps, const T* from, T* to, bool whole) {
    layers_.begin(from, to, whole);
    pass(steps);
  }

  /// All that the team owns into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) { layers_.publish(l, field); });
  }

  /// Halos are read where they are.
  DWELL_FN void take(const T*) {}

 private:
  static constexpr int R = radius_of<S>;
  static constexpr int never = lane_fixed_cells::never;
  // Facts of where the warp lies. neat: its passes are neat if they make all steps (see pass());
  // top: it begins at a fixed border; above: layers of a fixed border go through the time steps in
  // its first iterations; beside: columns of one do; across: in three dimensions rows of one do.
  static constexpr int neat = 1, top = 2, above = 4, beside = 8, across = 16;
  static_assert(Team::lanes() == perks_lanes && Depth >= 1);

  using layers = stream_layers<S, T, Team>;
  using subdomain = stream_subdomain<S, T>;
  using memory = step_memory<S, T>;
  using layer = typename memory::layer;
  using tile = stream_tile<S, T>;
  static constexpr int RX = tile::across, at_once = memory::unroll;
  static constexpr bool restores = stream_restores<S>;
  /// Layers by which a time step is behind the one before it. In three dimensions it takes the
  /// layer that was completed in the last iteration, so that one barrier serves all time steps.
  static constexpr int late = S::dims == 3 ? R + 1 : R;
  struct memory_of_steps {
    step_memory<S, T> memory[Depth];
    layer left[S::dims == 3 ? Depth : 1];  ///< by each time step, for the next one
  };
  using fixed_cells = lane_fixed_cells;

  /// Which cells keep their values when a time step has taken layer y.
  template <stream_path Path>
  struct fixed_cells_of_layer {
    const fixed_cells& h;
    int y;
    bool rest;  ///< the time step does nothing
    /// Subdomains of whole pieces lie so that a border's columns are the first or the last of a
    /// lane.
    static constexpr bool never(int, int i) {
      return Path == stream_path::plain || (restores && Path != stream_path::any) ||
             (S::dims == 2 && Path == stream_path::sides && i >= R && i < RX - R);
    }
    DWELL_FN bool operator()(int behind, int k, int i) const {
      bool all = Path != stream_path::sides && (y - behind < h.first || y - behind >= h.last);
      if constexpr (Path == stream_path::any) all = all || rest;
      return all || (h.fixed >> (k * RX + i) & 1u) != 0;
    }
  };

  /// Path of the warp; in three dimensions of the team but for `across`, since all its warps go
  /// through the same iterations; of all warps, if a team plays all lanes.
  DWELL_FN int where() {
    const auto all = [&](int fact, auto&& f) {
      return team_.warp_least([&](int l) { return fixed() && f(subdomain_of(l), l) ? fact : 0; });
    };
    const auto any = [&](int fact, auto&& f) {
      return team_.warp_most([&](int l) { return fixed() && f(subdomain_of(l), l) ? fact : 0; });
    };
    const bool whole = !a_.source && a_.plan.depth == Depth && layers_.neat();
    const auto inner = subdomain::inner_first(a_);
    return (whole ? neat : 0) | all(top, [](const subdomain& own, int) { return own.first == 0; }) |
           any(above, [&](const subdomain& own, int) { return own.first - own.halo < inner; }) |
           any(beside, [&](const subdomain& own, int) { return !own.columns_within(a_.inner); }) |
           any(across, [&](const subdomain& own, int l) { return !own.rows_within(a_.inner, l); });
  }
  DWELL_FN bool fixed() const { return a_.edge == boundary::fixed; }
  DWELL_FN subdomain subdomain_of(int l) const { return subdomain(a_, team_.worker(), l / 32); }
  /// A neat pass makes all steps, over whole pieces and without a source, as nearly all passes do.
  /// Then layers of a fixed border are met in the first iterations and in the last ones only.
  DWELL_FN void pass(int steps) {
    if (most_ == 0) return;
    auto memories = team_.template per_lane<memory_of_steps>();
    auto fixed_of_lane = team_.template per_lane<fixed_cells>();
    team_.each([&](int l) { fixed_of_lane[l] = fixed_cells_[l]; });
    const int end = most_ + lag<stream_path::any>();
    if (!(where_ & neat) || steps < Depth) {
      start<false>(0);
      advance_layers<stream_path::any>(steps, memories, fixed_of_lane, 0, end);
      return;
    }
    // No layer lies beyond a fixed border.
    const int first = where_ & top ? Depth * R : 0;
    start<true>(first);
    // Time step t + 1 has nothing to do before iteration 2 * t * R, or before row 0 of the grid
    // comes to it. A loop over half of the time steps leaves out most of that; one loop for each
    // would be more than the instruction cache holds.
    constexpr int half = Depth / 2;
    int j = first + half * (where_ & top ? late : R + late);
    if constexpr (half > 0)
      advance_layers<stream_path::border, half>(steps, memories, fixed_of_lane, first, j);
      // The first iterations (none where a warp lies within the grid), those between, the last:
#pragma unroll 1
    for (int part = where_ & above ? 0 : 1; part < 3; ++part) {
      const int until = part == 0                   ? (Depth + 2) * R + (Depth - 1) * late
                        : part == 1 && below_ < end ? below_
                                                    : end;
      if (part != 1)
        advance_layers<stream_path::border>(steps, memories, fixed_of_lane, j, until);
      else if (where_ & (beside | across))
        advance_layers<stream_path::sides>(steps, memories, fixed_of_lane, j, until);
      else
        advance_layers<stream_path::plain>(steps, memories, fixed_of_lane, j, until);
      j = until > j ? until : j;
    }
  }
  template <bool Neat>
  DWELL_FN void start(int first) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int j = 0; j < layers::Ahead; ++j) layers_.template fetch<Neat>(l, first + j);
    });
  }
  template <stream_path Path, int Active = Depth, class Memories, class FixedCells>
  DWELL_FN void advance_layers(int steps, Memories& memories, FixedCells& fixed_of_lane, int j,
                               int end) {
#pragma unroll at_once
    for (; j < end; ++j) {
      if constexpr (S::dims == 3)
        step_plane<Path, Active>(steps, memories, fixed_of_lane, j);
      else
        advance_layer<Path, Active>(steps, memories, fixed_of_lane, j);
    }
  }
  /// Layers between the one that comes in and the one that is done, as a pass counts them.
  template <stream_path Path>
  DWELL_FN int lag() const {
    const int halo = (Path == stream_path::any ? a_.plan.depth : Depth) * R;
    return halo + R + (Depth - 1) * late;
  }

  /// Layer j comes in, and goes through time steps 1 to `Active`.
  template <stream_path Path, int Active, class Memories, class FixedCells>
  DWELL_FN void advance_layer(int steps, Memories& memories, FixedCells& fixed_of_lane, int j) {
    constexpr bool Neat = Path != stream_path::any;
    auto now = team_.template per_lane<layer>();
    constexpr bool layers_too = Path == stream_path::border,
                   restored = restores && (layers_too || Path == stream_path::sides);
    team_.each([&](int l) {
      now[l] = layers_.template take<Neat>(l, j);
      if constexpr (restored) layers_.remember(l, j, now[l]);
    });
    unrolled<0, Active>([&]<int t>(constant<t>) {
      memory::step(
          team_, [&](int l) -> memory& { return memories[l].memory[t]; }, now, a_.w,
          [&](int l) {
            return fixed_cells_of_layer<Path>{fixed_of_lane[l], j - t * R, t >= steps};
          },
          [](int, int) {});
      if constexpr (restored)
        team_.each([&](int l) {
          layers_.template restore<layers_too>(l, j - (t + 1) * R, now[l], fixed_of_lane[l]);
        });
      if (Path == stream_path::any && a_.source)
        team_.each([&](int l) {
          add_source(now[l], {fixed_of_lane[l], j - (t + 1) * R, t >= steps}, l);
        });
    });
    if constexpr (Active == Depth)
      team_.each([&](int l) { layers_.template leave<Neat>(l, j - lag<Path>(), now[l]); });
  }
  /// A step in three dimensions: a barrier of the team, then every time step takes the plane that
  /// the one before it completed in the last iteration; the last time step first, so that no plane
  /// is held twice. The next plane is fetched at the end: at the beginning all warps, which have
  /// just met, had to wait for that.
  template <stream_path Path, int Active, class Memories, class FixedCells>
  DWELL_FN void step_plane(int steps, Memories& memories, FixedCells& fixed_of_lane, int j) {
    constexpr bool Neat = Path != stream_path::any;
    constexpr bool layers_too = Path == stream_path::border,
                   restored = layers_too || Path == stream_path::sides;
    team_.section([&](int) { layers_.await(); });
    unrolled<0, Active>([&]<int back>(constant<back>) {
      constexpr int t = Active - 1 - back;
      auto now = team_.template per_lane<layer>();
      team_.each([&](int l) {
        now[l] = t > 0 ? memories[l].left[t - 1] : layers_.get(l, j);
        if constexpr (restored && t == 0) layers_.remember(l, j, now[l]);
      });
      memory::step(
          team_, [&](int l) -> memory& { return memories[l].memory[t]; }, now, a_.w,
          [&](int l) {
            return fixed_cells_of_layer<Path>{fixed_of_lane[l], j - t * late, t >= steps};
          },
          [&](int l, int k) {
            return t > 0 ? edges_.beyond(l, t - 1, j - 1, k) : layers_.beyond(l, j, k);
          });
      if (Path == stream_path::any && a_.source)
        team_.each([&](int l) {
          add_source(now[l], {fixed_of_lane[l], j - t * late - R, t >= steps}, l);
        });
      team_.each([&](int l) {
        if constexpr (restored)
          layers_.template restore<layers_too>(l, j - t * late - R, now[l], fixed_of_lane[l]);
        if constexpr (t == Depth - 1) {
          layers_.template leave<Neat>(l, j - lag<Path>(), now[l]);
        } else {
          memories[l].left[t] = now[l];
          edges_.publish(l, t, j, now[l]);
        }
      });
    });
    team_.each([&](int l) { layers_.template fetch<Neat>(l, j + layers::Ahead); });
  }
  /// To layer keeps.y, but where cells keep their values.
  DWELL_FN void add_source(layer& v, const fixed_cells_of_layer<stream_path::any>& keeps, int l) {
    DWELL_UNROLL
    for (int c = 0; c < tile::cells; ++c)
      if (!keeps(0, c / RX, c % RX)) v.v[c] += a_.source[layers_.cell_in_field(l, keeps.y, c)];
  }

  Team& team_;
  const stencil_call<S, T>& a_;
  stream_edges<S, T> edges_;
  fixed_cells* fixed_cells_;  ///< fixed cells of the lanes, each its own
  layers layers_;
  // Facts of the warp or of the team, as where():
  int most_;   ///< layers
  int below_;  ///< the iteration from which layers of a fixed border come below, or never
  int where_;
};

}  // namespace dwell
