// SPDX-License-Identifier: MIT
// The options of stencils by name: the rows of their table that C has.
#pragma once
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "dwell/bindings/c/options.hpp"
#include "dwell/solvers/stencil/api/options_table.hpp"

namespace dwell::c_api {

struct stencil_option_by_name {
  const char* name;
  const stencil_option* option;
  void set(stencil_options& o, const char* called, const value& to) const {
    with_member(*option, o, [&]<class M>(M& member) {
      if constexpr (std::is_same_v<M, boundary>)
        member = parse_boundary(expect<std::string>(called, to));
      else
        assign_member(member, called, to);
    });
  }
};

struct stencil_options_table {
  static constexpr const char* solver = "dwell_stencil";
  static constexpr const char* what = "an option of stencils";
  static std::span<const stencil_option_by_name> rows() {
    static const std::vector<stencil_option_by_name> all = [] {
      std::vector<stencil_option_by_name> out;
      for (const stencil_option& option : stencil_option_table())
        if (option.is_on(stencil_surface::c)) out.push_back({option.name, &option});
      return out;
    }();
    return all;
  }
  static void listen(stencil_options& o, dwell_progress_function function, void* user) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    o.progress = [=](const stencil_progress& p) {
      const dwell_progress now{p.step, p.change.value_or(none), none, p.seconds};
      return function(&now, user) != 0;
    };
  }
};
using stencil_options_by_name = options_by_name<stencil_options, stencil_options_table>;

}  // namespace dwell::c_api
