// SPDX-License-Identifier: MIT
// What ranks exchange of a solve, levels apart: the planes next to their own of a vector, and sums
// of planes, which all ranks add in the order of the planes: their bits do not depend on the
// division. Called by one team of each rank while the others wait.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/ranks/neighbour_messages.hpp"

namespace dwell::grids {

template <class T>
class solve_ranks {
 public:
  /// plane: cells of a plane. All ranks make it together.
  solve_ranks(communicator& comm, const slab_division& division, std::size_t plane,
              exchange_cost& cost)
      : comm_(comm),
        division_(division),
        own_(slab_of(division, comm.rank()).own),
        plane_(plane),
        planes_(comm, slab_of(division, comm.rank()), plane, plane, plane, plane),
        cost_(cost),
        mine_(static_cast<std::size_t>(division.most()) + 1),
        gathered_(mine_.size() * static_cast<std::size_t>(comm.size())),
        sums_(static_cast<std::size_t>(division.planes)) {}

  plane_range own() const { return own_; }
  std::size_t all_cells() const { return static_cast<std::size_t>(division_.planes) * plane_; }

  /// Begins a run: no rank has wanted to end.
  void begin() { ended_ = false; }
  /// The planes of v before and after this rank's own.
  void ghosts(T* v) {
    std::copy_n(at(v, own_.begin), planes_.to_lower.size(), planes_.to_lower.begin());
    std::copy_n(at(v, own_.end - 1), planes_.to_upper.size(), planes_.to_upper.begin());
    planes_.run(cost_);
    if (!planes_.from_lower.empty()) std::ranges::copy(planes_.from_lower, at(v, own_.begin - 1));
    if (!planes_.from_upper.empty()) std::ranges::copy(planes_.from_upper, at(v, own_.end));
  }

  /// The numbers of all planes, of which of_planes has this rank's at their places among its own
  /// and its ghosts. ends: this rank wants to end.
  const std::vector<double>& sums(const std::vector<double>& of_planes, bool ends) {
    std::copy_n(of_planes.begin() + own_.begin, own_.size(), mine_.begin());
    mine_.back() = ends ? 1 : 0;
    cost_.of(0, 0, [&] {
      comm_.all_gather(mine_.data(), mine_.size() * sizeof(double), gathered_.data());
    });
    ++cost_.sums;
    auto to = sums_.begin();
    auto from = gathered_.begin();
    for (int r = 0; r < comm_.size(); ++r, from += static_cast<std::ptrdiff_t>(mine_.size())) {
      to = std::copy_n(from, division_.own(r).size(), to);
      ended_ = ended_ || from[static_cast<std::ptrdiff_t>(mine_.size()) - 1] != 0;
    }
    return sums_;
  }
  const std::vector<double>& sums() const { return sums_; }
  /// A rank has wanted to end.
  bool ended() const { return ended_; }

 private:
  T* at(T* v, int plane) const { return v + static_cast<std::size_t>(plane) * plane_; }

  communicator& comm_;
  const slab_division& division_;
  plane_range own_;
  std::size_t plane_;
  neighbour_messages<T> planes_;
  exchange_cost& cost_;
  std::vector<double> mine_, gathered_, sums_;
  bool ended_ = false;
};

}  // namespace dwell::grids
