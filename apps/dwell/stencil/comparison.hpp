// SPDX-License-Identifier: MIT
// What `dwell compare stencil` measured, and the forms in which it is handed over.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compare/measured_run.hpp"
#include "report/json.hpp"
#include "stencil/prospect.hpp"

#include "dwell/execution/device/executors.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::app {

/// Whether plans of the executor of this name say how many steps are made between two exchanges, or
/// in a pass.
constexpr bool has_depth(std::string_view executor) {
  return has_policies(executor) || executor == executors::temporal.name;
}

/// One executor under one policy, on one field. A run whose field differs from the baseline's in
/// any bit has failed.
struct compared_stencil_run : measured_run {
  using measured_run::measured_run;
  stencil_report plan = {};        ///< whose plan it had; of no teams if there was none
  int steps = 0;                   ///< steps of the last repetition
  bool same_bits = false;          ///< bits of the baseline's field in every repetition
  stencil_prospect prospect = {};  ///< figures of the planner's model
};

/// Over the whole device, in bytes and in floating-point operations of the precision per second.
struct device_rates {
  double memory = 0, l2 = 0, shared = 0, flops = 0;
};

/// One stencil on a field of one size.
struct compared_stencil {
  std::string name;
  extents size;
  std::string refusal;     ///< why nothing was run on it; empty if something was
  bool too_large = false;  ///< that is too little memory
  std::size_t changing_cells = 0;
  std::size_t bytes_per_step = 0;  ///< nothing cached: a load (two with a source) and a store
                                   ///< per changing cell, measured or not
  std::string roof;                ///< "L2" or "device memory", where all of it fits; or ""
  double roof_bytes_per_s = 0;     ///< 0: not known
  int flops_per_cell = 0;          ///< operations of a step
  std::vector<compared_stencil_run> runs;  ///< the baseline first
};

struct stencil_comparison {
  std::string device, backend;
  std::string precision, boundary, start;
  std::string source;  ///< file, or empty
  int steps = 0, repetitions = 0;
  bool on_ranks = false;        ///< there are rows of ranks
  bool roofs_measured = false;  ///< else scaled from data sheets
  device_rates rates;           ///< all 0 where there is no model
  bool interrupted = false;
  std::vector<compared_stencil> stencils;
};

std::size_t rows_of(const stencil_comparison& c);
std::string to_text(const stencil_comparison& c);
std::string to_markdown(const stencil_comparison& c);
/// A line per run, under a line of heads; empty where nothing is known.
std::string to_csv(const stencil_comparison& c);
json to_json(const stencil_comparison& c);

}  // namespace dwell::app
