// SPDX-License-Identifier: MIT
// The fields of the report of a convolution, one row each. Private to the project.
#pragma once
#include <span>

#include "dwell/arrays/convolution.hpp"
#include "dwell/base/report_table.hpp"

namespace dwell {

/// All of them, in the order of the documents for programs.
std::span<const report_field<convolution_report>> convolution_report_table();

}  // namespace dwell
