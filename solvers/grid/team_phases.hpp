// SPDX-License-Identifier: MIT
// Phases of iterations (iterations.hpp) as a team of a CPU takes them.
#pragma once
#include <cstddef>
#include <optional>

#include "dwell/solvers/grid/iterations.hpp"
#include "dwell/solvers/grid/phases.hpp"

namespace dwell::grids {

template <class T, class V>
class method_run : protected grid_phases<T, V> {
 protected:
  using grid_phases<T, V>::grid_phases;

  /// A d = r, from d = 0. Teams have met at the end.
  stop_reason iterate(plane_team& team, cycle<V>& mg, T* d, double target, run_progress& now) {
    team_phases phases{*this, team, mg, d, target, now};
    return static_cast<stop_reason>(
        grid_iterations<T, team_phases>(phases)(this->in_.method.method));
  }

 private:
  /// What grid_iterations asks for.
  struct team_phases {
    method_run& of;
    plane_team& team;
    cycle<V>& mg;
    T* answer;
    double target;
    run_progress& now;

    template <class Get, class Put>
    void each(Get&& get, Put&& put) const {
      of.each(team, [&](std::size_t i) { put(i, get(i)); });
    }
    void sync() const { team.sync(); }
    double dot(const T* x, const T* y) const { return of.dot(team, x, y); }
    double multiply(T* x, T* y) const { return of.multiply(team, x, y); }
    void precondition(const T* x, double norm, T* z) const {
      of.precondition(team, mg, x, norm, z);
    }
    void look_for_interrupt() const { of.look_for_interrupt(team); }
    bool interrupted() const { return of.interrupted_; }
    int after_iteration(double rr) const {
      const std::optional<stop_reason> why = of.after_iteration(team, rr, target, now);
      return why ? static_cast<int>(*why) : device_stops::none;
    }
    T* d() const { return answer; }
    T* r() const { return of.v_.r.data(); }
    T* p() const { return of.v_.p.data(); }
    T* q() const { return of.v_.q.data(); }
    T* more(int k) const { return of.v_.more[std::size_t(k)].data(); }
    double residual() const { return now.recursive; }
    bool has_levels() const { return of.in_.method.has_levels(); }
  };
};

}  // namespace dwell::grids
