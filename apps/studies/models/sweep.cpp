// SPDX-License-Identifier: MIT
// The equations are those of this folder; here they are put together for a stencil.
#include "studies/models/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "report/columns.hpp"
#include "report/units.hpp"
#include "studies/models/desired_blocking.hpp"
#include "studies/models/ebisu_projection.hpp"
#include "studies/models/roofline.hpp"

#include "dwell/device/limits.hpp"

namespace dwell::app {

namespace {

constexpr double most_depth = 1000;

/// A stencil at one machine balance. In two dimensions overlapped tiles of 256 x 4, as the
/// dissertation has them; in three, device tiles of the width that needs the least scratch.
class blocked_stencil {
 public:
  blocked_stencil(const balance_sweep_request& q, double balance)
      : dims_(q.shape.dims),
        bytes_(q.precision == "f64" ? 8.0 : 4.0),
        cost_(q.cost),
        pressure_{2, flops_of(q.shape), balance * bytes_, static_cast<double>(q.shape.radius)} {
    if (dims_ == 2) {
      x_ = 256, y_ = 4;
      depth_ = model::desired_depth(pressure_);
    } else {
      find_tile();
    }
  }

  /// A multiply and an add for each tap, as the dissertation counts; of what is not linear its
  /// flop.
  static double flops_of(const stencil_shape& s) {
    return s.linear ? 2.0 * static_cast<double>(s.taps.size()) : s.flops;
  }

  balance_row row(double balance, const std::vector<double>& shared) const {
    balance_row out;
    out.balance = balance;
    out.depth = depth_;
    out.tile_x = x_, out.tile_y = y_;
    out.capacity = capacity(x_, depth_, false);
    out.capacity_lazy = capacity(x_, depth_, true);
    for (const double bytes : shared) out.reached.push_back(reached(bytes));
    std::tie(out.best, out.best_reached) = best();
    return out;
  }

 private:
  double capacity(double x, double depth, bool lazy) const {
    const model::blocking_tile t = {x, dims_ == 2 ? y_ : x, pressure_.radius, depth, bytes_};
    return dims_ == 2 ? (lazy ? model::desired_capacity_2d_lazy(t) : model::desired_capacity_2d(t))
                      : (lazy ? model::desired_capacity_3d_lazy(t) : model::desired_capacity_3d(t));
  }

  /// The whole width with the least scratch at its desired depth: wider tiles need fewer steps.
  void find_tile() {
    const double least_width = std::floor(model::desired_tile(pressure_)) + 1;
    double least = std::numeric_limits<double>::infinity();
    for (double x = least_width; x <= 8 * least_width; ++x) {
      const double depth = std::max(1.0, model::desired_depth(pressure_, x, x));
      const double bytes = capacity(x, depth, false);
      if (bytes < least) least = bytes, x_ = y_ = x, depth_ = depth;
    }
  }

  /// PP of a pass of so many steps, as a part of the peak of arithmetic.
  double part_of_peak(double x, double depth) const {
    const model::ebisu_cell cell = {pressure_.memory, 0, pressure_.other, bytes_};
    const double area = dims_ == 2 ? 1.0 : x * x;
    const double halo = dims_ == 2 ? 0.0 : 4 * x * depth * pressure_.radius;
    // In units in which memory moves a byte in a second, arithmetic does `balance` flop in one.
    const double flops = pressure_.ratio / bytes_;
    const auto t = model::project_ebisu(cell, {area + halo, area, area}, depth,
                                        {1, std::numeric_limits<double>::infinity(), flops});
    const double valid = dims_ == 2 ? model::valid_part(x, depth, pressure_.radius) : 1.0;
    return model::practical(model::attainable(area, depth, t), valid) * pressure_.other / flops;
  }

  /// A step a pass, which needs no scratch, as a part of the peak of arithmetic.
  double one_step() const {
    return std::min(1.0, pressure_.other / (pressure_.memory * pressure_.ratio));
  }

  /// f(bytes, part of the peak) of all depths (and in three dimensions widths) that fit the scratch
  /// under lazy streaming.
  template <class F>
  void each_pass(double shared, F&& f) const {
    const double last = dims_ == 2 ? x_ : 8 * std::max(x_, 32.0);
    // Steps of 8 cells, or of about a two-hundredth of a width: high balances have wide tiles.
    for (double x = dims_ == 2 ? x_ : 8; x <= last; x += 8 * std::max(1.0, std::floor(x / 1600)))
      for (double depth = 2; depth <= most_depth; ++depth) {
        const double bytes = capacity(x, depth, true);
        if (bytes > shared) break;
        f(bytes, part_of_peak(x, depth));
      }
  }

  double reached(double shared) const {
    double best = one_step();
    each_pass(shared, [&](double, double part) { best = std::max(best, part); });
    return best;
  }

