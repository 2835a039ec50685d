// SPDX-License-Identifier: MIT
// Where the phases of a Program meet the vectors and the matrix: one workspace per team, made by an
// executor. A phase says which vectors a pass loads and stores; where an element lives (registers,
// scratch, global memory) is the plan's, and only the workspace knows.
#pragma once
#include <cmath>
#include <cstddef>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/plan/residency.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/execution/krylov/vectors/cache.hpp"
#include "dwell/execution/krylov/vectors/columns.hpp"

namespace dwell {

/// `Shape` is a type with the config as its static constexpr member `value`.
template <class P, class T, class Team, class Shape>
class workspace : public column_workspace<P, T, Team> {
 public:
  static constexpr program_config shape = Shape::value;
  static constexpr int columns = column_count<P>;
  static constexpr int carry_slot = P::sum_count * columns, interrupt_slot = carry_slot + 1;

  DWELL_FN workspace(Team& team, const program_args<P, T>& args)
      : column_workspace<P, T, Team>(team, args),
        team_(team),
        a_(args),
        part_(args.tiles.teams[team.part()]) {
    team.join();
    if constexpr (shape.caches) cache_.open(team, args, part_);
  }
  /// To be called once in a run of one launch, before the first phase.
  DWELL_FN void begin() {
    if constexpr (with_ghosts && gathers_first<P> && !Team::alone)
      team_.exchange(cache_.template window<gathered_vector_of<P>>(a_), token_slot);
  }
  /// Writes back what the host will read. To be called once, at the end of a run.
  DWELL_FN void close() {
    if constexpr (shape.caches) cache_.close(team_, a_, part_);
    team_.leave();
  }

  /// f(v) for every element that this team owns: v[k] is vector k's, loaded if in reads<...>,
  /// stored if in writes<...>; any other v[k] is a free register. Of a Program with columns an
  /// element is a value of one column, and f is called as f(lane, v) or f(lane, v, acc).
  template <int... R, int... W, class F>
  DWELL_FN void each_owned(reads<R...> in, writes<W...> out, F&& f) {
    pass(in, out, [&](int lane, T* v) { this->call(f, lane, v); });
  }
  /// Goes over elements with sums: f(v, acc) adds to acc[0 .. Count - 1], which after a barrier are
  /// total(sum_of<First, Count>{}).
  template <int... R, int... W, int First, int Count, class F>
  DWELL_FN void each_owned(reads<R...> in, writes<W...> out, adds_to<First, Count> to, F&& f) {
    auto acc = team_.template per_lane<sums<Count>>();
    team_.each([&](int lane) {
      for (int k = 0; k < Count; ++k) acc[lane].v[k] = 0.0;
    });
    pass(in, out, [&](int lane, T* v) { this->call(f, lane, v, acc[lane].v); });
    give(First + to.shift, acc);
  }

  /// Which of the two copies of exchanged vectors is read from now on; the other one is written.
  DWELL_FN void exchange(int copy) { copy_ = copy; }

  /// Sums that were given before the last barrier; equal bits in every team. Returns sums<Count>,
  /// of a Program with columns one per lane: those of its column.
  template <int First, int Count>
  DWELL_FN auto total(sum_of<First, Count> which) {
    return total_of<Count, false>(First + which.shift, 0);
  }
  template <int First, int Count>
  DWELL_FN auto total(sum_of<First, Count> which, with_interrupt answer) {
    return total_of<Count, true>(First + which.shift, answer.parity);
  }

  /// Out = A * In for the rows that end in this team, and adds In . Out to sum `Sum`. In is
  /// gathered; rows cut between teams are incomplete until finish() after the next barrier, but the
  /// sum is right at once: it is linear in the parts of a row.
  template <int In, int Out, int Sum>
  DWELL_FN void multiply(reads<In>, writes<Out>, adds_to<Sum>) {
    static_assert(columns == 1);
    multiply_all<Sum, In, Out>();
  }
  /// Out = A * In, complete at once: for Programs with whole rows. Of an exchanged pair In, the
  /// products are Out...: A times the first, A times its partner.
  template <int In, int... Out>
  DWELL_FN void multiply(reads<In>, writes<Out...>) {
    static_assert(whole_rows_of<P>, "without a sum the program must say whole_rows");
    multiply_all<no_sum, In, Out...>();
  }

