// SPDX-License-Identifier: MIT
// Look-ups in the table of compiled variants.
#include "dwell/execution/core/variant.hpp"

#include <fmt/format.h>

#include <set>
#include <string>

#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/execution/core/variants.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/nearest.hpp"

namespace dwell {

const program_variant& find_variant(std::string_view problem, std::string_view executor,
                                    precision type, backend on) {
  std::set<std::string> here, elsewhere;
  for (const auto& v : program_variants()) {
    if (v.problem != problem || v.type != type) continue;
    if (v.on == on && v.executor == executor) return v;
    if (v.on == on)
      here.insert(v.executor);
    else if (v.executor == executor)
      elsewhere.insert(to_string(v.on));
  }
  const auto names = fmt::format("{}", fmt::join(here, ", "));
  if (!elsewhere.empty())
    throw unsupported_error(
        fmt::format("executor '{}' is not available on {} (it needs {}); available there: {}",
                    executor, to_string(on), *elsewhere.begin(), names));
  throw unsupported_error(fmt::format("expected an executor for '{}' on {} ({}), found {}", problem,
                                      to_string(on), names.empty() ? "none is built" : names,
                                      found_word(executor, here)));
}

std::vector<variant_info> built_variants() {
  std::vector<variant_info> all;
  const auto add = [&](const auto& v, const char* problem, const char* shape) {
    all.push_back({problem, v.type == precision::f64 ? "f64" : "f32", v.executor, v.on, shape});
  };
  for (const auto& v : program_variants()) add(v, v.problem, "");
  for (const auto& v : sweep_variants()) add(v, "stencil", v.shape.name);
  return all;
}

}  // namespace dwell
