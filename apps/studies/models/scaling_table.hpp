// SPDX-License-Identifier: MIT
// A step of a stencil, or an iteration of conjugate gradients on the matrix of a grid, on more and
// more GPUs: a row of projected times for each number of them. The equations are those of
// scaling.hpp.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "studies/models/scaling.hpp"

#include "dwell/device/device.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::app {

struct scaling_request {
  /// Either a stencil or, if there is none, a variant of CG.
  std::optional<stencil_shape> stencil;
  std::string variant = "textbook";
  std::optional<double> nonzeros_per_row;  ///< none: of the five- or seven-point Laplacian
  extents size;                            ///< all cells; of weak scaling those of each GPU
  bool weak = false;
  std::vector<int> gpus;
  std::string division = "slabs";         ///< "slabs", "pencils", "blocks"
  std::optional<int> steps_per_exchange;  ///< steps of a stencil; none: Dwell's plan for slabs
  int pass_steps = 1;
  std::string precision = "f64";
  std::string sums = "groups";   ///< "groups", "ring", "all-reduce"
  std::string overlap = "none";  ///< "none", "exchange", "all"
  device_facts device;
  model::link_set links;
  double one_gpu_us = 0;                ///< measured; 0: not
  std::optional<extents> one_gpu_size;  ///< with which; none: size
};

/// Figures for one number of GPUs.
struct scaling_row {
  int gpus = 1, hosts = 1;
  std::optional<int> steps_per_exchange;      ///< steps of a stencil on several GPUs
  std::optional<model::scaling_point> point;  ///< none: a GPU would have too few layers
  bool fits = true;                           ///< its data, in the memory of a GPU
  std::optional<double> efficiency;           ///< over the first row that there is a time of
};

struct scaling_table {
  scaling_request asked;
  std::vector<scaling_row> rows;
};

/// Throws input_error where options do not go together: a size with other dimensions than the
/// stencil, a pass of several steps without a measured time.
scaling_table project_scaling(const scaling_request& request);

std::string to_text(const scaling_table& s);
std::string to_csv(const scaling_table& s);
json to_json(const scaling_table& s);

}  // namespace dwell::app
