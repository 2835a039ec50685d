// SPDX-License-Identifier: MIT
// Products on a GPU: the tiles of the solvers, a block each for equal shares of the merge path. One
// launch where whole rows share out well, else a second one for rows that blocks share. Tiles have
// no place for rows without entries: these are left out of the cut, and put back by the pass that
// also serves alpha and beta.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/execution/krylov/configs.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"
#include "dwell/execution/krylov/spmv/cut_matrix.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/solvers/spmv/product_steps.hpp"
#include "dwell/solvers/spmv/tiles_args.hpp"
#if defined(__CUDACC__)
#include "dwell/solvers/spmv/product_kernels.cuh"
#endif

namespace dwell {
namespace spmv {

template <class T>
struct product_kernels {
  static std::string about() { return cuda::in_precision<T>("products"); }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/solvers/spmv/product_kernels.cuh"};
};
DWELL_KERNEL(tiles_kernel_of, dwell::spmv::tiles_kernel)
DWELL_KERNEL(finish_kernel_of, dwell::spmv::finish_kernel)
DWELL_KERNEL(combine_kernel_of, dwell::spmv::combine_kernel)

}  // namespace spmv

namespace {

using spmv::shape;
using spmv::tiles_args;

template <class T>
class tiles_on_cuda final : public product_steps<T> {
 public:
  tiles_on_cuda(const device& where, const csr_view<T>& a, const csr_arrays<T>& placed)
      : where_(where), rows_(a.rows) {
    std::vector<index> ends{0}, slot(static_cast<std::size_t>(a.rows), -1);
    for (index i = 0; i < a.rows; ++i)
      if (a.row_ptr[i + 1] > a.row_ptr[i]) {
        slot[static_cast<std::size_t>(i)] = static_cast<index>(ends.size()) - 1;
        ends.push_back(a.row_ptr[i + 1]);
      }
    kept_ = static_cast<index>(ends.size()) - 1;
    const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
    const device_facts facts = where.facts();
    const config_facts one{shape::value, 0, 0, shape::value.teams_per_unit * facts.units, 0};
    const plan layout =
        plain_layout(kept_, a.nonzeros(), 0, std::span<const config_facts>(&one, 1), facts);
    teams_ = layout.teams;
    why_ = layout.reason;
    if (kept_ < rows_)
      slot_ = buffer<index>::copy_of(where, std::span<const index>(slot.data(), slot.size()));
    if (kept_ == 0) return;

    buffer<index> row_ptr, col;
    buffer<T> val;
    csr_arrays<T> arrays = placed;
    if (!placed.val) {
      col = buffer<index>::borrow(where, std::span<const index>(a.col, nonzeros));
      val = buffer<T>::borrow(where, std::span<const T>(a.val, nonzeros));
      arrays.col = col.data();
      arrays.val = val.data();
    }
    if (!placed.row_ptr || kept_ < rows_) {
      row_ptr = buffer<index>::copy_of(where, std::span<const index>(ends.data(), ends.size()));
      arrays.row_ptr = row_ptr.data();
    }
    arrays.rows = kept_;
    arrays.cols = a.cols;
    arrays.nonzeros = a.nonzeros();
    cut_ = cut(where, arrays, {teams_, true, true});
    // Measured for solvers: a block with a fifth more than its share is waited
    // for longer than a launch takes.
    int most = 0;
    for (const team_part& t : cut_.outline.teams) most = std::max(most, t.last_tile - t.first_tile);
    shares_rows_ = most > 1.2 * cut_.outline.tiles / teams_ + 1;
    if (shares_rows_) cut_ = cut(where, arrays, {teams_, true, false});
    fill(where, arrays, 0, cut_);
    const auto tiles = static_cast<std::size_t>(cut_.outline.tiles);
    tile_carry_ = buffer<T>(where, tiles);
    team_carry_ = buffer<T>(where, static_cast<std::size_t>(teams_));
    bytes_ = tiles * (tile_size * (sizeof(T) + (cut_.narrow ? 2 : 4)) +
                      tile_lanes * sizeof(std::uint16_t) + sizeof(tile_header));
    // `row_ptr`, `col` and `val` are freed behind the fill, in its stream.
  }

  void apply(const T* x, T* y, T alpha, T beta) override {
    const cuda::current_device here(where_.ordinal());
    const bool direct = alpha == T(1) && beta == T(0) && kept_ == rows_;
    if (!direct && product_.size() == 0)
      product_ = buffer<T>(where_, static_cast<std::size_t>(std::max<index>(kept_, 1)));
    T* const to = direct ? y : product_.data();
    if (kept_ > 0) multiply(x, to);
    if (direct || rows_ == 0) return;
    constexpr int lanes = 256;
    const int blocks = static_cast<int>(
        std::min<std::int64_t>((static_cast<std::int64_t>(rows_) + lanes - 1) / lanes, 4096));
    const T* const product = to;
    const index* const slot = slot_.size() ? slot_.data() : nullptr;
    launch<spmv::combine_kernel_of<T>>(blocks, lanes, product, slot, rows_, alpha, beta, y);
  }
  int teams() const override { return teams_; }
  std::string reason() const override { return why_ + (shares_rows_ ? ", which share rows" : ""); }
  std::size_t matrix_bytes() const override { return bytes_; }

 private:
  template <class Kernel, class... Args>
  void launch(int blocks, int lanes, const Args&... args) {
    cuda::launch_kernel<spmv::product_kernels<T>, Kernel>(where_, static_cast<unsigned>(blocks),
                                                          static_cast<unsigned>(lanes), args...);
  }
  void multiply(const T* x, T* y) {
    const tiles_args<T> a{{cut_.teams, cut_.header, cut_.path, cut_.val, cut_.narrow, cut_.wide},
                          reinterpret_cast<const value_pack<T, 1>*>(x),
                          y,
                          tile_carry_.data(),
                          team_carry_.data()};
    if (cut_.narrow)
      launch<spmv::tiles_kernel_of<T, std::uint16_t>>(teams_, shape::value.lanes, a);
    else
      launch<spmv::tiles_kernel_of<T, index>>(teams_, shape::value.lanes, a);
    if (!shares_rows_) return;
    constexpr int lanes = 128;
    launch<spmv::finish_kernel_of<T>>((teams_ + lanes - 1) / lanes, lanes, a, teams_);
  }

  device where_;
  index rows_, kept_ = 0;
  int teams_ = 0;
  bool shares_rows_ = false;
  std::string why_;
  std::size_t bytes_ = 0;
  cut_matrix<T> cut_;
  buffer<index> slot_;
  buffer<T> tile_carry_, team_carry_, product_;
};

template <class T>
std::unique_ptr<product_steps<T>> make_product(const device& where, const csr_view<T>& a,
                                               const csr_arrays<T>& placed) {
  return std::make_unique<tiles_on_cuda<T>>(where, a, placed);
}
template <class T>
constexpr product_functions<T> functions{make_product<T>};

}  // namespace

template <>
const product_functions<double>& cuda_backend() {
  return functions<double>;
}
template <>
const product_functions<float>& cuda_backend() {
  return functions<float>;
}

}  // namespace dwell
