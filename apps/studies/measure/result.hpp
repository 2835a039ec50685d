// SPDX-License-Identifier: MIT
// The outcome of `dwell measure` as a table, CSV and JSON.
#pragma once
#include <string>
#include <vector>

#include "report/json.hpp"
#include "studies/measure/probe.hpp"

namespace dwell::app {

struct measure_result {
  device_facts device;
  bool full = false, interrupted = false;
  std::vector<measured_row> rows;
  std::vector<barrier_behaviour> barriers;
};

std::string to_text(const measure_result& r);
std::string to_csv(const measure_result& r);
json to_json(const measure_result& r);

}  // namespace dwell::app
