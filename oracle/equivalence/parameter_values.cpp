#include "oracle/equivalence/parameter_values.h"

#include "oracle/equivalence/parameter_meetings.h"
#include "oracle/equivalence/parameter_solver.h"
#include "oracle/interpret/order.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tileproof::oracle {
namespace {

using ir::Expression;
using ir::Op;
using Wide = WideInteger;

constexpr size_t most_first = 32;            // whatever they cost
constexpr size_t most_interesting = 512;     // in all
constexpr uint64_t most_enumerated = 2000;   // combinations, all of which are run
constexpr size_t most_own = 8;               // values of a parameter that others and products are combined with

class Chooser {
 public:
  explicit Chooser(const std::vector<ir::Parameter>& parameters) : parameters_(parameters) {
    for (const ir::Parameter& parameter : parameters_) {
      lowest_[parameter.name] = parameter.low;
      highest_[parameter.name] = parameter.high;
      middle_[parameter.name] = between(parameter, 1, 2);
      const Wide count = static_cast<Wide>(parameter.high) - parameter.low + 1;
      constexpr Wide most = static_cast<Wide>(1) << 63;
      if (static_cast<Wide>(combinations_) > most / count)
        combinations_ = static_cast<uint64_t>(most);
      else
        combinations_ *= static_cast<uint64_t>(count);
    }
  }

  ParameterValues choose(const std::vector<Expression>& zeros, const Kinds& kinds) {
    add(lowest_);
    add(highest_);
    add(middle_);
    add_meetings(zeros);
    add_in_between();
    add_borders(kinds);
    add_products();
    if (combinations_ <= most_enumerated) add_all();
    ParameterValues result;
    const auto end = values_.begin() + static_cast<ptrdiff_t>(std::min(most_first, values_.size()));
    result.first.assign(values_.begin(), end);
    result.more.assign(end, values_.end());
    result.combinations = combinations_;
    return result;
  }

 private:
  const std::vector<ir::Parameter>& parameters_;
  Parameters lowest_, highest_, middle_;
  uint64_t combinations_ = 1;
  std::vector<Parameters> values_;
  std::set<std::vector<int64_t>> known_;
  std::map<std::string, std::vector<int64_t>> own_;  // interesting values of each parameter, the others in the middle

  static int64_t between(const ir::Parameter& parameter, int64_t part, int64_t of) {
    return static_cast<int64_t>(parameter.low + (static_cast<Wide>(parameter.high) - parameter.low) * part / of);
  }

  bool add(const Parameters& candidate, size_t most = most_interesting) {
    if (values_.size() >= most) return false;
    std::vector<int64_t> key;
    for (const auto& [name, value] : candidate) key.push_back(value);
    if (known_.insert(std::move(key)).second) values_.push_back(candidate);
    return true;
  }

  /// In turn over the lists, so that the bound leaves some for each.
  void add_in_turn(const std::vector<std::vector<Parameters>>& lists) {
    for (size_t turn = 0;; ++turn) {
      bool any = false;
      for (const std::vector<Parameters>& list : lists) {
        if (turn >= list.size()) continue;
        any = true;
        if (!add(list[turn])) return;
      }
      if (!any) return;
    }
  }

  static bool mentions(const Expression& e, const std::string& name) {
    if (e.op == Op::variable) return e.name == name;
    return std::ranges::any_of(e.operands, [&](const Expression& operand) { return mentions(operand, name); });
  }

  /// `base` with the parameter where `e` is 0.
  std::vector<Parameters> solutions(const Expression& e, const ir::Parameter& parameter, const Parameters& base) const {
    Parameters others = base;
    others.erase(parameter.name);
    std::vector<Parameters> list;
    for (const Wide value : solve_parameter(e, parameter, others)) {
      if (value < parameter.low || value > parameter.high) continue;
      Parameters candidate = base;
      candidate[parameter.name] = static_cast<int64_t>(value);
      list.push_back(std::move(candidate));
    }
    return list;
  }

