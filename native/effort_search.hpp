// The best list for a gain where candidates cost different effort: scores of lists, and the best-first search over sets.
// kernels/effort_problem.py and kernels/effort_search.py have the plain forms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "budget_bounds.hpp"
#include "gain_law.hpp"
#include "set_queue.hpp"

namespace berrypick {

constexpr std::size_t kMostListed = 32;  // ranks that are chosen one by one
constexpr double kFar = 6.0;

// One gain and one objective. Scores are maximised: -E[ce], or E[1/ce].
struct EffortProblem {
    Candidates candidates;
    Values outside;
    GainLaw upper, lower;
    bool inverse, certain;
    double most, floor;
    bool browses = false, equal = true;
    std::vector<std::size_t> sure_ones;  // candidates that surely show a target

    EffortProblem(Candidates all, Values outside_, GainLaw upper_, GainLaw lower_, bool inverse_, bool certain_,
                  double most_, double floor_)
        : candidates(std::move(all)),
          outside(std::move(outside_)),
          upper(std::move(upper_)),
          lower(std::move(lower_)),
          inverse(inverse_),
          certain(certain_),
          most(most_),
          floor(floor_) {
        for (std::size_t k = 0; k < outside.size(); ++k)
            browses = browses || (candidates.rows[k] > 0 && outside[k] > 0);
        for (std::size_t i = 0; i < candidates.count; ++i) {
            equal = equal && candidates.effort[i] == candidates.effort[0];
            const double* const row = candidates.row(i);
            if (std::find(row, row + targets(), 1.0) != row + targets()) sure_ones.push_back(i);
        }
    }

    std::size_t targets() const { return candidates.targets; }
    const Values& gains() const { return lower.gains; }

    // A list up to some rank.
    struct State {
        Values seen, unseen;
        double effort = 0.0, reached = 0.0, score = 0.0;

        explicit State(std::size_t targets) : seen(targets, 0.0), unseen(targets, 1.0) {}

        void see(const double* row) {
            for (std::size_t x = 0; x < seen.size(); ++x) {
                seen[x] = seen[x] + (1.0 - seen[x]) * row[x];
                unseen[x] = unseen[x] * (1.0 - row[x]);
            }
        }
    };

    // of a whole list; a number that is no candidate stands for nothing
    double score(const Index* order, std::size_t ranks, GainLaw::Scratch& scratch) const {
        State state(targets());
        Values paid(targets(), 0.0);
        for (std::size_t k = 0; k < ranks; ++k) {
            const std::size_t i = std::size_t(order[k]);
            if (i >= candidates.count) continue;
            const double* const row = candidates.row(i);
            for (std::size_t x = 0; x < targets(); ++x)
                paid[x] = paid[x] + state.unseen[x] * row[x] * outside[i * targets() + x];
            state.see(row);
            state.effort += candidates.effort[i];
            const double reached = lower.is_sure(state.unseen.data())
                                       ? 1.0
                                       : lower(state.seen.data(), state.unseen.data(), scratch).reached;
            double spent = state.effort;
            for (std::size_t x = 0; x < targets(); ++x) {
                const double share = std::max(state.seen[x], reached);
                spent += share > 0 ? paid[x] / share : 0.0;
            }
            const double first = std::max(reached - state.reached, 0.0);
            state.score += inverse ? (first > 0 ? first / spent : 0.0) : -first * spent;
            state.reached = std::max(reached, state.reached);
        }
        return inverse || lower.is_sure(state.unseen.data()) ? state.score : -kInfinity;
    }

    // A list up to where it surely suffices; sure candidates follow where it does not, the cheapest for what they add
    // first.
    std::vector<Index> cut(const std::vector<Index>& order) const {
        std::vector<Index> made;
        State state(targets());
        std::size_t next = 0;
        while (made.size() < kMostListed + order.size() && !lower.is_sure(state.unseen.data())) {
            if (next == order.size() && inverse && !certain) break;
            const Index i = next < order.size() ? order[next++] : next_sure(made, state.unseen);
            if (i < 0) break;
            made.push_back(i);
            state.see(candidates.row(std::size_t(i)));
        }
        return made;
    }