  /// The scratch with the most performance for its cost, the least of those that are equal but for
  /// rounding, and its part of the peak (dissertation, section 6.6).
  std::pair<double, double> best() const {
    constexpr double rounding = 1e-13;
    double bytes_of_best = 0, part_of_best = one_step(), most = part_of_best;
    each_pass(std::numeric_limits<double>::infinity(), [&](double bytes, double part) {
      const double worth = part / (1 + cost_ * bytes / (1024 * 1024));
      if (worth > most * (1 + rounding) ||
          (worth >= most * (1 - rounding) && bytes < bytes_of_best))
        most = std::max(most, worth), bytes_of_best = bytes, part_of_best = part;
    });
    return {bytes_of_best, part_of_best};
  }

  int dims_;
  double bytes_, cost_;
  model::blocking_pressure pressure_;
  double x_ = 0, y_ = 0, depth_ = 0;
};

columns<balance_row> row_columns() {
  using row = balance_row;
  const auto finite = [](double v) { return std::isfinite(v) ? json(v) : json(nullptr); };
  return {
      {"device", "", unit::word, [](const row& r) { return text_or_null(r.device); }},
      {"balance_flops_per_byte", "balance", unit::number, [](const row& r) { return r.balance; }},
      {"depth", "depth", unit::number, [finite](const row& r) { return finite(r.depth); }},
      {"tile_x", "tile", unit::range, [](const row& r) { return r.tile_x; },
       [](const row& r) { return fmt::format("{}x{}", r.tile_x, r.tile_y); }},
      {"tile_y", "", unit::number, [](const row& r) { return r.tile_y; }},
      {"capacity_bytes", "scratch", unit::bytes,
       [finite](const row& r) { return finite(r.capacity); }},
      {"capacity_lazy_bytes", "lazy", unit::bytes,
       [finite](const row& r) { return finite(r.capacity_lazy); }},
      {"best_bytes", "best", unit::bytes, [](const row& r) { return r.best; }},
      {"best_reached", "with it", unit::percent, [](const row& r) { return r.best_reached; }},
      {"reached", "", unit::range, [](const row& r) { return json(r.reached); }}};
}

}  // namespace

std::vector<double> geometric_range::values() const {
  std::vector<double> all;
  for (int k = 0; k < count; ++k)
    all.push_back(count == 1 ? first : first * std::pow(last / first, k / (count - 1.0)));
  return all;
}

balance_sweep sweep_balance(const balance_sweep_request& request) {
  balance_sweep out;
  out.asked = request;
  out.flops = blocked_stencil::flops_of(request.shape);
  const auto shared = request.shared.values();
  for (const double balance : request.balance.values())
    out.rows.push_back(blocked_stencil(request, balance).row(balance, shared));
  for (const char* name : known_devices()) {
    const device_facts facts = facts_of(name);
    const device_limits l = limits_of(facts);
    const double fmas = request.precision == "f64" ? l.fma_f64 : l.fma_f32;
    const double balance = model::machine_balance(2 * fmas * l.units * l.clock, l.memory);
    const auto scratch = static_cast<double>(facts.shared_per_team);
    out.devices.push_back(blocked_stencil(request, balance).row(balance, {scratch}));
    out.devices.back().device = facts.name;
    out.device_shared.push_back(scratch);
  }
  return out;
}

std::string to_text(const balance_sweep& s) {
  std::string out = fmt::format(
      "{}, {}, {} flop a cell: temporal blocking until arithmetic is the bottleneck\n\n",
      s.asked.shape.name, s.asked.precision, s.flops);
  auto shown_columns = row_columns();
  const auto sizes = s.asked.shared.values();
  for (std::size_t k = 0; k < sizes.size(); ++k)
    shown_columns.push_back(
        {"", format_bytes(sizes[k]), unit::percent, {}, [k](const balance_row& r) {
           return format_percent(r.reached[k]);
         }});
  out += table_of(shown_columns, s.rows).text();
  auto device_columns = row_columns();
  device_columns.front().head = "device";
  device_columns.push_back({"", "reached", unit::percent, {}, [](const balance_row& r) {
                              return format_percent(r.reached[0]);
                            }});
  out += "\n" + table_of(device_columns, s.devices).text();
  return out +
         "\nbalance: flop per byte of memory; depth: steps of a pass; scratch: for one tile, with "
         "a\n"
         "barrier a step, or (lazy) one a tile; in percent: of arithmetic's peak, with so much "
         "scratch;\n"
         "best: the most of the peak for what a multiprocessor with so much scratch costs\n";
}

std::string to_csv(const balance_sweep& s) { return csv_of(row_columns(), s.rows); }

json to_json(const balance_sweep& s) {
  json out = document("model sweep");
  out["stencil"] = {{"name", s.asked.shape.name},
                    {"dims", s.asked.shape.dims},
                    {"radius", s.asked.shape.radius},
                    {"flops", s.flops}};
  out["precision"] = s.asked.precision;
  out["cost_per_mib"] = s.asked.cost;
  out["shared_bytes"] = s.asked.shared.values();
  out["rows"] = array_of(row_columns(), s.rows);
  out["devices"] = array_of(row_columns(), s.devices);
  for (std::size_t k = 0; k < s.devices.size(); ++k)
    out["devices"][k]["shared_bytes"] = s.device_shared[k];
  return out;
}

}  // namespace dwell::app