  void add_meetings(const std::vector<Expression>& zeros) {
    std::vector<std::vector<Parameters>> lists;
    std::vector<std::pair<const Expression*, std::vector<const ir::Parameter*>>> joint;  // of several parameters
    for (const Expression& e : zeros) {
      std::vector<const ir::Parameter*> mentioned;
      for (const ir::Parameter& parameter : parameters_) {
        if (mentions(e, parameter.name)) mentioned.push_back(&parameter);
      }
      for (const ir::Parameter* parameter : mentioned) {
        lists.push_back(solutions(e, *parameter, middle_));
        std::vector<int64_t>& own = own_[parameter->name];
        for (const Parameters& solution : lists.back()) {
          const int64_t value = solution.at(parameter->name);
          if (mentioned.size() == 1 && own.size() < most_own && std::ranges::find(own, value) == own.end()) own.push_back(value);
        }
      }
      if (mentioned.size() > 1) joint.emplace_back(&e, std::move(mentioned));
    }
    for (const auto& [e, mentioned] : joint) {
      for (const ir::Parameter* parameter : mentioned) {
        lists.push_back(solutions(*e, *parameter, lowest_));
        lists.push_back(solutions(*e, *parameter, highest_));
        for (const ir::Parameter* other : mentioned) {
          if (other == parameter) continue;
          for (const int64_t value : own_[other->name]) {
            Parameters base = middle_;
            base[other->name] = value;
            lists.push_back(solutions(*e, *parameter, base));
          }
        }
      }
    }
    add_in_turn(lists);
  }

  /// Programs that compute with a parameter may agree at all the others by chance.
  void add_in_between() {
    for (const int64_t part : {382, 786}) {
      Parameters candidate;
      for (const ir::Parameter& parameter : parameters_)
        candidate[parameter.name] = between(parameter, part + static_cast<int64_t>(hash_name(parameter.name) % 97), 1000);
      add(candidate);
    }
  }

  void add_borders(const Kinds& kinds) {
    for (const int64_t border : kinds.borders) {
      for (const ir::Parameter& parameter : parameters_) {
        if (border < parameter.low || border > parameter.high) continue;
        Parameters candidate = middle_;
        candidate[parameter.name] = border;
        add(candidate);
      }
    }
  }

  /// Conditions on different parameters may have to hold at once.
  void add_products() {
    std::vector<Parameters> products{{}};
    for (const ir::Parameter& parameter : parameters_) {
      std::vector<int64_t> own = own_[parameter.name];
      for (const int64_t value : {parameter.low, parameter.high, middle_[parameter.name]}) own.push_back(value);
      std::vector<Parameters> longer;
      for (const int64_t value : own) {
        for (const Parameters& product : products) {
          if (longer.size() >= most_interesting) break;
          longer.push_back(product);
          longer.back()[parameter.name] = value;
        }
      }
      products = std::move(longer);
    }
    for (const Parameters& product : products) add(product);
  }

  /// Those that are left, in an order that spreads them over the ranges.
  void add_all() {
    uint64_t step = std::max<uint64_t>(1, combinations_ * 618 / 1000);
    while (std::gcd(step, combinations_) != 1) ++step;
    for (uint64_t i = 0; i < combinations_; ++i) {
      uint64_t rest = i * step % combinations_;
      Parameters candidate;
      for (const ir::Parameter& parameter : parameters_) {
        const auto count = static_cast<uint64_t>(static_cast<Wide>(parameter.high) - parameter.low + 1);
        candidate[parameter.name] = parameter.low + static_cast<int64_t>(rest % count);
        rest /= count;
      }
      add(candidate, most_enumerated);
    }
  }
};

}  // namespace

ParameterValues parameter_values(const ir::Program& original, const ir::Program& tiled, const Kinds& kinds) {
  if (original.parameters.empty()) return {.first = {{}}, .more = {}, .combinations = 1};
  return Chooser(original.parameters).choose(parameter_meetings(original, tiled), kinds);
}

}  // namespace tileproof::oracle
