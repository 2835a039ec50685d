// SPDX-License-Identifier: MIT
// What the tests of `dwell compare cg` share: short runs on the CPU, and a way to find them in the
// JSON.
#pragma once
#include <algorithm>
#include <map>

#include "cli_runner.hpp"

namespace dwell::test {

using strings = std::vector<std::string>;

/// Two threads and short runs, and what else is asked for.
inline strings compare(const strings& more) {
  strings args = {"compare", "cg",           "--device", "cpu",           "--threads",
                  "2",       "--iterations", "20",       "--repetitions", "3"};
  if (std::find(more.begin(), more.end(), "--rtol") != more.end())
    args.erase(args.begin() + 6, args.begin() + 8);
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// The runs of the first matrix, by executor and policy.
inline std::map<std::string, nlohmann::json> runs_of(const nlohmann::json& j) {
  std::map<std::string, nlohmann::json> all;
  for (const auto& r : j.at("matrices").at(0).at("runs")) {
    const auto policy = r.at("requested").at("policy");
    all[r.at("executor").get<std::string>() +
        (policy.is_null() ? "" : " " + policy.get<std::string>())] = r;
  }
  return all;
}

}  // namespace dwell::test
