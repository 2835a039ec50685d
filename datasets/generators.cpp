// SPDX-License-Identifier: MIT
// The kinds of generate(): their names, and the refusal of sizes that a 32-bit index cannot count,
// before anything is allocated.
#include "dwell/datasets/generators.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <new>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/datasets/kind_request.hpp"
#include "dwell/datasets/model_problems.hpp"
#include "dwell/datasets/row_builder.hpp"
#include "dwell/datasets/rows_by_kind.hpp"
#include "dwell/datasets/stand_ins.hpp"

namespace dwell {

namespace {

using detail::grid_request;
using detail::index_limit;
using detail::parse_grid;
using detail::parse_grid_and_number;
using detail::parse_sizes;
using detail::refuse;
using request = detail::kind_request;

/// The largest n with nonzeros(n) <= index_limit, for a nonzeros that grows with n.
index largest(std::int64_t (*nonzeros)(std::int64_t)) {
  std::int64_t fits = 1, too_many = index_limit;
  while (too_many - fits > 1) {
    const std::int64_t middle = fits + (too_many - fits) / 2;
    (nonzeros(middle) <= index_limit ? fits : too_many) = middle;
  }
  return static_cast<index>(fits);
}

index parse_one(const request& r, const std::string& form, std::int64_t (*nonzeros)(std::int64_t)) {
  const auto sizes = parse_sizes(r.size, 1);
  const index most = largest(nonzeros);
  if (!sizes || sizes->front() > most) refuse(r, form + " with 1 <= N <= " + std::to_string(most));
  return sizes->front();
}

csr<double> make_trefethen(const request& r, int threads) {
  return detail::trefethen(parse_one(r, "trefethen:N", detail::trefethen_nonzeros), threads);
}

csr<double> make_box3d(const request& r, int threads) {
  return detail::box(parse_one(r, "box3d:N", detail::box_nonzeros), threads);
}

/// The diagonal alone counts the rows, so this bounds both. In two dimensions the formula for depth
/// 1 holds as it stands.
grid_request indexable(const request& r, const std::string& form, const grid_request& g) {
  const auto& n = g.points;
  if (detail::poisson_nonzeros(n[0], n[1], n[2]) > index_limit)
    refuse(r, form + " with at most " + std::to_string(index_limit) + " nonzeros");
  return g;
}
grid_request flat_grid_and_number(const request& r, const std::string& form) {
  return indexable(r, form, parse_grid_and_number(r, form));
}

csr<double> make_convection2d(const request& r, int threads) {
  const grid_request g = flat_grid_and_number(r, "convection2d:WxH:PECLET");
  return detail::convection(g.points[0], g.points[1], g.number, threads);
}

csr<double> make_helmholtz2d(const request& r, int threads) {
  const grid_request g = flat_grid_and_number(r, "helmholtz2d:WxH:WAVES");
  return detail::poisson(g.points[0], g.points[1], 1, detail::helmholtz_diagonal(g), threads);
}

csr<double> make_anisotropic2d(const request& r, int threads) {
  const grid_request g = flat_grid_and_number(r, "anisotropic2d:WxH:WEAK");
  return detail::anisotropic(g.points[0], g.points[1], g.number, threads);
}

csr<double> make_jumps2d(const request& r, int threads) {
  const grid_request g = flat_grid_and_number(r, "jumps2d:WxH:RATIO");
  if (!(g.number > 0)) refuse(r, "jumps2d:WxH:RATIO with a ratio above 0");
  return detail::jumps(g.points[0], g.points[1], g.number, threads);
}

/// A grid needs `diagonal` / 2 sizes, at most three.
csr<double> make_poisson(const request& r, const std::string& form, double diagonal, int threads) {
  const auto n = indexable(r, form, parse_grid(r, form, diagonal == 4 ? 2 : 3)).points;
  return detail::poisson(n[0], n[1], n[2], diagonal, threads);
}

csr<double> make_poisson2d(const request& r, int threads) {
  return make_poisson(r, "poisson2d:WxH", 4, threads);
}

csr<double> make_poisson3d(const request& r, int threads) {
  return make_poisson(r, "poisson3d:WxHxD", 6, threads);
}

csr<double> make_neumann2d(const request& r, int threads) {
  const auto n = indexable(r, "neumann2d:WxH", parse_grid(r, "neumann2d:WxH", 2)).points;
  return detail::neumann(n[0], n[1], 1, threads);
}

csr<double> make_neumann3d(const request& r, int threads) {
  const auto n = indexable(r, "neumann3d:WxHxD", parse_grid(r, "neumann3d:WxHxD", 3)).points;
  return detail::neumann(n[0], n[1], n[2], threads);
}

/// Body of "NXxNY[:POISSON]" or "NXxNYxNZ[:POISSON]".
struct elastic_body {
  int dims;
  std::array<index, 3> elements;
  double poisson;
};
elastic_body parse_elasticity(const request& r, int dims) {
  const std::string form =
      dims == 2 ? "elasticity2d:NXxNY[:POISSON]" : "elasticity3d:NXxNYxNZ[:POISSON]";
  const auto colon = r.size.find(':');
  auto sizes = parse_sizes(r.size.substr(0, colon), static_cast<std::size_t>(dims));
  double poisson = 0.3;
  bool sound = sizes.has_value();
  if (colon != std::string_view::npos) {
    const std::string_view text = r.size.substr(colon + 1);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), poisson);
    sound = sound && failed == std::errc() && end == text.data() + text.size() && poisson >= 0 &&
            poisson < 0.5;
  }
  if (!sound) refuse(r, form + " with sizes of at least 1 and a Poisson ratio from 0 to below 0.5");
  sizes->resize(3, 0);
  const auto& n = *sizes;
  if (detail::elasticity_nonzeros(dims, n[0], n[1], n[2]) > index_limit)
    refuse(r, form + " with at most " + std::to_string(index_limit) + " nonzeros");
  return {dims, {n[0], n[1], n[2]}, poisson};
}
csr<double> make_elasticity(const elastic_body& b, int threads) {
  return detail::elasticity(b.dims, b.elements, b.poisson, threads);
}
csr<double> make_elasticity2d(const request& r, int threads) {
  return make_elasticity(parse_elasticity(r, 2), threads);
}
csr<double> make_elasticity3d(const request& r, int threads) {
  return make_elasticity(parse_elasticity(r, 3), threads);
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

csr<double> make_like(const request& r, int threads) {
  const auto names = stand_ins();
  if (std::find(names.begin(), names.end(), r.size) == names.end())
    refuse(r, "like:NAME with NAME one of " + joined(names), suggested_kind(r.kind));
  return detail::stand_in(r.size, threads);
}

struct family {
  std::string_view word;  ///< before the colon
  std::string_view form;
  std::string_view what;
  csr<double> (*make)(const request&, int threads);
  detail::rows_maker rows = nullptr;  ///< null: rows are not made one by one
};
constexpr family families[] = {
    {"trefethen", "trefethen:N",
     "N x N, the first N primes on the diagonal, ones where |i - j| is a power of 2",
     make_trefethen},
    {"poisson2d", "poisson2d:WxH", "5-point Laplacian of a W x H grid (4, -1), Dirichlet boundary",
     make_poisson2d, detail::poisson2d_rows},
    {"poisson3d", "poisson3d:WxHxD",
     "7-point Laplacian of a W x H x D grid (6, -1), Dirichlet boundary", make_poisson3d,
     detail::poisson3d_rows},
    {"neumann2d", "neumann2d:WxH",
     "5-point Laplacian of a W x H grid, Neumann boundary: singular, rows have sums of zero",
     make_neumann2d, detail::neumann2d_rows},
    {"neumann3d", "neumann3d:WxHxD",
     "7-point Laplacian of a W x H x D grid, Neumann boundary: singular", make_neumann3d,
     detail::neumann3d_rows},
    {"convection2d", "convection2d:WxH:PECLET",
     "5-point Laplacian of a W x H grid and convection along W, upwind: not symmetric",
     make_convection2d, detail::convection2d_rows},
    {"helmholtz2d", "helmholtz2d:WxH:WAVES",
     "5-point Laplacian of a W x H grid less the square of a wave number, so many waves along W: "
     "not definite",
     make_helmholtz2d, detail::helmholtz2d_rows},
    {"anisotropic2d", "anisotropic2d:WxH:WEAK",
     "5-point Laplacian of a W x H grid whose couplings along H are so weak (1 along W)",
     make_anisotropic2d, detail::anisotropic2d_rows},
    {"jumps2d", "jumps2d:WxH:RATIO",
     "diffusion on a W x H grid, coefficients 1 and RATIO in turn in squares of 50 x 50 cells",
     make_jumps2d, detail::jumps2d_rows},
    {"elasticity2d", "elasticity2d:NXxNY[:POISSON]",
     "elasticity (plane strain) of NX x NY squares, bilinear finite elements, one face clamped; "
     "two "
     "rows a node",
     make_elasticity2d},
    {"elasticity3d", "elasticity3d:NXxNYxNZ[:POISSON]",
     "elasticity of NX x NY x NZ cubes, trilinear finite elements, one face clamped; three rows a "
     "node",
     make_elasticity3d},
    {"box3d", "box3d:N", "27-point box of an N x N x N grid (26.5, -1)", make_box3d,
     detail::box3d_rows},
    {"like", "like:NAME", "a stand-in of the size and structure class of a SuiteSparse matrix",
     make_like},
};

const family* find_family(std::string_view kind) {
  const auto colon = kind.find(':');
  if (colon == std::string_view::npos) return nullptr;
  for (const auto& f : families)
    if (f.word == kind.substr(0, colon)) return &f;
  return nullptr;
}

}  // namespace

