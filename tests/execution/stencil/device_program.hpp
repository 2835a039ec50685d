// SPDX-License-Identifier: MIT
// The struct that kernels of devices are compiled for, compiled by this system's compiler with what
// runs it on threads: a stage of all cells, and passes of the engines of fields.
#pragma once
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scratch.hpp"

#include "dwell/execution/stencil/engines/resident_fields/args.hpp"
#include "dwell/execution/stencil/fields/device_text.hpp"
#include "dwell/execution/stencil/fields/resident_plan.hpp"
#include "dwell/execution/stencil/fields/system_compiler.hpp"

namespace dwell::test {

/// What is compiled behind the text: a stage of all cells, and a pass.
inline constexpr const char* entries = R"~(
#include "dwell/execution/stencil/engines/column_fields3d/lane.hpp"
#include "dwell/execution/stencil/engines/resident_fields/agent.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/agent.hpp"
#include "dwell/execution/stencil/fields/steps_in_one_launch.hpp"
#include "dwell/execution/team/grid_team_cpu.hpp"
#include "dwell/execution/team/ring_team_cpu.hpp"
#include <atomic>
#include <barrier>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>
#define DWELL_SHOWN extern "C" __attribute__((visibility("default")))
using namespace dwell;
using S = own_stencil;
template <int Stage>
void stage(int s, const fields_stage_args<real>& a) {
  if constexpr (Stage < S::stages) {
    if (s != Stage) return stage<Stage + 1>(s, a);
    for (int z = 0; z < a.n[2]; ++z)
      for (int y = 0; y < a.n[0]; y += rows_together<S, Stage>)
        for (int x = 0; x < a.n[1]; ++x) stage_of_rows<S, real, Stage>(a, z, y, x);
  }
}
DWELL_SHOWN void plain_stage(int s, const void* a) {
  stage<0>(s, *static_cast<const fields_stage_args<real>*>(a));
}
template <int Stage>
void naive(int s, const fields_stage_args<real>& a) {
  if constexpr (Stage < S::stages) {
    if (s != Stage) return naive<Stage + 1>(s, a);
    for (int z = 0; z < a.n[2]; ++z)
      for (int y = 0; y < a.n[0]; ++y)
        for (int x = 0; x < a.n[1]; ++x) stage_of_cell<S, real, Stage>(a, z, y, x);
  }
}
DWELL_SHOWN void naive_stage(int s, const void* a) {
  naive<0>(s, *static_cast<const fields_stage_args<real>*>(a));
}
/// A thread plays a lane of so many warps.
struct steps_thread {
  std::barrier<>& all;
  int number, count;
  int warp() const { return number; }
  int warps() const { return count; }
  const fields_stage_args<real>& given(const fields_stage_args<real>* a) const { return *a; }
  void meet() { all.arrive_and_wait(); }
};
DWELL_SHOWN void steps_together(const void* args, int warps) {
  const auto& a = *static_cast<const fields_steps<real>*>(args);
  std::barrier<> all(warps * step_lanes);
  std::vector<std::thread> threads;
  for (int t = 0; t < warps * step_lanes; ++t)
    threads.emplace_back([&, t] {
      steps_thread team{all, t / step_lanes, warps};
      fields_steps_of_lane<S, real>(a, team, t % step_lanes);
    });
  for (auto& thread : threads) thread.join();
}
constexpr int columns = step_columns<S>();
constexpr chain_config C{2, 1, columns < 5 ? 5 : columns | 1, 3, 1, 1};
/// The steps of a pass; 0: more code than a test should compile.
DWELL_SHOWN int ring_pass(void* args, int warps, int teams, bool reversed) {
  if constexpr (S::reach[2] == 0 && kept_rows<S, C>::period() <= 12) {
    using sizes = chain_sizes<S, real, C>;
    auto& a = *static_cast<fields_pass<real>*>(args);
    a.warps = warps;
    const overlapping_strips strips{sizes::width, sizes::halo, a.nx, goes_around<S, 1>};
    const int rows = strips.count() * a.ny;
    if (teams > rows) teams = rows;
    for (int t = 0; t <= teams; ++t) a.runs.cut[t] = static_cast<int>(long{rows} * t / teams);
    for (int t = 0; t < teams; ++t) {
      using team_type = cpu_ring_team<sizes>;
      std::vector<real> scratch(team_type::scratch_bytes() / sizeof(real), std::nan(""));
      team_type team(t, reversed, reinterpret_cast<std::byte*>(scratch.data()));
      fields_pass_of_team<S, real, C, false, demands>(team, a);
    }
    return warps;
  }
  return 0;
}
/// Few cells of the tile are its own.
template <int Steps, int Rows>
constexpr columns_config columns_for() {
  constexpr columns_shape shape = columns_shape_of<S>;
  return {2 * Steps * shape.step_columns() + 5, (2 * Steps * shape.step_rows() + 4) / Rows + 1, Rows,
          Steps};
}
template <columns_config D>
void columns_pass_of(fields_columns<real>& a, int teams, bool reversed) {
  using lane_type = columns_lane<S, real, D, demands>;
  constexpr columns_numbers n = lane_type::numbers;
  const auto tiles = columns_tiles::of(n, a.n[1], a.n[0], goes_around<S, 1>, goes_around<S, 0>);
  const int planes = tiles.count() * a.n[2];
  if (teams > planes) teams = planes;
  a.teams = teams;
  tiles.divide(a);
  for (int t = 0; t < teams; ++t) {
    std::vector<real> scratch(n.scratch_bytes() / sizeof(real), std::nan(""));
    std::vector<std::unique_ptr<lane_type>> lanes;
    for (int l = 0; l < n.lanes(); ++l)
      lanes.push_back(std::make_unique<lane_type>(a, scratch.data(), t, l));
    const auto all = [&](auto&& f) {
      for (int l = 0; l < n.lanes(); ++l) f(*lanes[reversed ? n.lanes() - 1 - l : l]);
    };
    for (;;) {
      bool open = false;
      all([&](lane_type& l) { open = l.open(); });
      if (!open) break;
      while (lanes[0]->more()) {
        const bool plain = lanes[0]->is_plain();
        for (int k = 0; k < lane_type::turn; ++k)
          all([&](lane_type& l) {
            if (plain)
              l.template tick<true>();
            else
              l.template tick<false>();
          });
      }
    }
  }
}
/// The steps of a pass.
DWELL_SHOWN int columns_pass(void* args, int teams, bool reversed) {
  constexpr columns_config D = columns_for<column_steps, column_rows>();
  if constexpr (columns_numbers{columns_shape_of<S>, D, sizeof(real)}.valid()) {
    columns_pass_of<D>(*static_cast<fields_columns<real>*>(args), teams, reversed);
    return column_steps;
  }
  return 0;
}

/// A team whose flags are polled: what sleeps is in the library.
template <int Lanes>
struct polling_team : cpu_grid_team<Lanes> {
  using cpu_grid_team<Lanes>::cpu_grid_team;
  void signal(unsigned* flag, unsigned epoch) { std::atomic_ref<unsigned>(*flag).store(epoch); }
  template <class F>
  void wait(int n, F&& flag_of, unsigned epoch) {
    for (int k = 0; k < n; ++k)
      if (unsigned* flag = flag_of(k))
        while (std::atomic_ref<unsigned>(*flag).load() < epoch) std::this_thread::yield();
  }
};
/// A run by threads, one for each team.
DWELL_SHOWN void resident_steps(void* args, bool reversed) {
  using sizes = resident_sizes<S, real, tile>;
  auto& a = *static_cast<resident_run<real>*>(args);
  const int teams = a.tiles[0] * a.tiles[1] * a.tiles[2];
  std::vector<unsigned> flags(teams * resident_flag_distance);
  a.flags = flags.data();
  std::vector<std::thread> threads;
  for (int t = 0; t < teams; ++t)
    threads.emplace_back([&, t] {
      std::vector<real> scratch(sizes::scratch_bytes / sizeof(real) + 4, std::nan(""));
      polling_team<sizes::lanes> team(t, teams, nullptr, reversed,
                                      reinterpret_cast<std::byte*>(scratch.data()),
                                      scratch.size() * sizeof(real));
      resident_fields_of_team<S, real, tile, demands>(team, a);
    });
  for (auto& thread : threads) thread.join();
}
)~";

