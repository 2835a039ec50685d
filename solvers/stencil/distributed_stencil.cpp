// SPDX-License-Identifier: MIT
// See distributed_stencil.hpp. A slab is a field of its own for stencil_runner, with the boundary
// of the whole on all sides: true where the slab ends with the field, and elsewhere no more than
// wrong values that come one radius nearer with each step.
#include "dwell/solvers/stencil/distributed_stencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/comm/agreement.hpp"
#include "dwell/execution/comm/pieces.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/model/grid_division.hpp"
#include "dwell/solvers/stencil/check.hpp"
#include "dwell/solvers/stencil/slab_exchange.hpp"

namespace dwell {
namespace {

int& layers_of(extents& n) { return n.dims == 3 ? n.z : n.y; }
int layers_of(const extents& n) { return n.dims == 3 ? n.z : n.y; }

extents with_layers(extents n, int layers) {
  layers_of(n) = layers;
  return n;
}

int first_layer_of(int all, int ranks, int rank) {
  return static_cast<int>(static_cast<std::int64_t>(all) * rank / ranks);
}

}  // namespace

template <class T>
struct distributed_stencil<T>::state {
  state(const device& where, std::shared_ptr<communicator> of, const extents& size,
        const stencil_options& o, int steps, bool has_source, gpu_transport by)
      : comm(std::move(of)), all(size), options(o) {
    require_one_backend(*comm, where);
    if (where.on() == backend::cuda) {
      together(*comm, [&] { queue.emplace(where); });
      gpus = connect_gpus(comm, queue->where(), by);
    }
    together(*comm, [&] { plan(steps); });
    const device& there = queue ? queue->where() : where;
    stencil_options local = options;
    local.interrupt = nullptr;  // ranks end together
    local.progress = {};
    const auto make_runner = [&] {
      runner.reset();
      runner.emplace(there, with_layers(all, low + own + high), local, has_source);
      if (!gpus || local.executor != "auto" || !passes_are_too_short(runner->report())) return;
      local.executor = "graph";
      runner.reset();
      runner.emplace(there, with_layers(all, low + own + high), local, has_source);
    };
    together(*comm, make_runner);
    const int pass = value_of_rank(*comm, 0, runner->report().pass_steps);
    alone = (63 / pass + 1) * pass;
    if (steps == 0 && model::whole_passes(between, pass) < between) {
      between = model::whole_passes(between, pass);
      set_ghosts();
      together(*comm, make_runner);
    }
    make_messages();
    if (gpus && comm->size() > 1) exchange_there.emplace(*comm, *gpus, there, low, own, high);
  }

  void plan(int steps) {
    check_extents(all);
    const int ranks = comm->size(), rank = comm->rank();
    const int layers = layers_of(all), least = layers / ranks;
    radius = find_stencil_shape(options.shape).radius;
    if (steps < 0)
      throw input_error(fmt::format("steps_per_exchange: expected at least 0, found {}", steps));
    first = first_layer_of(layers, ranks, rank);
    own = first_layer_of(layers, ranks, rank + 1) - first;
    if (ranks == 1) {
      between = 0;
      return;
    }
    // GPUs make up to 24 steps in a pass.
    between = steps > 0 ? steps : model::steps_that_add_a_tenth(least, radius, gpus ? 48 : 16);
    if (least < between * radius)
      throw input_error(fmt::format(
          "size: expected at least {} layers on each rank ({} steps between exchanges, radius {}), "
          "found {} on {} ranks",
          static_cast<std::int64_t>(between) * radius, between, radius, layers, ranks));
    set_ghosts();
  }
  void set_ghosts() {
    const bool around = options.edge == boundary::periodic;
    low = around || comm->rank() > 0 ? between * radius : 0;
    high = around || comm->rank() + 1 < comm->size() ? between * radius : 0;
  }

  /// Between two exchanges there are fewer steps than a pass makes. On an H100 a pass of 2d5pt
  /// takes as long as 24 steps of it, or two plain ones, however few steps it makes, and one of
  /// 3d7pt that is not whole longer than plain steps.
  bool passes_are_too_short(const stencil_report& plan) const {
    if (between == 0 || between >= plan.pass_steps) return false;
    return all.dims == 3 || 12 * between < plan.pass_steps;
  }

  /// Of a rank, in the whole field.
  std::size_t first_cell_of(int rank) const {
    const int layers = layers_of(all);
    return all.cells() / static_cast<std::size_t>(layers) *
           static_cast<std::size_t>(first_layer_of(layers, comm->size(), rank));
  }

  /// To the rank before go the first own layers, which it has behind its own, and so on. Where two
  /// ranks are each other's neighbours on both sides the order of the messages tells them apart.
  void make_messages() {
    const int ranks = comm->size(), rank = comm->rank();
    const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
    std::vector<rank_message> out, in;
    const auto make = [&](std::optional<grid<T>>& cells, int layers, int peer,
                          std::vector<rank_message>& to) {
      if (layers == 0) return;
      cells.emplace(with_layers(all, layers));
      to.push_back({peer, cells->view().data, cells->view().cells().size_bytes()});
    };
    make(first_own, low, before, out);
    make(last_own, high, after, out);
    make(behind, high, after, in);
    make(ahead, low, before, in);
    messages = comm->messages(std::move(out), std::move(in));
  }

