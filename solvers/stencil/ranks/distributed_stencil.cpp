// SPDX-License-Identifier: MIT
// Checks, whole fields on one rank, and runs until something. What a rank does is in
// field_part_run.hpp.
#include "dwell/stencil/distributed_stencil.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/stencil/api/check.hpp"
#include "dwell/solvers/stencil/ranks/field_part_run.hpp"

namespace dwell {
namespace {

/// By all ranks together: the messages of one rank at a time between the root and the rank, and
/// room for its cells on the root.
template <class T>
class whole_field {
 public:
  whole_field(communicator& comm, const divided_field& field, int root)
      : comm_(comm), field_(field), root_(root) {
    together(comm_, [&] {
      if (!is_root()) return;
      std::size_t most = 0;
      for (int r = 0; r < comm_.size(); ++r) most = std::max(most, field_.own(r).size.cells());
      room_.resize(most);
    });
  }
  bool is_root() const { return comm_.rank() == root_; }

  void deal(grid_view<const T> whole, std::span<T> mine) {
    for (int r = 0; r < comm_.size(); ++r) {
      if (is_root()) copy_box(whole, field_.own(r).first, cells_of(r));
      std::vector<rank_message> out, in;
      if (is_root()) out.push_back(message(r, cells_of(r).cells()));
      if (comm_.rank() == r) in.push_back(message(root_, mine));
      exchange(std::move(out), std::move(in));
    }
  }
  /// Nothing is written to `mine`.
  void collect(std::span<T> mine, grid_view<T> whole) {
    for (int r = 0; r < comm_.size(); ++r) {
      std::vector<rank_message> out, in;
      if (comm_.rank() == r) out.push_back(message(root_, mine));
      if (is_root()) in.push_back(message(r, cells_of(r).cells()));
      exchange(std::move(out), std::move(in));
      if (is_root()) copy_to_box<T>(cells_of(r), whole, field_.own(r).first);
    }
  }

 private:
  grid_view<T> cells_of(int rank) { return {field_.own(rank).size, room_.data()}; }
  static rank_message message(int peer, std::span<T> cells) {
    return {peer, cells.data(), cells.size_bytes()};
  }
  void exchange(std::vector<rank_message> out, std::vector<rank_message> in) {
    const auto messages = comm_.messages(std::move(out), std::move(in));
    messages->start();
    messages->finish();
  }
  communicator& comm_;
  const divided_field& field_;
  int root_;
  std::vector<T> room_;
};

}  // namespace

template <class T>
struct distributed_stencil<T>::state {
  field_part_run<T> run;
};

template <class T>
distributed_stencil<T>::distributed_stencil(const device& where, std::shared_ptr<communicator> comm,
                                            const extents& all, const stencil_options& options,
                                            const field_division& division, bool has_source)
    : s_(new state{{where, std::move(comm), all, options, division, has_source}}) {}
template <class T>
distributed_stencil<T>::distributed_stencil(distributed_stencil&&) noexcept = default;
template <class T>
distributed_stencil<T>& distributed_stencil<T>::operator=(distributed_stencil&&) noexcept = default;
template <class T>
distributed_stencil<T>::~distributed_stencil() = default;

template <class T>
const extents& distributed_stencil<T>::all() const {
  return s_->run.whole().all;
}
template <class T>
const extents& distributed_stencil<T>::size() const {
  return s_->run.part().own.size;
}
template <class T>
field_share distributed_stencil<T>::share() const {
  const field_part& part = s_->run.part();
  return {s_->run.whole().ranks, part.own, part.before, part.after, s_->run.steps_per_exchange()};
}
template <class T>
const char* distributed_stencil<T>::transport() const {
  return s_->run.transport();
}
template <class T>
const stencil_report& distributed_stencil<T>::report() const {
  return s_->run.runner().report();
}

template <class T>
void distributed_stencil<T>::set_field(grid_view<const T> mine) {
  field_part_run<T>& run = s_->run;
  together(run.comm(), [&] { check_values("field", mine, size()); });
  const grid<T> cells = run.with_ghosts(mine);
  together(run.comm(), [&] { run.runner().set_field(cells); });
  run.connect();
}

template <class T>
void distributed_stencil<T>::set_source(grid_view<const T> mine) {
  field_part_run<T>& run = s_->run;
  together(run.comm(), [&] { check_values("source", mine, size()); });
  const grid<T> cells = run.with_ghosts(mine);
  together(run.comm(), [&] { run.runner().set_source(cells); });
}

template <class T>
void distributed_stencil<T>::field(grid_view<T> mine) {
  together(s_->run.comm(), [&] {
    check_size("field", mine.size, size());
    s_->run.runner().box(s_->run.part().before, mine);
  });
}

/// This rank's part of a field or source that is whole on the root.
template <class T>
grid<T> distributed_stencil<T>::dealt(const char* name, grid_view<const T> whole, int root) const {
  communicator& comm = s_->run.comm();
  together(comm, [&] {
    if (comm.rank() == root) check_values(name, whole, all());
  });
  grid<T> mine(size());
  whole_field<T>(comm, s_->run.whole(), root).deal(whole, mine.cells());
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
  communicator& comm = s_->run.comm();
  grid<T> mine(size()), whole;
  together(comm, [&] {
    if (comm.rank() == root) whole = grid<T>(all());
  });
  field(mine.view());
  whole_field<T>(comm, s_->run.whole(), root).collect(mine.cells(), whole.view());
  return whole;
}

template <class T>
stencil_outcome distributed_stencil<T>::run(int steps) {
  field_part_run<T>& run = s_->run;
  together(run.comm(), [&] { check_goal({.steps = steps}); });
  run.begin();
  stencil_outcome end;
  end.steps = run.advance(steps, 0, std::nullopt, end.stopped);
  end.solve_s = run.seconds();
  return end;
}

template <class T>
stencil_outcome distributed_stencil<T>::run_until(double tolerance, int max_steps,
                                                  int check_every) {
  field_part_run<T>& run = s_->run;
  together(run.comm(), [&] {
    check_goal({.steps = max_steps, .until = tolerance, .check_every = check_every});
  });
  run.begin();
  stencil_outcome end;
  end.stopped = stencil_stop::step_limit;
  int done = 0;
  while (done < max_steps && end.stopped == stencil_stop::step_limit) {
    const int next = std::min(check_every, max_steps - done);
    done += run.advance(next - 1, done, end.change, end.stopped);
    if (end.stopped == stencil_stop::interrupted) break;
    end.change = run.change_of_step();
    ++done;
    if (!std::isfinite(*end.change))
      end.stopped = stencil_stop::not_finite;
    else if (*end.change <= tolerance)
      end.stopped = stencil_stop::converged;
  }
  end.steps = done;
  end.solve_s = run.seconds();
  return end;
}

template class distributed_stencil<double>;
template class distributed_stencil<float>;

}  // namespace dwell