    // What going from one effort to a larger one adds where a share has reached the gain before.
    double step(double effort, double larger, double reached) const {
        const double before = effort != 0.0 ? std::max(effort, floor) : 0.0, after = std::max(larger, floor);
        if (!inverse) return -(after - before) * (1.0 - reached);
        return reached != 0.0 ? reached * (after - before) / (before * after) : 0.0;
    }

private:
    Index next_sure(const std::vector<Index>& made, const Values& unseen) const {
        Index best = -1;
        double most_gained = 0.0;
        for (const std::size_t i : sure_ones) {
            if (std::find(made.begin(), made.end(), Index(i)) != made.end()) continue;
            double gained = 0.0;
            for (std::size_t x = 0; x < targets(); ++x)
                gained += candidates.row(i)[x] == 1.0 && unseen[x] > 0 ? std::min(gains()[x], lower.wanted) : 0.0;
            gained /= candidates.effort[i];
            if (gained > most_gained) {
                most_gained = gained;
                best = Index(i);
            }
        }
        return best;
    }
};

// Sets in the order of what their extensions can still score.
class EffortSearch {
public:
    EffortSearch(const EffortProblem& problem, std::vector<std::uint8_t> follows, std::vector<Index> best, double goal)
        : problem_(problem), follows_(std::move(follows)), best_(std::move(best)), goal_(goal) {
        const std::size_t count = problem.candidates.count;
        waiting_.assign(count, 0);
        for (std::size_t k = 0; k < follows_.size(); ++k) waiting_[k / count] += follows_[k];
        by_effort_.resize(count);
        for (std::size_t i = 0; i < count; ++i) by_effort_[i] = i;
        std::stable_sort(by_effort_.begin(), by_effort_.end(), [&](std::size_t a, std::size_t b) {
            return problem.candidates.effort[a] < problem.candidates.effort[b];
        });
    }

    const std::vector<Index>& best() const { return best_; }

    // What the extensions of all sets that are left can score.
    double bound() const { return std::max(closed_, queue_.bound()); }

    // Looks at the most promising set; false if none is left.
    bool step() {
        return queue_.step([&](double bound) { return promising(bound); }, [&](std::size_t set) { expand(set); });
    }

private:
    bool promising(double bound) const { return bound > goal_ + std::abs(goal_) * kRounding; }

    void improve(const std::vector<Index>& order) {
        std::vector<Index> found = problem_.cut(order);
        const double score = problem_.score(found.data(), found.size(), scratch_);
        if (score > goal_) {
            best_ = std::move(found);
            goal_ = score;
        }
    }

    // A list that needs nothing more. If browsing costs effort, another order of it may be better than the one that was
    // tried.
    void close(double bound) {
        if (problem_.browses) closed_ = std::max(closed_, bound);
    }

    EffortProblem::State state(const std::vector<Index>& order) {
        EffortProblem::State found(problem_.targets());
        for (const Index i : order) {
            const double effort = problem_.candidates.effort[std::size_t(i)];
            found.score += problem_.step(found.effort, found.effort + effort, found.reached);
            found.see(problem_.candidates.row(std::size_t(i)));
            found.effort += effort;
            found.reached = possibly(found, problem_.upper(found.seen.data(), found.unseen.data(), scratch_));
        }
        return found;
    }

    // P(gain reached), not below the true one
    double possibly(const EffortProblem::State& state, const GainLaw::Tails& upper) const {
        return problem_.lower.is_sure(state.unseen.data()) ? 1.0 : upper.reached;
    }

    // How much further effort is looked at piece by piece: what the best list takes in all, or several times what most
    // readers need.
    double horizon(const EffortProblem::State& known) const {
        const double usual = problem_.inverse ? 1.0 / goal_ : -goal_;
        double whole = 0.0;
        for (const Index i : best_) whole += problem_.candidates.effort[std::size_t(i)];
        return std::min(whole, kFar * usual) - known.effort;
    }

