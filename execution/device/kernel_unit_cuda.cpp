// SPDX-License-Identifier: MIT
#include "dwell/execution/device/kernel_unit_cuda.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/small_kernels.hpp"

namespace dwell::cuda {
namespace {

/// All units. Never destroyed.
std::vector<kernel_unit*>& units() {
  static auto& all = *new std::vector<kernel_unit*>;
  return all;
}

}  // namespace

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  std::string name = text ? text.get() : type.name();
  // Equal names with every compiler and library: libc++ has versions, GNU a demangler of its own.
  for (const auto& [from, to] : {std::pair{"std::__1::", "std::"}, {"> >", ">>"}})
    for (std::size_t at; (at = name.find(from)) != std::string::npos;)
      name.replace(at, std::string_view(from).size(), to);
  return name;
}

kernel_unit::kernel_unit(std::string about, std::string group, std::vector<const char*> headers)
    : about_(std::move(about)), group_(std::move(group)), headers_(std::move(headers)) {
  units().push_back(this);
}

int kernel_unit::add(std::string name) {
  names_.push_back(std::move(name));
  return static_cast<int>(names_.size()) - 1;
}

std::vector<const kernel_unit*> kernel_unit::all() {
  std::vector<const kernel_unit*> all(units().begin(), units().end());
  std::ranges::sort(all, {}, [](const kernel_unit* u) { return u->about(); });
  return all;
}

/// The order of names is that of no linker, so that the cache knows a unit again.
kernel_source kernel_unit::source() const {
  const std::set<std::string> sorted(names_.begin(), names_.end());
  kernel_source one;
  for (const char* header : headers_) one.text += fmt::format("#include \"{}\"\n", header);
  one.about = about_;
  one.kernel = *sorted.begin();
  one.others.assign(std::next(sorted.begin()), sorted.end());
  return one;
}

std::vector<const void*> kernel_unit::load(int ordinal) const {
  std::vector<kernel_source> sources = {source()};
  for (const kernel_unit* other : all())
    if (other != this && other->group_ == group_) sources.push_back(other->source());
  const compiled_kernels made = compile_kernels(sources, target_of(ordinal));
  const compiled_kernel& code = *made.codes.front();
  const current_device here(ordinal);
  const loaded_kernel& there = lasting(made.codes.front());
  std::map<std::string, const void*> handles = {{sources[0].kernel, there.handle()}};
  for (std::size_t k = 0; k < code.others.size(); ++k)
    handles[sources[0].others[k]] = there.handle_of(code.others[k]);
  std::vector<const void*> all;
  for (const std::string& name : names_) all.push_back(handles.at(name));
  return all;
}

const void* kernel_unit::handle(int kernel, int ordinal) {
  const std::lock_guard lock(guard_);
  std::vector<const void*>& there = handles_[ordinal];
  if (there.empty()) there = load(ordinal);
  return there[static_cast<std::size_t>(kernel)];
}

}  // namespace dwell::cuda

namespace dwell {
namespace {

template <class Wide, class Narrow>
std::string words_of(precision type, const char* what) {
  return type == precision::f64 ? cuda::in_precision<Wide>(what) : cuda::in_precision<Narrow>(what);
}

std::vector<kernel_source> those_of(std::initializer_list<std::string> groups) {
  std::vector<kernel_source> some;
  for (small_kernels& unit : all_small_kernels())
    if (std::ranges::find(groups, unit.group) != groups.end())
      some.push_back(std::move(unit.source));
  return some;
}

}  // namespace

std::vector<small_kernels> all_small_kernels() {
  std::vector<small_kernels> all;
  for (const cuda::kernel_unit* unit : cuda::kernel_unit::all())
    all.push_back({unit->source(), unit->group()});
  return all;
}

std::vector<kernel_source> small_kernels_of_solves(precision type) {
  return those_of({words_of<double, float>(type, "solves"), "the condition of graphs"});
}
std::vector<kernel_source> small_kernels_of_complex_solves(precision type) {
  return those_of({words_of<complex_value<double>, complex_value<float>>(type, "solves"),
                   "the condition of graphs"});
}
std::vector<kernel_source> small_kernels_of_stencils(precision type) {
  return those_of({words_of<double, float>(type, "polls of stencils")});
}
std::vector<kernel_source> small_kernels_of_ranks(precision type) {
  return those_of({words_of<double, float>(type, "solves"), "the condition of graphs",
                   words_of<double, float>(type, "steps of solves of several ranks"),
                   "messages between ranks"});
}
std::vector<kernel_source> small_kernels_of_set_up(const std::string& preconditioner) {
  return those_of(
      {"set-up of " + preconditioner, "units of preconditioners", "cuts of preconditioners"});
}

}  // namespace dwell
