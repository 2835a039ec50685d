// SPDX-License-Identifier: MIT
// The sizes of engine multi_queue: the variants of EBISU's kernels (Zhang et al. 2023;
// dissertation, section 5.4), what a kernel is compiled for, and what follows from it.
#pragma once
#include <array>
#include <bit>
#include <cstddef>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// How a layer comes from memory: loaded when it is needed, or some layers ahead by copies of lanes
/// (cp.async) or of whole rows (cp.async.bulk).
enum class layer_prefetch { none, async, bulk };

/// One of EBISU's optimisations at a time.
struct queue_variant {
  const char* engine;     ///< its name
  bool computed = false;  ///< addresses of the circular queue are computed (listing 5.6), by a
                          ///< length that is a power of two; else heads are shifted
  layer_prefetch fetch = layer_prefetch::none;
  bool lazy = false;       ///< lazy streaming: one meeting of the team for a layer (listing 5.7)
  bool registers = false;  ///< redundant register streaming: a lane keeps its own column
  bool device = false;     ///< device tiling (section 5.5): teams exchange halos in every step
};

/// All of them: a line for each.
inline constexpr std::array queue_variants{
    queue_variant{"queue"},
    queue_variant{.engine = "queue-computed", .computed = true},
    queue_variant{.engine = "queue-async", .fetch = layer_prefetch::async},
    queue_variant{.engine = "queue-bulk", .fetch = layer_prefetch::bulk},
    queue_variant{.engine = "queue-lazy", .fetch = layer_prefetch::async, .lazy = true},
    queue_variant{.engine = "queue-registers",
                  .fetch = layer_prefetch::async,
                  .lazy = true,
                  .registers = true},
    queue_variant{.engine = "queue-device",
                  .fetch = layer_prefetch::async,
                  .lazy = true,
                  .registers = true,
                  .device = true},
};
inline constexpr int queue_variant_count = static_cast<int>(queue_variants.size());

/// Sides of a tile that teams show each other, and sets of them: a set is written again four layers
/// later.
inline constexpr int queue_sides = 4, queue_sets = 4;

struct queue_config {
  int steps;    ///< steps of a pass
  int cells;    ///< cells of a lane in a layer
  int variant;  ///< index in queue_variants
};

/// Sizes that follow from a config. A layer of a tile is a row of `width` cells in two dimensions,
/// in three a plane of `height` rows.
///
/// The multi-queue is one circular buffer of `layers` layers. Queue s has the layers that step s
/// reads, span of them from place(s) on; the step's own layer goes to queue s + 1: without lazy
/// streaming into the place of the oldest layer, which the team has read; with it one place before,
/// which was read in the tick before.
template <class S, class T, queue_config C>
struct queue_sizes {
  static constexpr queue_variant variant = queue_variants[C.variant];
  static constexpr int radius = radius_of<S>, steps = C.steps, cells = C.cells;
  static constexpr int width = S::dims == 2 ? perks_lanes * cells : 32;
  static constexpr int height = S::dims == 2 ? 1 : perks_warps * cells;
  static constexpr int halo = steps * radius;  ///< cells at each side that a pass loses
  static constexpr int frame = variant.device ? radius : 0;  ///< cells of other teams at each side
  static constexpr int row = width + 2 * frame;
  /// Layers before the middle one that nobody reads from scratch: a star's own column.
  static constexpr int unread = variant.registers && is_star<S> ? radius : 0;
  /// Cells at a tile's sides read beyond their layer, values that count for nothing. Where the
  /// middle layer is the oldest, a step writes the layer before it meanwhile: so many cells lie
  /// between two layers.
  static constexpr int gap = unread > 0 && frame == 0
                                 ? (radius*(S::dims == 3 ? row + 1 : 1) + 1) / 2 * 2
                                 : 0;
  static constexpr int layer_values = row * (height + 2 * frame) + gap;
  static constexpr int span = 2 * radius + 1 - unread;
  static constexpr int distance = variant.lazy ? span + 1 : span - 1;  ///< distance of two queues
  static constexpr int lag = variant.lazy ? radius + 1 : radius;  ///< lag of two steps, in layers
  static constexpr int ahead = variant.fetch != layer_prefetch::none ? 3 : 0;
  static constexpr int needed = (steps - 1) * distance + span + ahead;
  static constexpr int layers =
      variant.computed ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(needed))) : needed;
  /// Before the first layer and behind the last one: cells at a tile's sides read beyond it.
  static constexpr int pad = (radius * (row + 1) + 1) / 2 * 2;
  static constexpr int values = layers * layer_values + 2 * pad;
  static constexpr int barriers = ahead + 1;  ///< barriers of bulk copies
  static constexpr std::size_t scratch_bytes = sizeof(T) * values + 8 * barriers + 32;
  /// Values of one side of a tile, as teams show them to each other.
  static constexpr int side_values = (width > height ? width : height) * radius;
  static_assert(halo % 2 == 0, "tiles begin at even columns");
  static_assert(!variant.lazy || ahead > 0, "a lazy queue is filled a layer ahead");
};

/// Depths as in table 5.4, and smaller ones (figure 5.10); those whose queues fit in scratch.
template <class S, class T, int Variant, bool OnGpu>
constexpr auto queue_configs() {
  constexpr bool served =
      sizeof(T) == 8 && is_linear<S> && radius_of<S> == 1 && (S::dims == 2 || is_star<S>);
  if constexpr (!served || (queue_variants[Variant].device && S::dims == 2)) {
    return std::array<queue_config, 0>{};
  } else if constexpr (!OnGpu) {
    return std::array{queue_config{S::dims == 3 ? 2 : 4, 1, Variant}};
  } else {
    constexpr int most = 224 * 1024, middle = S::dims == 3 ? 6 : 8;
    constexpr queue_config flat{4, S::dims == 3 ? 4 : 2, Variant},
        half{middle, flat.cells, Variant},
        deep{S::dims == 3 ? 8
             : is_star<S> ? 12
                          : 8,
             flat.cells, Variant};
    if constexpr (deep.steps > middle && queue_sizes<S, T, deep>::scratch_bytes <= most)
      return std::array{flat, half, deep};
    else if constexpr (queue_sizes<S, T, half>::scratch_bytes <= most)
      return std::array{flat, half};
    else
      return std::array{flat};
  }
}

}  // namespace dwell
