// SPDX-License-Identifier: MIT
// Numbers come from the generator itself: the standard's distributions differ between libraries,
// and a seed has to mean the same cases everywhere.
#include "stencil_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include "stencil_oracle.hpp"

#include "dwell/execution/stencil/plan/policy.hpp"
#include "dwell/solvers/built_kernels.hpp"

namespace dwell::test {
namespace {

class dice {
 public:
  dice(std::uint32_t seed, std::uint32_t number) {
    std::seed_seq from{seed, number};
    random_.seed(from);
  }
  /// From `first` to `last`, both included.
  int between(int first, int last) {
    return first + static_cast<int>(random_() % static_cast<std::uint32_t>(last - first + 1));
  }
  bool once_in(int n) { return between(1, n) == 1; }
  template <class T>
  T one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))];
  }

 private:
  std::mt19937 random_;
};

/// Cells along one axis: about as many as the stencil reaches, about as many as the halo of several
/// steps, around the width of a warp and of its tiles, primes, and anything.
int draw_axis(dice& d, int radius, int most) {
  switch (d.between(0, 5)) {
    case 0:
      return d.between(1, 2 * radius + 2);
    case 1:
      return d.between(1, 16);
    case 2:
      return std::min(most, d.one_of<int>({16, 32, 64, 128, 192}) + d.between(-1, 1));
    case 3:
      return std::min(most, d.one_of<int>({5, 13, 29, 37, 61, 97, 131, 199}));
    case 4:
      return d.between(1, std::min(most, 40));
    default:
      return d.between(1, most);
  }
}

extents draw_size(dice& d, const stencil_shape& shape) {
  const int most = shape.dims == 2 ? 200 : 40;
  const int z = shape.dims == 3 ? draw_axis(d, shape.radius, most) : 1;
  const int y = draw_axis(d, shape.radius, most), x = draw_axis(d, shape.radius, most);
  return shape.dims == 2 ? extents(y, x) : extents(z, y, x);
}

/// Those that this build has for the shape on this device.
std::vector<std::string> executors_for(const std::string& shape, backend on) {
  std::vector<std::string> names;
  for (const auto& v : built_kernels())
    if (v.shape == shape && v.on == on &&
        std::find(names.begin(), names.end(), v.executor) == names.end())
      names.push_back(v.executor);
  return names;
}

std::vector<std::string> engines_for(const std::string& shape, const std::string& executor,
                                     backend on) {
  for (const auto& v : built_kernels())
    if (v.shape == shape && v.executor == executor && v.on == on) return v.engines;
  return {};
}

/// What perks is asked for. Policy "measured" is left out: its plan depends on the clock.
void draw_tiles(dice& d, stencil_case& c, const device& where) {
  auto policies = built_stencil_policies();
  std::erase(policies, "measured");
  policies.push_back("auto");
  c.policy = d.one_of(policies);
  if (d.once_in(2)) c.blocking = d.one_of<std::string>({"spatial", "temporal"});
  if (d.once_in(3)) c.depth = d.between(1, 6);
  if (c.blocking != "temporal" && d.once_in(6))
    c.traversal = d.one_of<std::string>({"static", "zig-zag", "ring"});
  if (d.once_in(2)) c.teams = d.between(1, where.on() == backend::cpu ? 12 : where.facts().units);
}

/// What temporal is asked for, and can do.
void draw_passes(dice& d, stencil_case& c, const device& where) {
  const auto engines = engines_for(c.shape, c.executor, where.on());
  c.engine = d.one_of(engines);
  int most = 4;
  if (c.engine != "skewed") {
    if (c.edge == boundary::reflect) most = 1;
  } else if (c.edge == boundary::periodic) {
    const int layers = c.size.dims == 3 ? c.size.z : c.size.y;
    most = std::min(6, 1 + (layers - 1) / (2 * find_stencil_shape(c.shape).radius));
  }
  if (d.once_in(2)) c.depth = d.between(1, most);
  if (d.once_in(2)) c.teams = d.between(1, where.on() == backend::cpu ? 9 : where.facts().units);
}

}  // namespace

