// SPDX-License-Identifier: MIT
// Generalised minimal residuals for any square matrix (Saad and Schultz, SIAM J. Sci. Stat. Comput.
// 7, 1986), restarted, with a preconditioner from the right: none, a diagonal, or a sequence of
// products. One text for real and for complex values: of these scalar products are conjugate-linear
// in the basis vectors, and a rotation has a real cosine and a complex sine. The basis is
// orthogonalised by classical Gram-Schmidt, twice (Giraud, Langou and Rozloznik, Comput. Math.
// Appl. 50, 2005), whose scalar products are summed together: four phases and those of the
// sequence, each with a barrier.
//
// Passes through the phases are of two kinds. An Arnoldi pass is an iteration: it multiplies the
// next basis vector, orthogonalises the product, and turns its column of the Hessenberg matrix into
// one of the triangular factor by Givens rotations, which gives the residual's norm. A residual
// pass, at the start, at every restart and at the end, adds the combination of the basis to x and
// computes b - A x, whose norm alone says that the run has converged. Every team keeps the small
// matrices for itself, in the same bits.
#pragma once
#include <cmath>
#include <cstddef>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/multiply_add.hpp"
#include "dwell/base/real_numbers.hpp"
#include "dwell/execution/krylov/program_traits.hpp"
#include "dwell/linear/matrix_class.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/gmres/rotation.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"

namespace dwell {

/// number: of the small matrices, double or complex_value<double>.
template <class number>
struct gmres_of : run_outcome {
  static constexpr const char* method = "gmres";
  static constexpr const char* title = "generalised minimal residuals";
  static constexpr matrix_class solves = matrix_class::general;
  static constexpr const char* breaks_down =
      "the matrix is singular on the Krylov space, no step makes the residual smaller";
  static constexpr const char* variant = "textbook";
  /// y is the preconditioned basis vector, or x, that a pass multiplies; q its product, and before
  /// it what the sequence gives; d the inverse of the diagonal (Jacobi); h the input of the
  /// sequence.
  enum : int { x, b, q, y, d, h, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "b", "q", "y", "d", "h"};
  static constexpr int rhs = b;
  static constexpr int diagonal = d;
  static constexpr use uses[vectors] = {use::own,    use::own, use::own,
                                        use::gather, use::own, use::handed};
  using in_registers = vector_list<>;
  using results = vector_list<x>;
  enum : int { ww, qq, sum_count };
  static constexpr int phases = 5;
  static constexpr int sequences[1] = {1};
  static constexpr output outputs[phases] = {output::elements, output::elements, output::sums,
                                             output::sums, output::sums};
  static constexpr bool whole_rows = true;

  struct scalars {
    int step = -1;
    int stop = running;
    int max_steps = 0;
    int restart = 0;  ///< basis vectors
    bool jacobi = false;
    bool by_sequence = false;  ///< the preconditioner is the sequence
    bool fixed = false;        ///< run max_steps, whatever happens
    bool measuring = true;     ///< this is a residual pass
    int column = 0;            ///< basis vectors that have been multiplied since the last restart
    int ending = running;      ///< why the run is to end after this residual pass
    double target2 = 0.0;      ///< converged when r.r <= target2
    double rr = 0.0;
    double before = 0.0;  ///< r.r of the last restart
    double scale = 1.0;   ///< scale of what the sequence is handed in a residual pass
  };

  /// Scalars as in the midst of a run, for counting what an iteration moves.
  static scalars steady_state(bool jacobi) {
    scalars m;
    m.step = 1;
    m.fixed = true;
    m.measuring = false;
    m.max_steps = 3;
    m.jacobi = jacobi;
    return m;
  }

