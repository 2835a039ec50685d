// SPDX-License-Identifier: MIT
// The tests' place on the first CUDA device: every config that was compiled, and numbers of teams
// from one to all multiprocessors.
#include "place.hpp"

#include <array>
#include <cstdlib>
#include <span>
#include <sstream>

#include "dwell/base/error.hpp"
#include "dwell/linear/solve.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

/// Does the config exist? Asked of the library with the smallest system.
bool has_config(const char* executor, int config) {
  const std::array<index, 2> row_ptr = {0, 1};
  const std::array<index, 1> col = {0};
  const std::array<double, 1> one = {1};
  std::array<double, 1> x = {0};
  solve_options o = plain_options();
  o.executor = executor;
  o.config = config;
  try {
    (void)solve(place::where(), csr_view<double>{1, 1, row_ptr.data(), col.data(), one.data()},
                std::span<const double>(one), std::span<double>(x), o);
    return true;
  } catch (const input_error&) {
    return false;
  }
}

}  // namespace

backend place::on() { return backend::cuda; }
std::string place::absent() {
  const cuda_presence found = find_cuda();
  return found.devices > 0 ? "" : "no GPU: " + found.reason;
}
device place::where() { return device::cuda(0); }
/// DWELL_TEST_EXECUTORS=host-loop,persistent,perks leaves out graph: racecheck of compute-sanitizer
/// ends with an error of its own where a graph has a conditional node.
std::vector<std::string> place::executors() {
  const char* chosen = std::getenv("DWELL_TEST_EXECUTORS");
  if (!chosen) return executors_on(backend::cuda);
  std::istringstream names(chosen);
  std::vector<std::string> all;
  for (std::string name; std::getline(names, name, ',');) all.push_back(name);
  return all;
}

const std::vector<cut>& place::cuts() {
  static const std::vector<cut> all = [] {
    const int units = where().facts().units;
    std::vector<cut> c = {{0, -1, false}};
    for (int config = 0; has_config("persistent", config); ++config)
      for (const int teams : {1, 2, 5, units - 1, units}) c.push_back({teams, config, false});
    return c;
  }();
  return all;
}

const std::vector<cut>& place::few_cuts() {
  static const std::vector<cut> few = {
      {7, -1, false}, {0, -1, false}, {1, 0, false}, {where().facts().units - 1, 0, false}};
  return few;
}

int place::many_teams() { return where().facts().units; }

}  // namespace dwell::test