bool is_generated(std::string_view kind) { return find_family(kind) != nullptr; }

std::string suggested_kind(std::string_view kind) {
  constexpr std::string_view like = "like:";
  const auto names = stand_ins();
  std::vector<std::string_view> words;
  const auto meant = [&](std::string_view word, auto&& as_kind) {
    auto found = nearest(word, words);
    for (auto& f : found) f = as_kind(f);
    return suggestion(found);
  };
  const auto stand_in = [&](const std::string& name) { return std::string(like) + name; };
  if (kind.starts_with(like)) {
    words.assign(names.begin(), names.end());
    return meant(kind.substr(like.size()), stand_in);
  }
  for (const auto& f : families) words.push_back(f.word);
  const std::size_t colon = kind.find(':');
  if (colon != std::string_view::npos)
    return meant(kind.substr(0, colon),
                 [&](const std::string& word) { return word + std::string(kind.substr(colon)); });
  words.insert(words.end(), names.begin(), names.end());
  return meant(kind, [&](const std::string& word) {
    for (const auto& f : families)
      if (f.word == word) return std::string(f.form);
    return stand_in(word);
  });
}

csr<double> generate(std::string_view kind) {
  const family* f = find_family(kind);
  if (!f) {
    std::vector<std::string> forms;
    for (const auto& known : families) forms.emplace_back(known.form);
    throw input_error("expected one of " + joined(forms) + ", found '" + std::string(kind) + "'" +
                      suggested_kind(kind));
  }
  try {
    return f->make({std::string(kind), kind.substr(f->word.size() + 1)}, default_threads());
  } catch (const std::bad_alloc&) {
    throw device_error("not enough memory to generate '" + std::string(kind) + "'");
  }
}

