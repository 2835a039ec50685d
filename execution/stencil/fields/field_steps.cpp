// SPDX-License-Identifier: MIT
// Threads that take single steps and passes.
#include "dwell/execution/stencil/fields/field_steps.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>

#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/watch_cpu.hpp"

namespace dwell {

/// A thread in a run. All stop after the same step: the first one decides before the last barrier
/// of a step, and writes the word again two steps later.
template <class T>
class field_stepper<T>::team {
 public:
  team(int number, int count, cpu_barrier* barrier, field_run<T>& run, field_places& places,
       typename field_rows<T>::scratch& scratch, monitor& watch, std::array<int, 2>& stop,
       std::function<void()> poll)
      : number(number),
        count(count),
        run(run),
        places(places),
        scratch(scratch),
        watch_(watch),
        stop_(stop),
        barrier_(barrier),
        poll_(std::move(poll)) {}

  void meet() {
    if (barrier_) barrier_->arrive_and_wait();
  }
  /// To be called before the last barrier of a step, or of a pass.
  void decide(int steps_done) {
    turn_ ^= 1;
    if (number != 0) return;
    std::atomic_ref(watch_.step).store(steps_done, std::memory_order_release);
    if (poll_) poll_();
    stop_[turn_] = std::atomic_ref(watch_.interrupt).load(std::memory_order_acquire);
  }
  /// After that barrier.
  bool stopped() const { return stop_[turn_] != 0; }

  const int number, count;
  field_run<T>& run;
  field_places& places;
  typename field_rows<T>::scratch& scratch;
  int step = 0;

 private:
  monitor& watch_;
  std::array<int, 2>& stop_;
  cpu_barrier* barrier_;
  std::function<void()> poll_;
  std::size_t turn_ = 0;
};

template <class T>
field_stepper<T>::field_stepper(const field_rows<T>& rows, int threads, const field_pass& pass)
    : rows_(rows), threads_(threads), pass_(pass) {
  for (int t = 0; t < threads; ++t)
    scratch_.push_back(std::make_unique<typename field_rows<T>::scratch>(rows));
  if (threads > 1) pool_ = std::make_unique<cpu::team_threads>(threads);
}

template <class T>
field_run_end field_stepper<T>::run(field_run<T>& r, const field_places& places,
                                    const run_control& control) {
  monitor shared;
  std::array<int, 2> stop{};
  cpu::run_watch watch(control, &shared);
  std::vector<field_places> held(static_cast<std::size_t>(threads_), places);
  const double begin = cpu::seconds_now();
  int done = 0;
  const auto one = [&](int number, cpu_barrier* barrier, std::function<void()> poll) {
    team t(number, threads_, barrier, r, held[static_cast<std::size_t>(number)],
           *scratch_[static_cast<std::size_t>(number)], shared, stop, std::move(poll));
    work(t);
    if (number == 0) done = t.step;
  };
  if (pool_)
    pool_->run(watch, [&](int number, cpu_barrier& barrier) { one(number, &barrier, nullptr); });
  else
    one(0, nullptr, [&] { watch.poll(); });
  watch.finish();
  return {done, cpu::seconds_now() - begin, held[0]};
}

template <class T>
void field_stepper<T>::work(team& t) const {
  while (t.step < t.run.steps) {
    if (pass_.depth > 0)
      pass(t, std::min(pass_.depth, t.run.steps - t.step));
    else
      single_step(t);
    if (t.stopped()) return;
  }
}

template <class T>
field_block field_stepper<T>::part(const team& t) const {
  const auto& size = rows_.domain().size();
  if (size.dims == 1) {
    const auto [first, last] = piece(size.n[2], t.number, t.count);
    return {0, 1, first, last};
  }
  const auto [first, last] = piece(size.rows(), t.number, t.count);
  return {first, last, 0, size.n[2]};
}

template <class T>
void field_stepper<T>::compute(std::size_t stage, const stage_memory<T>& memory,
                               const field_block& b, team& t) const {
  const std::int64_t rows = rows_.domain().size().n[1];
  for (std::int64_t row = b.first_row; row < b.last_row; ++row)
    rows_.compute(stage, memory, row / rows, row % rows, b.first_x, b.last_x, t.scratch);
}

template <class T>
void field_stepper<T>::single_step(team& t) const {
  const auto& definition = rows_.domain().definition();
  const auto stages = definition.stages();
  const field_block mine = part(t);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    stage_memory<T> memory = t.run.memory.next(stages[s], t.places);
    memory.parameters = t.run.parameters_of(t.step, definition.parameters());
    compute(s, memory, mine, t);
    if (s + 1 == stages.size()) t.decide(t.step + 1);
    t.meet();
    if (t.run.fixed_cells.empty() || stages[s].renamed.empty()) continue;
    keep_fixed_cells(t, stages[s]);
    t.meet();
  }
  if (!t.run.points.empty()) {
    t.run.points.apply(t.run.first_step + t.step, mine, t.run.memory, t.places);
    if (!t.run.points.sources.empty()) t.meet();
  }
  ++t.step;
}

