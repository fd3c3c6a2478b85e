// The best list for a recall value: the best-first search over sets. kernels/certified.py has the plain form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "lists.hpp"
#include "set_queue.hpp"

namespace berrypick {

constexpr std::size_t kMostLevels = 40;
constexpr int kSteps = 8;

// One recall value and one objective. Scores are maximised: -P(F_k < r), or P(F_k >= r)/(k(k+1)), summed.
struct RecallProblem {
    std::size_t count, targets;
    Values rows;
    std::size_t r;
    bool inverse;
    double most;

    const double* row(std::size_t i) const { return rows.data() + i * targets; }
};

// Sets in the order of what their extensions can still score.
class RecallSearch {
public:
    RecallSearch(RecallProblem problem, std::vector<std::uint8_t> follows, std::vector<Index> best, double goal)
        : problem_(std::move(problem)), follows_(std::move(follows)), best_(std::move(best)), goal_(goal) {
        waiting_.assign(problem_.count, 0);
        for (std::size_t k = 0; k < follows_.size(); ++k) waiting_[k / problem_.count] += follows_[k];
        std::vector<bool> sure(problem_.targets, false);
        for (std::size_t k = 0; k < problem_.rows.size(); ++k)
            if (problem_.rows[k] == 1.0) sure[k % problem_.targets] = true;
        certain_ = std::size_t(std::count(sure.begin(), sure.end(), true)) >= problem_.r;
    }

    const std::vector<Index>& best() const { return best_; }

    // What the extensions of all sets that are left can score.
    double bound() const { return queue_.bound(); }

    // Looks at the most promising set; false if none is left.
    bool step() {
        return queue_.step([&](double bound) { return promising(bound); }, [&](std::size_t set) { expand(set); });
    }

private:
    // A list up to some rank.
    struct State {
        std::vector<Index> order;
        Values seen, unseen;
        double score = 0.0;
    };

    bool promising(double bound) const {
        const double value = problem_.inverse ? goal_ : 1.0 - goal_;
        return bound > goal_ + std::abs(value) * 2 * kRounding;
    }

    // --- lists ---

    State start() const { return {{}, Values(problem_.targets, 0.0), Values(problem_.targets, 1.0), 0.0}; }

    // the law once a candidate has been consulted as well, in tails_; what has been seen then, in seen_ and unseen_
    void look(const State& known, std::size_t i) {
        seen_ = known.seen;
        unseen_ = known.unseen;
        const double* const row = problem_.row(i);
        for (std::size_t x = 0; x < problem_.targets; ++x) {
            seen_[x] = seen_[x] + (1.0 - seen_[x]) * row[x];
            unseen_[x] = unseen_[x] * (1.0 - row[x]);
        }
        tails_(seen_.data(), unseen_.data(), problem_.targets, problem_.r);
    }

    // the score of a rank, by tails_
    double term(std::size_t rank) const {
        return problem_.inverse ? tails_.reached / double(rank * (rank + 1)) : -tails_.below;
    }

    void append(State& known, Index i) {
        look(known, std::size_t(i));
        known.order.push_back(i);
        known.score += term(known.order.size());
        std::swap(known.seen, seen_);
        std::swap(known.unseen, unseen_);
    }

    std::size_t sure_of(const Values& unseen) const {
        return std::size_t(std::count(unseen.begin(), unseen.end(), 0.0));
    }

    bool is_done(const State& known) const { return sure_of(known.unseen) >= problem_.r; }

    // The score of a list that ends here: for E[A/ML] the last rank counts for all that could follow.
    double finished(const State& known) {
        if (!problem_.inverse) return is_done(known) ? known.score : -kInfinity;
        if (known.order.empty()) return 0.0;
        tails_(known.seen.data(), known.unseen.data(), problem_.targets, problem_.r);
        return known.score + tails_.reached / double(known.order.size() + 1);
    }

    // A list cut where it suffices; where it does not, sure candidates follow, those of the least seen first.
    State completed(const std::vector<Index>& order) {
        State known = start();
        for (std::size_t k = 0; k < order.size() && !is_done(known); ++k) append(known, order[k]);
        while (!is_done(known)) {
            const Index i = next_sure(known);
            if (i < 0) break;
            append(known, i);
        }
        if (problem_.inverse)
            for (std::size_t k = 0; k < kMostLevels && !is_done(known); ++k) {
                const Index i = next_greedy(known);
                if (i < 0) break;
                append(known, i);
            }
        return known;
    }

    std::vector<bool> left(const State& known) const {
        std::vector<bool> found(problem_.count, true);
        for (const Index i : known.order) found[std::size_t(i)] = false;
        return found;
    }

    Index next_sure(const State& known) const {
        const std::vector<bool> is_left = left(known);
        Index best = -1;
        double most = 0.0;
        for (std::size_t i = 0; i < problem_.count; ++i)
            for (std::size_t x = 0; is_left[i] && x < problem_.targets; ++x)
                if (problem_.row(i)[x] == 1.0 && known.unseen[x] > most) {
                    most = known.unseen[x];
                    best = Index(i);
                }
        return best;
    }

