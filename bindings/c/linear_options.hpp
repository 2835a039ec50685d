// SPDX-License-Identifier: MIT
// The options of a linear solve by name: the rows of their table that C has.
#pragma once
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "dwell/bindings/c/options.hpp"
#include "dwell/solvers/linear/api/options_table.hpp"

namespace dwell::c_api {

struct linear_option {
  const char* name;
  const solve_option* option;
  void set(solve_options& o, const char* called, const value& to) const {
    with_member(*option, o, [&]<class M>(M& member) {
      if constexpr (std::is_same_v<M, preconditioner>)
        member = parse_preconditioner(expect<std::string>(called, to));
      else
        assign_member(member, called, to);
    });
  }
};

struct linear_options_table {
  static constexpr const char* solver = "dwell_cg";
  static constexpr const char* what = "an option of CG";
  static std::span<const linear_option> rows() {
    static const std::vector<linear_option> all = [] {
      std::vector<linear_option> out;
      for (const solve_option& option : solve_option_table())
        if (option.is_on(surface::c)) out.push_back({option.name, &option});
      return out;
    }();
    return all;
  }
  static void listen(solve_options& o, dwell_progress_function function, void* user) {
    o.progress = [=](const solve_progress& p) {
      const dwell_progress now{p.iteration, p.relative_residual, p.target, p.seconds};
      return function(&now, user) != 0;
    };
  }
};
using linear_options_by_name = options_by_name<solve_options, linear_options_table>;

}  // namespace dwell::c_api