    // How many candidates that are not sure, and sure ones, are told apart on the way to a list that suffices: where
    // efforts are equal.
    std::pair<std::size_t, std::size_t> kinds(const EffortProblem::State& known) const {
        if (!problem_.certain || problem_.browses || !problem_.equal) return {0, 0};
        std::size_t need = 0;
        for (const double unseen : known.unseen) need += unseen > 0;
        if (need <= 1 || need > kMostPaths) return {0, 0};
        return {need + kMoreLevels, need + 1};
    }

    // Candidates that can be among the next within the horizon; `ready`: the places of those that can be the very next,
    // since a dominated one follows its dominators.
    std::vector<std::size_t> pool(const std::vector<Index>& order, const EffortProblem::State& known,
                                  std::vector<std::size_t>& ready) const {
        const Candidates& all = problem_.candidates;
        std::vector<bool> left(all.count, false);
        for (std::size_t i = 0; i < all.count; ++i)
            for (std::size_t x = 0; x < all.targets && !left[i]; ++x) left[i] = all.row(i)[x] * known.unseen[x] > 0;
        for (const Index i : order) left[std::size_t(i)] = false;
        const double limit = horizon(known) * (1 + kRounding);
        std::size_t ranks = 1;
        double cheapest = 0.0;
        for (const std::size_t i : by_effort_)
            if (left[i]) {
                cheapest += all.effort[i];
                if (!(cheapest <= limit)) break;
                ++ranks;
            }
        const auto [others, sures] = kinds(known);
        ranks = std::max(ranks, others + sures);
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < all.count; ++i) {
            if (!left[i]) continue;
            std::size_t waiting = waiting_[i];
            if (!follows_.empty())
                for (const Index j : order) waiting -= follows_[i * all.count + std::size_t(j)];
            if (waiting >= ranks) continue;
            if (waiting == 0) ready.push_back(found.size());
            found.push_back(i);
        }
        return found;
    }

    // What effort beyond that of the set and `begun` can add, given bounds on what is reached with it.
    template <class Reached>
    double future(const EffortProblem::State& known, const Budgets& budgets, double begun, Reached reached) const {
        const auto edge = [&](std::size_t m) {
            return std::max(known.effort + std::max(budgets.edges[m], begun), problem_.floor);
        };
        double before = edge(0);
        // nobody has anything before the floor
        double found = problem_.inverse || known.effort != 0.0 || begun != 0.0 ? 0.0 : -before;
        for (std::size_t m = 0; m < budgets.most.size(); ++m) {
            const double after = edge(m + 1);
            if (!problem_.inverse)
                found -= (after - before) * (1.0 - reached(m));
            else if (before > 0)
                found += (after - before) / (before * after) * reached(m);
            before = after;
        }
        return problem_.inverse ? found + problem_.most / before : found;
    }

    Ways ways(const EffortProblem::State& known, const Candidates& pool, const Values& best) const {
        const auto [others, sures] = kinds(known);
        if (!others) return {};
        const Values table = kinds_table(pool, known.unseen, problem_.gains(), problem_.lower.wanted, others, sures);
        const auto rank = std::size_t(std::nearbyint(known.effort / pool.effort[0]));
        return {table, others, sures, best, rank, problem_.inverse, problem_.most};
    }

    // the same for one candidate, once it has been consulted
    double after_next(const EffortProblem::State& known, const Ways& ways, const double* row, double effort,
                      double reached) const {
        bool surely = false;
        for (std::size_t x = 0; x < known.unseen.size(); ++x) surely = surely || (known.unseen[x] > 0 && row[x] == 1.0);
        const double after = surely ? ways.after_sure : ways.after_other;
        if (!problem_.inverse) return (reached - 1.0 + after) * effort;
        const double rank = std::nearbyint(known.effort / effort);
        return (reached / ((rank + 1) * (rank + 2)) + after) / effort;
    }

