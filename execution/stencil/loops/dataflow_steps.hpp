// SPDX-License-Identifier: MIT
// Steps of the whole field where perks caches nothing: one launch, and teams that do not meet
// between two steps. They draw tiles, the tiles of a step after all of the step before, and a tile
// waits until it and the tiles around it have made the step before. All of these have been drawn
// before it, so of the tiles that are not done the one drawn first waits for none, and all go on.
//
// A step reads one copy of the field and writes the other. The cells that a tile reads were written
// by the tiles around it in the step before; the cells that it overwrites were read by the same
// tiles in that step, for the last time. Both are over when their flags are up. Tiles are no
// thinner than the radius but for the last ones of an axis, behind which there is the border only,
// and none is thinner than a register tile, whose cells then all belong to one tile: no tile reads
// farther than its neighbours. That takes a fixed border, whose cells no step changes.
//
// Teams meet around polls.
#pragma once
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/step/convergence_check.hpp"
#include "dwell/execution/stencil/step/register_tile.hpp"

namespace dwell {

/// A tile and the tiles that it reads from: for a star the ones beside it, else those at its
/// corners too.
template <class S>
inline constexpr int tiles_around = is_star<S>     ? 1 + 2 * S::dims
                                    : S::dims == 3 ? 27
                                                   : 9;

/// The flags of these: number k, or null if that is beyond the border. Tile number `tiles` or more
/// has none.
template <class S, class T>
struct flags_of {
  const stencil_args<T>& a;
  unsigned tile;
  unsigned epoch;  ///< that they must have reached

  DWELL_FN unsigned* operator()(int k) const {
    const stencil_plan& p = a.plan;
    const unsigned across = static_cast<unsigned>(p.tiles_x);
    const unsigned down = static_cast<unsigned>(p.tiles_y), line = tile / across;
    int x = static_cast<int>(tile - line * across), y = static_cast<int>(line % down);
    int z = static_cast<int>(line / down);
    if (z >= p.tiles_z) return nullptr;
    if constexpr (is_star<S>) {  // the tile itself, then two along each axis
      const int axis = (k + 1) / 2, by = k % 2 == 0 ? 1 : -1;
      x += axis == 1 ? by : 0;
      y += axis == 2 ? by : 0;
      z += axis == 3 ? by : 0;
    } else {
      const int at = S::dims == 3 ? k : k + 9;
      x += at % 3 - 1;
      y += at / 3 % 3 - 1;
      z += at / 9 - 1;
    }
    if (!within(x, p.tiles_x) || !within(y, p.tiles_y) || !within(z, p.tiles_z)) return nullptr;
    const auto row = static_cast<std::size_t>(z) * down + static_cast<std::size_t>(y);
    return a.flags + (row * across + static_cast<std::size_t>(x)) * tile_flag_distance;
  }
  DWELL_FN unsigned* own() const { return a.flags + std::size_t{tile} * tile_flag_distance; }
};

struct dataflow_steps {
  /// Team side. All teams get the same answers at polls, so all leave together.
  template <class S, class T, bool Tiles, class Team>
  DWELL_FN static void run(Team& team, const stencil_call<S, T>& a) {
    double* buffer = team.template scratch<double>(Team::lanes());
    stencil_state now;
    unsigned begin = 0u - static_cast<unsigned>(team.workers());
    while (now.stop == stencil_status::running) {
      const int poll = a.next_poll(now.done);
      take_tiles<S, T, Tiles>(team, a, now.done, poll, begin);
      now.done = poll;
      now.copy = poll % 2;
      if (now.done == a.steps && !a.until) {
        now.stop = stencil_status::steps_done;
      } else {
        team.sync_grid();
        poll_together<T>(team, a, now, buffer);
      }
      report_progress<T>(team, a, now.done, now.change);
    }
    if (team.worker() == 0) team.once([&] { *a.state = now; });
  }

 private:
  /// Where a team is: which step, and which tile of it.
  struct place {
    int step;
    unsigned nth;
  };
  /// Steps `from` to `to` - 1. A team begins with the tile that has its own number, and draws
  /// another one whenever it begins one: so as many are drawn as there are, and all teams know
  /// which number, `begin`, is that of the first tile of a step, less those that nobody drew.
  template <class S, class T, bool Tiles, class Team>
  DWELL_FN static void take_tiles(Team& team, const stencil_call<S, T>& a, int from, int to,
                                  unsigned& begin) {
    const unsigned tiles = tiles_of(a.plan);
    if (tiles == 0) return;
    const auto flags_for = [&](const place& p) {
      return flags_of<S, T>{a, p.step < to ? tile_of<S>(team, a.plan, tiles, p) : tiles,
                            static_cast<unsigned>(p.step)};
    };
    // From a number after `begin`, which then is that of the first tile of the step that is found.
    const auto find = [&](place p, unsigned& first) {
      for (; p.nth >= tiles && p.step < to; p.nth -= tiles) {
        first += tiles;
        ++p.step;
      }
      return p;
    };
    bool ready = false;
    for (place at = find({from, static_cast<unsigned>(team.worker())}, begin); at.step < to;) {
      const auto flags = flags_for(at);
      if (!ready) team.wait(tiles_around<S>, flags, flags.epoch);
      const unsigned drawn = team.draw(a.tickets);
      step_tile<S, T, Tiles, true>(team, a, a.field[at.step % 2], a.field[(at.step + 1) % 2],
                                   flags.tile);
      const drawn_ticket next = team.signal_and_poll(
          flags.own(), flags.epoch + 1, drawn, tiles_around<S>, [&](unsigned ticket) {
            unsigned first = begin;
            return flags_for(find({at.step, ticket - begin}, first));
          });
      ready = next.ready;
      at = find({at.step, next.number - begin}, begin);
    }
  }
  /// The tile that is the nth of a step. Where a plan alternates, steps go forwards and backwards.
  /// When a step begins, teams are still at the last tiles of the step before: so that none waits
  /// for them, these tiles come after as many others.
  template <class S, class Team>
  DWELL_FN static unsigned tile_of(Team& team, const stencil_plan& p, unsigned tiles,
                                   const place& at) {
    unsigned nth = at.nth;
    if (!may_alternate(S::dims, radius_of<S>) || !p.alternates) return nth;
    const unsigned busy = static_cast<unsigned>(team.workers());
    if (tiles >= 3 * busy)
      nth = nth < busy ? 2 * busy - 1 - nth : nth < 2 * busy ? nth - busy : nth;
    return at.step % 2 == 0 ? nth : tiles - 1 - nth;
  }
};

}  // namespace dwell
