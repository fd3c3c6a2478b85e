// Ideal lists: bounds on P(F >= r) over all ways to append j candidates. ideal/list_bounds.py has the plain form and
// says why the bounds hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tangents.hpp"

namespace berrypick {

constexpr std::size_t kSplitGiven = 4;
constexpr Index kMostSplit = 1000;  // more targets, and binomial coefficients do not fit a double
constexpr std::size_t kMoreLevels = 8;
constexpr std::size_t kMostPaths = 60;

// Whether candidate i is dominated by j: j reaches every target at least as well, and is the first of equals.
inline void dominated(const double* rows, std::size_t count, std::size_t targets, std::uint8_t* out) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) {
            const double *one = rows + i * targets, *other = rows + j * targets;
            bool above = i != j, equal = true;
            for (std::size_t x = 0; above && x < targets; ++x) {
                above = other[x] >= one[x];
                equal = equal && other[x] == one[x];
            }
            out[i * count + j] = above && !(equal && j > i);
        }
}

// The sums of the m largest values (or smallest), m = 0, 1, ...
inline Values sums(Values values, bool largest) {
    if (largest)
        std::sort(values.begin(), values.end(), std::greater<double>());
    else
        std::sort(values.begin(), values.end());
    Values found(values.size() + 1, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) found[i + 1] = found[i] + values[i];
    return found;
}

// Of n the number of ways to choose n, n - 1, ... 0.
inline Values binomials(std::size_t n) {
    Values found(1, 1.0);
    for (std::size_t k = n; k > 0; --k) found.push_back(found.back() * double(k) / double(n - k + 1));
    return found;
}

// P(Bin(n, p) >= least); powers are products, of which the last digits differ from those of pow
inline double binomial_tail(const Values& binomials, double p, std::size_t least, Values& powers) {
    const double q = 1.0 - p;
    const std::size_t n = binomials.size() - 1;
    powers.resize(n + 1);
    powers[0] = 1.0;
    for (std::size_t k = 1; k <= n; ++k) powers[k] = powers[k - 1] * p;
    double total = 0.0, missed = 1.0;
    for (std::size_t k = n + 1; k-- > least;) {
        total += binomials[n - k] * powers[k] * missed;
        missed *= q;
    }
    return total;
}

// Sums over the largest of everything that the split bounds look at. Of each candidate the q best targets count, q = 0, 1,
// ... targets: what it can add where q targets are not sure.
class Split {
public:
    Split(const Exposures& exposure, const Values& mean, const std::vector<bool>& surely, const Values& unseen, Index need,
          std::size_t levels)
        : need_(need), targets_(exposure.targets), sure_(exposure.count, 0), nothing_(targets_ + 1, 0.0), binomials_(targets_ + 1) {
        Values before(targets_), seen_before(targets_), covered;
        exposure_ = best_targets(exposure.values, exposure.count);
        mean_ = best_targets(mean, exposure.count);
        for (std::size_t i = 0; i < exposure.count; ++i) {
            for (std::size_t x = 0; x < targets_; ++x) sure_[i] += std::isinf(exposure.row(i)[x]) ? 1 : 0;
            if (surely[i]) covered.push_back(double(sure_[i]));
        }
        for (int s = 0; s < 2; ++s) {
            exposed_[s] = largest_sums(exposure_, surely, s == 0, levels);
            seen_[s] = largest_sums(mean_, surely, s == 0, levels);
        }
        for (std::size_t x = 0; x < targets_; ++x) {
            before[x] = -std::log(unseen[x]);
            seen_before[x] = 1.0 - unseen[x];
        }
        covered_ = sums(std::move(covered), true);
        before_ = sums(std::move(before), false);
        seen_before_ = sums(std::move(seen_before), false);
        most_ = std::min(covered_.size(), levels + 1);
        known_.assign(exposed_[1][0].size() * most_, -1.0);
    }

    // among lists without a sure candidate, and among those with one or more
    void bounds(std::size_t levels, Values& without, Values& with) {
        without.assign(levels, 0.0);
        with.assign(levels, 0.0);
        for (std::size_t j = 1; j <= levels; ++j)
            for (std::size_t m = 0; m <= std::min(j, covered_.size() - 1); ++m) {
                double& place = m ? with[j - 1] : without[j - 1];
                place = std::max(place, alone(j - m, m));
            }
    }

    // among lists of h candidates that are not sure and m that are
    double kinds(std::size_t h, std::size_t m) {
        return m >= covered_.size() || h >= exposed_[1][0].size() ? -1.0 : alone(h, m);
    }

    // among lists of j with candidate i
    double given(std::size_t j, std::size_t i) {
        double found = 0.0;
        for (std::size_t m = 0; m <= std::min(j - 1, covered_.size() - 1); ++m)
            found = std::max(found, bound(j - 1 - m, m, sure_[i], &exposure_[i * (targets_ + 1)], &mean_[i * (targets_ + 1)]));
        return found;
    }

private:
    // the bound of so many candidates of both kinds, which is asked for at levels and in tables
    double alone(std::size_t h, std::size_t m) {
        h = std::min(h, exposed_[1][0].size() - 1);
        double& place = known_[h * most_ + m];
        if (place < 0.0) place = bound(h, m, 0, nothing_.data(), nothing_.data());
        return place;
    }

