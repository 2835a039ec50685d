// SPDX-License-Identifier: MIT
// cut() and fill() as sequences of loops, for setup_loops of either backend: which arrays there are
// and in what order the steps go over them. Included by cut.cpp and cut_cuda.cpp alone.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/krylov/spmv/cut_matrix.hpp"
#include "dwell/execution/krylov/spmv/cut_steps.hpp"
#include "dwell/execution/krylov/spmv/fill_steps.hpp"
#include "dwell/execution/krylov/spmv/ghost_steps.hpp"

namespace dwell {

/// cut(), fill() and fill_values() on a backend, with the pattern of the matrix.
template <class T>
struct cut_functions {
  cut_pattern (*cut)(const device&, const cutting::csr_pattern&, const cut_request&);
  void (*fill)(const device&, const large_csr_arrays<T>&, int exponent, cut_matrix<T>&);
  void (*fill_values)(const device&, const large_csr_arrays<T>&, int exponent, cut_matrix<T>&);
};

/// Throws input_error; `row` counts from 0. (Files that nvcc compiles have no fmt.)
[[noreturn]] void throw_empty_row(index row);

}  // namespace dwell

namespace dwell::cutting {

// Fewer than these are not worth a thread of the host.
inline constexpr std::int64_t rows_per_thread = 1 << 17, tiles_per_thread = 256,
                              nonzeros_per_thread = 1 << 16, teams_per_thread = 1 << 12;
inline constexpr int most_places = 1 << 16;  ///< columns of ghost vectors have 16 bits

/// Places arrays one behind the other; without memory it only counts.
class row_of_arrays {
 public:
  explicit row_of_arrays(std::byte* base = nullptr) : base_(base) {}
  template <class V>
  void put(V*& array, std::size_t n) {
    constexpr std::size_t line = 256;
    array = base_ && n > 0 ? reinterpret_cast<V*>(base_ + bytes_) : nullptr;
    bytes_ += (n * sizeof(V) + line - 1) / line * line;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* base_;
  std::size_t bytes_ = 0;
};

/// One allocation for the arrays that lay(row) puts.
template <class F>
buffer<std::byte> allocate(const device& where, F&& lay) {
  row_of_arrays count;
  lay(count);
  buffer<std::byte> memory(where, count.bytes(), fresh::unset);
  row_of_arrays real(memory.data());
  lay(real);
  return memory;
}

template <class T>
csr_pattern pattern_of(const large_csr_arrays<T>& a) {
  return {a.rows, a.nonzeros, a.row_ptr, a.col};
}

/// What the host learns; a wait for the device.
template <class Loops>
void learn(const Loops& loops, const places& p, const cut_request& asked, cut_outline& out) {
  const auto* begin = reinterpret_cast<const std::byte*>(p.all);
  const std::byte* parts = reinterpret_cast<const std::byte*>(p.part);
  const auto n = static_cast<std::size_t>(p.teams);
  std::vector<std::byte> all(static_cast<std::size_t>(parts - begin) + n * sizeof(team_part));
  loops.fetch(all.data(), begin, all.size());
  totals t;
  std::memcpy(&t, all.data(), sizeof t);
  out.teams = std::vector<team_part>(n);
  std::memcpy(out.teams.data(), all.data() + (parts - begin), n * sizeof(team_part));
  if (t.first_empty != none_empty) throw_empty_row(t.first_empty);
  out.by_tiles = asked.by_tiles;
  out.tiles = t.tiles;
  out.narrow = t.wide == 0;
  if (asked.own_columns && t.own > most_places)
    throw input_error("cut with columns of its own: expected at most " +
                      std::to_string(most_places) + " rows per team, found " +
                      std::to_string(t.own));
  out.own_columns = asked.own_columns && asked.by_tiles;
  if (t.halo > 0 && t.own + t.halo <= most_places) {
    out.own = t.own;
    out.halo = t.halo;
    out.sends = t.sends;
    out.all_sends = t.all_sends;
  }
}

template <class Loops>
void describe_halos(const Loops& loops, const places& p, const csr_pattern& a, const device& where,
                    cut_pattern& m) {
  team_ghosts* ghosts = nullptr;
  ghost_send* send = nullptr;
  tile_header* header = nullptr;
  m.ghost_memory = allocate(where, [&](row_of_arrays& row) {
    row.put(ghosts, static_cast<std::size_t>(p.teams));
    row.put(send, static_cast<std::size_t>(m.outline.all_sends));
    row.put(header, static_cast<std::size_t>(m.outline.tiles));
  });
  loops.items(p.teams, teams_per_thread, describe_ghosts{a.rows, p, ghosts});
  loops.items(static_cast<std::int64_t>(p.teams) * p.words, rows_per_thread, list_sends{p, send});
  loops.items(m.outline.tiles, nonzeros_per_thread, copy_headers{p.header, header});
  m.ghosts = ghosts;
  m.send = send;
  m.ghost_header = header;
  m.halo_words = p.words;
  m.in_halo = p.in_halo;
  m.halo_before = p.halo_before;
}

/// The headers for columns that count from the team's first row.
template <class Loops>
void describe_own_columns(const Loops& loops, const places& p, const device& where,
                          cut_pattern& m) {
  tile_header* header = nullptr;
  m.ghost_memory = allocate(where, [&](row_of_arrays& row) {
    row.put(header, static_cast<std::size_t>(m.outline.tiles));
  });
  loops.items(m.outline.tiles, nonzeros_per_thread, copy_headers{p.header, header});
  m.ghost_header = header;
}

template <class Loops>
cut_pattern cut_with(const device& where, const csr_pattern& a, const cut_request& asked) {
  const Loops loops(where);
  cut_pattern m;
  m.request = asked;
  places p;
  p.teams = asked.teams;
  const auto teams = static_cast<std::size_t>(asked.teams);
  // Every team may have one tile that is not full, and no tile is empty.
  const std::int64_t most_tiles =
      asked.by_tiles ? std::min<std::int64_t>(a.nonzeros, a.nonzeros / tile_size + p.teams) : 0;
  const bool ghosts = asked.ghosts && asked.by_tiles && p.teams <= most_places &&
                      a.rows <= static_cast<std::int64_t>(p.teams) * most_places;
  if (ghosts) p.words = a.rows / 32 + 1;
  const std::size_t words = teams * static_cast<std::size_t>(p.words);
  m.memory = allocate(where, [&](row_of_arrays& row) {
    row.put(p.all, 1);
    row.put(p.part, teams);
    row.put(p.header, static_cast<std::size_t>(most_tiles));
    row.put(p.path, static_cast<std::size_t>(most_tiles) * tile_lanes);
    row.put(p.in_halo, words);
    row.put(p.halo_before, words);
    row.put(p.sent_before, ghosts ? teams * teams + 1 : 0);
  });
  loops.items(p.teams, teams_per_thread, share_out{a, asked.whole_rows, p, asked.first_rows});
  loops.once(count_tiles{a, asked.by_tiles, p});
  if (asked.by_tiles) {
    loops.items(a.rows, rows_per_thread, find_empty_rows{a, p});
    if (ghosts) loops.zero(p.in_halo, words * sizeof(std::uint32_t));
    loops.warps(most_tiles, tiles_per_thread, describe_tiles{a, p, asked.own_columns});
    loops.warps(p.teams, teams_per_thread, link_tiles{a, p});
  }
  if (ghosts) {
    loops.warps(p.teams, teams_per_thread, count_halos{a.rows, p});
    loops.once(count_sends{p});
    loops.items(p.teams, teams_per_thread, most_sends{p});
  }
  learn(loops, p, asked, m.outline);
  m.teams = p.part;
  m.header = p.header;
  m.path = p.path;
  if (m.outline.halo > 0) describe_halos(loops, p, a, where, m);
  if (m.outline.own_columns) describe_own_columns(loops, p, where, m);
  return m;
}

/// Tiles from their matrix; arrays that are null are left out.
template <class Loops, class T>
void fill_with(const Loops& loops, const large_csr_arrays<T>& a, int exponent,
               const cut_matrix<T>& m, T* val, std::uint16_t* narrow, index* wide,
               std::uint16_t* ghost_columns) {
  loops.warps(m.outline.tiles, tiles_per_thread,
              fill_tiles<T>{pattern_of(a),
                            a.val,
                            power_of_two(exponent),
                            m.teams,
                            m.request.teams,
                            m.header,
                            m.path,
                            val,
                            narrow,
                            wide,
                            ghost_columns,
                            {m.in_halo, m.halo_before, m.halo_words, m.outline.own}});
}

template <class Loops, class T>
void fill_rows(const Loops& loops, const device& where, const large_csr_arrays<T>& a, int exponent,
               cut_matrix<T>& m) {
  const T* const had = m.val;
  m.val = nullptr;
  if (exponent == 0) return;
  if (m.content.size() == 0) {
    T* val = nullptr;
    m.content = allocate(
        where, [&](row_of_arrays& row) { row.put(val, static_cast<std::size_t>(a.nonzeros)); });
    m.val = val;
  } else {
    m.val = had ? had : reinterpret_cast<const T*>(m.content.data());
  }
  loops.items(a.nonzeros, nonzeros_per_thread,
              scale_values<T>{a.val, power_of_two(exponent), const_cast<T*>(m.val)});
}

template <class Loops, class T>
void fill_all(const device& where, const large_csr_arrays<T>& a, int exponent, cut_matrix<T>& m) {
  const Loops loops(where);
  const cut_outline& out = m.outline;
  if (!out.by_tiles) {
    fill_rows(loops, where, a, exponent, m);
  } else {
    T* val = nullptr;
    std::uint16_t *narrow = nullptr, *ghost_columns = nullptr;
    index* wide = nullptr;
    const std::size_t n = static_cast<std::size_t>(out.tiles) * tile_size;
    m.content = allocate(where, [&](row_of_arrays& row) {
      row.put(val, n);
      row.put(narrow, out.narrow ? n : 0);
      row.put(wide, out.narrow ? 0 : n);
      row.put(ghost_columns, out.halo > 0 ? n : 0);
    });
    fill_with(loops, a, exponent, m, val, narrow, wide, ghost_columns);
    m.val = val;
    m.narrow = narrow;
    m.wide = wide;
    m.ghost_columns = out.own_columns ? narrow : ghost_columns;
  }
  m.exponent = exponent;
  m.filled = true;
}

template <class Loops, class T>
void fill_values_again(const device& where, const large_csr_arrays<T>& a, int exponent,
                       cut_matrix<T>& m) {
  const Loops loops(where);
  if (m.outline.by_tiles)
    fill_with(loops, a, exponent, m, const_cast<T*>(m.val), nullptr, nullptr, nullptr);
  else
    fill_rows(loops, where, a, exponent, m);
  m.exponent = exponent;
}

}  // namespace dwell::cutting
