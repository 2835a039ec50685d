// SPDX-License-Identifier: MIT
// How a convolution would be computed on a device, and why: the passes of its filter, the algorithm
// that "auto" takes, the projected time of every algorithm and what it consists of, and the
// quantities of the model of Chen et al. 2019. Runs nothing; the device need not be there. Nothing
// here needs CUDA.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/arrays/convolution.hpp"
#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// Seconds of a pass over all images, and what they consist of: the larger of `memory` and of
/// `multiply_adds` and `moves` together, then `chain` and `launch`. All 0 where there is no model
/// of the device.
struct convolution_seconds {
  double all = 0;            ///< the pass
  double memory = 0;         ///< a load and a store of every cell
  double multiply_adds = 0;  ///< work of all columns of tiles, those of their halo too
  double moves = 0;          ///< shuffles, and loads from L1 or shared memory
  double chain = 0;          ///< latency of one tile: nothing hides it where there are few
  double launch = 0;         ///< launch of the kernel
};
/// The name of the part that is largest: "memory", "multiply-adds", "moves", "chain", "launch"; ""
/// if nothing is projected.
DWELL_API std::string largest_part(const convolution_seconds& t);

/// A pass over the images.
struct convolution_pass_plan {
  extents taps;                   ///< taps of its filter
  convolution_seconds projected;  ///< by the algorithm that is taken
};

/// An algorithm of computing the pass that decides. A warp of 32 lanes (on a CPU: a thread)
/// computes a tile at a time.
struct convolution_algorithm_plan {
  std::string algorithm;          ///< one of convolution_algorithms()
  std::string refusal;            ///< why the device cannot; empty if it can
  int rows = 0;                   ///< rows of sums in a tile
  int columns = 0;                ///< columns of sums in a tile
  double halo = 0;                ///< part of the cells read for a tile that give no sum in it
  std::size_t shared = 0;         ///< bytes that a block of 4 warps has for weights and copies
  convolution_seconds projected;  ///< time of the pass that decides
};

/// Quantities of the algorithm "systolic" for the pass that decides, as Chen et al. 2019 name them.
struct systolic_quantities {
  int tap_columns = 1;            ///< M
  int tap_rows = 1;               ///< N
  int sum_rows = 1;               ///< P: sums of a lane below one another
  int cached_rows = 1;            ///< C = N + P - 1: the register cache of a lane, section 4.2
  int warp_columns = 32;          ///< S; here a lane has several columns
  double halo_ratio = 0;          ///< HR_rc of section 5.3
  operation_latencies latencies;  ///< by the facts of the GPU; 0 where they are not known
  double latency_shared = 0;      ///< L_smem of section 5.2: cycles of an output from shared memory
  double latency_systolic = 0;    ///< L_reg: from registers with shuffles

  /// The facts have all of them.
  bool has_latencies() const {
    return latencies.multiply_add > 0 && latencies.shared_read > 0 && latencies.shuffle > 0;
  }
};

/// How a convolution would be computed, and why.
struct convolution_explanation {
  device_facts device;                        ///< that the plan is for
  bool projected = false;                     ///< there is a model of this device; none of CPUs
  extents size;                               ///< size of an image
  std::int64_t images = 1;                    ///< that many
  std::string precision;                      ///< type of sums, see convolution_report
  std::string cells;                          ///< type of the images
  std::string result;                         ///< type of the outcome
  extents filter;                             ///< taps along each axis
  border edge = border::zero;                 ///< border that was asked for
  bool correlation = false;                   ///< a correlation was asked for
  int taps = 0;                               ///< multiply-adds per cell of all passes
  std::size_t bytes = 0;                      ///< a load and a store of every cell, once
  std::string algorithm;                      ///< that would be taken, never "auto"
  std::string reason;                         ///< why this algorithm and these passes, one line
  int threads = 0;                            ///< on a CPU; 0 on a GPU
  std::vector<convolution_pass_plan> passes;  ///< in their order
  std::size_t decides = 0;  ///< the pass by whose projected time an algorithm is taken
  std::vector<convolution_algorithm_plan> algorithms;  ///< all
  systolic_quantities systolic;                        ///< quantities of that pass

  /// The algorithm that would be taken.
  const convolution_algorithm_plan& chosen() const;
};

/// Explains convolve() of `images` images of `size`. cells: of the images, "f64", "f32", "f16" or
/// "u8"; result: of the outcome, likewise, or empty for the same. Throws as convolve() does, but
/// for an algorithm that the device has too little shared memory for, which the explanation says.
DWELL_API convolution_explanation explain(const extents& size, std::int64_t images,
                                          const convolution_filter& filter,
                                          const device_facts& device,
                                          const convolution_options& options = {},
                                          std::string_view cells = "f32",
                                          std::string_view result = {});

}  // namespace dwell
