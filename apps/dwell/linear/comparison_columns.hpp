// SPDX-License-Identifier: MIT
// The tables of `dwell compare cg`, described once for all formats (report/columns.hpp).
#pragma once
#include <string>
#include <vector>

#include "linear/comparison.hpp"
#include "linear/comparison_means.hpp"
#include "report/columns.hpp"

namespace dwell::app {

/// A run with what its figures are relative to. All are owned by the comparison.
struct cg_row {
  const comparison* all;
  const compared_matrix* matrix;
  const compared_run* run;
};
std::vector<cg_row> rows_of(const comparison& c, const compared_matrix& m);

/// Columns of the system that runs are of.
columns<compared_matrix> system_columns();
/// Columns of its runs. People read the time to solution of a comparison to a tolerance, else the
/// time of an iteration and what bounds it.
columns<cg_row> system_run_columns(const comparison& c);
/// Columns of the geometric means over the systems of a class.
columns<mean_over_peers> mean_columns();
/// A row for a system, a column for each combination: what a paper prints.
columns<compared_matrix> overview_columns(const comparison& c);

}  // namespace dwell::app
