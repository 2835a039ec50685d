// SPDX-License-Identifier: MIT
// Where and how a method ran, beside the choices that were asked for: the same fields in the report
// of each method and in each row of a comparison.
#pragma once
#include <string>

#include "report/columns.hpp"

namespace dwell::app {

/// Names; an empty one is not known, or there is nothing to choose.
struct execution {
  struct choices {
    std::string executor, variant, policy;
    std::string order = {};  ///< order of the cells of a stencil
  };
  std::string device, backend;
  choices requested;   ///< "auto" among them
  choices ran;         ///< never "auto"
  std::string reason;  ///< why this executor and this plan, one line
  int teams = 0, lanes = 0;
};

/// "auto (what it stood for)", or "-" where there was nothing to choose.
std::string choice_cell(const std::string& requested, const std::string& ran);

/// Columns of methods that have `variants`, and of others.
columns<execution> execution_columns(bool variants);

}  // namespace dwell::app
