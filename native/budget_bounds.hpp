// Upper bounds on P(gain reached) over all ways to append candidates whose effort stays within a budget.
// ideal/budget_bounds.py has the plain form and says why the bounds hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "list_bounds.hpp"

namespace berrypick {

constexpr std::size_t kParts = 32;
constexpr double kMostRanks = 40.0;
constexpr std::size_t kPoints = 5;
constexpr int kBudgetSteps = 5;
constexpr std::size_t kMostClasses = 3;
constexpr std::size_t kThetas = 17;

// Parts of the effort ahead. In part m, from edges[m] to edges[m + 1], a list holds sets of effort up to most[m]; `single`
// says where these hold one candidate at most.
struct Budgets {
    Values edges, most;
    std::vector<bool> single;

    Budgets(const Values& effort, double horizon) {
        const double least = *std::min_element(effort.begin(), effort.end());
        if (*std::max_element(effort.begin(), effort.end()) == least)
            by_ranks(least, horizon);
        else
            by_size(effort, least, std::max(horizon, 2 * least));
    }

    // Some of the budgets that hold several candidates.
    Values points() const {
        Values several, found;
        for (std::size_t m = 0; m < most.size(); ++m)
            if (!single[m]) several.push_back(most[m]);
        double last = -1.0;
        for (std::size_t k = 0; k < kPoints && !several.empty(); ++k) {
            const double at = std::nearbyint(double(several.size() - 1) * double(k) / double(kPoints - 1));
            if (at != last) found.push_back(several[std::size_t(at)]);
            last = at;
        }
        return found;
    }

private:
    void by_ranks(double least, double horizon) {
        const double ranks = std::min(std::max(std::ceil(horizon / least - 1e-9), 1.0), kMostRanks);
        for (std::size_t k = 0; k <= std::size_t(ranks); ++k) edges.push_back(double(k) * least);
        most.assign(edges.begin(), edges.end() - 1);
        for (std::size_t k = 0; k < most.size(); ++k) single.push_back(k <= 1);
    }

    void by_size(const Values& effort, double least, double far) {
        const bool whole = std::all_of(effort.begin(), effort.end(), [](double e) { return e == std::nearbyint(e); });
        edges.push_back(0.0);
        for (std::size_t k = 0; k < kParts; ++k) {
            double edge = k + 1 < kParts ? least * std::pow(far / least, double(k) / double(kParts - 1)) : far;
            if (whole) edge = std::ceil(edge * (1 - 1e-12));
            if (!whole || edge > edges.back()) edges.push_back(edge);
        }
        // sums of whole numbers are whole, and those in a part lie below its end
        for (std::size_t m = 1; m < edges.size(); ++m) most.push_back(whole ? edges[m] - 1.0 : edges[m]);
        most[0] = 0.0;
        double first = kInfinity, second = kInfinity;
        for (const double one : effort) {
            second = std::min(second, std::max(first, one));
            first = std::min(first, one);
        }
        for (const double one : most) single.push_back(one < first + second);
    }
};

// E[exp(theta gain)]/exp(theta need) with the theta that is best at y: its logarithm and gradient.
class Exponential {
public:
    Exponential(const Values& gains, double need) : grown_(kThetas * gains.size()), n_(gains.size()) {
        for (std::size_t k = 0; k < kThetas; ++k) {
            theta_[k] = std::pow(2.0, double(k) / 2.0 - 2.0);
            for (std::size_t x = 0; x < n_; ++x)
                grown_[k * n_ + x] = std::expm1(std::min(theta_[k] * gains[x] / need, 700.0));
        }
    }

    double operator()(const Values& y, Values& slope) const {
        Values seen(n_);
        for (std::size_t x = 0; x < n_; ++x) seen[x] = -std::expm1(-y[x]);
        double least = kInfinity;
        std::size_t best = 0;
        for (std::size_t k = 0; k < kThetas; ++k) {
            double value = 0.0;
            for (std::size_t x = 0; x < n_; ++x) value += std::log1p(seen[x] * grown_[k * n_ + x]);
            value -= theta_[k];
            if (value < least) {
                least = value;
                best = k;
            }
        }
        for (std::size_t x = 0; x < n_; ++x) {
            const double grown = grown_[best * n_ + x];
            slope[x] = std::exp(-y[x]) * grown / (1.0 + seen[x] * grown);
        }
        return least;
    }

private:
    double theta_[kThetas];
    Values grown_;
    std::size_t n_;
};

// The targets that are not sure yet, and the gain that they have to bring.
struct Open {
    std::vector<std::size_t> targets;
    double need;

    Open(const Values& unseen, const Values& gains, double wanted) {
        double sure = 0.0;
        for (std::size_t x = 0; x < unseen.size(); ++x) {
            if (unseen[x] > 0)
                targets.push_back(x);
            else
                sure += gains[x];
        }
        need = wanted - sure;
    }
};

// For each part: for any candidates within the budget (best), and given one of those asked about (parts x asked).
// `expected`: E[min(gain, wanted)] before them, `added`: what each candidate alone adds to it.
struct BudgetBounds {
    Values best, given;

