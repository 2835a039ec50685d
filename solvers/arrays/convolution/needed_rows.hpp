// SPDX-License-Identifier: MIT
// The rows of GPUs, in every build: how passes are launched, and the names of their kernels, which
// are those of the templates that nvcc compiles where kernels are compiled ahead.
#pragma once
#include <string>
#include <tuple>
#include <type_traits>

#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/solvers/arrays/convolution/cell_words.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"
#include "dwell/solvers/arrays/convolution/launch_shape.hpp"

namespace dwell {

/// What a kernel of passes is called: its types in C++, and its cells for people, "f32 to u8" where
/// it may round to others.
struct pass_words {
  std::string type, cells;
};
template <class Cell, class Sum, class Rounded>
pass_words words_of_pass(std::type_identity<convolution_pass<Cell, Sum, Rounded>>) {
  const cell_words in = words_of_cells<Cell>, out = words_of_cells<Rounded>;
  return {std::string(in.type) + ", " + words_of_cells<Sum>.type + ", " + out.type,
          std::is_same_v<Cell, Rounded> ? in.name : std::string(in.name) + " to " + out.name};
}

/// The kernel of an algorithm for so many tap rows.
kernel_source needed_pass(const char* algorithm, int (*instance_of)(int tap_rows), int tap_rows,
                          const pass_words& pass);

template <class Algorithm>
convolution_kernel needed_row() {
  using on = typename Algorithm::on_cuda;
  convolution_kernel row{Algorithm::name, backend::cuda, {}};
  const auto fill = []<class Pass>(pass_functions<Pass>& f) {
    f.launch = &launch_of<on, Pass>;
    f.needs = [](const Pass& a) {
      return needed_pass(Algorithm::name, &on::instance_of, a.filter.y,
                         words_of_pass(std::type_identity<Pass>{}));
    };
  };
  std::apply([&](auto&... f) { (fill(f), ...); }, row.of);
  return row;
}

}  // namespace dwell
