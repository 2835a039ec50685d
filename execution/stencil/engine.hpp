// SPDX-License-Identifier: MIT
// An engine is one way to lay a field over the chip and take a pass over it. It is one folder,
// which knows everything about itself; plans, refusals, launches and reports fold over the list of
// engines (engines/perks_engines.hpp) and know none of their members:
//
//   struct my_engine {
//     static constexpr const char* name = "my_engine";
//     struct config {...};                          // what a kernel is compiled for; structural
//     static constexpr subdomain_owner owner = subdomain_owner::team;
//     static constexpr bool idle_scratch = false;   // the agent lends scratch to polls: idle()
//     template <class S> static constexpr bool faces_only;          // neighbours that it waits for
//     template <class S, class T> static constexpr std::array<config, N> configs;  // N may be 0
//     template <class S, class T, class Team, config C> using agent;  // load, advance, publish
//                                                   // and in two dimensions take
//     template <class S, class T> static size_t scratch_bytes(config);      // of every team
//     template <class S, class T> static size_t layer_bytes(config, plan);  // of cached layers
//     static engine_shape shape(config);
//     static bool serves(config, problem, engine_request);
//     static int most_depth(config, problem);
//     static extents most_of_layer(config, problem, int depth);
//     static layout_result lay_out(config, tiling_request, layout_problem);
//     static subdomain_facts subdomains(config, plan, problem);
//     static std::string describe(config, plan, problem, std::string scratch);
//     static size_t streamed_values(config, plan);
//     static size_t margin(config, plan, problem);
//   };
//
// Here config, plan, problem and requests stand for const references to config, stencil_plan,
// stencil_problem and the structs below; the members of stencil_engine say what each answers.
//
// stencil_engine is the same as a value: a config of an engine whose type nobody above needs to
// know.
#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/engine_parts.hpp"
#include "dwell/execution/stencil/plan/plan.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell {

struct stencil_rates;  // execution/stencil/plan/stencil_rates.hpp

/// What is known of every config. Layers are rows in two dimensions, planes in three.
struct engine_shape {
  int lanes;                ///< lanes of a team (threads of a block)
  int teams_per_unit;       ///< that must fit on a multiprocessor together (launch bounds)
  int across = 0;           ///< cells of a lane along x in one layer
  int down = 1;             ///< and along y
  int register_rows = 0;    ///< layers that stay in registers
  bool caches = false;      ///< teams own subdomains of the field for the whole run
  bool temporal = false;    ///< a pass makes several steps
  bool partly = false;      ///< some layers in registers, and others may stream
  bool orders = false;      ///< layers that stream may be taken in any order
  bool tile_flags = false;  ///< teams own no subdomain, and every tile has a flag
  int subdomains_per_team = 1;
};

/// Where a plan may cache layers.
struct cache_permission {
  bool registers = false, scratch = false;
};

/// What is asked of an engine before any tiling: the caller's request under one permission. mixed:
/// there is a config with layers in registers and others that stream.
struct engine_request {
  const stencil_plan_request& plan;
  cache_permission may;
  bool mixed = false;
};

/// A tiling that is asked for. In two dimensions subdomains_z is 1. There are at most so many
/// teams. depth: steps between two exchanges, or of a pass; 0, of engines of passes only: as
/// planned.
struct tiling_request {
  int subdomains_z = 1, subdomains_y = 1, subdomains_x = 1;
  int teams = 1;
  int depth = 1;
  cache_permission may;
  std::optional<traversal> order;  ///< none: as planned
};

/// What a layout is made for. scratch_bytes: what the kernel needs even if no layer stays there.
struct layout_problem {
  const stencil_problem& stencil;
  const device_facts& device;
  const stencil_rates& rates;
  std::size_t scratch_bytes;
};

struct stencil_candidate {
  stencil_plan plan;
  stencil_projection time;
};

/// Why a tiling is not possible, in the order of the checks: a later obstacle means that the
/// earlier ones are out of the way.
enum class layout_obstacle {
  subdomains,  ///< a team's or a warp's subdomain is too wide, too high or too thin
  scratch,     ///< there is too little for the layers that stream
  numbers,     ///< cells have numbers of 32 bits, and there are too many cells
};

/// A plan, or what is in its way.
struct layout_result {
  std::optional<stencil_candidate> candidate;
  layout_obstacle obstacle = layout_obstacle::subdomains;

  layout_result(layout_obstacle o) : obstacle(o) {}
  layout_result(const stencil_candidate& c) : candidate(c) {}
};

/// Engines that number cells in 32 bits take no more.
inline constexpr std::size_t most_numbered_cells = std::numeric_limits<int>::max();

/// The subdomains of a plan, for reports; all 0 where teams own none.
struct subdomain_facts {
  extents along;               ///< so many of them along each axis
  extents tile;                ///< the cells of the largest one, without those computed twice
  bool of_warps = false;       ///< subdomains are warps', not teams'
  int side = 0;                ///< so many in the first and the last column of subdomains
  int halo = 0;                ///< cells around a subdomain that others own and it reads
  bool halo_computed = false;  ///< which it also computes, in all steps of a pass but the last
  int pass_steps = 1;          ///< steps of one pass over the streamed layers
  std::string order;  ///< order of the streamed layers; empty: none stream, or there is one order
};

inline subdomain_facts no_subdomains(const stencil_problem& problem) {
  subdomain_facts s;
  s.along = s.tile = problem.size;
  s.along.z = s.along.y = s.along.x = 0;
  return s;
}

/// One config of an engine as a value.
class stencil_engine {
 public:
  virtual ~stencil_engine() = default;
  stencil_engine(const stencil_engine&) = delete;
  stencil_engine& operator=(const stencil_engine&) = delete;

