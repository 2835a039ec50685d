// SPDX-License-Identifier: MIT
// Short comparisons with peers that are stand-in programs of the shell, and their rows.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "cli_runner.hpp"

namespace dwell::test {

using strings = std::vector<std::string>;
using nlohmann::json;

/// Short runs of one executor, and what else is asked for.
inline strings compared(const std::string& problem, const strings& more) {
  strings args = {"compare", problem, "--device", "cpu", "--threads", "1", "--repetitions", "2"};
  if (problem == "stencil") args.insert(args.end(), {"--executors", "host-loop"});
  if (problem == "cg") args.insert(args.end(), {"--executors", "host-loop", "--no-peers"});
  if (problem == "solve")
    args.insert(args.end(), {"--solvers", "cg", "--preconditioners", "none", "--no-peers"});
  if (problem == "convolve") args.insert(args.end(), {"--algorithms", "direct"});
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// The row of a peer in the first subject.
inline json row_of(const json& j, const std::string& name) {
  for (const char* subjects : {"stencils", "matrices", "convolutions"})
    if (j.contains(subjects))
      for (const auto& run : j.at(subjects).at(0).at("runs")) {
        const auto& word = run.contains("method")      ? run.at("method")
                           : run.contains("algorithm") ? run.at("algorithm")
                                                       : run.at("executor");
        if (run.at("peer") == true && word == name) return run;
      }
  throw std::runtime_error("no row for " + name);
}

/// A program of the shell that prints these lines, and how it ends.
inline std::string program(const scratch_folder& folder, const std::string& name,
                           const strings& output, const strings& errors = {},
                           const std::string& end = "exit 0") {
  std::string text;
  for (const auto& line : output) text += "printf '%s\\n' \"" + line + "\"\n";
  for (const auto& line : errors) text += "printf '%s\\n' \"" + line + "\" >&2\n";
  return folder.write(name, text + end + "\n");
}

}  // namespace dwell::test