    // of each row the sums of the q largest values that are not infinite
    Values best_targets(const Values& values, std::size_t count) const {
        Values found(count * (targets_ + 1), 0.0), row(targets_);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t x = 0; x < targets_; ++x) {
                const double value = values[i * targets_ + x];
                row[x] = std::isinf(value) ? 0.0 : value;
            }
            std::sort(row.begin(), row.end(), std::greater<double>());
            for (std::size_t q = 0; q < targets_; ++q) found[i * (targets_ + 1) + q + 1] = found[i * (targets_ + 1) + q] + row[q];
        }
        return found;
    }

    // for each q the sums of the m largest among the candidates of one kind, m = 0 .. levels
    std::vector<Values> largest_sums(const Values& values, const std::vector<bool>& surely, bool kind,
                                     std::size_t levels) const {
        std::vector<Values> found;
        for (std::size_t q = 0; q <= targets_; ++q) {
            Values column;
            for (std::size_t i = 0; i < surely.size(); ++i)
                if (surely[i] == kind) column.push_back(values[i * (targets_ + 1) + q]);
            if (column.size() > levels) {
                std::nth_element(column.begin(), column.begin() + std::ptrdiff_t(levels), column.end(), std::greater<double>());
                column.resize(levels);
            }
            found.push_back(sums(std::move(column), true));
        }
        return found;
    }

    double bound(std::size_t others, std::size_t m, std::size_t sure, const double* exposure, const double* mean) {
        others = std::min(others, exposed_[1][0].size() - 1);
        const std::size_t certain = std::min(std::size_t(covered_[m]) + sure, targets_);
        if (need_ <= Index(certain)) return 1.0;
        const Index need = need_ - Index(certain), targets = Index(targets_ - certain);
        if (targets > kMostSplit) return 1.0;
        const double before = before_[targets_] - before_[certain];
        const std::size_t q = std::size_t(targets);
        const double exposed = exposed_[0][q][m] + exposed_[1][q][others] + exposure[q];
        double p = -std::expm1(-(before + exposed) / double(targets));
        const double seen =
            seen_before_[targets_] - seen_before_[certain] + (seen_[0][q][m] + seen_[1][q][others] + mean[q]);
        const double by_mean = std::min(p, seen / double(targets));
        if (double(targets) * by_mean <= double(need - 1)) p = by_mean;
        if (binomials_[q].empty()) binomials_[q] = binomials(q);
        return std::min(1.0, binomial_tail(binomials_[q], p, std::size_t(need), powers_) * (1 + kRounding));
    }

    Index need_;
    std::size_t targets_;
    std::vector<std::size_t> sure_;
    Values nothing_, known_;  // bounds, -1 where one has not been asked for
    std::vector<Values> binomials_;  // where they have been asked for
    std::size_t most_ = 0;
    Values powers_;
    Values exposure_, mean_, covered_, before_, seen_before_;
    std::vector<Values> exposed_[2], seen_[2];
};

// Bounds for j = 1 .. levels: of any j candidates, and of any j among which is one that is `asked` about (levels x asked).
// `table` has those of h candidates that are not sure and m that are, h < others, m < sures; -1 where there are not so
// many. First roughly, by the split alone; refine() takes tangents at one level, which lowers bounds and never raises any.
class LevelBounds {
public:
    Values best;  // of 0, 1, ... levels candidates
    Values given, table;

