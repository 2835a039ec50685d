// SPDX-License-Identifier: MIT
// What "auto" stands for in a convolution: the passes and the algorithm of computing them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/arrays/convolution.hpp"
#include "dwell/arrays/explain_convolution.hpp"
#include "dwell/base/cpu_cache.hpp"
#include "dwell/device/device.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"

namespace dwell {

/// A filter of a pass: its taps along each axis and weights in C order, as a correlation.
struct filter_pass {
  extents taps;
  std::vector<double> weights;
  int before_z = 0, before_y = 0, before_x = 0;  ///< taps before the cell
};

struct convolution_plan {
  const char* algorithm = "";
  const convolution_kernel* kernel = nullptr;  ///< the algorithm's; null before decide() found it
  std::vector<filter_pass> passes;
  int threads = 1;
  std::string reason;
};

/// Bytes of a cell of the images, of a sum, and of a cell of the outcome.
struct cell_bytes {
  int in, sum, out;
};

/// All of a decision but the kernel: of a device of which this build may have none. Throws
/// input_error as convolve() does. Passes are chosen as for images of
/// the type of the sums: the bits are the same.
convolution_plan plan_convolution(const device_facts& where, const extents& size,
                                  std::int64_t images, const convolution_filter& filter,
                                  const convolution_options& options, const cell_bytes& bytes);
/// And the kernel, of a table. Throws unsupported_error too.
convolution_plan decide(std::span<const convolution_kernel> table, const device_facts& where,
                        const extents& size, std::int64_t images, const convolution_filter& filter,
                        const convolution_options& options, const cell_bytes& bytes);

/// On a CPU: is a copy of a tile's cells, `shared`, faster than the cells where they lie, `window`?
/// It is where the rows of a tile push each other out of the cache (rows_share_sets()) and each of
/// their lines is read for several columns of taps. row_bytes: of the images.
bool copies_pay(const extents& taps, std::int64_t row_bytes, const cpu_cache& cache);

/// The one of the most taps, whose projected time decides.
std::size_t widest_pass(const std::vector<filter_pass>& passes);
/// Bytes of pass k: between passes lie sums.
cell_bytes bytes_of_pass(const cell_bytes& all, std::size_t k, std::size_t passes);

/// The projected seconds of an algorithm for a filter of so many taps over so many cells, on a GPU,
/// and what they consist of.
convolution_seconds projected_parts(std::string_view algorithm, const extents& taps, double cells,
                                    const device_facts& where, const cell_bytes& bytes);
double projected_time(std::string_view algorithm, const extents& taps, double cells,
                      const device_facts& where, const cell_bytes& bytes);

}  // namespace dwell
