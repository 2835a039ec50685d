// SPDX-License-Identifier: MIT
// The projections of PERKS, of EBISU and of the roofline, for devices side by side.
#pragma once
#include <string>
#include <vector>

#include "report/json.hpp"
#include "studies/models/ebisu_projection.hpp"
#include "studies/models/perks_projection.hpp"

#include "dwell/stencil/solve.hpp"

namespace dwell::app {

/// A device's rates: bytes per second, and flop per second of the precision.
struct rates_of_device {
  std::string name;
  double memory = 0, shared = 0, flops = 0;
  /// Bytes of all registers, of all shared memories and of L2; 0 where rates are given.
  double register_bytes = 0, shared_bytes = 0, l2_bytes = 0;
  int units = 0;          ///< multiprocessors; 0 where rates are given
  bool measured = false;  ///< rates; else they are of data sheets
};
/// Those of the devices that Dwell has facts of, by these names; none: all of them.
std::vector<rates_of_device> known_rates(const std::vector<std::string>& names,
                                         const std::string& precision);

/// dwell model perks: equations 4.1 to 4.9 of Zhang 2023.
struct perks_request {
  model::perks_case asked;
  std::string precision = "f64";
  /// What a multiprocessor has under way and what it needs, in any unit; 0: enough is under way.
  double parallelism = 0, concurrency = 0;
  std::vector<rates_of_device> devices;
};
struct perks_row {
  rates_of_device on;
  model::perks_projection time;
  double peak = 0;        ///< P, cells times steps per second
  double uncached = 0;    ///< P with nothing cached
  double efficiency = 1;  ///< E
};
struct perks_table {
  perks_request of;
  std::vector<perks_row> rows;
};
perks_table project(const perks_request& request);
std::string to_text(const perks_table& t);
std::string to_csv(const perks_table& t);
json to_json(const perks_table& t);

/// Tiles of a multiprocessor each, which compute their halos, or tiles of all of them, which
/// exchange halos behind barriers (section 5.7.3).
enum class tiling { overlapped, device };
const char* name_of(tiling t);

/// dwell model ebisu: equations 5.1 to 5.15.
struct ebisu_request {
  std::string stencil, precision = "f64";
  int dims = 2, radius = 1;
  model::ebisu_cell cell;
  double tile_x = 0, tile_y = 0;
  std::vector<tiling> tilings = {tiling::overlapped};
  /// Device tiles: barriers of a pass and a barrier's seconds; how many tiles are computed at once,
  /// 0: as many as the device has multiprocessors.
  double barrier = 0, tiles = 0;
  int barriers = 1;
  std::vector<int> depths;
  std::vector<rates_of_device> devices;
};
struct ebisu_row {
  rates_of_device on;
  tiling tiles_are = tiling::overlapped;
  double tiles = 1;
  int depth = 1;
  model::ebisu_times time;  ///< times of a pass over all tiles that are computed at once
  double attainable = 0;    ///< P, cells times steps per second
  double valid = 1;         ///< V
  double practical = 0;     ///< PP
  double desired = 0;       ///< depth from which on shared memory takes longer; may be infinite
  bool best = false;        ///< the most PP of all rows of the device
};
struct ebisu_table {
  ebisu_request of;
  std::vector<ebisu_row> rows;
};
ebisu_table project(const ebisu_request& request);
std::string to_text(const ebisu_table& t);
std::string to_csv(const ebisu_table& t);
json to_json(const ebisu_table& t);

/// dwell model roofline: equations 2.1 to 2.4, and steps combined as in figures 3.6 and 4.1.
struct roofline_request {
  std::string stencil, precision = "f64";
  double flops = 0, bytes = 0;      ///< work and traffic of a cell and step
  std::vector<int> steps, removed;  ///< removed: percent of the traffic between two steps
  std::vector<rates_of_device> devices;
};
struct roofline_row {
  rates_of_device on;
  int steps = 1, removed = 0;
  double balance = 0, intensity = 0;  ///< flop per byte
  double roof = 0;                    ///< flop per second
  double cells = 0;                   ///< cells times steps per second
  bool compute_bound = false;
};
struct roofline_table {
  roofline_request of;
  std::vector<roofline_row> rows;
};
roofline_table project(const roofline_request& request);
std::string to_text(const roofline_table& t);
std::string to_csv(const roofline_table& t);
json to_json(const roofline_table& t);

}  // namespace dwell::app
