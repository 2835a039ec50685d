// SPDX-License-Identifier: MIT
// A Program is a vector solver written as phases with a barrier between two of them. Its text is
// compiled for CPU teams and for CUDA teams; executors decide in which loop it runs.
//
//   struct my_solver {
//     static constexpr const char* name = "cg";
//     enum : int { x, r, p, q, vectors };            // the vectors, rows elements each
//     static constexpr use uses[vectors] = {...};    // own: only its owner touches an element
//     enum : int { pq, rr, sums };                   // sums over all rows, in double
//     static constexpr int phases = 3;
//     struct scalars { int step; int stop; ... };    // trivially copyable; stop != 0 ends the run
//     template <int Phase, class T, class Store> DWELL_FN static void phase(Store&, scalars&);
//   };
//
// Laws. Every team runs every phase with equal scalars and must leave equal scalars behind. Between
// two barriers an element of a gathered vector is written, or read by others, never both. A sum
// given in one phase is asked for in a later one, and given again only after another barrier.
#pragma once
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "dwell/formats/csr.hpp"
#include "dwell/formats/merge_path.hpp"

namespace dwell {

enum class use { own, gather };

/// Which vectors an elementwise pass loads and stores. Bytes moved are counted from these.
template <int... Vectors>
struct reads {};
template <int... Vectors>
struct writes {};
/// An elementwise pass that also adds to Count sums, the first of which is First.
template <int First, int Count = 1>
struct adds_to {};

/// N sums that travel together.
template <int N>
struct sums {
  double v[N];
};

/// Shared by the host and the teams while a run lasts; lives in the device's memory.
struct monitor {
  int interrupt = 0;    ///< host: end at the next iteration
  int seen = 0;         ///< team 0's reading of `interrupt`, the same for all teams after a barrier
  int step = 0;         ///< team 0: iterations done
  double residual = 0;  ///< team 0: norm of the residual after them
};

/// The most vectors a Program may have.
inline constexpr int max_vectors = 12;

/// What a team gets: plain data, by value.
template <class P, class T>
struct program_args {
  csr_view<T> matrix;
  // The cut of the merge path (partition.hpp).
  const merge_coordinate* tile_begin = nullptr;  ///< teams * tiles + 1 points
  const std::uint32_t* lane_path = nullptr;      ///< teams * tiles * lanes descriptors
  const int* carry_from = nullptr;               ///< per team, see partition::carry_from
  int tiles = 1;                                 ///< per team
  int items = 0;                                 ///< merge items per lane and tile
  // Working memory.
  T* vectors[max_vectors] = {};
  T* carry = nullptr;         ///< per team: its part of the row that a later team ends
  double* partial = nullptr;  ///< sums x teams
  double* history = nullptr;  ///< residual norms, or null
  monitor* watch = nullptr;
  typename P::scalars* state = nullptr;  ///< two copies, read and written in turn
  typename P::scalars start{};
  unsigned* barrier = nullptr;  ///< arrivals at the grid barrier
  bool reverse_lanes = false;   ///< CPU teams only
};

template <class P>
concept Program = requires {
  { P::name } -> std::convertible_to<const char*>;
  requires P::vectors <= max_vectors;
  requires P::phases >
  0;
  requires std::is_trivially_copyable_v<typename P::scalars>;
  requires std::is_same_v<decltype(P::scalars::step), int>;
  requires std::is_same_v<decltype(P::scalars::stop), int>;
};

}  // namespace dwell
