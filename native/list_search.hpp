// Ideal lists: the best-first search over sets. ideal/list_search.py has the plain form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "budget_bounds.hpp"
#include "list_problem.hpp"
#include "set_queue.hpp"
#include "sum_bounds.hpp"

namespace berrypick {

constexpr int kSteps = 8;
constexpr double kFar = 6.0;

// Sets in the order of what their extensions can still score.
class ListSearch {
public:
    ListSearch(const ListProblem& problem, std::vector<std::uint8_t> follows, std::vector<Index> best, double goal)
        : problem_(problem), follows_(std::move(follows)), best_(std::move(best)), goal_(goal) {
        const std::size_t count = problem.candidates.count;
        waiting_.assign(count, 0);
        for (std::size_t k = 0; k < follows_.size(); ++k) waiting_[k / count] += follows_[k];
        by_effort_.resize(count);
        for (std::size_t i = 0; i < count; ++i) by_effort_[i] = i;
        std::stable_sort(by_effort_.begin(), by_effort_.end(), [&](std::size_t a, std::size_t b) {
            return problem.candidates.effort[a] < problem.candidates.effort[b];
        });
        if (problem.is_number()) {
            bounds_ = {&ListSearch::by_sums, &ListSearch::by_levels_roughly, &ListSearch::by_levels,
                       &ListSearch::by_sums_after};
            rough_ = 2;
        } else {
            bounds_ = {&ListSearch::by_sums, &ListSearch::by_budgets, &ListSearch::by_sums_after};
        }
    }

    const std::vector<Index>& best() const { return best_; }

    // What the extensions of all sets that are left can score.
    double bound() { return std::max(closed_, queue_.bound(*this)); }

    // Looks at the most promising set; false if none is left.
    bool step() { return queue_.step(*this); }

private:
    friend class SetQueue;
    using State = ListProblem::State;

    // A set with one more candidate.
    struct After {
        double score = 0.0, reached = 0.0, below = 0.0, expected = 0.0;
        bool done = false;
    };

    // A set, the candidates that may be appended to it, and of these the places of those that can be the very next.
    struct Step {
        const State& known;
        const double& goal;  // what a list has to score more than
        std::vector<std::size_t> which, ready;
        Candidates next;
        std::vector<After> after;
        LeastEffort left;
        std::optional<LevelBounds> bounds;
    };

    // What no extension of a set can pass, and none that begins with each candidate that is ready.
    struct Limits {
        double whole = kInfinity;
        Values each;

        void lower(double bound) { whole = std::min(whole, bound); }
        void lower(std::size_t k, double bound) { each[k] = std::min(each[k], bound); }
    };

    // A bound. Of several the least counts, and they are asked one after the other while there is something to find.
    using Bound = void (ListSearch::*)(Step&, Limits&);

    bool promising(double bound) const { return promising(bound, goal_); }

    bool promising(double bound, double goal) const {
        const double value = problem_.inverse ? goal : problem_.origin - goal;
        return bound > goal + std::abs(value) * (problem_.is_number() ? 2 * kRounding : kRounding);
    }