    void expand(std::size_t set) {
        const std::vector<Index> order = queue_.order_of(set);
        const EffortProblem::State known = state(order);
        std::vector<std::size_t> ready;
        const std::vector<std::size_t> which = pool(order, known, ready);
        improve(order);
        if (which.empty()) {
            if (problem_.inverse && !order.empty())
                close(known.score + known.reached / std::max(known.effort, problem_.floor));
            return;
        }
        const Candidates next = problem_.candidates.take(which);
        Values reached(next.count), added(next.count);
        std::vector<bool> done(next.count);
        const double expected = problem_.upper(known.seen.data(), known.unseen.data(), scratch_).expected;
        for (std::size_t n = 0; n < next.count; ++n) {
            EffortProblem::State after = known;
            after.see(next.row(n));
            const GainLaw::Tails tails = problem_.upper(after.seen.data(), after.unseen.data(), scratch_);
            done[n] = problem_.lower.is_sure(after.unseen.data());
            reached[n] = done[n] ? 1.0 : tails.reached;
            added[n] = std::max(tails.expected - expected, 0.0);
        }
        const Budgets budgets(next.effort, horizon(known));
        const BudgetBounds bounds(next, ready, known.unseen, problem_.gains(), problem_.lower.wanted, budgets, expected,
                                  added);
        const Values best = best_within(known, next, budgets, bounds, reached);
        const auto score_with = [&](std::size_t n) {
            return known.score + problem_.step(known.effort, known.effort + next.effort[n], known.reached);
        };
        double whole = known.score + future(known, budgets, 0.0, [&](std::size_t m) { return best[m]; });
        const Ways along = ways(known, next, best);
        if (along.all != kInfinity) {
            const double effort = next.effort[0];
            whole = std::min(whole, score_with(0) + (problem_.inverse ? along.all / effort : along.all * effort));
        }
        if (!promising(whole)) return;
        const double least = *std::min_element(next.effort.begin(), next.effort.end());
        for (std::size_t k = 0; k < ready.size(); ++k) {
            const std::size_t n = ready[k];
            const double effort = next.effort[n], score = score_with(n);
            double later = future(known, budgets, effort, [&](std::size_t m) {
                if (budgets.edges[m + 1] <= effort + least) return reached[n];
                return std::max(std::min(bounds.given[m * ready.size() + k], best[m]), reached[n]);
            });
            if (along.all != kInfinity) later = std::min(later, after_next(known, along, next.row(n), effort, reached[n]));
            const double limit = std::min(whole, score + later);
            if (!promising(limit)) continue;
            if (done[n]) {
                std::vector<Index> longer = order;
                longer.push_back(Index(which[n]));
                improve(longer);
                close(limit);
            } else {
                queue_.push(limit, set, which[n], score);
            }
        }
    }

    // For each part, what any candidates within the budget reach at most.
    Values best_within(const EffortProblem::State& known, const Candidates& next, const Budgets& budgets,
                       const BudgetBounds& bounds, const Values& reached) const {
        Values best = bounds.best;
        for (std::size_t m = 0; m < best.size(); ++m) {
            if (budgets.single[m]) {
                double alone = 0.0;
                for (std::size_t n = 0; n < next.count; ++n)
                    if (next.effort[n] <= budgets.most[m] * (1 + kRounding)) alone = std::max(alone, reached[n]);
                best[m] = std::min(best[m], alone);
            }
            best[m] = std::min(std::max(best[m], known.reached), problem_.most);
        }
        return best;
    }

    const EffortProblem& problem_;
    std::vector<std::uint8_t> follows_;
    std::vector<Index> best_;
    double goal_;
    double closed_ = -kInfinity;  // what lists that are complete would score if browsing cost nothing
    std::vector<std::size_t> waiting_, by_effort_;
    SetQueue queue_;
    GainLaw::Scratch scratch_;
};

}  // namespace berrypick