    LevelBounds(const Candidates& candidates, const std::vector<std::size_t>& asked, const double* unseen_all, Index r,
                std::size_t levels, std::size_t others, std::size_t sures)
        : best(levels + 1, 1.0),
          given(levels * asked.size(), 1.0),
          table(others * sures, 1.0),
          asked_(asked),
          levels_(levels),
          sures_(sures),
          open_(open(candidates.targets, unseen_all)),
          need_(r - Index(candidates.targets - open_.size())),
          all_(candidates, open_),
          unsure_(0, open_.size(), {}),
          ranks_(candidates.count, 1.0) {
        if (need_ <= 0) return;
        const std::size_t count = candidates.count, n = open_.size();
        Values unseen(n), mean(count * n, 0.0);
        before_.resize(n);
        for (std::size_t x = 0; x < n; ++x) {
            unseen[x] = unseen_all[open_[x]];
            before_[x] = -std::log(unseen[x]);
        }
        std::vector<bool> surely(count, false);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t x = 0; x < n; ++x) {
                const double p = candidates.row(i)[open_[x]];
                if (p == 1.0)
                    surely[i] = true;
                else
                    mean[i * n + x] = p * unseen[x];
            }
            if (!surely[i]) {
                unsure_.values.insert(unsure_.values.end(), all_.row(i), all_.row(i) + n);
                ++unsure_.count;
            }
        }
        few_.assign(unsure_.count, 1.0);
        split_.emplace(all_, mean, surely, unseen, need_, std::max(levels, std::max(others, sures)));
        reached_.emplace(n, std::size_t(need_));
        split_->bounds(levels, without_, with_);
        for (std::size_t h = 0; h < others; ++h)
            for (std::size_t m = 0; m < sures; ++m) table[h * sures + m] = split_->kinds(h, m);
        for (std::size_t j = 1; j <= levels; ++j) {
            limit_table(j);
            best[j] = std::min(std::max(without_[j - 1], with_[j - 1]), 1.0);
        }
    }

    // The bounds of j candidates by tangents, and, whatever the steps, with each candidate that is asked about.
    void refine(std::size_t j, int steps) {
        if (need_ <= 0) return;
        const Values budget(1, double(j));
        const std::vector<std::size_t> none;
        if (!columns_) {
            columns_.emplace(all_);
            unsure_columns_.emplace(unsure_);
        }
        const auto log_reached = [&](const Values& y, Values& slope) { return (*reached_)(y, slope); };
        if (unsure_.count && unsure_.count < all_.count) {
            Knapsack knapsack(few_, budget, none);
            add_tangents(unsure_, *unsure_columns_, before_, log_reached, budget, steps, knapsack);
            without_[j - 1] = std::min(without_[j - 1], std::exp(knapsack.best[0]) * (1 + kRounding));
            limit_table(j);
        }
        Knapsack knapsack(ranks_, budget, asked_);
        add_tangents(all_, *columns_, before_, log_reached, budget, steps, knapsack);
        knapsack.finish();
        best[j] = std::min(std::max(without_[j - 1], with_[j - 1]), std::exp(knapsack.best[0]) * (1 + kRounding));
        best[j] = std::min(best[j], 1.0);
        for (std::size_t k = 0; k < asked_.size(); ++k) {
            double& place = given[(j - 1) * asked_.size() + k];
            place = std::min(best[j], std::exp(knapsack.given[k]) * (1 + kRounding));
            if (j >= 2 && j <= kSplitGiven) place = std::min(place, split_->given(j, asked_[k]));
        }
    }

private:
    static std::vector<std::size_t> open(std::size_t targets, const double* unseen) {
        std::vector<std::size_t> found;
        for (std::size_t x = 0; x < targets; ++x)
            if (unseen[x] > 0) found.push_back(x);
        return found;
    }

    // j candidates that are not sure reach no more than lists without a sure one
    void limit_table(std::size_t j) {
        if (!sures_ || j * sures_ >= table.size()) return;
        double& place = table[j * sures_];
        if (place >= 0.0) place = std::min(place, without_[j - 1]);
    }

    const std::vector<std::size_t>& asked_;
    std::size_t levels_, sures_;
    std::vector<std::size_t> open_;
    Index need_;
    Exposures all_, unsure_;
    std::optional<Columns> columns_, unsure_columns_;  // where tangents are asked for
    Values ranks_, few_, before_, without_, with_;
    std::optional<Split> split_;
    std::optional<LogReached> reached_;
};

// The same in one call.
inline void level_bounds(const Candidates& candidates, const std::vector<std::size_t>& asked, const double* unseen_all,
                         Index r, std::size_t levels, int steps, std::size_t others, std::size_t sures, double* best,
                         double* given, double* table) {
    LevelBounds found(candidates, asked, unseen_all, r, levels, others, sures);
    for (std::size_t j = 1; j <= levels; ++j) found.refine(j, steps);
    std::copy(found.best.begin() + 1, found.best.end(), best);
    std::copy(found.given.begin(), found.given.end(), given);
    std::copy(found.table.begin(), found.table.end(), table);
}

// What all ranks after one can add: in all, after a next candidate that is not sure, and after one that is. As
// ideal/list_bounds.py, best_ways.
struct Ways {
    double all = kInfinity, after_other = kInfinity, after_sure = kInfinity;

    Ways() = default;
    Ways(const Values& table, std::size_t others, std::size_t sures, const Values& best, std::size_t rank, bool inverse,
         double most) {
        const std::size_t width = sures + 1;
        Values ahead((others + 1) * width, -kInfinity), later = ahead;
        for (std::size_t h = others; h-- > 0;)
            for (std::size_t m = sures; m-- > 0;) {
                if (table[h * sures + m] < 0) continue;
                const double k = double(rank + h + m);
                double share = table[h * sures + m];
                if (h + m >= 1 && h + m < best.size()) share = std::min(share, best[h + m]);
                const bool beyond = h + 1 == others || m + 1 == sures;
                const double own = inverse ? share / (std::max(k, 1.0) * (k + 1.0)) : share - 1.0;
                const double end = inverse ? (beyond ? most : share) / (k + 1.0)
                                           : (beyond || share >= 1.0 ? 0.0 : -kInfinity);
                double& place = later[h * width + m];
                place = std::max(std::max(ahead[(h + 1) * width + m], ahead[h * width + m + 1]), end);
                ahead[h * width + m] = own + place;
            }
        all = later[0];
        after_other = later[width];
        after_sure = later[1];
    }
};

}  // namespace berrypick
