// SPDX-License-Identifier: MIT
// A program: an iterative method over one sparse matrix and vectors of its size, written as phases
// with a barrier between two of them. It is compiled for CPU teams and for CUDA teams; executors
// decide in which loop it runs, plans where its data live meanwhile. The methods of the library are
// written to this page, and so is one of your own (dwell/custom_program.hpp runs it).
//
//   struct richardson {                               // x += omega (b - A x)
//     static constexpr const char* name = "richardson";
//     enum : int { x, b, q, vectors };                // the vectors, and how many
//     static constexpr dwell::use uses[vectors] = {
//         dwell::use::gather, dwell::use::own, dwell::use::own};
//     using in_registers = dwell::vector_list<>;      // own vectors worth registers
//     using results = dwell::vector_list<x>;          // what the host reads at the end
//     enum : int { rr, sum_count };                   // sums over all rows, and how many
//     static constexpr bool whole_rows = true;        // optional: no row is cut between teams
//     static constexpr int phases = 2;
//     struct scalars {                                // trivially copyable
//       int step = 0;
//       int stop = 0;                                 // not 0: the run ends, in this phase
//       double omega = 0;
//     };
//     template <int Phase, class T, class Workspace>
//     DWELL_HD static void phase(Workspace& s, scalars& m) {
//       using namespace dwell;
//       if constexpr (Phase == 0) {
//         s.multiply(reads<x>{}, writes<q>{});        // q = A x
//         s.each_owned(reads<b, q>{}, writes<>{}, adds_to<rr>{}, [](T* v, double* sum) {
//           const double r = v[b] - v[q];
//           sum[0] += r * r;
//         });
//       } else {
//         const double square = s.total(sum_of<rr>{}).v[0];
//         s.note(m.step, square);
//         ++m.step;
//         if (square <= 1e-16) m.stop = 1;
//         const T omega = static_cast<T>(m.omega);
//         s.each_owned(reads<x, b, q>{}, writes<x>{},
//                      [=](T* v) { v[x] += omega * (v[b] - v[q]); });
//       }
//     }
//   };
//
// DWELL_HD makes the phase a function of the device and of the host under nvcc: the host runs it to
// count what an iteration moves. A phase of the device alone ends the process there.
//
// A phase may call, of the workspace s of its team:
//
//   s.each_owned(reads<...>{}, writes<...>{}, f)
//       f(v) for each row that the team owns; v[k] is the element of vector k, of type T.
//   s.each_owned(reads<...>{}, writes<...>{}, adds_to<First, Count>{}, f)
//       f(v, sum), which adds to sum[0] to sum[Count - 1].
//   s.total(sum_of<First, Count>{})
//       These sums over all teams, as .v[0] to .v[Count - 1]; the same bits in every team.
//   s.total(sum_of<First, Count>{}, with_interrupt{})
//       Likewise; takes the answer of poll() along.
//   s.multiply(reads<In>{}, writes<Out>{})
//       Out = A In. The program says whole_rows: a long row is then one team's alone.
//   s.multiply(reads<In>{}, writes<Out>{}, adds_to<Sum>{}), in the next phase
//   s.finish(writes<Out>{})
//       Out = A In, and In . Out to a sum. Rows that two teams share are complete after finish().
//   s.poll(), after the next barrier with_interrupt, then s.interrupted()
//       Asks whether the host wants the run to end, and says it.
//   s.note(step, square)
//       Tells the host how far the run is: a step, and the square of a norm.
//
// Laws. Every team runs every phase with equal scalars and must leave equal scalars behind: they
// depend on scalars and totals alone. Between two barriers an element of a gathered vector is
// written, or read by others, never both: multiply() reads, each_owned() writes in another phase. A
// sum given in one phase is asked for in a later one, and given again only after another barrier. A
// phase multiplies once. Each vector is touched in every iteration (one pass through the phases);
// where the first one differs from the others, `static scalars steady_state()` returns scalars of
// the others. A program that writes a gathered vector in a phase of each run, before any product
// reads it, may say `static constexpr bool writes_gathered_first = true`: that saves an exchange.
// Sums are in double, and have a fixed order, so that a run repeats bit for bit.
#pragma once
#include <concepts>
#include <type_traits>

#include "dwell/base/fn.hpp"
#include "dwell/device/sums.hpp"

namespace dwell {

/// The most vectors a program may have, and the most sums.
inline constexpr int max_vectors = 12;
inline constexpr int max_sums = 10;  ///< most sums of a program

/// Who touches the elements of a vector. own: only the team that owns the row. gather: others read
/// it, too (what multiply() reads), in another phase than the one in which it is written. The
/// library's alone are: exchange, and the partner that follows it, a pair of vectors that others
/// read while the owner writes the next ones (two copies in turn, so that one barrier between a
/// write and its reads is enough; the elements of a pair lie side by side); handed, written by the
/// owner only, into the input of the preconditioner's sequence of products.
enum class use { own, gather, exchange, partner, handed };

/// What teams may have for others when a phase has ended: sums, elements of vectors that others
/// read. A program may say so of each phase (`outputs[phases]`); else it is `both`. A run of
/// several ranks on GPUs exchanges this much behind each phase, and no more; on a CPU, where the
/// workspace notes what there is, a phase that leaves more than it says fails.
enum class output { sums = 1, elements = 2, both = 3 };

/// Which vectors a pass over elements loads. Bytes moved are counted from these.
template <int... Vectors>
struct reads {};
/// Which vectors it stores.
template <int... Vectors>
struct writes {};

/// Vectors by number, at compile time.
template <int... Vectors>
struct vector_list {
  static constexpr int count = sizeof...(Vectors);  ///< number of vectors
  /// The place of f in the list, or -1.
  DWELL_HD static constexpr int place_of(int f) {
    int at = 0, found = -1;
    ((Vectors == f ? void(found = at) : void(), ++at), ...);
    return found;
  }
  template <class F>
  DWELL_FN static void each(F&& f) {  ///< f(an integral_constant) of each
    (f(std::integral_constant<int, Vectors>{}), ...);
  }
};

/// A pass that also adds to Count sums, the first of which is First + shift.
template <int First, int Count = 1>
struct adds_to {
  int shift = 0;  ///< known at run time
};
/// Count sums, the first of which is First + shift, given before the last barrier.
template <int First, int Count = 1>
struct sum_of {
  int shift = 0;  ///< known at run time
};
/// A total that also takes the answer of poll(parity) before the last barrier. A program that polls
/// and takes the answer in one phase alternates the parity.
struct with_interrupt {
  int parity = 0;  ///< 0 or 1
};

/// What the page above asks of a struct. A call of phase() is checked where it is compiled.
template <class P>
concept Program = requires {
  { P::name } -> std::convertible_to<const char*>;
  { P::uses[P::vectors - 1] } -> std::convertible_to<use>;
  typename P::in_registers;
  typename P::results;
  requires P::vectors >
  0 && P::vectors <= max_vectors;
  requires P::sum_count >= 0;
  requires P::phases >
  0;
  requires std::is_trivially_copyable_v<typename P::scalars>;
  requires std::is_same_v<decltype(P::scalars::step), int>;
  requires std::is_same_v<decltype(P::scalars::stop), int>;
};

}  // namespace dwell
