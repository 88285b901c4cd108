#include "oracle/prove/prover.h"

#include "oracle/prove/child_processes.h"
#include "oracle/prove/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <unordered_set>

namespace tileproof::prove {
namespace {

using Json = nlohmann::json;

/// The divisors that are no literals, inner ones first.
class Divisors {
 public:
  void collect(const NodePtr& node) {
    if (!seen_.insert(node.get()).second) return;
    for (const NodePtr& operand : node->operands) collect(operand);
    if (node->kind != Kind::quotient && node->kind != Kind::remainder) return;
    const NodePtr& divisor = node->operands[1];
    if (divisor->kind == Kind::integer && divisor->value >= 1) return;
    if (listed_.insert(divisor.get()).second) at_least_one_.push_back(Term(Node(*divisor)) >= 1);
  }
  const std::vector<Formula>& at_least_one() const { return at_least_one_; }

 private:
  std::unordered_set<const Node*> seen_, listed_;
  std::vector<Formula> at_least_one_;
};

/// Does anything meet the assumption? Small numbers are tried first; then the solver is asked.
bool has_an_example(const Formula& assumption, double patience) {
  const std::vector<std::string> names = variables(assumption);
  std::mt19937_64 random(1);
  Sizes sizes;
  for (int tries = 0; tries < 2000; ++tries) {
    const uint64_t range = 1 + static_cast<uint64_t>(tries) / 100;
    for (const std::string& name : names) sizes[name] = static_cast<int64_t>(random() % (range + 1));
    if (evaluate(assumption, sizes) == true) return true;
  }
  return decide(assumption, false, patience).answer == Answer::fails;
}

Proof refuted(const Goal& goal, const Formula& part, const Sizes& counterexample) {
  Proof proof;
  proof.verdict = Verdict::refuted;
  proof.sizes = goal.sizes;
  proof.claim = to_string(part);
  proof.counterexample = counterexample;
  return proof;
}

Proof undecided(const Goal& goal, Verdict verdict, std::string reason) {
  Proof proof;
  proof.verdict = verdict;
  proof.sizes = goal.sizes;
  proof.reason = std::move(reason);
  return proof;
}

Proof prove_goal(const Goal& goal, double patience) {
  if (!has_an_example(goal.assumption, patience))
    return undecided(goal, Verdict::error, "no numbers are found that meet the assumption " + to_string(goal.assumption));
  Divisors divisors;
  divisors.collect(goal.assumption.node());
  divisors.collect(goal.claim.node());
  std::vector<Formula> parts = divisors.at_least_one();
  for (Formula& part : conjuncts(goal.claim)) parts.push_back(std::move(part));
  Formula known = goal.assumption;
  for (const Formula& part : parts) {
    const Reply reply = decide(known, part, patience);
    switch (reply.answer) {
      case Answer::holds: known = known && part; break;
      case Answer::fails: return refuted(goal, part, reply.counterexample);
      case Answer::too_slow: return undecided(goal, Verdict::timeout, "the solver ran out of time on " + to_string(part));
      case Answer::gives_up:
        return undecided(goal, Verdict::error, fmt::format("the solver gives up on {}: {}", to_string(part), reply.reason));
    }
  }
  Proof proof;
  proof.verdict = Verdict::proved;
  return proof;
}

// How a proof crosses from the child to the parent.

std::string to_text(const Proof& proof) {
  return Json{{"verdict", proof.verdict},
              {"reason", proof.reason},
              {"sizes", proof.sizes},
              {"claim", proof.claim},
              {"counterexample", proof.counterexample}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Proof from_text(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  Proof proof;
  if (json.is_discarded()) {
    proof.reason = "the child process answered with garbage";
    return proof;
  }
  proof.verdict = json["verdict"];
  proof.reason = json["reason"];
  proof.sizes = json["sizes"];
  proof.claim = json["claim"];
  proof.counterexample = json["counterexample"].get<Sizes>();
  return proof;
}

Proof proof_of(const ChildEnd& end, double limit) {
  Proof proof;
  if (end.how == ChildEnd::How::answered) {
    proof = from_text(end.text);
  } else if (end.how == ChildEnd::How::out_of_time) {
    proof.verdict = Verdict::timeout;
    proof.reason = fmt::format("its process was stopped after {:g} s", limit);
  } else {
    proof.reason = "its process " + end.text;
  }
  proof.seconds = end.seconds;
  return proof;
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved: return "proved";
    case Verdict::refuted: return "refuted";
    case Verdict::timeout: return "timeout";
    default: return "error";
  }
}

std::string_view name(Tie tie) {
  switch (tie) {
    case Tie::same_source: return "same source";
    case Tie::conformance: return "conformance";
    default: return "model";
  }
}

Proof prove_here(std::span<const Goal> goals, double patience) {
  Proof proof;
  proof.reason = "there is nothing to prove";
  for (const Goal& goal : goals) {
    proof = prove_goal(goal, patience);
    if (proof.verdict != Verdict::proved) return proof;
  }
  return proof;
}

void prove_apart(std::span<const std::vector<Goal>> lists, const ProverOptions& options,
                 const std::function<bool(size_t, const Proof&)>& tell) {
  std::vector<std::function<std::string()>> work;
  for (const std::vector<Goal>& goals : lists)
    work.emplace_back([&goals, &options] { return to_text(prove_here(goals, options.patience)); });
  ChildLimits limits;
  limits.seconds = options.timeout_seconds;
  limits.at_once = options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  run_in_children(work, limits, [&](size_t i, const ChildEnd& end) { return tell(i, proof_of(end, limits.seconds)); });
}

}  // namespace tileproof::prove