  const char* name() const { return name_; }
  const engine_shape& shape() const { return shape_; }

  virtual bool serves(const stencil_problem&, const engine_request&) const = 0;
  /// Steps that a plan may take between two exchanges.
  virtual int most_depth(const stencil_problem&) const = 0;
  /// The most cells of the field that one team takes of a row, or of a plane along y and x.
  virtual extents most_of_layer(const stencil_problem&, int depth) const = 0;
  virtual layout_result lay_out(const tiling_request&, const layout_problem&) const = 0;
  virtual subdomain_facts subdomains(const stencil_plan&, const stencil_problem&) const = 0;
  /// The layout in one line. scratch: the name of scratch on the device.
  virtual std::string describe(const stencil_plan&, const stencil_problem&,
                               const std::string& scratch) const = 0;
  /// Values of layers that stream and do not live in the field.
  virtual std::size_t streamed_values(const stencil_plan&) const = 0;
  /// Values before and behind the field so that subdomains begin where lines of memory do.
  virtual std::size_t margin(const stencil_plan&, const stencil_problem&) const = 0;

 protected:
  stencil_engine(const char* name, const engine_shape& shape) : name_(name), shape_(shape) {}

 private:
  const char* name_;
  engine_shape shape_;
};

template <class Engine>
class engine_config final : public stencil_engine {
 public:
  using config = typename Engine::config;
  explicit engine_config(const config& c)
      : stencil_engine(Engine::name, Engine::shape(c)), own(c) {}

  const config own;

  bool serves(const stencil_problem& p, const engine_request& r) const override {
    return Engine::serves(own, p, r);
  }
  int most_depth(const stencil_problem& p) const override { return Engine::most_depth(own, p); }
  extents most_of_layer(const stencil_problem& p, int depth) const override {
    return Engine::most_of_layer(own, p, depth);
  }
  layout_result lay_out(const tiling_request& asked, const layout_problem& on) const override {
    return Engine::lay_out(own, asked, on);
  }
  subdomain_facts subdomains(const stencil_plan& p, const stencil_problem& of) const override {
    return Engine::subdomains(own, p, of);
  }
  std::string describe(const stencil_plan& p, const stencil_problem& of,
                       const std::string& scratch) const override {
    return Engine::describe(own, p, of, scratch);
  }
  std::size_t streamed_values(const stencil_plan& p) const override {
    return Engine::streamed_values(own, p);
  }
  std::size_t margin(const stencil_plan& p, const stencil_problem& of) const override {
    return Engine::margin(own, p, of);
  }
};

/// Engines in an order. A kernel has a number: that of its config, counted through the list.
template <class... Engines>
struct engine_list {
  template <class S, class T>
  static constexpr int count = (0 + ... + static_cast<int>(Engines::template configs<S, T>.size()));

  /// f.operator()<Engine, K>() of kernel `number`: config K of Engine.
  template <class S, class T, class F>
  static auto with_index(int number, F&& f) {
    return find<S, T, 0, Engines...>(number, f);
  }
  /// Calls f with the config itself: f.operator()<Engine, C>().
  template <class S, class T, class F>
  static auto with(int number, F&& f) {
    return with_index<S, T>(number, [&]<class Engine, int K>() {
      return f.template operator()<Engine, Engine::template configs<S, T>[K]>();
    });
  }
  /// f(std::type_identity<Engine>, config) for all kernels.
  template <class S, class T, class F>
  static void each(F&& f) {
    const auto of = [&](auto engine) {
      for (const auto& c : decltype(engine)::type::template configs<S, T>) f(engine, c);
    };
    (of(std::type_identity<Engines>{}), ...);
  }

 private:
  /// Passed: kernels of the engines before First.
  template <class S, class T, int Passed, class First, class... Others, class F>
  static auto find(int number, F& f) {
    constexpr int mine = static_cast<int>(First::template configs<S, T>.size());
    constexpr int end = Passed + mine;
    if constexpr (mine == 0) {
      return find<S, T, end, Others...>(number, f);
    } else if constexpr (end < count<S, T>) {
      if (number >= end) return find<S, T, end, Others...>(number, f);
      return in<S, T, First, 0>(number - Passed, f);
    } else {
      return in<S, T, First, 0>(number - Passed, f);
    }
  }
  template <class S, class T, class Engine, int K, class F>
  static auto in(int number, F& f) {
    constexpr auto& all = Engine::template configs<S, T>;
    if constexpr (K + 1 < static_cast<int>(all.size()))
      if (number != K) return in<S, T, Engine, K + 1>(number, f);
    return f.template operator()<Engine, K>();
  }
};

/// The kernels of a row of the table as values; `all` owns them.
class engine_row {
 public:
  template <class Engine>
  void add(const typename Engine::config& c) {
    owned_.push_back(std::make_unique<const engine_config<Engine>>(c));
    all_.push_back(owned_.back().get());
  }
  std::span<const stencil_engine* const> all() const { return all_; }

 private:
  std::vector<std::unique_ptr<const stencil_engine>> owned_;
  std::vector<const stencil_engine*> all_;
};

/// A row that is there to the end of the program: static destructors may solve, too.
inline const engine_row* lasting(engine_row row) { return new engine_row(std::move(row)); }

/// What the compiler and the driver say of one compiled kernel.
struct engine_facts {
  const stencil_engine* engine = nullptr;
  int registers = 0;              ///< per lane
  int spill_bytes = 0;            ///< per lane
  int max_teams = 0;              ///< that fit on the device together
  std::size_t scratch_bytes = 0;  ///< that the kernel needs even if nothing is cached there
};

}  // namespace dwell
