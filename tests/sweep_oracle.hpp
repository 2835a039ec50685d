// SPDX-License-Identifier: MIT
// What a Sweep means, in plain loops over one cell at a time: the judge of every executor. Knows
// nothing of teams, tiles or halos; a shape reaches it as its list of taps.
#pragma once
#include <vector>

#include "dwell/formats/grid.hpp"
#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell::test {

/// The field after `steps` steps. `weights` in the order of the taps; empty: the defaults.
template <class T>
grid<T> sweep_by_loops(const std::string& shape, grid<T> u, int steps, boundary edge,
                       const std::vector<double>& weights = {}, const grid<T>* source = nullptr);
extern template grid<double> sweep_by_loops(const std::string&, grid<double>, int, boundary,
                                            const std::vector<double>&, const grid<double>*);
extern template grid<float> sweep_by_loops(const std::string&, grid<float>, int, boundary,
                                           const std::vector<double>&, const grid<float>*);

/// Random values of both signs, different for every seed.
template <class T>
grid<T> random_field(const extents& n, unsigned seed);
extern template grid<double> random_field(const extents&, unsigned);
extern template grid<float> random_field(const extents&, unsigned);

/// Weights that differ from each other and sum to 1 in size: a transposed or swapped tap shows.
std::vector<double> uneven_weights(const std::string& shape);

/// Of all stencils of this build.
std::vector<std::string> shape_names();

/// "" if the bits are equal, else where the first difference is and how many there are.
template <class T>
std::string difference(const grid<T>& found, const grid<T>& expected);
extern template std::string difference(const grid<double>&, const grid<double>&);
extern template std::string difference(const grid<float>&, const grid<float>&);

}  // namespace dwell::test