  /// Memory of this team's own, which its lanes share, of Programs with a basis (basis.hpp).
  DWELL_FN double* team_memory() const {
    return a_.team_memory + team_.worker() * P::team_doubles(a_.basis_size);
  }
  DWELL_FN int basis_size() const { return a_.basis_size; }
  /// f(v, e) for every element that this team owns: e is that of basis vector k, and is stored.
  template <int... R, int... W, class F>
  DWELL_FN void put_basis(reads<R...> in, writes<W...> out, int k, F&& f);
  /// F += sign * sum of by[k] times basis vector k, k < count; afresh: F = that. `by`: memory of
  /// the team, written before its lanes last met; of complex values two numbers a factor.
  template <int F>
  DWELL_FN void add_basis(int count, const double* by, double sign, bool afresh = false);
  /// The products of basis vectors 0 to count - 1 with F: after a barrier basis_totals(set). Of
  /// complex values the basis vectors are conjugated, and a product is two numbers.
  template <int F>
  DWELL_FN void multiply_basis(int count, int set);
  /// These, to memory of the team; its lanes meet. There are two sets.
  DWELL_FN void basis_totals(int count, int set, double* to);

  /// Adds to this team's first row the parts that earlier teams computed.
  template <int Out>
  DWELL_FN void finish(writes<Out>);

  /// For Programs with a sequence of products: which of its phases is run.
  DWELL_FN void take_sequence_phase(int k) { sequence_phase_ = k; }
  DWELL_FN int sequence_phase() const { return sequence_phase_; }
  DWELL_FN int sequence_phases() const { return a_.sequence.phases; }
  /// Runs it; the last one writes the sequence's result to the elements of Out that this team owns.
  template <int Out>
  DWELL_FN void run_sequence(writes<Out>);

  /// Tells the host how far the run is (squared: of the residual's norm), and records that norm if
  /// a history is wanted, and the coefficients. By the last lane: its warp has the fewest elements.
  DWELL_FN void note(int step, double squared, const step_coefficients& by = {}) {
    if (team_.worker() == 0)
      team_.each([&](int lane) {
        if (lane != Team::lanes() - 1) return;
        const double residual = std::sqrt(squared);
        if (a_.history) Team::publish(a_.history + step, residual);
        const std::size_t first = Team::alone ? std::size_t(team_.part()) * a_.recorded : 0;
        if (step < a_.recorded) a_.coefficients[first + step] = by;
        if constexpr (Team::alone) return;  // the host hears nothing of one among many
        Team::publish(&a_.watch->residual, residual);
        Team::publish(&a_.watch->step, step);
        if constexpr (asks_judge<Team>)
          if (a_.judge && a_.judge->ends(step, squared, by))  // poll() finds it
            Team::publish(&a_.watch->interrupt, 1);
      });
  }
  /// Team 0 polls for an interrupt; after the next barrier a total() that listens tells all. In a
  /// run of one launch it publishes the answer of the last poll, so that it does not wait for this
  /// one. A Program that polls and listens in one phase alternates the parity.
  DWELL_FN void poll(int parity = 0) {
    given_ = true;
    team_.put_partial_from(0, interrupt_slot + parity, [&] {
      const int before = polled_;
      polled_ = Team::observe(&a_.watch->interrupt);
      return static_cast<double>(a_.one_launch ? before : polled_);
    });
  }
  DWELL_FN bool interrupted() const { return seen_ != 0.0; }

  /// What has happened since the workspace was made: sums given, elements written that others read.
  bool has_given_sums() const { return given_; }
  bool has_written_elements() const { return written_; }

  /// All teams meet at the end of a phase.
  DWELL_FN void barrier() {
    if constexpr (Team::alone) {
      team_.sync_grid(), pending_ = false;
    } else if (gave_ && !published_) {
      team_.sync_partials();
    } else if constexpr (with_ghosts) {
      team_.exchange(cache_.template window<gathered_vector_of<P>>(a_), token_slot);
    } else {
      team_.sync_grid();
    }
    gave_ = published_ = false;
  }

  DWELL_FN Team& team() { return team_; }

 private:
  template <int Width>
  using pack = value_pack<T, Width>;
  template <int... Out>
  static constexpr int product_width = columns > 1 ? columns : static_cast<int>(sizeof...(Out));
  static constexpr int no_sum = -1;
  static constexpr bool fully_cached = shape.assumes != caching::part;
  static constexpr bool with_ghosts = shape.assumes == caching::ghosts;
  static_assert(can_run<P>(shape) && (shape.caches || !fully_cached) &&
                (fully_cached || (shape.tiles_in_registers == 0 && shape.slots == 0)));
  static constexpr int token_slot = interrupt_slot + 2;
  static_assert(token_slot < partial_slots_of<P>);
  using element_index = typename column_workspace<P, T, Team>::element_index;

