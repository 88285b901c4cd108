#include "oracle/prove/solver.h"

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tileproof::prove {
namespace {

/// Terms and formulas in Z3's words. A division becomes its quotient and its remainder, two unknowns tied by `definitions`: that
/// suits nonlinear reasoning better than Z3's own.
class Translation {
 public:
  explicit Translation(z3::context& context) : context_(context), definitions_(context.bool_val(true)) {}

  z3::expr operator()(const Node& node) {
    if (const auto known = known_.find(&node); known != known_.end()) return known->second;
    const z3::expr result = translate(node);
    known_.emplace(&node, result);
    return result;
  }

  z3::expr definitions() const { return definitions_; }
  const std::map<std::string, z3::expr>& variables() const { return variables_; }

 private:
  z3::expr translate(const Node& node) {
    if (node.kind == Kind::integer) return context_.int_val(node.value);
    if (node.kind == Kind::truth) return context_.bool_val(node.value != 0);
    if (node.kind == Kind::variable) return variables_.emplace(node.name, context_.int_const(node.name.c_str())).first->second;
    const z3::expr a = (*this)(*node.operands[0]);
    if (node.kind == Kind::negation) return !a;
    const z3::expr b = (*this)(*node.operands[1]);
    switch (node.kind) {
      case Kind::add: return a + b;
      case Kind::subtract: return a - b;
      case Kind::multiply: return a * b;
      case Kind::quotient: return divide(a, b).first;
      case Kind::remainder: return divide(a, b).second;
      case Kind::min: return z3::ite(a <= b, a, b);
      case Kind::max: return z3::ite(a <= b, b, a);
      case Kind::choose: return z3::ite(a, b, (*this)(*node.operands[2]));
      case Kind::less: return a < b;
      case Kind::less_equal: return a <= b;
      case Kind::equal: return a == b;
      case Kind::both: return a && b;
      default: return a || b;
    }
  }

  /// Without meaning where the divisor is below 1: the prover asks first whether it can be.
  std::pair<z3::expr, z3::expr> divide(const z3::expr& a, const z3::expr& b) {
    const auto key = std::pair(a.id(), b.id());
    if (const auto known = divisions_.find(key); known != divisions_.end()) return known->second;
    const z3::expr quotient = context_.int_const(fmt::format("quotient!{}", divisions_.size()).c_str());
    const z3::expr remainder = context_.int_const(fmt::format("remainder!{}", divisions_.size()).c_str());
    const z3::expr division = a == b * quotient + remainder && remainder >= 0 && remainder < b;
    definitions_ = definitions_ && (b.is_numeral() ? division : z3::implies(b >= 1, division));
    return divisions_.emplace(key, std::pair(quotient, remainder)).first->second;
  }

  z3::context& context_;
  z3::expr definitions_;
  std::unordered_map<const Node*, z3::expr> known_;
  std::map<std::string, z3::expr> variables_;
  std::map<std::pair<unsigned, unsigned>, std::pair<z3::expr, z3::expr>> divisions_;
};

struct Attempt {
  const char* tactic;       ///< nullptr: the default solver; "": the simple one
  double seconds;
};
/// Beyond it the solver gives up.
constexpr const char* memory_megabytes = "1000";

// Most steps fall to one of the first two at once; the others would keep them waiting.
constexpr std::array<Attempt, 5> ladder{{{"", 0.2}, {"qfnra-nlsat", 0.2}, {"", 1}, {"qfnra-nlsat", 1}, {nullptr, 5}}};

z3::solver solver_of(z3::context& context, const Attempt& attempt, double patience) {
  const auto milliseconds = std::max(1U, static_cast<unsigned>(attempt.seconds * patience * 1000));
  const bool plain = attempt.tactic == nullptr || *attempt.tactic == '\0';
  z3::solver solver = attempt.tactic == nullptr ? z3::solver(context)
                      : plain                   ? z3::solver(context, z3::solver::simple())
                                                : z3::try_for(z3::tactic(context, attempt.tactic), milliseconds).mk_solver();
  if (plain) {
    z3::params parameters(context);
    parameters.set("timeout", milliseconds);
    solver.set(parameters);
  }
  return solver;
}

bool is_out_of_time(const std::string& reason) {
  return reason.find("timeout") != std::string::npos || reason.find("cancel") != std::string::npos ||
         reason.find("interrupted") != std::string::npos;
}

/// Numbers for all variables; nullopt: one does not fit 64 bits.
std::optional<Sizes> sizes_of(const z3::model& model, const std::map<std::string, z3::expr>& variables) {
  Sizes sizes;
  for (const auto& [name, variable] : variables) {
    int64_t value = 0;
    if (!model.eval(variable, true).is_numeral_i64(value)) return std::nullopt;
    sizes.emplace(name, value);
  }
  return sizes;
}

Reply decide_in(z3::context& context, const Formula& assumption, const Formula& claim, double patience) {
  Translation translation(context);
  const z3::expr wanted = translation(*assumption.node()) && !translation(*claim.node());
  const z3::expr question = wanted && translation.definitions();
  const auto counterexample = [&](const z3::model& model) -> std::optional<Sizes> {
    const std::optional<Sizes> sizes = sizes_of(model, translation.variables());
    if (!sizes || evaluate(assumption, *sizes) != true || evaluate(claim, *sizes) != false) return std::nullopt;
    return sizes;
  };
  Reply reply;
  bool late = false;
  for (const Attempt& attempt : ladder) {
    z3::solver solver = solver_of(context, attempt, patience);
    solver.add(question);
    switch (solver.check()) {
      case z3::unsat: return {Answer::holds, {}, {}};
      case z3::sat: {
        if (const auto sizes = counterexample(solver.get_model())) return {Answer::fails, *sizes, {}};
        reply.reason = "its counterexample is none, or has numbers beyond 64 bits";
        break;
      }
      default: reply.reason = solver.reason_unknown(); late = late || is_out_of_time(reply.reason);
    }
  }
  reply.answer = late ? Answer::too_slow : Answer::gives_up;
  return reply;
}

/// A counterexample that a person can follow: none of its numbers is above the smallest bound at which there is one.
Sizes smaller(const Formula& assumption, const Formula& claim, Sizes sizes, double patience) {
  for (const int64_t bound : {4, 16, 64, 256, 1024}) {
    Formula small = assumption;
    for (const auto& [name, value] : sizes)
      small = small && Term::variable(name) <= bound && Term(-bound) <= Term::variable(name);
    z3::context context;
    if (const Reply reply = decide_in(context, small, claim, patience / 4); reply.answer == Answer::fails)
      return reply.counterexample;
  }
  return sizes;
}

}  // namespace

Reply decide(const Formula& assumption, const Formula& claim, double patience) {
  try {
    z3::set_param("memory_max_size", memory_megabytes);
    z3::context context;
    Reply reply = decide_in(context, assumption, claim, patience);
    if (reply.answer == Answer::fails) reply.counterexample = smaller(assumption, claim, reply.counterexample, patience);
    return reply;
  } catch (const z3::exception& error) {
    return {Answer::gives_up, {}, error.msg()};
  } catch (const std::exception& error) {
    return {Answer::gives_up, {}, error.what()};
  }
}

}  // namespace tileproof::prove
