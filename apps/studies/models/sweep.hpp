// SPDX-License-Identifier: MIT
// Temporal blocking by the machine balance: how deep it should be, how much scratch that takes, and
// how near arithmetic's peak a given scratch gets (Zhang 2023, section 5.9, figures 5.13 and 5.14).
#pragma once
#include <string>
#include <vector>

#include "report/json.hpp"

#include "dwell/stencil/solve.hpp"

namespace dwell::app {

/// Values from `first` to `last`, each the same multiple of the one before.
struct geometric_range {
  double first = 1, last = 1;
  int count = 1;
  std::vector<double> values() const;
};

struct balance_sweep_request {
  stencil_shape shape;
  std::string precision = "f64";
  geometric_range balance;  ///< flop per byte
  geometric_range shared;   ///< bytes of scratch of a multiprocessor or core
  double cost = 0;          ///< what a MiB of it costs, in parts of what all else of one does
};

/// One machine balance. Not finite where there is no such depth or size.
struct balance_row {
  std::string device;  ///< whose balance it is; empty of the sweep
  double balance = 0;  ///< flop per byte
  double depth = 0;    ///< steps of a pass from which on arithmetic is the bottleneck
  double tile_x = 0, tile_y = 0;
  double capacity = 0, capacity_lazy = 0;  ///< bytes: a barrier a step, or one a tile
  double best = 0;              ///< bytes of scratch with the most performance for its cost
  double best_reached = 0;      ///< part of arithmetic's peak with it
  std::vector<double> reached;  ///< part of arithmetic's peak, for each size of scratch
};

struct balance_sweep {
  balance_sweep_request asked;
  double flops = 0;  ///< operations of a cell and step
  std::vector<balance_row> rows;
  /// Balance of the devices that Dwell has facts of; reached for the scratch that each has.
  std::vector<balance_row> devices;
  std::vector<double> device_shared;  ///< bytes of each
};

balance_sweep sweep_balance(const balance_sweep_request& request);

std::string to_text(const balance_sweep& s);
std::string to_csv(const balance_sweep& s);
json to_json(const balance_sweep& s);

}  // namespace dwell::app