  template <int F>
  DWELL_HD static constexpr bool in_register() {
    return shape.slots > 0 && P::in_registers::place_of(F) >= 0;
  }
  /// Where owned element e of vector F lives, unless in a register.
  template <int F>
  DWELL_FN T* at(element_index e) const {
    if constexpr (fully_cached) return cache_.home(F) + e;
    if constexpr (shape.caches)
      if (e < a_.cache.vector[F]) return cache_.home(F) + e;
    if constexpr (columns > 1) return base<F>() + (values_of<P, F> < columns ? e / columns : e);
    return a_.vectors[F] + part_.begin.row + e;
  }
  /// Where vector F begins for this team, if F is cached whole or not at all.
  template <int F>
  DWELL_FN T* base() const {
    if constexpr (fully_cached) return cache_.home(F);
    if constexpr (shape.caches)
      if (a_.cache.vector[F] > 0) return cache_.home(F);
    if constexpr (columns > 1)
      return a_.vectors[F] + static_cast<element_index>(part_.begin.row) * values_of<P, F>;
    else
      return a_.vectors[F] + part_.begin.row;
  }
  /// Place of vectors that are known to be in scratch: no test where they are.
  template <bool Resident, int F>
  DWELL_FN T* place() const {
    if constexpr (Resident)
      return cache_.home(F);
    else
      return base<F>();
  }
  /// Rows of F of a Program with columns, by their numbers in the matrix.
  template <int F>
  DWELL_FN auto* rows_of() const {
    return reinterpret_cast<pack<columns>*>(a_.vectors[F]);
  }
  template <bool Resident>
  DWELL_FN T* carry_place(int tile) const {
    if constexpr (Resident)
      return cache_.carries() + (tile - part_.first_tile) * product_width_of<P>;
    else
      return tile_carry(tile);
  }
  /// product_width_of<P> values.
  DWELL_FN T* tile_carry(int tile) const {
    constexpr int width = product_width_of<P>;
    if constexpr (shape.caches)
      if (fully_cached || cache_.carries())
        return cache_.carries() + (tile - part_.first_tile) * width;
    return a_.tile_carry + static_cast<std::ptrdiff_t>(tile) * width;
  }
  DWELL_FN tile_header header(int tile) const {
    if constexpr (fully_cached) return cache_.header(tile - part_.first_tile);
    if constexpr (shape.caches)
      if (const int cached = cache_.cached_as(tile - part_.first_tile); cached >= 0)
        return cache_.view().header[cached];
    return a_.tiles.header[tile];
  }
  template <int F, int Width>
  DWELL_FN const pack<Width>* gathered() const {
    static_assert(Width == (P::uses[F] == use::exchange ? 2 : columns));
    const auto* all = reinterpret_cast<const pack<Width>*>(a_.vectors[F]);
    if constexpr (P::uses[F] == use::exchange)
      return all + static_cast<std::ptrdiff_t>(copy_) * a_.matrix.cols;
    else
      return all;
  }
  /// Where an element of an exchanged vector or of its partner is written.
  template <int F>
  DWELL_FN T* exchanged(index e) const {
    constexpr int second = P::uses[F] == use::partner;
    const std::ptrdiff_t row =
        static_cast<std::ptrdiff_t>(copy_ ^ 1) * a_.matrix.cols + part_.begin.row + e;
    return a_.vectors[F - second] + 2 * row + second;
  }
  template <int F>
  DWELL_FN void put(element_index e, T v) const {
    static_assert(values_of<P, F> == columns);
    if constexpr (P::uses[F] == use::exchange || P::uses[F] == use::partner) {
      *exchanged<F>(e) = v;
    } else if constexpr (P::uses[F] == use::handed) {
      const index row = part_.begin.row + e;
      if constexpr (is_complex_value<T>) {  // the sequence has a row for each part
        a_.sequence.input[2 * row] = in_units_of_sequence<float>(2 * row, v.re);
        a_.sequence.input[2 * row + 1] = in_units_of_sequence<float>(2 * row + 1, v.im);
      } else {
        a_.sequence.input[row] = in_units_of_sequence<float>(row, v);
      }
    } else {
      *at<F>(e) = v;
      if constexpr (shape.caches && P::uses[F] == use::gather && !with_ghosts)
        a_.vectors[F][part_.begin.row + e] = v;
    }
  }

