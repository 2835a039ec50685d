// SPDX-License-Identifier: MIT
// A system and the options of its solve, from a file as write_case() of random_solves.py writes it.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dwell/formats/csr.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell::test {

/// What a file holds: words apart, numbers with a fraction as C writes them in hexadecimal digits.
struct described {
  std::map<std::string, std::string> text;
  std::map<std::string, long long> whole;
  std::map<std::string, double> number;
  std::map<std::string, std::vector<double>> list;
  std::string precision;
  int threads = 0;
  csr<double> a;
  std::vector<double> b, x;
};

template <class T>
std::vector<T> read_list(std::istream& in) {
  std::size_t size = 0;
  in >> size;
  std::vector<T> all(size);
  std::string word;
  for (T& one : all) {
    in >> word;
    one = static_cast<T>(std::strtod(word.c_str(), nullptr));
  }
  return all;
}

inline described read_case(const std::string& file) {
  std::ifstream in(file);
  described out;
  std::string key, name, word;
  while (in >> key) {
    if (key == "text") {
      in >> name >> out.text[name];
    } else if (key == "whole") {
      in >> name >> out.whole[name];
    } else if (key == "number") {
      in >> name >> word;
      out.number[name] = std::strtod(word.c_str(), nullptr);
    } else if (key == "list") {
      in >> name;
      out.list[name] = read_list<double>(in);
    } else if (key == "precision") {
      in >> out.precision;
    } else if (key == "threads") {
      in >> out.threads;
    } else if (key == "matrix") {
      in >> out.a.rows;
      out.a.cols = out.a.rows;
      out.a.row_ptr = read_list<index>(in);
      out.a.col = read_list<index>(in);
      out.a.val = read_list<double>(in);
    } else if (key == "b") {
      out.b = read_list<double>(in);
    } else if (key == "x0") {
      out.x = read_list<double>(in);
    }
  }
  if (in.bad() || out.x.size() != static_cast<std::size_t>(out.a.rows)) {
    fmt::print(stderr, "{}: no complete case\n", file);
    std::exit(1);
  }
  return out;
}

/// The options by the members of solve_options, not by the names that C has for them.
inline solve_options options_of(const described& from) {
  solve_options o;
  const std::map<std::string, std::function<void(const std::string&)>> text = {
      {"method", [&](auto& v) { o.method = v; }},
      {"executor", [&](auto& v) { o.executor = v; }},
      {"policy", [&](auto& v) { o.policy = v; }},
      {"variant", [&](auto& v) { o.variant = v; }},
      {"null_space", [&](auto& v) { o.null_space = v; }},
      {"smoother", [&](auto& v) { o.preconditioning.smoother = v; }},
      {"coarsening", [&](auto& v) { o.preconditioning.coarsening = v; }},
      {"preconditioner", [&](auto& v) { o.preconditioner = parse_preconditioner(v); }}};
  const std::map<std::string, std::function<void(int)>> whole = {
      {"max_iterations", [&](int v) { o.max_iterations = v; }},
      {"restart", [&](int v) { o.restart = v; }},
      {"block_size", [&](int v) { o.preconditioning.block_size = v; }},
      {"degree", [&](int v) { o.preconditioning.degree = v; }},
      {"power", [&](int v) { o.preconditioning.power = v; }},
      {"factor_sweeps", [&](int v) { o.preconditioning.factor_sweeps = v; }},
      {"sweeps", [&](int v) { o.preconditioning.sweeps = v; }},
      {"assume_symmetric", [&](int v) { o.assume_symmetric = v; }},
      {"refine", [&](int v) { o.refine = v; }},
      {"mixed_precision", [&](int v) { o.mixed_precision = v; }},
      {"history", [&](int v) { o.history = v; }}};
  for (const auto& [name, value] : from.text) text.at(name)(value);
  for (const auto& [name, value] : from.whole) whole.at(name)(static_cast<int>(value));
  o.rtol = from.number.at("rtol");
  o.atol = from.number.at("atol");
  if (from.list.contains("null_vectors")) o.null_vectors = from.list.at("null_vectors");
  if (from.list.contains("near_null")) o.preconditioning.near_null = from.list.at("near_null");
  return o;
}

}  // namespace dwell::test