    void improve(const std::vector<Index>& order) {
        std::vector<Index> found = problem_.cut(order, scratch_);
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

    // `goal`: that of the time when the set was taken, if it has been put aside since.
    void expand(std::size_t set, const double* goal) {
        const std::vector<Index> order = queue_.order_of(set);
        State known = problem_.start();
        for (const Index i : order) problem_.append(known, std::size_t(i), scratch_);
        std::vector<std::size_t> ready, which = pool(order, known, ready);
        if (!goal) improve(order);
        if (which.empty()) {
            if (problem_.inverse && !order.empty()) close(problem_.finished(known));
            return;
        }
        Candidates next = problem_.candidates.take(which);
        Step step{known, goal ? *goal : goal_, std::move(which), std::move(ready), std::move(next), {},
                  least_effort(order, known), {}};
        Limits limits;
        limits.each.assign(step.ready.size(), kInfinity);
        for (std::size_t n = 0; n < bounds_.size(); ++n) {
            (this->*bounds_[n])(step, limits);
            if (!promising(limits.whole, step.goal)) return;
            if (n < rough_ && !ends(step) && queue_.put_aside(set, limits.whole, step.goal)) return;
        }
        if (step.after.empty()) look(step, step.ready);
        for (std::size_t k = 0; k < step.ready.size(); ++k) {
            const double limit = std::min(limits.whole, limits.each[k]);
            if (!promising(limit, step.goal)) continue;
            const After& after = step.after[step.ready[k]];
            const std::size_t i = step.which[step.ready[k]];
            if (after.done) {
                std::vector<Index> longer = order;
                longer.push_back(Index(i));
                improve(longer);
                close(limit);
            } else {
                queue_.push(limit, set, i, after.score);
            }
        }
    }

    // What a set scores with a candidate.
    double score_with(std::size_t set, std::size_t i) {
        std::vector<Index> order = queue_.order_of(set);
        order.push_back(Index(i));
        State state = problem_.start();
        for (const Index k : order) problem_.append(state, std::size_t(k), scratch_);
        return problem_.score_ahead(state);
    }

    // Whether a list may be complete with the next candidate: the goal is then another one for what follows.
    bool ends(const Step& step) const {
        Values unseen(problem_.targets());
        return std::any_of(step.ready.begin(), step.ready.end(), [&](std::size_t n) {
            for (std::size_t x = 0; x < unseen.size(); ++x) unseen[x] = step.known.unseen[x] * (1.0 - step.next.row(n)[x]);
            return problem_.lower.is_sure(unseen.data());
        });
    }

    // Looks at the set with each of some candidates.
    void look(Step& step, const std::vector<std::size_t>& places) {
        step.after.resize(step.which.size());
        std::size_t which[kLists];
        GainLaw::Tails tails[kLists];
        for (std::size_t first = 0; first < places.size(); first += kLists) {
            const std::size_t lists = std::min(places.size() - first, kLists);
            std::vector<State> states(lists, step.known);
            for (std::size_t k = 0; k < lists; ++k) which[k] = step.which[places[first + k]];
            problem_.append_each(states, which, scratch_, tails);
            for (std::size_t k = 0; k < lists; ++k)
                step.after[places[first + k]] = {problem_.score_ahead(states[k]), states[k].reached, states[k].below,
                                                 tails[k].expected, problem_.lower.is_sure(states[k].unseen.data())};
        }
    }

    // Candidates that can be among the next as far as bounds look; `ready`: the places of those that can be the very next,
    // since a dominated one follows its dominators.
    std::vector<std::size_t> pool(const std::vector<Index>& order, const State& known,
                                  std::vector<std::size_t>& ready) const {
        const Candidates& all = problem_.candidates;
        std::vector<bool> left(all.count, false);
        for (std::size_t i = 0; i < all.count; ++i)
            for (std::size_t x = 0; x < all.targets && !left[i]; ++x) left[i] = all.row(i)[x] * known.unseen[x] > 0;
        for (const Index i : order) left[std::size_t(i)] = false;
        const auto [others, sures] = kinds(known);
        const std::size_t looked = problem_.is_number() ? levels(known) : ranks_within(horizon(known), left);
        const std::size_t ranks = std::max(looked, others + sures);
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

    // The most targets that may be needed beyond those surely seen.
    std::size_t needed(const State& known) const {
        const auto sure = std::size_t(std::count(known.unseen.begin(), known.unseen.end(), 0.0));
        const std::size_t all = problem_.is_number() ? std::size_t(problem_.lower.wanted) : problem_.targets();
        return all > sure ? all - sure : 0;
    }

    // How many candidates that are not sure, and sure ones, are told apart on the way to a list that suffices: where
    // efforts are equal.
    std::pair<std::size_t, std::size_t> kinds(const State& known) const {
        if (!problem_.certain || problem_.browses || !problem_.equal) return {0, 0};
        const std::size_t need = needed(known);
        if (need <= 1 || need > kMostPaths) return {0, 0};
        return {need + kMoreLevels, need + 1};
    }

    // One number for candidates that are not sure, another for those that surely show a target not yet sure.
    static double after_kind(const Ways& ways, const State& known, const double* row) {
        for (std::size_t x = 0; x < known.unseen.size(); ++x)
            if (known.unseen[x] > 0 && row[x] == 1.0) return ways.after_sure;
        return ways.after_other;
    }

    // --- from what any 1, 2, ... further candidates can lead to ---

    // How many further ranks are bounded one by one.
    std::size_t levels(const State& known) const {
        const std::size_t left = problem_.candidates.count - std::size_t(known.effort), need = needed(known);
        const std::size_t wanted = problem_.certain ? (need ? need - 1 : 0) : kMostLevels;
        return std::max(std::min(wanted, left), std::size_t(1));
    }

    // without tangents, which takes less time, for the whole only
    void by_levels_roughly(Step& step, Limits& limits) {
        const auto [others, sures] = kinds(step.known);
        step.bounds.emplace(step.next, step.ready, step.known.unseen.data(), Index(problem_.lower.wanted),
                            levels(step.known), others, sures);
        limits.lower(by_levels_whole(step).first);
    }

    // One level after the other, while there is something to find: what is not promising by the levels so far would not be
    // by all of them.
    void by_levels(Step& step, Limits& limits) {
        const State& known = step.known;
        const std::size_t rank = std::size_t(known.effort), levels = this->levels(known), count = step.ready.size();
        Ways ways;
        for (std::size_t j = 1; j <= levels; ++j) {
            step.bounds->refine(j, kSteps);
            const auto found = by_levels_whole(step);
            limits.lower(found.first);
            if (!promising(limits.whole, step.goal)) return;
            ways = found.second;
        }
        look(step, step.ready);
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t n = step.ready[k];
            const double later = tail(step.bounds->given.data() + k, count, 1, levels, rank) + beyond(rank, levels);
            limits.lower(k, step.after[n].score + std::min(later, after_kind(ways, known, step.next.row(n))));
        }
    }

    // What no extension of the set can pass by the bounds so far.
    std::pair<double, Ways> by_levels_whole(const Step& step) const {
        const State& known = step.known;
        const LevelBounds& bounds = *step.bounds;
        const std::size_t rank = std::size_t(known.effort), levels = bounds.best.size() - 1;
        const auto [others, sures] = kinds(known);
        const Ways ways =
            others ? Ways(bounds.table, others, sures, bounds.best, rank, problem_.inverse, problem_.most) : Ways();
        const double all = tail(bounds.best.data() + 1, 1, 0, levels, rank) + beyond(rank, levels);
        return {problem_.score_ahead(known) + std::min(all, ways.all), ways};
    }

    // What all ranks after the levels can add.
    double beyond(std::size_t rank, std::size_t levels) const {
        return problem_.inverse ? problem_.most * (1 + kRounding) / double(rank + levels + 1) : 0.0;
    }

    // The score of the levels from one on, from bounds on P(F >= r), `step` places apart.
    double tail(const double* bounds, std::size_t step, std::size_t from, std::size_t levels, std::size_t rank) const {
        double found = 0.0;
        for (std::size_t j = levels; j-- > from;) {
            const double k = double(rank + j + 1);
            found += problem_.inverse ? bounds[j * step] / (k * (k + 1.0)) : bounds[j * step] - 1.0;
        }
        return found;
    }

    // --- from what the candidates that are left lead to in all ---

    LeastEffort least_effort(const std::vector<Index>& order, const State& known) const {
        if (problem_.inverse) return {};
        const Candidates& all = problem_.candidates;
        double need = problem_.lower.wanted;
        for (std::size_t x = 0; x < all.targets; ++x)
            if (known.unseen[x] == 0.0) need -= problem_.gains()[x];
        Values worth(all.count, 0.0);
        for (std::size_t i = 0; i < all.count; ++i)
            for (std::size_t x = 0; x < all.targets; ++x)
                if (known.unseen[x] > 0) worth[i] += all.row(i)[x] * std::min(problem_.gains()[x], need);
        for (const Index i : order) worth[std::size_t(i)] = 0.0;
        return {worth, all.effort};
    }

    void by_sums(Step& step, Limits& limits) {
        if (problem_.inverse) return;
        const State& known = step.known;
        const GainLaw::Tails tails = problem_.upper(known.seen.data(), known.unseen.data(), scratch_);
        double further = 0.0;
        if (problem_.is_number()) {  // the law of the number of targets is at hand
            std::size_t sure = 0;
            for (std::size_t x = 0; x < known.seen.size(); ++x) sure += known.seen[x] == 1.0 && known.unseen[x] == 0.0;
            for (std::size_t f = sure; double(f) < problem_.lower.wanted; ++f)
                further += scratch_.mass[f - sure] * step.left(problem_.lower.wanted - double(f));
        } else {
            further = this->further(step, known.below, tails.expected);
        }
        const double charged = known.effort != 0.0 ? std::max(known.effort, problem_.floor) - known.effort : 0.0;
        limits.lower(known.score - std::max(further - charged * known.below, 0.0));
    }

    // the same for each candidate that may be the next
    void by_sums_after(Step& step, Limits& limits) {
        if (problem_.inverse) return;
        if (step.after.empty()) look(step, step.ready);
        for (std::size_t k = 0; k < step.ready.size(); ++k) {
            const After& after = step.after[step.ready[k]];
            const double effort = step.known.effort + step.next.effort[step.ready[k]];
            const double charged = std::max(effort, problem_.floor) - effort;
            const double more = std::max(further(step, after.below, after.expected) - charged * after.below, 0.0);
            limits.lower(k, after.score + problem_.ahead * after.below - more);  // its score has the next rank
        }
    }

    // The effort that readers who have not got the gain still spend on average, times their share.
    double further(const Step& step, double below, double expected) const {
        double near = 0.0;  // sums that near are taken for equal
        if (!problem_.is_number())
            near = 1e-12 * std::accumulate(problem_.gains().begin(), problem_.gains().end(), 0.0);
        const double missing = std::max(problem_.lower.wanted - near - expected, 0.0);
        // on a grid the share is not known exactly, and the whole is convex in it
        if (!problem_.exact) return std::max(below * step.left.least, step.left.on_average(missing));
        return below > 0 ? below * step.left(missing / below) : 0.0;
    }

    // --- from what any candidates within an effort can lead to ---

    // How much further effort is looked at piece by piece: what the best list takes in all, or several times what most
    // readers need.
    double horizon(const State& known) const {
        const double usual = problem_.inverse ? 1.0 / goal_ : -goal_;
        double whole = 0.0;
        for (const Index i : best_) whole += problem_.candidates.effort[std::size_t(i)];
        return std::min(whole, kFar * usual) - known.effort;
    }

    // How many of the candidates left fit into an effort, and one more.
    std::size_t ranks_within(double effort, const std::vector<bool>& left) const {
        std::size_t ranks = 1;
        double cheapest = 0.0;
        for (const std::size_t i : by_effort_) {
            if (!left[i]) continue;
            cheapest += problem_.candidates.effort[i];
            if (!(cheapest <= effort * (1 + kRounding))) break;
            ++ranks;
        }
        return ranks;
    }

    void by_budgets(Step& step, Limits& limits) {
        const State& known = step.known;
        const Candidates& next = step.next;
        std::vector<std::size_t> all(next.count);
        std::iota(all.begin(), all.end(), std::size_t(0));
        look(step, all);
        const double expected = problem_.upper(known.seen.data(), known.unseen.data(), scratch_).expected;
        Values added(next.count);
        for (std::size_t n = 0; n < next.count; ++n) added[n] = std::max(step.after[n].expected - expected, 0.0);
        const Budgets budgets(next.effort, horizon(known));
        const BudgetBounds bounds(next, step.ready, known.unseen, problem_.gains(), problem_.lower.wanted, budgets, expected,
                                  added);
        const Values best = best_within(step, budgets, bounds);
        limits.lower(known.score + future(known, budgets, 0.0, [&](std::size_t m) { return best[m]; }));
        const Ways along = ways(known, next, best);
        const double one = next.effort[0];
        if (along.all != kInfinity)
            limits.lower(step.after[0].score + (problem_.inverse ? along.all / one : along.all * one));
        if (!promising(limits.whole, step.goal)) return;
        const double least = *std::min_element(next.effort.begin(), next.effort.end());
        for (std::size_t k = 0; k < step.ready.size(); ++k) {
            const std::size_t n = step.ready[k];
            const double effort = next.effort[n], reached = step.after[n].reached;
            double later = future(known, budgets, effort, [&](std::size_t m) {
                if (budgets.edges[m + 1] <= effort + least) return reached;
                return std::max(std::min(bounds.given[m * step.ready.size() + k], best[m]), reached);
            });
            if (along.all != kInfinity) later = std::min(later, after_next(known, along, next.row(n), effort, reached));
            limits.lower(k, step.after[n].score + later);
        }
    }

    // For each part, what any candidates within the budget reach at most.
    Values best_within(const Step& step, const Budgets& budgets, const BudgetBounds& bounds) const {
        Values best = bounds.best;
        for (std::size_t m = 0; m < best.size(); ++m) {
            if (budgets.single[m]) {
                double alone = 0.0;
                for (std::size_t n = 0; n < step.next.count; ++n)
                    if (step.next.effort[n] <= budgets.most[m] * (1 + kRounding))
                        alone = std::max(alone, step.after[n].reached);
                best[m] = std::min(best[m], alone);
            }
            best[m] = std::min(std::max(best[m], step.known.reached), problem_.most);
        }
        return best;
    }

    // What effort beyond that of the set and `begun` can add, given bounds on what is reached with it.
    template <class Reached>
    double future(const State& known, const Budgets& budgets, double begun, Reached reached) const {
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

    Ways ways(const State& known, const Candidates& pool, const Values& best) const {
        const auto [others, sures] = kinds(known);
        if (!others) return {};
        const Values table = kinds_table(pool, known.unseen, problem_.gains(), problem_.lower.wanted, others, sures);
        const auto rank = std::size_t(std::nearbyint(known.effort / pool.effort[0]));
        return {table, others, sures, best, rank, problem_.inverse, problem_.most};
    }

    // the same for one candidate, once it has been consulted
    double after_next(const State& known, const Ways& ways, const double* row, double effort, double reached) const {
        const double after = after_kind(ways, known, row);
        if (!problem_.inverse) return (reached - 1.0 + after) * effort;
        const double rank = std::nearbyint(known.effort / effort);
        return (reached / ((rank + 1) * (rank + 2)) + after) / effort;
    }

    const ListProblem& problem_;
    std::vector<std::uint8_t> follows_;
    std::vector<Index> best_;
    double goal_;
    double closed_ = -kInfinity;  // what lists that are complete would score if browsing cost nothing
    std::vector<std::size_t> waiting_, by_effort_;
    std::vector<Bound> bounds_;
    std::size_t rough_ = 0;  // of the bounds those after which a set may be put aside
    SetQueue queue_;
    GainLaw::Scratch scratch_;
};

}  // namespace berrypick
