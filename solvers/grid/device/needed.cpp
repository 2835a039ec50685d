// SPDX-License-Identifier: MIT
#include "dwell/solvers/grid/device/needed.hpp"

#include <fmt/format.h>

namespace dwell::grids {

kernel_source source_of(grid_kernel_form form, precision type) {
  const bool wide = type == precision::f64;
  return {"#include \"dwell/solvers/grid/device/kernel_cuda.cuh\"\n",
          fmt::format("dwell::cuda::grid_solve_kernel<{}, {}, {}, dwell::grids::level_kind({}), "
                      "{}>",
                      wide ? "double" : "float", grid_lanes, form.flat, int(form.kind), form.fused),
          fmt::format("systems on grids, {}, {}{}{}", wide ? "f64" : "f32",
                      form.flat ? "1-D and 2-D" : "3-D",
                      form.kind == level_kind::boxes   ? ", Galerkin's coarse operators"
                      : form.kind == level_kind::lines ? ", lines are relaxed"
                      : form.kind == level_kind::none  ? ", without multigrid"
                                                       : "",
                      form.fused || form.kind == level_kind::none ? "" : ", other methods")};
}

kernel_source setup_source_of(precision type) {
  const bool wide = type == precision::f64;
  return {
      "#include \"dwell/solvers/grid/device/setup_kernel_cuda.cuh\"\n",
      fmt::format("dwell::cuda::grid_setup_kernel<{}, {}>", wide ? "double" : "float", grid_lanes),
      fmt::format("set-ups of systems on grids, {}", wide ? "f64" : "f32")};
}

std::vector<grid_kernel_form> grid_kernel_forms() {
  std::vector<grid_kernel_form> all;
  for (const bool fused : {true, false})
    for (const bool flat : {true, false})
      for (const level_kind kind :
           {level_kind::points, level_kind::boxes, level_kind::lines, level_kind::none})
        if (!fused || kind != level_kind::none) all.push_back({flat, kind, fused});
  return all;
}

std::vector<kernel_source> needed_sources(precision type) {
  std::vector<kernel_source> all;
  for (const grid_kernel_form& form : grid_kernel_forms()) all.push_back(source_of(form, type));
  all.push_back(setup_source_of(type));
  return all;
}

}  // namespace dwell::grids
