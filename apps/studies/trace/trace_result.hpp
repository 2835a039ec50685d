// SPDX-License-Identifier: MIT
// The outcome of `dwell trace` in the forms in which it is handed over.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "studies/trace/model.hpp"
#include "studies/trace/simulation.hpp"

namespace dwell::app {

/// One order.
struct traced_order {
  std::string requested;  ///< "auto" among them
  std::string order;      ///< that was traced
  trace::simulation simulated;
  trace::fetch_model model;       ///< model of the last cache alone
  std::optional<double> seconds;  ///< time of a step or a product, where it was run
};

struct trace_result {
  trace::traced_problem problem;
  extents size;  ///< size of the field, or of C
  std::string precision;
  int threads = 1;
  std::vector<trace::cache_shape> caches;
  std::vector<traced_order> orders;
  std::string diagram;  ///< file, or empty
};

std::string to_string(trace::replacement r);
std::string to_text(const trace_result& r);
std::string to_csv(const trace_result& r);
json to_json(const trace_result& r);

}  // namespace dwell::app