stencil_options stencil_case::naive_options() const {
  stencil_options o;
  o.shape = shape;
  o.executor = "naive";
  o.edge = edge;
  o.weights = uneven_weights(shape);
  o.steps = steps;
  o.until = until;
  o.check_every = check_every;
  return o;
}

stencil_options stencil_case::options() const {
  stencil_options o = naive_options();
  o.executor = executor;
  o.policy = policy;
  o.teams = teams;
  o.depth = depth;
  o.blocking = blocking;
  o.traversal = traversal;
  o.engine = engine;
  o.reverse_lanes = reverse_lanes;
  return o;
}

std::ostream& operator<<(std::ostream& out, const stencil_case& c) {
  const stencil_case usual;
  const extents& n = c.size;
  out << fmt::format("{{.shape = \"{}\", .size = extents(", c.shape)
      << (n.dims == 3 ? fmt::format("{}, ", n.z) : "") << fmt::format("{}, {})", n.y, n.x);
  const auto add = [&](const char* name, const auto& value, const auto& default_value,
                       const std::string& text) {
    if (value != default_value) out << ", ." << name << " = " << text;
  };
  const auto number = [&](const char* name, auto value, auto default_value) {
    add(name, value, default_value, fmt::format("{}", value));
  };
  const auto word = [&](const char* name, const std::string& value, const std::string& other) {
    add(name, value, other, '"' + value + '"');
  };
  add("edge", c.edge, usual.edge, "boundary::" + to_string(c.edge));
  number("single", c.single, usual.single);
  number("source", c.source, usual.source);
  number("steps", c.steps, usual.steps);
  add("until", c.until, usual.until, fmt::format("{}", c.until.value_or(0)));
  number("check_every", c.check_every, usual.check_every);
  number("values", c.values, usual.values);
  word("executor", c.executor, usual.executor);
  word("policy", c.policy, usual.policy);
  number("threads", c.threads, usual.threads);
  number("teams", c.teams, usual.teams);
  number("depth", c.depth, usual.depth);
  word("blocking", c.blocking, usual.blocking);
  word("traversal", c.traversal, usual.traversal);
  word("engine", c.engine, usual.engine);
  number("reverse_lanes", c.reverse_lanes, usual.reverse_lanes);
  return out << '}';
}

stencil_case draw_case(std::uint32_t seed, std::uint32_t number, const device& where) {
  dice d(seed, number);
  const bool on_cpu = where.on() == backend::cpu;
  stencil_case c;
  auto shapes = shape_names();  // a build may have some on CPUs only
  std::erase_if(shapes, [&](const auto& name) { return executors_for(name, where.on()).empty(); });
  const stencil_shape shape = find_stencil_shape(d.one_of(shapes));
  c.shape = shape.name;
  c.size = draw_size(d, shape);
  c.edge = d.one_of<boundary>({boundary::fixed, boundary::periodic, boundary::reflect});
  c.single = d.once_in(3);
  c.source = d.once_in(3);
  c.steps = d.once_in(20) ? 0 : d.between(1, 20);
  if (d.once_in(4)) {
    c.until = std::ldexp(1.0, -d.between(0, 10));
    c.check_every = d.between(1, 9);
    c.steps *= 2;
  }
  c.values = static_cast<unsigned>(d.between(1, 1000));

  auto executors = executors_for(c.shape, where.on());
  c.executor = d.once_in(3) ? d.one_of(executors) : "perks";
  if (c.executor == "perks")
    draw_tiles(d, c, where);
  else if (c.executor == "temporal")
    draw_passes(d, c, where);
  else if (on_cpu ? d.once_in(2) : c.executor == "persistent" || c.executor == "naive")
    c.teams = d.between(1, 9);
  if (on_cpu) {
    c.threads = d.between(1, 4);
    c.reverse_lanes = d.once_in(2);
  }
  return c;
}

}  // namespace dwell::test