bool is_made_by_rows(std::string_view kind) {
  const family* f = find_family(kind);
  return f && f->rows;
}

std::unique_ptr<row_source> generate_by_rows(std::string_view kind) {
  const family* f = find_family(kind);
  if (f && f->rows) return f->rows({std::string(kind), kind.substr(f->word.size() + 1)});
  std::vector<std::string> words;
  for (const auto& known : families)
    if (known.rows) words.emplace_back(known.word);
  throw input_error("rows: expected a kind that is made by rows, of " + joined(words) +
                    ", found '" + std::string(kind) + "'" + (f ? "" : suggested_kind(kind)));
}

generated_rows generate_rows(std::string_view kind, int part, int parts) {
  const auto source = generate_by_rows(kind);
  if (parts < 1 || part < 0 || part >= parts)
    throw input_error("rows: expected a part from 0 to " + std::to_string(parts - 1) + ", found " +
                      std::to_string(part));
  const auto [first, last] = piece(source->rows(), part, parts);
  if (last - first > index_limit)
    throw input_error("rows: expected at most " + std::to_string(index_limit) +
                      " rows in each part of '" + std::string(kind) + "', found " +
                      std::to_string(last - first));
  return source->part(first, last);
}

generated_nodes generate_coordinates(std::string_view kind) {
  const family* f = find_family(kind);
  const int dims = !f ? 0 : f->word == "elasticity2d" ? 2 : f->word == "elasticity3d" ? 3 : 0;
  if (dims == 0)
    throw input_error(
        "coordinates: expected a kind that has nodes, elasticity2d or elasticity3d, "
        "found '" +
        std::string(kind) + "'");
  try {
    const elastic_body b =
        parse_elasticity({std::string(kind), kind.substr(f->word.size() + 1)}, dims);
    return {dims, detail::elasticity_coordinates(dims, b.elements)};
  } catch (const std::bad_alloc&) {
    throw device_error("not enough memory to generate the coordinates of '" + std::string(kind) +
                       "'");
  }
}

std::vector<kind_help> generated_kinds() {
  std::vector<kind_help> kinds;
  for (const auto& f : families) {
    std::string what(f.what);
    if (f.word == "like") what += ": " + joined(stand_ins());
    kinds.push_back({std::string(f.form), what});
  }
  return kinds;
}

}  // namespace dwell