    // the candidate with the largest E[min(F, r)], the first of equals
    Index next_greedy(const State& known) {
        const std::vector<bool> is_left = left(known);
        Values expected(problem_.count, -1.0);
        for (std::size_t i = 0; i < problem_.count; ++i)
            if (is_left[i]) {
                look(known, i);
                expected[i] = tails_.expected;
            }
        const double most = expected.empty() ? -1.0 : *std::max_element(expected.begin(), expected.end());
        if (most < 0.0) return -1;
        std::size_t best = 0;
        while (!(expected[best] >= most * (1 - 1e-12))) ++best;
        return Index(best);
    }

    void improve(const std::vector<Index>& order) {
        State found = completed(order);
        const double score = finished(found);
        if (score > goal_) {
            best_ = std::move(found.order);
            goal_ = score;
        }
    }

    // --- bounds ---

    // How many further ranks are bounded one by one.
    std::size_t levels(std::size_t need, std::size_t rank) const {
        const std::size_t left = problem_.count - rank;
        const std::size_t wanted = certain_ ? (need ? need - 1 : 0) : kMostLevels;
        return std::max(std::min(wanted, left), std::size_t(1));
    }

    // Candidates that can be among the next; `ready`: the places of those that can be the very next, since a dominated
    // one follows its dominators.
    std::vector<std::size_t> pool(const State& known, std::size_t ranks, std::vector<std::size_t>& ready) const {
        const std::vector<bool> is_left = left(known);
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < problem_.count; ++i) {
            if (!is_left[i]) continue;
            std::size_t waiting = waiting_[i];
            if (!follows_.empty())
                for (const Index j : known.order) waiting -= follows_[i * problem_.count + std::size_t(j)];
            if (waiting >= ranks) continue;
            if (waiting == 0) ready.push_back(found.size());
            found.push_back(i);
        }
        return found;
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

    void expand(std::size_t set) {
        const std::size_t targets = problem_.targets;
        State known = start();
        for (const Index i : queue_.order_of(set)) append(known, i);
        improve(known.order);
        const std::size_t rank = known.order.size(), sure = sure_of(known.unseen);
        const std::size_t need = problem_.r > sure ? problem_.r - sure : 0, ahead = levels(need, rank);
        const double beyond =
            problem_.inverse ? problem_.most * (1 + kRounding) / double(rank + ahead + 1) : 0.0;  // all later ranks
        // how many candidates that are not sure, and sure ones, are told apart on the way to a list that suffices
        const bool apart = certain_ && need > 1 && need <= kMostPaths;
        const std::size_t others = apart ? need + kMoreLevels : 0, sures = apart ? need + 1 : 0;
        std::vector<std::size_t> ready;
        const std::vector<std::size_t> which = pool(known, std::max(ahead, others + sures), ready);
        const std::size_t count = which.size();
        if (!count) return;
        Values next;
        for (const std::size_t i : which) next.insert(next.end(), problem_.row(i), problem_.row(i) + targets);
        Values best(ahead + 1, 1.0), given(ahead * count), table(others * sures);
        Ways ways;
        double whole = kInfinity;
        for (const int steps : {0, kSteps}) {  // without tangents first, which is cheaper
            level_bounds(next.data(), count, targets, known.unseen.data(), Index(problem_.r), ahead, steps, others, sures,
                         best.data() + 1, given.data(), table.data());
            if (apart) ways = Ways(table, others, sures, best, rank, problem_.inverse, problem_.most);
            whole = known.score + std::min(tail(best.data() + 1, 1, 0, ahead, rank) + beyond, ways.all);
            if (!promising(whole)) return;
        }
        for (const std::size_t n : ready) {
            look(known, which[n]);
            const double score = known.score + term(rank + 1);
            const double later = tail(given.data() + n, count, 1, ahead, rank) + beyond;
            const double limit = std::min(whole, score + std::min(later, after(ways, known, problem_.row(which[n]))));
            if (!promising(limit)) continue;
            const bool done = sure_of(unseen_) >= problem_.r;
            if (done) {
                std::vector<Index> longer = known.order;
                longer.push_back(Index(which[n]));
                improve(longer);
            }
            if (!done || problem_.inverse) queue_.push(limit, set, which[n], score);
        }
    }

    // What all ranks after a next candidate can add.
    double after(const Ways& ways, const State& known, const double* row) const {
        for (std::size_t x = 0; x < problem_.targets; ++x)
            if (known.unseen[x] > 0 && row[x] == 1.0) return ways.after_sure;
        return ways.after_other;
    }

    RecallProblem problem_;
    std::vector<std::uint8_t> follows_;
    std::vector<Index> best_;
    double goal_;
    bool certain_ = false;
    std::vector<std::size_t> waiting_;
    SetQueue queue_;
    Values seen_, unseen_;
    NumberTails tails_;
};

}  // namespace berrypick
