// SPDX-License-Identifier: MIT
// Bi-CGSTAB with a preconditioner from the right that is a sequence of products, in f32 under an
// iteration in T (see method.hpp). The sequence runs twice an iteration, once for each of its two
// products: four phases and those of both sequences. Step -1 computes the residual of the start
// vector. One text for real and for complex values.
#pragma once
#include <cmath>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/multiply_add.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/bicgstab/complex_method.hpp"
#include "dwell/solvers/bicgstab/method.hpp"

namespace dwell {

/// Method: bicgstab_method or complex_bicgstab_method.
template <class Method>
struct preconditioned_bicgstab_of : Method {
  using Method::rr, Method::wu, Method::ts, Method::width, Method::running;
  using typename Method::scalars;
  static constexpr const char* variant = "preconditioned";
  /// y is M p, g is M s; u = A y; t = A g; w is the shadow vector; z what the sequence gives, and h
  /// its input. r holds b at the start, and s between the two products.
  enum : int { x, r, p, y, g, u, t, w, z, h, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "r", "p", "y", "g",
                                                        "u", "t", "w", "z", "h"};
  static constexpr int rhs = r;
  static constexpr use uses[vectors] = {use::own, use::own, use::own, use::gather, use::gather,
                                        use::own, use::own, use::own, use::own,    use::handed};
  using in_registers = vector_list<r, p>;
  using results = vector_list<x>;
  static constexpr int phases = 6;
  static constexpr int sequences[2] = {1, 4};
  static constexpr output outputs[phases] = {output::both, output::elements, output::sums,
                                             output::both, output::elements, output::sums};
  static constexpr bool whole_rows = true;

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0)
      direction<T>(s, m);
    else if constexpr (Phase == 1)
      precondition<y, T>(s, m);
    else if constexpr (Phase == 2)
      first_product<T>(s, m);
    else if constexpr (Phase == 3)
      half_step<T>(s, m);
    else if constexpr (Phase == 4)
      precondition<g, T>(s, m);
    else
      second_product<T>(s, m);
  }

 private:
  /// x += alpha y + omega g, r = s - omega t, and p = r + beta (p - omega u), which is handed over.
  template <class T, class Workspace>
  DWELL_FN static void direction(Workspace& st, scalars& m) {
    st.poll();
    if (m.step < 0) {
      st.each_owned(reads<x>{}, writes<y>{}, [](T* v) { v[y] = v[x]; });
      return;
    }
    typename Method::next_direction by;
    by.restart = m.starting;
    if (!m.starting) {
      by = Method::template end_step<T>(st, m);
      if (m.stop != running) return;
    }
    if (by.restart) by.beta = {};
    const T alpha = static_cast<T>(m.alpha), omega = static_cast<T>(m.omega),
            beta = static_cast<T>(by.beta);
    const auto scale = static_cast<part_type<T>>(m.scale);
    const auto step = [=](T* v, double* acc) {
      v[x] = multiply_add(omega, v[g], multiply_add(alpha, v[y], v[x]));
      v[r] = multiply_add(-omega, v[t], v[r]);
      v[p] = multiply_add(beta, multiply_add(-omega, v[u], v[p]), v[r]);
      v[h] = scale * v[p];
      add_square(v[r], acc[0]);
    };
    if (by.restart)
      st.each_owned(reads<x, r, p, y, g, u, t>{}, writes<x, r, p, w, h>{}, adds_to<rr, 1 + width>{},
                    [=](T* v, double* acc) {
                      step(v, acc);
                      v[w] = v[r];
                      add_product(v[w], v[r], acc + 1);
                    });
    else
      st.each_owned(reads<x, r, p, y, g, u, t, w>{}, writes<x, r, p, h>{}, adds_to<rr, 1 + width>{},
                    [=](T* v, double* acc) {
                      step(v, acc);
                      add_product(v[w], v[r], acc + 1);
                    });
    m.starting = false;
    m.fresh = by.restart;
  }

  /// A phase of the sequence; the last one puts its result where it is multiplied.
  template <int To, class T, class Workspace>
  DWELL_FN static void precondition(Workspace& st, const scalars& m) {
    if (m.step < 0) return;  // x is multiplied
    st.run_sequence(writes<z>{});
    if (st.sequence_phase() + 1 == st.sequence_phases())
      st.each_owned(reads<z>{}, writes<To>{}, [](T* v) { v[To] = v[z]; });
  }

  /// u = A y and (r~, u); at the start u = A x.
  template <class T, class Workspace>
  DWELL_FN static void first_product(Workspace& st, scalars& m) {
    st.multiply(reads<y>{}, writes<u>{});
    if (m.step < 0) return;
    st.each_owned(reads<u, w>{}, writes<>{}, adds_to<wu, width>{},
                  [](T* v, double* acc) { add_product(v[w], v[u], acc); });
  }

  /// Does the run end here? Else s = r - alpha u, handed over; at the start r = b - A x.
  template <class T, class Workspace>
  DWELL_FN static void half_step(Workspace& st, scalars& m) {
    if (m.step < 0) {
      if (m.target2 > 0.0) m.scale = std::ldexp(1.0, -std::ilogb(m.target2) / 2);
      st.each_owned(reads<r, u>{}, writes<r, p, u, t, y, g>{}, [](T* v) {
        v[r] -= v[u];
        v[p] = v[u] = v[t] = v[y] = v[g] = T(0);
      });
      return;
    }
    Method::template half_step_length<T>(st, m);
    if (m.stop != running) return;
    const T alpha = static_cast<T>(m.alpha);
    const auto scale = static_cast<part_type<T>>(m.scale);
    st.each_owned(reads<r, u, w>{}, writes<r, h>{}, adds_to<Method::of_half, 2>{},
                  [=](T* v, double* acc) {
                    v[r] = multiply_add(-alpha, v[u], v[r]);
                    v[h] = scale * v[r];
                    Method::add_half(v[w], v[r], acc);
                  });
  }

  /// t = A g, and the sums of the step.
  template <class T, class Workspace>
  DWELL_FN static void second_product(Workspace& st, scalars& m) {
    if (m.step < 0) {
      m.step = 0;
      return;
    }
    st.multiply(reads<g>{}, writes<t>{});
    st.each_owned(reads<r, t, w>{}, writes<>{}, adds_to<ts, 2 * width + 1>{},
                  [](T* v, double* acc) {
                    add_product(v[t], v[r], acc);
                    add_square(v[t], acc[width]);
                    add_product(v[w], v[t], acc + width + 1);
                  });
  }
};

struct preconditioned_bicgstab : preconditioned_bicgstab_of<bicgstab_method> {
  static constexpr const char* name = "bicgstab-preconditioned";
};
struct complex_preconditioned_bicgstab : preconditioned_bicgstab_of<complex_bicgstab_method> {
  static constexpr const char* name = "bicgstab-complex-preconditioned";
};

}  // namespace dwell
