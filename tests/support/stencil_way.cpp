// SPDX-License-Identifier: MIT
// What a way to run stencils means, at every place.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

#include "dwell/solvers/built_kernels.hpp"

namespace dwell::test {

std::ostream& operator<<(std::ostream& out, const stencil_way& w) {
  return out << w.executor << '/' << w.policy << ", teams " << w.teams << ", depth " << w.depth
             << ", " << w.blocking << ", engine " << w.engine
             << (w.reversed ? ", lanes reversed" : "");
}
void stencil_way::apply(stencil_options& o) const {
  o.executor = executor;
  o.policy = policy;
  o.depth = depth;
  const auto shape = find_stencil_shape(o.shape);
  const bool streams = shape.linear && (shape.dims == 2 || shape.radius <= 2);
  if (executor == "perks" && streams) o.blocking = blocking;
  o.teams = teams;
  o.engine = engine;
  o.reverse_lanes = reversed;
}

std::vector<std::string> stencil_place::shapes() {
  std::vector<std::string> all = shape_names();
  if (where().on() == backend::cuda)
    std::erase_if(all, [](const std::string& name) { return !has_gpu_stencil(name); });
  return all;
}
std::string stencil_place::absent(const std::string& shape) {
  if (std::string why = absent(); !why.empty()) return why;
  const auto there = shapes();
  if (std::find(there.begin(), there.end(), shape) != there.end()) return {};
  return "this build has no kernels of " + shape + " here";
}

std::string stencil_place::absent(const std::string& shape, const std::string& executor) {
  if (std::string why = absent(shape); !why.empty()) return why;
  for (const auto& v : built_kernels())
    if (v.shape == shape && v.on == where().on() && v.executor == executor) return {};
  return "this build has no kernel of " + executor + " for " + shape + " here";
}

std::vector<stencil_way> stencil_place::ways(const std::string& shape) {
  std::vector<stencil_way> all = ways();
  const auto kernels = built_kernels();
  std::erase_if(all, [&](const stencil_way& w) {
    return std::none_of(kernels.begin(), kernels.end(), [&](const auto& v) {
      const bool has = w.engine == "auto" ||
                       std::find(v.engines.begin(), v.engines.end(), w.engine) != v.engines.end();
      return v.shape == shape && v.on == where().on() && v.executor == w.executor && has;
    });
  });
  return all;
}

}  // namespace dwell::test
