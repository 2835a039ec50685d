// SPDX-License-Identifier: MIT
// A matrix cut for the teams of a device, made where its arrays are: in parallel on the host, by
// kernels on a GPU, from one source (cut_steps.hpp), so that both give the same bits. Two steps:
// cut() finds all that depends on the pattern and that planning asks for, fill() copies columns and
// values into the tiles. Work on a GPU is ordered by the stream of the device; cut() waits once,
// fill() never.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/execution/krylov/spmv/ghosts.hpp"
#include "dwell/execution/krylov/spmv/nonzero_tiles.hpp"

namespace dwell {

struct cut_request {
  int teams = 1;
  bool by_tiles = true;     ///< else only the parts are made, for teams that walk rows
  bool whole_rows = false;  ///< moves every cut to the nearest end of a row
  bool ghosts = false;      ///< by tiles only; the matrix is square
  /// Teams + 1 rows, ascending, in memory of the device: team t gets the rows from first_rows[t]
  /// on. Null: equal shares of the merge path. Must stay valid while cuts are compared.
  const index* first_rows = nullptr;
  /// By tiles, with whole rows: all columns of a team are among its own rows, of which there are at
  /// most 65536, and are stored as places among them. There are no ghosts to exchange.
  bool own_columns = false;
  friend bool operator==(const cut_request&, const cut_request&) = default;
};

/// What planning knows of a cut, in host memory.
struct cut_outline {
  std::vector<team_part> teams;
  bool by_tiles = false;
  bool narrow = true;  ///< columns are stored in 16 bits, relative to those of the headers
  int tiles = 0;
  /// Sizes of ghosts. Halos begin at `own`, the most rows of a team; the most elements that a team
  /// gets, 0: there are none, since nobody needs any or their places do not fit 16 bits; and the
  /// most sends of a team.
  int own = 0, halo = 0, sends = 0;
  int all_sends = 0;  ///< sends of all teams
  /// Columns are places in the team's rows: those of `ghost_columns` and `narrow` are the same, and
  /// `ghost_header` has column 0 where `header` has the team's first row.
  bool own_columns = false;
};

/// What depends on the pattern alone, in memory of the device.
struct cut_pattern {
  cut_request request;
  cut_outline outline;
  const team_part* teams = nullptr;
  // By tiles: one header, and tile_lanes paths, per tile. Bit j of a path is set if item j of the
  // lane ends its row; bits 8 to 15 are the row of item 0, relative to first_row.
  const tile_header* header = nullptr;
  const std::uint16_t* path = nullptr;
  // If outline.halo > 0: one per team; outline.all_sends; one per tile, for columns that are places
  // in the ghost vector. With own columns: the last of them alone.
  const team_ghosts* ghosts = nullptr;
  const ghost_send* send = nullptr;
  const tile_header* ghost_header = nullptr;
  /// Which rows are in the halo of a team, a bit each, and how many before each word of 32.
  int halo_words = 0;
  const std::uint32_t* in_halo = nullptr;
  const index* halo_before = nullptr;

  buffer<std::byte> memory, ghost_memory;  ///< where all of it lies
};

template <class T>
struct cut_matrix : cut_pattern {
  bool filled = false;
  int exponent = 0;  ///< values are those of the matrix times 2^exponent
  /// tile_slot<sizeof(T)>; zeros past the end. Without tiles: null, or, if exponent is not 0, all
  /// values in the order of the matrix.
  const T* val = nullptr;
  const std::uint16_t* narrow = nullptr;         ///< columns less header.column, or null:
  const index* wide = nullptr;                   ///< then columns
  const std::uint16_t* ghost_columns = nullptr;  ///< places in the ghost vector, if there are halos
  buffer<std::byte> content;                     ///< where all of it lies
};

/// Cuts a checked matrix (a broken one may be followed out of its arrays). Throws input_error if by
/// tiles and a row has no entry, device_error if the device has too little memory.
template <class T>
DWELL_API cut_matrix<T> cut(const device& where, const large_csr_arrays<T>& a,
                            const cut_request& asked);
template <class T>
cut_matrix<T> cut(const device& where, const csr_arrays<T>& a, const cut_request& asked) {
  return cut(where, large_csr_arrays<T>(a), asked);
}

/// Columns and values, these times 2^exponent. Throws device_error.
template <class T>
DWELL_API void fill(const device& where, const large_csr_arrays<T>& a, int exponent,
                    cut_matrix<T>& m);
template <class T>
void fill(const device& where, const csr_arrays<T>& a, int exponent, cut_matrix<T>& m) {
  fill(where, large_csr_arrays<T>(a), exponent, m);
}

/// Values alone, of another matrix of the same pattern; m has been filled. Nothing is allocated
/// but, without tiles, room for scaled values where there was none.
template <class T>
DWELL_API void fill_values(const device& where, const large_csr_arrays<T>& a, int exponent,
                           cut_matrix<T>& m);
template <class T>
void fill_values(const device& where, const csr_arrays<T>& a, int exponent, cut_matrix<T>& m) {
  fill_values(where, large_csr_arrays<T>(a), exponent, m);
}

/// The cuts of one matrix, each made once. The arrays must stay valid.
template <class T>
class cut_cache {
 public:
  cut_cache(const device& where, const large_csr_arrays<T>& a) : where_(where), a_(a) {}
  const device& where() const { return where_; }
  const large_csr_arrays<T>& arrays() const { return a_; }
  /// From now on of a matrix with the same pattern and other values. Cuts that are filled already
  /// are left to their runs (program_run::refill).
  void use(const large_csr_arrays<T>& a) { a_ = a; }
  /// Frees the cuts that nobody else holds.
  void drop_unused() {
    std::erase_if(made_, [](const auto& m) { return m.use_count() == 1; });
  }
  /// That cutting has taken, on the host's clock.
  double seconds() const { return seconds_; }
  /// A cut as asked; it may have ghosts that were not asked for.
  std::shared_ptr<cut_matrix<T>> of(const cut_request& asked) {
    cut_request with_ghosts = asked;
    with_ghosts.ghosts = true;
    for (const auto& m : made_)
      if (m->request == asked || m->request == with_ghosts) return m;
    const lap_timer time(seconds_);
    made_.push_back(std::make_shared<cut_matrix<T>>(cut(where_, a_, asked)));
    return made_.back();
  }

 private:
  device where_;
  large_csr_arrays<T> a_;
  double seconds_ = 0;
  std::vector<std::shared_ptr<cut_matrix<T>>> made_;
};

}  // namespace dwell