    BudgetBounds(const Candidates& candidates, const std::vector<std::size_t>& asked, const Values& unseen,
                 const Values& all_gains, double wanted, const Budgets& budgets, double expected, const Values& added) {
        const std::size_t parts = budgets.most.size();
        const Open open(unseen, all_gains, wanted);
        const double need = open.need;
        Values gains(unseen.size(), 0.0);
        double total = 0.0;
        for (const std::size_t x : open.targets) total += gains[x] = std::min(all_gains[x], need);
        if (need <= 0 || total < need * (1 - kRounding)) {
            best.assign(parts, need <= 0 ? 1.0 : 0.0);
            given.assign(parts * asked.size(), best[0]);
            return;
        }
        Knapsack mean(candidates.effort, budgets.most, asked), tangents(candidates.effort, budgets.most, asked);
        mean.add(added, expected - (wanted - need));
        mean.finish();
        add_functions(candidates, open.targets, unseen, gains, need, budgets, tangents);
        tangents.finish();
        for (std::size_t m = 0; m < parts; ++m) best.push_back(least(mean.best[m] / need, tangents.best[m]));
        for (std::size_t k = 0; k < mean.given.size(); ++k)
            given.push_back(least(mean.given[k] / need, tangents.given[k]));
    }

private:
    static double least(double share, double log) {
        return std::min(std::min(share, std::exp(log)) * (1 + kRounding), 1.0);
    }

    // the concave functions, each of the exposures of some targets
    static void add_functions(const Candidates& candidates, const std::vector<std::size_t>& targets,
                              const Values& unseen, const Values& gains, double need, const Budgets& budgets,
                              Knapsack& knapsack) {
        std::vector<std::size_t> order = targets, ends{targets.size()};
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
        for (std::size_t end = order.size(); --end > 0 && ends.size() <= kMostClasses;)
            if (gains[order[end]] < gains[order[end - 1]]) ends.push_back(end);
        const Values points = budgets.points();
        for (const std::size_t end : ends) {
            double rest = 0.0, sum = 0.0;
            for (std::size_t n = end; n < order.size(); ++n) rest += gains[order[n]];
            rest = need * (1 - kRounding) - rest;
            std::size_t number = 1;
            for (std::size_t n = 0; n < end && (sum += gains[order[n]]) < rest; ++n) ++number;
            if (rest <= 0 || number > end) continue;
            const std::vector<std::size_t> dearest(order.begin(), order.begin() + std::ptrdiff_t(end));
            add(candidates, dearest, unseen, LogReached(end, number), points, knapsack);
        }
        if (ends.size() == 1) return;
        Values dear;
        for (const std::size_t x : targets) dear.push_back(gains[x]);
        add(candidates, targets, unseen, Exponential(dear, need), points, knapsack);
    }

    template <class Concave>
    static void add(const Candidates& candidates, const std::vector<std::size_t>& targets, const Values& unseen,
                    Concave function, const Values& points, Knapsack& knapsack) {
        Values before;
        for (const std::size_t x : targets) before.push_back(-std::log(unseen[x]));
        const Exposures exposure(candidates, targets);
        add_tangents(exposure, Columns(exposure), before, std::move(function), points, kBudgetSteps, knapsack);
    }
};

// Bounds for h candidates that are not sure and m that are (others x sures); -1 where there are not so many.
inline Values kinds_table(const Candidates& candidates, const Values& all_unseen, const Values& all_gains, double wanted,
                          std::size_t others, std::size_t sures) {
    const Open open(all_unseen, all_gains, wanted);
    const std::size_t n = open.targets.size(), count = candidates.count;
    Values table(others * sures, 1.0), unseen, gains, rows;
    if (open.need <= 0) return table;
    for (const std::size_t x : open.targets) {
        unseen.push_back(all_unseen[x]);
        gains.push_back(all_gains[x]);
    }
    for (std::size_t i = 0; i < count; ++i)
        for (const std::size_t x : open.targets) rows.push_back(candidates.row(i)[x]);
    const Values dearest = sums(gains, true);
    const std::size_t number = std::size_t(
        std::lower_bound(dearest.begin(), dearest.end(), open.need * (1 - kRounding)) - dearest.begin());
    if (number > n) return Values(others * sures, 0.0);
    Values best(1), seen_before(n), row(n), capped(n);
    level_bounds(candidates, {}, all_unseen.data(), Index(number + all_unseen.size() - n), 1, 0, others, sures,
                 best.data(), nullptr, table.data());
    Values covered;
    std::vector<bool> surely;
    for (std::size_t i = 0; i < count; ++i) {
        const auto first = rows.begin() + std::ptrdiff_t(i * n);
        const auto sure = std::count(first, first + std::ptrdiff_t(n), 1.0);
        surely.push_back(sure > 0);
        if (sure) covered.push_back(double(sure));
    }
    covered = sums(covered, true);
    for (std::size_t m = 0; m < std::min(sures, covered.size()); ++m) {
        const std::size_t certain = std::min(std::size_t(covered[m]), n), q = n - certain;
        const double rest = open.need - dearest[certain];
        if (rest <= open.need * kRounding) continue;
        for (std::size_t x = 0; x < n; ++x) {
            capped[x] = std::min(gains[x], rest);
            seen_before[x] = capped[x] * (1.0 - unseen[x]);
        }
        Values with_sure, without;
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t x = 0; x < n; ++x) {
                const double p = rows[i * n + x];
                row[x] = p == 1.0 ? 0.0 : p * unseen[x] * capped[x];
            }
            (surely[i] ? with_sure : without).push_back(sums(row, true)[q]);
        }
        const double have = sums(seen_before, true)[q] + sums(with_sure, true)[m];
        const Values more = sums(without, true);
        for (std::size_t h = 0; h < std::min(others, more.size()); ++h) {
            double& place = table[h * sures + m];
            if (place >= 0) place = std::min(place, std::min((have + more[h]) / rest * (1 + kRounding), 1.0));
        }
    }
    return table;
}

}  // namespace berrypick
