// SPDX-License-Identifier: MIT
// The fields of the report of a stencil, one row each. Private to the project.
#pragma once
#include <span>

#include "dwell/base/report_table.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {

/// All of them, in the order of the documents for programs.
std::span<const report_field<stencil_report>> stencil_report_table();

}  // namespace dwell