  /// Converts the sequence's input and result: v in the units of the sequence's rows, and back.
  template <class To, class V>
  DWELL_FN To in_units_of_sequence(index row, V v) const {
    const double* const units = a_.sequence.units;
    return units ? static_cast<To>(units[row] * static_cast<double>(v)) : static_cast<To>(v);
  }
  template <int F>
  DWELL_FN void put_slot(int lane, int s, element_index e, T v);
  template <int F>
  DWELL_FN T get_slot(int lane, int s, element_index e);

  /// Listen: also takes the answer of poll(parity) before the last barrier.
  template <int Count, bool Listen>
  DWELL_FN auto total_of(int first, int parity) {
    if constexpr (!Team::alone) pending_ = false;  // its lanes do not meet in there
    return team_.template total<Count, Listen>(first, interrupt_slot + parity, seen_);
  }
  template <int... R, int... W, class F>
  DWELL_FN void pass(reads<R...>, writes<W...>, F&& f);
  DWELL_FN int basis_slot(int set) const {
    return partial_slots_of<P> + set * a_.basis_size * sums_per_product<T>;
  }
  template <int Count, bool Stores, int... R, int... W, class F>
  DWELL_FN void pass_basis(reads<R...>, writes<W...>, int first, F&& f);
  template <class Acc>
  DWELL_FN void give(int first, Acc& acc) {
    team_.give(first, acc);
    gave_ = given_ = true;
  }
  template <int... W>
  DWELL_FN void note_writes() {
    if constexpr (((P::uses[W] != use::own) || ...)) published_ = true;
    if constexpr (((P::uses[W] != use::own && P::uses[W] != use::handed) || ...)) written_ = true;
  }

  template <int Sum, int In, int... Out>
  DWELL_FN void multiply_all() {
    static_assert((P::uses[In] == use::gather || P::uses[In] == use::exchange) &&
                  ((P::uses[Out] == use::own && P::in_registers::place_of(Out) < 0) && ...));
    gave_ = false;
    if constexpr (shape.tiles)
      spmv_tiles<Sum, In, Out...>();
    else
      spmv_rows<Sum, In, Out...>();
  }
  template <int Sum, int In, int... Out>
  DWELL_FN void spmv_rows();
  template <int Sum, int In, int... Out>
  DWELL_FN void spmv_tiles();
  template <int In>
  DWELL_FN T foreign_element(index row) const;
  template <int Sum, int In, int Out>
  DWELL_FN void sum_tiles(T foreign);
  template <int In, int... Out>
  DWELL_FN void walk_tiles();
  template <class Column, int In, int... Out>
  DWELL_FN void walk_tiles_of();
  template <int... Out>
  DWELL_FN void join_tiles(int lane);
  template <int Round, int In, int... Out, class Warp>
  DWELL_FN void multiply_in_registers(Warp& warp, int tiles);
  template <class Column, int In, int... Out>
  DWELL_FN void walk_cached_tiles();
  template <bool Resident, int In, int... Out, class Warp, class Parts>
  DWELL_FN void multiply_one(Warp& warp, Parts& part, int tile);

  Team& team_;
  const program_args<P, T>& a_;
  const team_part part_;
  int copy_ = 0;       ///< copy of exchanged vectors that is read
  double seen_ = 0.0;  ///< the flag of interrupts, as of the last total()
  int sequence_phase_ = 0;
  int polled_ = 0;        ///< team 0, the lane that polls: as read from the host
  bool pending_ = false;  ///< a lane wrote what others read, and they have not met since
  // Since the teams met, and the same in all of them:
  bool published_ = false;  ///< this one wrote what others read
  bool gave_ = false;       ///< it gave sums, and has not read what others write since
  bool given_ = false, written_ = false;  ///< has_given_sums(), has_written_elements()
  workspace_cache<P, T, Team, Shape> cache_;
};

}  // namespace dwell

#include "dwell/execution/krylov/products/run_sequence.hpp"
#include "dwell/execution/krylov/vectors/basis.hpp"
#include "dwell/execution/krylov/vectors/elementwise.hpp"
#include "dwell/execution/krylov/vectors/product.hpp"