struct program {
  void (*plain_stage)(int, const void*) = nullptr;
  void (*naive_stage)(int, const void*) = nullptr;
  void (*steps_together)(const void*, int) = nullptr;
  int (*ring_pass)(void*, int, int, bool) = nullptr;
  int (*columns_pass)(void*, int, bool) = nullptr;
  void (*resident_steps)(void*, bool) = nullptr;
  int column_steps = 1, column_rows = 1;
};

/// Tiles on a chip that compiled() makes: few cells, in several lanes along each axis.
inline resident_config tile_of(const field_domain& domain) {
  const resident_shape shape = resident_shape_of_domain(domain);
  const int held = shape.pointwise_coefficients() / 2;
  const auto least = [&](int axis, int cells) { return std::max(shape.reach_along(axis), cells); };
  if (domain.size().dims == 1) return {23, 1, 3, 1, held};
  if (domain.size().dims == 2) return {9, 7, 4, least(0, 5), held};
  return {5, 4, 3, least(0, 3), held, 4, least(2, 3)};
}

class DeviceText : public ::testing::Test {
 protected:
  /// Compiles and loads; libraries stay loaded, so what has equal names in them is hidden.
  program compiled(const field_domain& domain, const char* real, const pass_demands& demands = {},
                   int column_steps = 1, int column_rows = 1) {
    const std::string text = device_stencil_text(domain);
    const resident_config tile = tile_of(domain);
    const std::string name = fmt::format("{}", number_++);
    put_bytes(
        folder_ / (name + ".cpp"),
        fmt::format("#include \"dwell/execution/stencil/engines/resident_fields/shape.hpp\"\n"
                    "{}\nusing real = {};\nconstexpr int column_steps = {}, column_rows = {};\n"
                    "constexpr dwell::pass_demands demands{{{}, {}}};\n"
                    "constexpr dwell::resident_config tile{{{}, {}, {}, {}, {}, {}, {}}};\n{}",
                    text, real, column_steps, column_rows, demands.parameters_change,
                    demands.points, tile.lanes_x, tile.lanes_y, tile.across, tile.rows, tile.held,
                    tile.lanes_z, tile.deep, entries));
    std::string why;
    const auto compiler = find_compiler(why);
    if (!compiler) {
      ADD_FAILURE() << why;
      return {};
    }
    auto command = compiler->command;
    command.insert(command.end(), {"-std=c++20", "-O1", "-ffp-contract=off", "-fvisibility=hidden",
                                   "-shared", "-fPIC"});
    for (const char* place : {DWELL_INCLUDES}) command.push_back(std::string("-I") + place);
    const std::string file = folder_ / (name + ".so");
    command.insert(command.end(), {folder_ / (name + ".cpp"), "-o", file});
    const auto end = run_program(command);
    if (!end.success) {
      ADD_FAILURE() << first_error(end.output) << '\n' << text;
      return {};
    }
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      ADD_FAILURE() << ::dlerror();
      return {};
    }
    return {reinterpret_cast<decltype(program::plain_stage)>(::dlsym(library, "plain_stage")),
            reinterpret_cast<decltype(program::naive_stage)>(::dlsym(library, "naive_stage")),
            reinterpret_cast<decltype(program::steps_together)>(::dlsym(library, "steps_together")),
            reinterpret_cast<decltype(program::ring_pass)>(::dlsym(library, "ring_pass")),
            reinterpret_cast<decltype(program::columns_pass)>(::dlsym(library, "columns_pass")),
            reinterpret_cast<decltype(program::resident_steps)>(::dlsym(library, "resident_steps")),
            column_steps,
            column_rows};
  }

 private:
  scratch_folder folder_;
  int number_ = 0;
};

}  // namespace dwell::test
