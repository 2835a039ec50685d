// SPDX-License-Identifier: MIT
// All ranks know the names of what all need, and who has it: so all find the same rank to give each
// kernel, and need no word more.
#include "dwell/execution/comm/kernel_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/kernel_facts.hpp"

namespace dwell {
namespace {

constexpr std::size_t name_length = 64;

/// What a rank says of a kernel that it needs.
struct entry {
  char name[name_length] = {};
  char is_there = 0, compiles = 0;
};

/// A kernel that some ranks need.
struct needed_by {
  std::vector<int> ranks, without;  ///< that need it, and those of them that do not have it
  int giver = -1;                   ///< who has it or compiles it
  bool is_there = false;            ///< it is not to be compiled
};

/// By names, in their order: the same on all ranks.
std::map<std::string, needed_by> needs_of_all(communicator& comm, const std::vector<entry>& mine) {
  const std::vector<std::size_t> counts = values_of_ranks(comm, mine.size());
  const std::size_t most = std::ranges::max(counts);
  std::map<std::string, needed_by> all;
  if (most == 0) return all;
  std::vector<entry> padded = mine, gathered(most * counts.size());
  padded.resize(most);
  comm.all_gather(padded.data(), most * sizeof(entry), gathered.data());
  std::map<std::string, int> compiler;
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    for (std::size_t k = 0; k < counts[rank]; ++k) {
      const entry& e = gathered[rank * most + k];
      const std::string name(e.name, name_length);
      needed_by& one = all[name];
      const int who = static_cast<int>(rank);
      one.ranks.push_back(who);
      if (!e.is_there) one.without.push_back(who);
      if (e.is_there && !one.is_there) {
        one.giver = who;
        one.is_there = true;
      }
      if (e.compiles) compiler.emplace(name, who);
    }
  for (auto& [name, one] : all) {
    if (one.is_there) continue;
    const auto able = compiler.find(name);
    one.giver = able != compiler.end() ? able->second : one.ranks.front();  // who then says why not
    std::erase(one.without, one.giver);
  }
  return all;
}

}  // namespace

kernel_making exchange_kernels(communicator& comm, std::span<const kernel_source> wanted,
                               const kernel_target& target, kernel_store& store) {
  kernel_making making;
  if (comm.size() == 1) return making;
  std::map<std::string, const kernel_source*> sources;
  std::vector<entry> mine;
  together(comm, [&] {
    for (const kernel_source& source : wanted)
      if (const std::string name = common_name(source, target);
          sources.emplace(name, &source).second) {
        entry e;
        std::memcpy(e.name, name.data(), name_length);
        e.is_there = store.find(source, target) != nullptr;
        e.compiles = !e.is_there && store.has_compiler(target);
        mine.push_back(e);
      }
  });
  std::map<std::string, needed_by> all = needs_of_all(comm, mine);
  std::erase_if(all,
                [](const auto& one) { return one.second.is_there && one.second.without.empty(); });
  if (all.empty()) return making;

  const int me = comm.rank();
  const auto gives = [&](const needed_by& one) { return one.giver == me && !one.without.empty(); };
  // Outgoing, in the order of names.
  std::vector<std::string> outgoing(all.size());
  together(comm, [&] {
    std::vector<kernel_source> missing;
    for (const auto& [name, one] : all)
      if (one.giver == me && !one.is_there) missing.push_back(*sources.at(name));
    if (!missing.empty()) {
      const compiled_kernels made = store.compile(missing, target);
      making = {made.compiler, made.seconds};
    }
    std::size_t k = 0;
    for (const auto& [name, one] : all) {
      if (gives(one)) {
        const auto code = store.find(*sources.at(name), target);
        if (!code)
          throw device_error(fmt::format("kernels of ranks: rank {} has lost one meanwhile", me));
        outgoing[k] = packed(*code);
      }
      ++k;
    }
  });

  std::vector<std::size_t> lengths(all.size());
  std::ranges::transform(outgoing, lengths.begin(), &std::string::size);
  std::vector<std::size_t> of_ranks(all.size() * static_cast<std::size_t>(comm.size()));
  comm.all_gather(lengths.data(), lengths.size() * sizeof(std::size_t), of_ranks.data());
  std::vector<rank_message> out, in;
  std::vector<std::pair<const kernel_source*, std::string>> incoming;
  incoming.reserve(all.size());  // their bytes stay where they are
  std::size_t k = 0;
  for (const auto& [name, one] : all) {
    for (const int to : one.without) {
      if (one.giver == me) out.push_back({to, outgoing[k].data(), outgoing[k].size()});
      if (to != me) continue;
      const std::size_t length = of_ranks[static_cast<std::size_t>(one.giver) * all.size() + k];
      incoming.emplace_back(sources.at(name), std::string(length, '\0'));
      in.push_back({one.giver, incoming.back().second.data(), length});
    }
    ++k;
  }
  const auto messages = comm.messages(std::move(out), std::move(in));
  messages->start();
  messages->finish();
  together(comm, [&] {
    for (const auto& [source, bytes] : incoming) {
      auto code = unpacked(bytes);
      if (!code) throw device_error("kernels of ranks: a message is damaged");
      if (making.compiler.empty()) making.compiler = code->compiler;
      store.take(*source, target, std::move(*code));
    }
  });
  return making;
}

kernel_target target_of_rank(const device& where) {
  return {where.facts().compute_capability, cuda_driver_major()};
}

}  // namespace dwell