  void exchange() {
    if (comm->size() == 1) return;
    if (exchange_there) return exchange_there->run(*runner);
    if (first_own) runner->layers(low, first_own->view());
    if (last_own) runner->layers(low + own - high, last_own->view());
    messages->start();
    messages->finish();
    if (ahead) runner->set_layers(0, ahead->view());
    if (behind) runner->set_layers(low + own, behind->view());
  }

  /// A slab with this rank's own cells and its neighbours' around them, which come by messages. (Of
  /// a field too: cells of a border that is fixed must be there before the first run.)
  grid<T> with_ghosts(grid_view<const T> mine) {
    grid<T> slab(with_layers(all, low + own + high));
    const std::size_t layer = mine.size.cells() / static_cast<std::size_t>(own);
    const std::span<T> cells = slab.view().cells();
    std::copy_n(mine.data, mine.size.cells(),
                cells.begin() + static_cast<std::ptrdiff_t>(layer * static_cast<std::size_t>(low)));
    if (comm->size() == 1) return slab;
    const auto copy = [&](std::optional<grid<T>>& some, int layer_of_slab, bool in) {
      if (!some) return;
      const std::span<T> part = some->view().cells();
      const auto at = cells.subspan(layer * static_cast<std::size_t>(layer_of_slab), part.size());
      in ? std::copy(part.begin(), part.end(), at.begin())
         : std::copy(at.begin(), at.end(), part.begin());
    };
    copy(first_own, low, false);
    copy(last_own, low + own - high, false);
    messages->start();
    messages->finish();
    copy(ahead, 0, true);
    copy(behind, low + own, true);
    return slab;
  }

  /// Has any rank asked for the end?
  bool is_interrupted(int step, std::optional<double> change) {
    bool here = options.interrupt && options.interrupt->load();
    const double now = seconds_on_host();
    if (options.progress && now - told >= options.progress_interval) {
      told = now;
      here = !options.progress({step, change, now - began}) || here;
    }
    return any_of_ranks(*comm, here);
  }

  /// On GPUs, where the host waits only after so many pieces that it can tell and hear often
  /// enough.
  int advance_there(int steps) {
    const double begin = seconds_on_host();
    int made = 0, done = 0;
    for (; done < pieces && made < steps; ++done) {
      const int piece = std::min(steps - made, between);
      exchange();
      runner->run_async(piece);
      made += piece;
    }
    runner->wait();
    struct pace {
      double patience, took;
    };
    const double patience = options.progress ? std::min(0.05, options.progress_interval) : 0.05;
    const auto paces = values_of_ranks(*comm, pace{patience, seconds_on_host() - begin});
    double least = paces.front().patience;
    for (const pace& one : paces) least = std::min(least, one.patience);
    const double fit = done * least / std::max(paces.front().took, 1e-6);
    pieces = static_cast<int>(std::clamp(fit, 1.0, std::min(8.0 * done, 4096.0)));
    return made;
  }

  /// Pieces of at most `between` steps, each with fresh ghosts. Returns how many steps were done.
  int advance(int steps, int done, std::optional<double> change, stencil_stop& stopped) {
    int made = 0;
    while (made < steps) {
      if (is_interrupted(done + made, change)) {
        stopped = stencil_stop::interrupted;
        break;
      }
      if (exchange_there) {
        made += advance_there(steps - made);
        continue;
      }
      const int piece =
          comm->size() == 1 ? std::min(steps - made, alone) : std::min(steps - made, between);
      exchange();
      runner->run(piece);
      made += piece;
    }
    return made;
  }

  /// The largest change of an own cell in one more step; NaN if one is not finite.
  double change_of_step() {
    grid<T> before(with_layers(all, own)), after(before.size());
    exchange();
    runner->layers(low, before.view());
    runner->run(1);
    runner->layers(low, after.view());
    double most = 0;
    for (std::size_t k = 0; k < after.view().cells().size(); ++k) {
      const double change = std::abs(static_cast<double>(after.view().cells()[k]) -
                                     static_cast<double>(before.view().cells()[k]));
      most = change > most || !(change == change) ? change : most;
      if (!(most == most)) break;
    }
    for (const double one : values_of_ranks(*comm, most))
      if (!(one <= most)) most = !(one == one) || !(most == most) ? std::nan("") : one;
    return most;
  }