template <class T>
void field_stepper<T>::keep_fixed_cells(team& t, const field_stage& stage) const {
  const field_domain& d = rows_.domain();
  const field_block mine = part(t);
  for (const renamed_output& r : stage.renamed) {
    T* const to = t.run.memory.field(t.places, r.field);
    const T* const from = t.run.fixed_cells[static_cast<std::size_t>(r.field)].data();
    for (std::int64_t row = mine.first_row; row < mine.last_row; ++row) {
      const std::int64_t z = row / d.size().n[1], y = row % d.size().n[1];
      const auto keep = [&](std::int64_t first, std::int64_t last) {
        first = std::max(first, mine.first_x);
        last = std::min(last, mine.last_x);
        for (std::int64_t x = first; x < last; ++x)
          to[row * rows_.pitch() + x] = from[row * d.size().n[2] + x];
      };
      const auto [first, last] = d.changing(2);
      if (first < last && !d.is_fixed(z, y, first)) {
        keep(0, first);
        keep(last, d.size().n[2]);
      } else {
        keep(0, d.size().n[2]);
      }
    }
  }
}

template <class T>
field_block field_stepper<T>::block_of(const cell_range& layers, const cell_range& cells) const {
  const field_size& size = rows_.domain().size();
  if (size.dims == 1) return {0, 1, layers.first, layers.last};
  if (size.dims == 2) return {layers.first, layers.last, cells.first, cells.last};
  return {layers.first * size.n[1] + cells.first, layers.first * size.n[1] + cells.last, 0,
          size.n[2]};
}

template <class T>
void field_stepper<T>::pass(team& t, int depth) const {
  const auto& definition = rows_.domain().definition();
  const auto stages = definition.stages();
  const int count = static_cast<int>(stages.size());
  struct turn {
    stage_memory<T> memory;
    field_places after;
  };
  std::vector<turn> turns;
  for (int s = 0; s < depth * count; ++s) {
    turn next;
    next.memory = t.run.memory.next(stages[static_cast<std::size_t>(s % count)], t.places);
    next.memory.parameters = t.run.parameters_of(t.step + s / count, definition.parameters());
    next.after = t.places;
    turns.push_back(next);
  }
  for (int phase = 0; phase < 2; ++phase) {
    for_slab(
        pass_, depth * count, t.number, phase, [&](int s, cell_range layers, cell_range cells) {
          const field_block b = block_of(layers, cells);
          const turn& now = turns[static_cast<std::size_t>(s)];
          compute(static_cast<std::size_t>(s % count), now.memory, b, t);
          if (s % count + 1 == count && !t.run.points.empty())
            t.run.points.apply(t.run.first_step + t.step + s / count, b, t.run.memory, now.after);
        });
    if (phase == 1) t.decide(t.step + depth);
    t.meet();
  }
  t.step += depth;
}

template class field_stepper<double>;
template class field_stepper<float>;

}  // namespace dwell
