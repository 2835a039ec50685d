// SPDX-License-Identifier: MIT
// The steps of a cut that find its ghosts, after those of cut_steps.hpp. A halo is a bit for every
// row; how many bits are set before a row is its slot, so slots are in the order of rows, and what
// one team sends to another are the slots of an interval of rows.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/spmv/cut_steps.hpp"
#include "dwell/execution/krylov/spmv/ghosts.hpp"

namespace dwell::cutting {

/// How many rows before `row` are in the halo of a team.
template <class Warp>
DWELL_FN index slot_of(const Warp& w, const std::uint32_t* in_halo, const index* before,
                       std::int64_t words, int team, index row) {
  const std::int64_t at = team * words + row / 32;
  return before[at] + w.ones(in_halo[at] & ((std::uint32_t(1) << row % 32) - 1));
}
template <class Warp>
DWELL_FN index slot_of(const Warp& w, const places& p, int team, index row) {
  return slot_of(w, p.in_halo, p.halo_before, p.words, team, row);
}

/// Per team: the size of its halo, and the slots of it. A row that is cut is multiplied by its own
/// element when sums are taken. Several warps say how large a halo is.
struct count_halos {
  index rows;
  places p;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t team, std::int64_t end, std::int64_t step) const {
    for (; team < end; team += step) {
      const index halo =
          count(w, p.part[team], p.in_halo + team * p.words, p.halo_before + team * p.words);
      if (w.lane() == 0) w.raise(p.all->halo, halo);
    }
  }

 private:
  template <class Warp>
  DWELL_FN index count(Warp& w, const team_part& part, std::uint32_t* in_halo,
                       index* halo_before) const {
    const bool open = part.last_tile > part.first_tile && part.end.row < rows;
    index before = 0;
    for (index first = 0; first < p.words; first += Warp::lanes) {
      const index at = first + w.lane();
      index here = 0;
      if (at < p.words) {
        std::uint32_t word = in_halo[at];
        if (open && at == part.end.row / 32)
          in_halo[at] = word |= std::uint32_t(1) << part.end.row % 32;
        here = w.ones(word);
      }
      const index mine = before + w.sum_before(here);
      if (at < p.words) halo_before[at] = mine;
      before += w.sum(here);
    }
    return before;
  }
};

/// Once: the sends from every team to every other one, in the order of senders, then of receivers.
struct count_sends {
  places p;

  template <class Warp>
  DWELL_FN void operator()(Warp& w) const {
    const int pairs = p.teams * p.teams;
    int before = 0;
    for (int first = 0; first < pairs; first += Warp::lanes) {
      const int pair = first + w.lane();
      int here = 0;
      if (pair < pairs) {
        const team_part& owner = p.part[pair / p.teams];
        const int to = pair % p.teams;
        here = slot_of(w, p, to, owner.end.row) - slot_of(w, p, to, owner.begin.row);
      }
      const int mine = before + w.sum_before(here);
      if (pair < pairs) p.sent_before[pair] = mine;
      before += w.sum(here);
    }
    if (w.lane() == 0) p.sent_before[pairs] = before, p.all->all_sends = before;
  }
};

/// Per team: the most sends. Several warps say so.
struct most_sends {
  places p;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t team) const {
    w.raise(p.all->sends, p.sent_before[(team + 1) * p.teams] - p.sent_before[team * p.teams]);
  }
};

/// Per team: what it sends and gets.
struct describe_ghosts {
  index rows;
  places p;
  team_ghosts* to;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t team) const {
    const int t = static_cast<int>(team);
    const index after = p.part[t].end.row;
    team_ghosts g;
    g.first_send = p.sent_before[team * p.teams];
    g.last_send = p.sent_before[(team + 1) * p.teams];
    g.halo = slot_of(w, p, t, rows);
    const std::uint32_t word = p.in_halo[team * p.words + after / 32];
    if (word >> after % 32 & 1) g.open_slot = slot_of(w, p, t, after);
    to[t] = g;
  }
};

/// Per word of a halo: the sends that bring its rows.
struct list_sends {
  places p;
  ghost_send* to;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t at) const {
    const int receiver = static_cast<int>(at / p.words);
    const std::uint32_t word = p.in_halo[at];
    index slot = p.halo_before[at];
    if (word == 0) return;
    index row = static_cast<index>(at % p.words) * 32;
    int owner = owner_of(row), before = sends_before(w, owner, receiver);
    for (int bit = 0; bit < 32; ++bit, ++row) {
      if (!(word >> bit & 1)) continue;
      if (row >= p.part[owner].end.row)
        owner = owner_of(row), before = sends_before(w, owner, receiver);
      to[before + slot] = {static_cast<std::uint16_t>(row - p.part[owner].begin.row),
                           static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(slot)};
      ++slot;
    }
  }

 private:
  /// The team that row ends in; teams in which no row ends own none.
  DWELL_FN int owner_of(index row) const {
    int low = 0, high = p.teams - 1;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (p.part[middle].end.row > row)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  /// Number of sends of the owner to the receiver, less those to it from other owners.
  template <class Warp>
  DWELL_FN int sends_before(Warp& w, int owner, int receiver) const {
    return p.sent_before[owner * p.teams + receiver] -
           slot_of(w, p, receiver, p.part[owner].begin.row);
  }
};

/// Per tile: its header for columns that are places in the ghost vector.
struct copy_headers {
  const tile_header* from;
  tile_header* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t tile) const {
    tile_header h = from[tile];
    h.column = 0;
    to[tile] = h;
  }
};

}  // namespace dwell::cutting
