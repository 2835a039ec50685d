// SPDX-License-Identifier: MIT
// See decide.hpp.
#include "dwell/solvers/cg/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/model/projection.hpp"

namespace dwell {
namespace {

struct executor_choice {
  std::string name, why;
};

executor_choice choose_executor(const cg_options& o, const device_facts& facts) {
  if (o.executor != automatic) return {o.executor, "as asked"};
  if (facts.on == backend::cpu)
    return {executors::persistent.name, "threads that live through the solve"};
  if (facts.cooperative_launch)
    return {executors::perks.name, "one launch, and what fits is cached on the chip"};
  return {executors::graph.name, "this device cannot launch cooperatively"};
}

/// A form with its plan.
template <class T>
cg_decision<T> in_form(const cg_form& form, const cg_request<T>& q, const executor_choice& by) {
  const program_kernel& v = find_kernel(form.program, by.name, precision_of<T>, q.target.on());
  return {by.name, by.why, &form, &v, form.code<T>().plan(q, v), {}};
}

/// On a GPU: of the forms that may win the one with the least projected time.
template <class T>
cg_decision<T> in_fastest_form(const cg_request<T>& q, const executor_choice& by) {
  const auto forms = cg_forms();
  const cg_form& first =
      *std::find_if(forms.begin(), forms.end(), [](const cg_form& f) { return f.weighed_first; });
  cg_decision<T> best = in_form(first, q, by);
  const bool cooperative = best.kernel->cooperative;
  const device_limits limits =
      cooperative ? limits_of(q.target.facts) : with_launches(limits_of(q.target.facts));
  const auto projected = [&](const planned<T>& made) {
    return project(made.facts, made.how, made.configs, limits);
  };
  const projection of_first = projected(best.made);
  const program_facts& p = best.made.facts;
  const weighed_form known{
      p.tiles_per_team,
      static_cast<double>(p.nonzeros) / tile_size / p.teams + 1.0,
      bound_by_barriers(of_first),
      cooperative,
  };
  double least = of_first.seconds;
  std::vector<considered_form> considered = {{first.name, least}};
  for (const cg_form& form : forms) {
    if (!form.may_beat || !form.may_beat(known)) continue;
    cg_decision<T> other = in_form(form, q, by);
    const double seconds = projected(other.made).seconds;
    considered.push_back({form.name, seconds});
    if (seconds < least) best = std::move(other), least = seconds;
  }
  best.considered = std::move(considered);
  return best;
}

template <class T>
cg_decision<T> choose(const cg_request<T>& q) {
  const executor_choice by = choose_executor(q.options, q.target.facts);
  if (q.chain) {
    const auto forms = cg_forms();
    const cg_form& form =
        *std::find_if(forms.begin(), forms.end(), [](const cg_form& f) { return f.with_chain; });
    if (q.options.variant != automatic && q.options.variant != form.name)
      throw unsupported_error(
          fmt::format("preconditioner {}: expected variant auto or {}, found {}",
                      to_string(q.options.preconditioner), form.name, q.options.variant));
    return in_form(form, q, by);
  }
  if (q.options.variant != automatic) {
    const cg_form& form = find_cg_form(q.options.variant);
    if (form.with_chain)
      throw unsupported_error(fmt::format("variant {}: expected preconditioner amg, found {}",
                                          form.name, to_string(q.options.preconditioner)));
    return in_form(form, q, by);
  }
  if (q.target.on() != backend::cpu) return in_fastest_form(q, by);
  cg_decision<T> only = in_form(cg_forms().front(), q, by);
  only.considered = {{only.form->name, 0.0}};
  return only;
}

}  // namespace

template <class T>
cg_decision<T> decide(const cg_request<T>& q) {
  cg_decision<T> chosen = choose(q);
  planned<T>& made = chosen.made;
  // Of the one kernel that is to run, the device itself says whether it fits.
  made.configs[static_cast<std::size_t>(made.how.config)] =
      config_on(*chosen.kernel, q.target, made.how.config);
  check_plan(*chosen.kernel, made.how, made.configs,
             cached_bytes<T>(made.how.cache, made.cut->outline.narrow), q.target.facts);
  return chosen;
}

template cg_decision<double> decide(const cg_request<double>&);
template cg_decision<float> decide(const cg_request<float>&);

}  // namespace dwell
