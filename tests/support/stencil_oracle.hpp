// SPDX-License-Identifier: MIT
// What a Stencil means, in plain loops over one cell at a time: the judge of every executor. Knows
// nothing of teams, tiles or halos; a shape reaches it as its list of taps, and if it is not linear
// by a formula that is written here once more.
#pragma once
#include <iterator>
#include <string>
#include <vector>

#include "dwell/formats/grid.hpp"
#include "dwell/stencil/default_weights.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::test {

/// The field after `steps` steps. `weights` in the order of the taps; empty: the defaults.
template <class T>
grid<T> stencil_by_loops(const std::string& shape, grid<T> u, int steps, boundary edge,
                         const std::vector<double>& weights = {}, const grid<T>* source = nullptr);

/// What a cell becomes: of the cells at its shape's taps, in their order, and the weights.
template <class T>
using cell_formula = T (*)(const std::vector<T>& near, const std::vector<T>& weights);
/// Loops for a shape that this build need not have. One that is not linear needs a formula, unless
/// it is known here by its name; else std::invalid_argument is thrown.
template <class T>
grid<T> stencil_by_loops(const stencil_shape& shape, grid<T> u, int steps, boundary edge,
                         const std::vector<double>& weights = {}, const grid<T>* source = nullptr,
                         cell_formula<T> formula = nullptr);
/// The shape of a struct.
template <class S>
stencil_shape shape_of() {
  return {S::name,
          S::dims,
          radius_of<S>,
          flops_of<S>,
          is_linear<S>,
          {std::begin(S::taps), std::end(S::taps)},
          default_weights<S>(),
          about_of<S>()};
}

extern template grid<double> stencil_by_loops(const stencil_shape&, grid<double>, int, boundary,
                                              const std::vector<double>&, const grid<double>*,
                                              cell_formula<double>);
extern template grid<double> stencil_by_loops(const std::string&, grid<double>, int, boundary,
                                              const std::vector<double>&, const grid<double>*);
extern template grid<float> stencil_by_loops(const stencil_shape&, grid<float>, int, boundary,
                                             const std::vector<double>&, const grid<float>*,
                                             cell_formula<float>);
extern template grid<float> stencil_by_loops(const std::string&, grid<float>, int, boundary,
                                             const std::vector<double>&, const grid<float>*);

/// Random values of both signs, different for every seed.
template <class T>
grid<T> random_field(const extents& n, unsigned seed);
extern template grid<double> random_field(const extents&, unsigned);
extern template grid<float> random_field(const extents&, unsigned);

/// The size of a field whose plain steps a GPU does by its kernels for register tiles, in either
/// precision: rows are whole pieces of 16 bytes, and no fewer rows, or planes, than a lane takes
/// below each other.
inline extents whole_tiles(int dims) { return dims == 2 ? extents(45, 136) : extents(13, 30, 32); }

/// Weights that differ from each other and sum to 1 in size: a transposed or swapped tap shows.
std::vector<double> uneven_weights(const std::string& shape);
std::vector<double> uneven_weights(const stencil_shape& shape);

/// Names of all stencils of this build.
std::vector<std::string> shape_names();
/// Whether this build has the stencil, and whether it has kernels of it for GPUs.
bool has_stencil_shape(const std::string& name);
bool has_gpu_stencil(const std::string& name);

/// "" if the bits are equal, else where the first difference is and how many there are.
template <class T>
std::string difference(const grid<T>& found, const grid<T>& expected);
extern template std::string difference(const grid<double>&, const grid<double>&);
extern template std::string difference(const grid<float>&, const grid<float>&);

}  // namespace dwell::test
