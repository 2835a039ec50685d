// SPDX-License-Identifier: MIT
// A decision in words, without a run: what decide() is made of.
#include "dwell/arrays/explain_convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/direct.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/systolic.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/window.hpp"
#include "dwell/solvers/arrays/convolution/convolution_time.hpp"
#include "dwell/solvers/arrays/convolution/decide.hpp"
#include "dwell/solvers/arrays/convolution/launch_shape.hpp"
#include "dwell/solvers/arrays/convolution/prepared.hpp"

namespace dwell {
namespace {

constexpr std::array cell_names = {"f64", "f32", "f16", "u8"};
constexpr int bytes_of_cells[] = {8, 4, 2, 1};

std::size_t cells_named(const char* what, std::string_view name) {
  const auto found = std::find(cell_names.begin(), cell_names.end(), name);
  if (found == cell_names.end())
    throw input_error(fmt::format("{}: expected f64, f32, f16 or u8, found {}", what,
                                  found_word(name, cell_names)));
  return static_cast<std::size_t>(found - cell_names.begin());
}

/// Tile and memory of an algorithm on a GPU or a CPU. Pass: of sums.
template <class Algorithm, bool Gpu, class Pass>
void fill_tile(convolution_algorithm_plan& out, const Pass& a, const cell_bytes& bytes) {
  using on = std::conditional_t<Gpu, typename Algorithm::on_cuda, typename Algorithm::on_cpu>;
  using T = typename Pass::sum;
  using warp = std::conditional_t<
      Gpu, gpu_warp_shape<on, T>,
      warp_shape<on::groups * 64 / static_cast<int>(sizeof(T)), 16 / static_cast<int>(sizeof(T))>>;
  const tile_grid tiles = on::template tiles<warp>(a);
  out.rows = tiles.rows;
  out.columns = tiles.columns;
  const bool whole_warp = std::is_same_v<Algorithm, systolic_convolution>;
  const double across = whole_warp ? warp::columns : tiles.columns + a.filter.x - 1;
  out.halo = 1 - tiles.rows * tiles.columns / ((tiles.rows + a.filter.y - 1) * across);
  if (!Gpu) return;
  const std::size_t scratch = on::template scratch<warp>(a) * static_cast<std::size_t>(bytes.in);
  out.shared = in_pieces(a.weight_count() * sizeof(T)) + warps_of_block * in_pieces(scratch);
}

template <class Algorithm, class Pass>
void fill_tile(convolution_algorithm_plan& out, const Pass& a, const cell_bytes& bytes,
               backend on) {
  if (out.algorithm != Algorithm::name) return;
  on == backend::cuda ? fill_tile<Algorithm, true>(out, a, bytes)
                      : fill_tile<Algorithm, false>(out, a, bytes);
}

template <class T>
convolution_algorithm_plan tile_of(const char* algorithm, const extents& size, const extents& taps,
                                   const cell_bytes& bytes, backend on) {
  convolution_algorithm_plan out;
  out.algorithm = algorithm;
  convolution_pass<T> a;
  a.size = size;
  a.filter = taps;
  a.before_x = taps.x / 2;
  fill_tile<systolic_convolution>(out, a, bytes, on);
  fill_tile<window_convolution>(out, a, bytes, on);
  fill_tile<shared_convolution>(out, a, bytes, on);
  fill_tile<direct_convolution>(out, a, bytes, on);
  return out;
}

systolic_quantities quantities_of(const extents& taps, int sum_bytes, const device_facts& device) {
  using kernels = systolic_convolution::on_cuda;
  systolic_quantities q;
  q.tap_columns = taps.x;
  q.tap_rows = taps.y;
  q.sum_rows = kernels::rows_of(kernels::instance_of(taps.y));
  q.cached_rows = q.tap_rows + q.sum_rows - 1;
  q.warp_columns = 32 * 16 / sum_bytes;
  q.halo_ratio = model::halo_ratio(taps.x, taps.y, q.warp_columns, q.cached_rows);
  if (device.on != backend::cuda) return q;
  q.latencies = limits_of(device).latencies;
  if (!q.has_latencies()) return q;
  q.latency_shared = model::latency_of_shared(taps.x, taps.y, q.latencies);
  q.latency_systolic = model::latency_of_systolic(taps.x, taps.y, q.latencies);
  return q;
}

}  // namespace

std::string largest_part(const convolution_seconds& t) {
  const std::pair<double, const char*> parts[] = {{t.memory, "memory"},
                                                  {t.multiply_adds, "multiply-adds"},
                                                  {t.moves, "moves"},
                                                  {t.chain, "chain"},
                                                  {t.launch, "launch"}};
  const auto largest =
      std::max_element(std::begin(parts), std::end(parts),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  return largest->first > 0 ? largest->second : "";
}

const convolution_algorithm_plan& convolution_explanation::chosen() const {
  return *std::find_if(algorithms.begin(), algorithms.end(),
                       [&](const auto& w) { return w.algorithm == algorithm; });
}

convolution_explanation explain(const extents& size, std::int64_t images,
                                const convolution_filter& filter, const device_facts& device,
                                const convolution_options& o, std::string_view cells,
                                std::string_view result) {
  check_image_size(size, filter);
  check_images(size, images);
  const std::size_t in = cells_named("cells", cells),
                    out_cells = result.empty() ? in : cells_named("result", result);
  const bool narrow = bytes_of_cells[in] < 4;
  if (out_cells != in && !(narrow && result == "f32"))
    throw input_error(fmt::format("result: expected {}{} of cells of {}, found {}", cells,
                                  narrow ? " or f32" : "", cells, result));
  const int sum_bytes = std::max(bytes_of_cells[in], 4);
  const cell_bytes bytes = {bytes_of_cells[in], sum_bytes, bytes_of_cells[out_cells]};
  const convolution_plan plan = plan_convolution(device, size, images, filter, o, bytes);

  convolution_explanation out;
  out.device = device;
  out.projected = device.on == backend::cuda;
  out.size = size;
  out.images = images;
  out.precision = sum_bytes == 8 ? "f64" : "f32";
  out.cells = cell_names[in];
  out.result = cell_names[out_cells];
  out.filter = filter.size();
  out.edge = o.edge;
  out.correlation = o.correlate;
  out.algorithm = plan.algorithm;
  out.reason = plan.reason;
  out.threads = plan.threads;
  const double all = static_cast<double>(size.cells()) * static_cast<double>(images);
  out.bytes = static_cast<std::size_t>(bytes.in + bytes.out) * size.cells() *
              static_cast<std::size_t>(images);
  const auto projected = [&](const std::string& algorithm, std::size_t k) {
    if (!out.projected) return convolution_seconds();
    return projected_parts(algorithm, plan.passes[k].taps, all, device,
                           bytes_of_pass(bytes, k, plan.passes.size()));
  };
  for (std::size_t k = 0; k < plan.passes.size(); ++k) {
    out.taps += static_cast<int>(plan.passes[k].taps.cells());
    out.passes.push_back({plan.passes[k].taps, projected(out.algorithm, k)});
  }
  out.decides = widest_pass(plan.passes);
  const extents& taps = plan.passes[out.decides].taps;
  const cell_bytes of_pass = bytes_of_pass(bytes, out.decides, plan.passes.size());
  for (const char* algorithm : convolution_algorithms()) {
    auto& w = out.algorithms.emplace_back(
        sum_bytes == 8 ? tile_of<double>(algorithm, size, taps, of_pass, device.on)
                       : tile_of<float>(algorithm, size, taps, of_pass, device.on));
    w.projected = projected(w.algorithm, out.decides);
    if (device.on == backend::cuda && w.shared > device.shared_per_team)
      w.refusal = fmt::format("weights and copies need {} bytes of shared memory, a block has {}",
                              w.shared, device.shared_per_team);
  }
  out.systolic = quantities_of(taps, sum_bytes, device);
  return out;
}

}  // namespace dwell