  /// Memory of a team, for so many basis vectors: the products of a column, twice; the sines; the
  /// rotated right-hand side, and the factors of the combination; the triangular factor by columns,
  /// all of them numbers; and the cosines, an even count, so that each team's numbers are aligned.
  DWELL_HD static constexpr std::size_t team_doubles(int basis) {
    return doubles_of_numbers(basis) + (static_cast<std::size_t>(basis) + 1) / 2 * 2;
  }

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0)
      begin_pass<T>(s, m);
    else if constexpr (Phase == 1)
      precondition<T>(s, m);
    else if constexpr (Phase == 2)
      multiply<T>(s, m);
    else if constexpr (Phase == 3)
      orthogonalise<T>(s, m);
    else
      orthogonalise_again<T>(s, m);
  }

 private:
  DWELL_HD static constexpr std::size_t doubles_of_numbers(int basis) {
    const auto n = static_cast<std::size_t>(basis);
    return sizeof(number) / sizeof(double) * (5 * n + 1 + n * (n + 1) / 2);
  }
  /// The parts of a team's memory.
  struct small_matrices {
    number *first, *second;  ///< products with the basis
    number* sine;
    number* g;       ///< rotated right-hand side, one element more than columns
    number* factor;  ///< factors of the combination
    number* r;       ///< the triangular factor
    double* cosine;
    DWELL_FN small_matrices(double* at, int n)
        : first(reinterpret_cast<number*>(at)),
          second(first + n),
          sine(second + n),
          g(sine + n),
          factor(g + n + 1),
          r(factor + n),
          cosine(at + doubles_of_numbers(n)) {}
    DWELL_FN number& upper(int i, int j) const { return r[j * (j + 1) / 2 + i]; }
  };
  DWELL_FN static double* doubles(number* v) { return reinterpret_cast<double*>(v); }
  template <class Workspace>
  DWELL_FN static small_matrices matrices_of(const Workspace& s) {
    return {s.team_memory(), s.basis_size()};
  }

  /// What the pass before has shown; then the vector to multiply.
  template <class T, class Workspace>
  DWELL_FN static void begin_pass(Workspace& s, scalars& m) {
    if (m.step < 0) {
      m.step = 0;
      s.each_owned(reads<x>{}, writes<y>{}, [](T* v) { v[y] = v[x]; });
      return;
    }
    const auto seen = s.total(sum_of<ww, 2>{}, with_interrupt{});
    double w = std::sqrt(seen.v[0]);
    if (m.measuring)
      begin_cycle(s, m, seen.v[0]);
    else
      end_column<T>(s, m, w, seen.v[1]);
    if (m.stop != running) return;
    if (m.measuring)
      add_combination<T>(s, m);
    else
      next_vector<T>(s, m, w);
  }

  /// After a residual pass: r = b - A x is in q.
  template <class Workspace>
  DWELL_FN static void begin_cycle(Workspace& s, scalars& m, double rr) {
    const bool at_start = m.step == 0 && m.column == 0;
    const double estimated = m.rr;
    m.rr = rr;
    if (at_start) s.note(0, m.rr, {0.0, m.rr});
    if (!m.fixed) {
      if (!finite(m.rr)) {
        m.stop = not_finite;
      } else if (m.rr <= m.target2) {
        m.stop = converged;
      } else if (!at_start && m.ending != running && !(m.rr <= least_gain * m.before)) {
        // The estimate says that it has converged, or that no step is left, and the residual does
        // not follow: a restart would see the same.
        if (m.ending == converged) m.rr = estimated;
        if (m.ending == converged || m.ending == breakdown) m.stop = m.ending;
      }
    }
    if (m.stop != running) return;
    if (m.step >= m.max_steps)
      m.stop = iteration_limit;
    else if (m.ending == interrupted || s.interrupted())
      m.stop = interrupted;
    if (m.stop != running) return;
    m.before = m.rr;
    m.measuring = false;
    m.column = 0;
    m.ending = running;
    const small_matrices a = matrices_of(s);
    s.team().once([&] { a.g[0] = number(std::sqrt(rr)); });
  }

  /// After an Arnoldi pass: w is orthogonal to the basis, and of length `w`.
  template <class T, class Workspace>
  DWELL_FN static void end_column(Workspace& s, scalars& m, double w, double product2) {
    const small_matrices a = matrices_of(s);
    const int j = m.column;
    const double least = least_part<T> * std::sqrt(product2);
    s.team().once([&] { rotate(a, j, w > least ? w : 0.0); });
    ++m.step;
    ++m.column;
    m.rr = square_of(a.g[j + 1]);
    s.note(m.step, m.rr, {0.0, m.rr});
    if (!m.fixed) {
      if (!finite(m.rr) || !finite(w))
        m.stop = not_finite;
      else if (!(w > least))  // nothing new is left: the true residual shows whether that is all
        m.ending = breakdown;
      else if (m.rr <= m.target2)
        m.ending = converged;
    }
    if (m.stop != running) return;
    if (m.ending == running && m.step >= m.max_steps) m.ending = iteration_limit;
    if (m.ending == running && s.interrupted()) m.ending = interrupted;
    m.measuring = m.ending != running || m.column == m.restart;
  }

  /// Column j of the Hessenberg matrix, with `below` under it, by the rotations before and a new
  /// one. A rotation is (c s; -conj(s) c).
  DWELL_FN static void rotate(const small_matrices& a, int j, double below) {
    number left = a.first[0] + a.second[0];
    for (int i = 0; i < j; ++i) {
      const number next = a.first[i + 1] + a.second[i + 1];
      a.upper(i, j) = a.cosine[i] * left + a.sine[i] * next;
      left = a.cosine[i] * next - conjugate(a.sine[i]) * left;
    }
    a.upper(j, j) = make_rotation(left, below, a.cosine[j], a.sine[j]);
    const number g = a.g[j];
    a.g[j] = a.cosine[j] * g;
    a.g[j + 1] = -(conjugate(a.sine[j]) * g);
  }

  /// The next basis vector from w, or from the residual.
  template <class T, class Workspace>
  DWELL_FN static void next_vector(Workspace& s, const scalars& m, double w) {
    const auto by = static_cast<part_type<T>>(w > 0.0 ? 1.0 / w : 0.0);
    if (m.by_sequence)
      s.put_basis(reads<q>{}, writes<h>{}, m.column, [=](T* v, T& e) { v[h] = e = by * v[q]; });
    else if (m.jacobi)
      s.put_basis(reads<q, d>{}, writes<y>{}, m.column, [=](T* v, T& e) {
        e = by * v[q];
        v[y] = v[d] * e;
      });
    else
      s.put_basis(reads<q>{}, writes<y>{}, m.column, [=](T* v, T& e) { v[y] = e = by * v[q]; });
  }

  /// x += M V c, where c solves R c = g.
  template <class T, class Workspace>
  DWELL_FN static void add_combination(Workspace& s, scalars& m) {
    const small_matrices a = matrices_of(s);
    solve_triangle(s.team(), a, m.column);
    s.template add_basis<q>(m.column, doubles(a.factor), 1.0, true);
    if (m.by_sequence) {
      double most = 0.0;
      for (int k = 0; k < m.column; ++k) most = std::fmax(most, size_of(a.factor[k]));
      m.scale = most > 0.0 && finite(most) ? std::ldexp(1.0, -std::ilogb(most)) : 1.0;
      const auto by = static_cast<part_type<T>>(m.scale);
      s.each_owned(reads<q>{}, writes<h>{}, [=](T* v) { v[h] = by * v[q]; });
    } else if (m.jacobi) {
      s.each_owned(reads<x, q, d>{}, writes<x, y>{},
                   [](T* v) { v[y] = v[x] = multiply_add(v[d], v[q], v[x]); });
    } else {
      s.each_owned(reads<x, q>{}, writes<x, y>{}, [](T* v) { v[y] = v[x] += v[q]; });
    }
  }
  /// By columns, from the last one; one that is nothing beside the largest gets no part.
  template <class Team>
  DWELL_FN static void solve_triangle(Team& team, const small_matrices& a, int n) {
    double largest = 0.0;
    for (int k = 0; k < n; ++k) largest = std::fmax(largest, size_of(a.upper(k, k)));
    for (int k = n - 1; k >= 0; --k) {
      const number pivot = a.upper(k, k);
      const number c = size_of(pivot) > tiny * largest ? quotient(a.g[k], pivot) : number(0.0);
      team.section([&](int lane) {
        if (lane == 0) a.factor[k] = c;
        for (int i = lane; i < k; i += Team::lanes())
          a.g[i] = multiply_add(-c, a.upper(i, k), a.g[i]);
      });
    }
  }

  /// A phase of the sequence; the last one puts its result where it is multiplied.
  template <class T, class Workspace>
  DWELL_FN static void precondition(Workspace& s, scalars& m) {
    if (!m.by_sequence || (m.measuring && m.column == 0)) return;  // at the start x is multiplied
    s.run_sequence(writes<q>{});
    if (s.sequence_phase() + 1 != s.sequence_phases()) return;
    const auto by = static_cast<part_type<T>>(1.0 / m.scale);
    if (m.measuring)
      s.each_owned(reads<x, q>{}, writes<x, y>{},
                   [=](T* v) { v[y] = v[x] = multiply_add(by, v[q], v[x]); });
    else
      s.each_owned(reads<q>{}, writes<y>{}, [](T* v) { v[y] = v[q]; });
  }

  /// q = A y; of a residual pass q = b - A y and its square.
  template <class T, class Workspace>
  DWELL_FN static void multiply(Workspace& s, const scalars& m) {
    s.poll();
    s.multiply(reads<y>{}, writes<q>{});
    if (m.measuring) {
      s.each_owned(reads<b, q>{}, writes<q>{}, adds_to<ww>{}, [](T* v, double* acc) {
        v[q] = v[b] - v[q];
        add_square(v[q], acc[0]);
      });
    } else {
      s.each_owned(reads<q>{}, writes<>{}, adds_to<qq>{},
                   [](T* v, double* acc) { add_square(v[q], acc[0]); });
      s.template multiply_basis<q>(m.column + 1, 0);
    }
  }

  template <class T, class Workspace>
  DWELL_FN static void orthogonalise(Workspace& s, const scalars& m) {
    if (m.measuring) return;
    const small_matrices a = matrices_of(s);
    s.basis_totals(m.column + 1, 0, doubles(a.first));
    s.template add_basis<q>(m.column + 1, doubles(a.first), -1.0);
    s.template multiply_basis<q>(m.column + 1, 1);
  }
  template <class T, class Workspace>
  DWELL_FN static void orthogonalise_again(Workspace& s, const scalars& m) {
    if (m.measuring) return;
    const small_matrices a = matrices_of(s);
    s.basis_totals(m.column + 1, 1, doubles(a.second));
    s.template add_basis<q>(m.column + 1, doubles(a.second), -1.0);
    s.each_owned(reads<q>{}, writes<>{}, adds_to<ww>{},
                 [](T* v, double* acc) { add_square(v[q], acc[0]); });
  }

  /// A cycle that ends with an estimate under the target must have brought the residual's square
  /// down so far.
  static constexpr double least_gain = 0.25;
  static constexpr double tiny = 0x1p-52;
  /// What is left of a product is nothing if it is so small beside it.
  template <class T>
  static constexpr double least_part = sizeof(part_type<T>) == 8 ? 0x1p-50 : 0x1p-21;
  DWELL_FN static bool finite(double v) { return v - v == 0.0; }
};

struct textbook_gmres : gmres_of<double> {
  static constexpr const char* name = "gmres";
};
struct complex_gmres : gmres_of<complex_value<double>> {
  static constexpr const char* name = "gmres-complex";
};

}  // namespace dwell