  std::shared_ptr<communicator> comm;
  extents all;
  stencil_options options;
  int radius = 1, first = 0, own = 0;
  int between = 0;        ///< steps from one exchange to the next; 0: there are none
  int low = 0, high = 0;  ///< layers of ghosts before and behind the own ones
  int pieces = 1;         ///< on GPUs, that are put into the stream before the host waits
  int alone = 64;         ///< steps of one rank before it looks whether to go on
  // Of GPUs:
  std::optional<work_queue> queue;
  std::shared_ptr<device_transport> gpus;
  std::optional<stencil_runner<T>> runner;
  std::optional<slab_exchange<T>> exchange_there;
  /// What is sent, and what is received for the ghosts behind and ahead of the own layers.
  std::optional<grid<T>> first_own, last_own, behind, ahead;
  std::unique_ptr<message_set> messages;
  double began = 0, told = 0;
};

template <class T>
distributed_stencil<T>::distributed_stencil(const device& where, std::shared_ptr<communicator> comm,
                                            const extents& all, const stencil_options& options,
                                            int steps_per_exchange, bool has_source,
                                            gpu_transport by)
    : s_(std::make_unique<state>(where, std::move(comm), all, options, steps_per_exchange,
                                 has_source, by)) {}
template <class T>
distributed_stencil<T>::distributed_stencil(distributed_stencil&&) noexcept = default;
template <class T>
distributed_stencil<T>& distributed_stencil<T>::operator=(distributed_stencil&&) noexcept = default;
template <class T>
distributed_stencil<T>::~distributed_stencil() = default;

template <class T>
const extents& distributed_stencil<T>::all() const {
  return s_->all;
}
template <class T>
extents distributed_stencil<T>::size() const {
  return with_layers(s_->all, s_->own);
}
template <class T>
slab_share distributed_stencil<T>::share() const {
  return {s_->first, s_->own, s_->low + s_->high, s_->between};
}
template <class T>
const char* distributed_stencil<T>::transport() const {
  return s_->gpus ? s_->gpus->name() : s_->comm->transport();
}
template <class T>
const stencil_report& distributed_stencil<T>::report() const {
  return s_->runner->report();
}

template <class T>
void distributed_stencil<T>::set_field(grid_view<const T> mine) {
  state& s = *s_;
  together(*s.comm, [&] { check_values("field", mine, size()); });
  const grid<T> slab = s.with_ghosts(mine);
  together(*s.comm, [&] { s.runner->set_field(slab); });
}

template <class T>
void distributed_stencil<T>::set_source(grid_view<const T> mine) {
  state& s = *s_;
  together(*s.comm, [&] { check_values("source", mine, size()); });
  const grid<T> slab = s.with_ghosts(mine);
  together(*s.comm, [&] { s.runner->set_source(slab); });
}

template <class T>
void distributed_stencil<T>::field(grid_view<T> mine) {
  together(*s_->comm, [&] {
    check_size("field", mine.size, size());
    s_->runner->layers(s_->low, mine);
  });
}

/// This rank's part of a field or source that is whole on the root.
template <class T>
grid<T> distributed_stencil<T>::dealt(const char* name, grid_view<const T> whole, int root) const {
  const state& s = *s_;
  together(*s.comm, [&] {
    if (s.comm->rank() == root) check_values(name, whole, s.all);
  });
  grid<T> mine(size());
  deal_pieces(*s.comm, root, whole.data, mine.cells(), [&](int r) { return s.first_cell_of(r); });
  return mine;
}

template <class T>
void distributed_stencil<T>::scatter(grid_view<const T> whole, int root) {
  set_field(dealt("field", whole, root).view());
}

template <class T>
void distributed_stencil<T>::scatter_source(grid_view<const T> whole, int root) {
  set_source(dealt("source", whole, root).view());
}

template <class T>
grid<T> distributed_stencil<T>::gather(int root) {
  state& s = *s_;
  grid<T> mine(size()), whole(s.comm->rank() == root ? s.all : extents(1, 1));
  field(mine.view());
  collect_pieces(*s.comm, root, std::span<const T>(mine.cells()), whole.cells().data(),
                 [&](int r) { return s.first_cell_of(r); });
  return whole;
}

template <class T>
stencil_outcome distributed_stencil<T>::run(int steps) {
  state& s = *s_;
  together(*s.comm, [&] { check_goal({.steps = steps}); });
  s.began = s.told = seconds_on_host();
  stencil_outcome end;
  end.steps = s.advance(steps, 0, std::nullopt, end.stopped);
  end.solve_s = seconds_on_host() - s.began;
  return end;
}

template <class T>
stencil_outcome distributed_stencil<T>::run_until(double tolerance, int max_steps,
                                                  int check_every) {
  state& s = *s_;
  together(*s.comm, [&] {
    check_goal({.steps = max_steps, .until = tolerance, .check_every = check_every});
  });
  s.began = s.told = seconds_on_host();
  stencil_outcome end;
  end.stopped = stencil_stop::step_limit;
  int done = 0;
  while (done < max_steps && end.stopped == stencil_stop::step_limit) {
    const int next = std::min(check_every, max_steps - done);
    done += s.advance(next - 1, done, end.change, end.stopped);
    if (end.stopped == stencil_stop::interrupted) break;
    end.change = s.change_of_step();
    ++done;
    if (!std::isfinite(*end.change))
      end.stopped = stencil_stop::not_finite;
    else if (*end.change <= tolerance)
      end.stopped = stencil_stop::converged;
  }
  end.steps = done;
  end.solve_s = seconds_on_host() - s.began;
  return end;
}

template class distributed_stencil<double>;
template class distributed_stencil<float>;

}  // namespace dwell
