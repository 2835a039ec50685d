// SPDX-License-Identifier: MIT
// The texts and names of kernels that are compiled when they are needed.
#include "dwell/solvers/arrays/convolution/needed_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace dwell {
namespace {

/// For people: "1 to 31", "6 to 7", or "3, 7, 11".
std::string tap_rows_of(int instance, int (*instance_of)(int tap_rows)) {
  std::vector<int> rows;
  for (int n = 1; n <= most_taps; ++n)
    if (instance_of(n) == instance) rows.push_back(n);
  const int first = rows.front(), last = rows.back();
  if (first == last) return std::to_string(first);
  return last - first + 1 == static_cast<int>(rows.size())
             ? fmt::format("{} to {}", first, last)
             : fmt::format("{}", fmt::join(rows, ", "));
}

}  // namespace

kernel_source needed_pass(const char* algorithm, int (*instance_of)(int tap_rows), int tap_rows,
                          const pass_words& pass) {
  const int instance = instance_of(tap_rows);
  kernel_source source;
  for (const char* header : {"algorithms/direct.hpp", "algorithms/systolic.hpp",
                             "algorithms/window.hpp", "kernels_cuda.cuh"})
    source.text += fmt::format("#include \"dwell/solvers/arrays/convolution/{}\"\n", header);
  source.kernel = fmt::format(
      "dwell::cuda::convolution_kernel<dwell::{}_convolution::on_cuda, {}, "
      "dwell::convolution_pass<{}>>",
      algorithm, instance, pass.type);
  source.about = fmt::format("convolution {}, {}, tap rows {}", algorithm, pass.cells,
                             tap_rows_of(instance, instance_of));
  return source;
}

}  // namespace dwell
