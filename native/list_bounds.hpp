// Ideal lists: bounds on P(F >= r) over all ways to append j candidates. kernels/list_bounds.py has the plain form and
// says why the bounds hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "polynomial.hpp"

namespace berrypick {

constexpr double kRounding = 1e-12;
constexpr std::size_t kSplitGiven = 4;
constexpr Index kMostSplit = 1000;  // more targets, and binomial coefficients do not fit a double
constexpr double kLeastSlope = 1e-30;
constexpr std::size_t kMoreLevels = 8;
constexpr std::size_t kMostPaths = 60;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

// Rounded up to 32 bits; what is above such a number by no more than rounding does becomes that number.
inline double coarse(double value) {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::ceil(mantissa * 4294967296.0 - 1.0 / 4096.0), exponent - 32);
}

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

// P(Bin(n, p) >= least)
inline double binomial_tail(Index n, double p, Index least) {
    const double q = 1.0 - p;
    double total = 0.0, choose = 1.0;
    for (Index k = n; k >= least; --k) {
        total += choose * std::pow(p, double(k)) * std::pow(q, double(n - k));
        choose = choose * double(k) / double(n - k + 1);
    }
    return total;
}

// Candidates that may be appended: what they lead to, also as exposures -log(1 - p), and their effort.
struct Candidates {
    std::size_t count = 0, targets = 0;
    Values rows, exposure, effort;

    Candidates(std::size_t count_, std::size_t targets_, const double* rows_, Values effort_)
        : count(count_), targets(targets_), rows(rows_, rows_ + count_ * targets_), effort(std::move(effort_)) {
        for (const double p : rows) exposure.push_back(-std::log1p(-p));
    }

    const double* row(std::size_t i) const { return rows.data() + i * targets; }
    const double* exposed(std::size_t i) const { return exposure.data() + i * targets; }

    Candidates take(const std::vector<std::size_t>& which) const {
        Candidates found(0, targets, nullptr, {});
        found.count = which.size();
        found.rows.reserve(which.size() * targets);
        found.exposure.reserve(which.size() * targets);
        for (const std::size_t i : which) {
            found.rows.insert(found.rows.end(), row(i), row(i) + targets);
            found.exposure.insert(found.exposure.end(), exposed(i), exposed(i) + targets);
            found.effort.push_back(effort[i]);
        }
        return found;
    }
};

// Candidates x targets that are not sure yet, as exposures -log(1 - p).
struct Exposures {
    std::size_t count = 0;
    std::size_t targets = 0;
    Values values;

    const double* row(std::size_t i) const { return values.data() + i * targets; }
};

struct Tangents {
    Values best;    // logarithms
    Values given;   // levels x candidates
};

// log P(F >= need) at exposures y, and its gradient.
class LogReached {
public:
    LogReached(std::size_t targets, std::size_t need)
        : n_(targets), need_(need), ahead_((targets + 1) * (need + 1)), behind_(ahead_.size()) {}

    double operator()(const Values& y, Values& slope) {
        std::fill(ahead_.begin(), ahead_.end(), 0.0);
        std::fill(behind_.begin(), behind_.end(), 0.0);
        const std::size_t width = need_ + 1;
        ahead_[0] = behind_[n_ * width] = 1.0;
        for (std::size_t x = 0; x < n_; ++x) extend(&ahead_[x * width], &ahead_[(x + 1) * width], y[x]);
        for (std::size_t x = n_; x-- > 0;) extend(&behind_[(x + 1) * width], &behind_[x * width], y[x]);
        const double reached = ahead_[n_ * width + need_];
        for (std::size_t x = 0; x < n_; ++x) {
            double missing = 0.0;
            for (std::size_t f = 0; f < need_; ++f)
                missing += ahead_[x * width + f] * behind_[(x + 1) * width + need_ - 1 - f];
            slope[x] = std::exp(-y[x]) * missing / reached;
        }
        return std::log(reached);
    }

private:
    void extend(const double* from, double* to, double y) const {
        const double seen = -std::expm1(-y), unseen = std::exp(-y);
        to[0] = from[0] * unseen;
        for (std::size_t f = 1; f <= need_; ++f) to[f] = from[f] * unseen + from[f - 1] * seen;
        to[need_] += from[need_] * seen;
    }

    std::size_t n_, need_;
    Values ahead_, behind_;
};

// The places of the `size` largest values, the first of equals.
inline void largest(const Values& values, std::size_t size, std::vector<std::size_t>& places) {
    places.resize(values.size());
    std::iota(places.begin(), places.end(), std::size_t(0));
    const auto before = [&](std::size_t a, std::size_t b) {
        return values[a] > values[b] || (values[a] == values[b] && a < b);
    };
    if (size < places.size())
        std::nth_element(places.begin(), places.begin() + std::ptrdiff_t(size), places.end(), before);
    places.resize(size);
    std::sort(places.begin(), places.end(), before);
}

// The places of the `size` largest values, of which `least` is the smallest; values that only rounding tells apart count
// as equal, and the first of equals is taken.
inline void nearly_largest(const Values& values, std::size_t size, double least, std::vector<std::size_t>& places) {
    const double edge = coarse(least), near = least * 1e-9;  // values farther apart are not rounded to one number
    const auto above = [&](double value) { return value > least + near || (value > least && coarse(value) > edge); };
    std::size_t left = size;
    for (const double value : values) left -= above(value);
    places.clear();
    for (std::size_t i = 0; i < values.size() && places.size() < size; ++i) {
        const bool equal = !above(values[i]) && (values[i] >= least || (values[i] >= least - near && coarse(values[i]) == edge));
        if (equal && left) --left;
        else if (!above(values[i])) continue;
        places.push_back(i);
    }
}

// The exposure that stands for a sure target in a tangent with this slope.
inline double exposure_cap(double slope) {
    slope = std::max(slope, kLeastSlope);
    return std::log1p(1.0 / slope) + std::log1p(slope) / slope;
}

inline Tangents tangent_bounds(const Exposures& exposure, const Values& before, std::size_t need, std::size_t levels,
                               int steps) {
    const std::size_t count = exposure.count, n = exposure.targets;
    Tangents found{Values(levels, kInfinity), Values(levels * count, kInfinity)};
    if (!count) return found;
    LogReached log_reached(n, need);
    Values y(n), slope(n), cap(n), weight(count), total(n);
    std::vector<std::size_t> top;
    for (std::size_t j = 1; j <= levels; ++j) {
        const std::size_t size = std::min(j, count);
        for (std::size_t i = 0; i < count; ++i) {
            weight[i] = 0.0;
            for (std::size_t x = 0; x < n; ++x) weight[i] += std::min(exposure.row(i)[x], 1.0);
        }
        largest(weight, size, top);
        nearly_largest(weight, size, weight[top.back()], top);
        for (std::size_t x = 0; x < n; ++x) {
            double sum = 0.0;
            for (const std::size_t i : top) sum += std::min(exposure.row(i)[x], 1.0);
            y[x] = before[x] + 0.5 * sum + 0.05;
        }
        for (int step = 0; step < steps; ++step) {
            double constant = log_reached(y, slope);
            if (!std::isfinite(constant)) break;  // too small a number: this point gives no bound
            for (std::size_t x = 0; x < n; ++x) {
                cap[x] = std::max(exposure_cap(slope[x]) - before[x], 0.0);
                constant -= slope[x] * (y[x] - before[x]);
            }
            for (std::size_t i = 0; i < count; ++i) {
                const double* row = exposure.row(i);
                double sum = 0.0;
                for (std::size_t x = 0; x < n; ++x) sum += std::min(row[x], cap[x]) * slope[x];
                weight[i] = sum;
            }
            largest(weight, size, top);
            double bound = constant;
            for (const std::size_t i : top) bound += weight[i];
            found.best[j - 1] = std::min(found.best[j - 1], bound);
            const double least = weight[top.back()];
            for (std::size_t i = 0; i < count; ++i) {
                double& given = found.given[(j - 1) * count + i];
                given = std::min(given, bound + std::min(weight[i] - least, 0.0));
            }
            nearly_largest(weight, size, least, top);
            for (std::size_t x = 0; x < n; ++x) {
                double sum = 0.0;
                for (const std::size_t i : top) sum += std::min(exposure.row(i)[x], cap[x]);
                y[x] += (before[x] + sum - y[x]) * (2.0 / (step + 4.0));
            }
        }
    }
    return found;
}

// Sums over the largest of everything that the split bounds look at. Of each candidate the q best targets count, q = 0, 1,
// ... targets: what it can add where q targets are not sure.
class Split {
public:
    Split(const Exposures& exposure, const Values& mean, const std::vector<bool>& surely, const Values& unseen, Index need,
          std::size_t levels)
        : need_(need), targets_(exposure.targets), sure_(exposure.count, 0) {
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
    }

    // among lists without a sure candidate, and among those with one or more
    void bounds(std::size_t levels, Values& without, Values& with) const {
        without.assign(levels, 0.0);
        with.assign(levels, 0.0);
        const Values nothing(targets_ + 1, 0.0);
        for (std::size_t j = 1; j <= levels; ++j)
            for (std::size_t m = 0; m <= std::min(j, covered_.size() - 1); ++m) {
                double& place = m ? with[j - 1] : without[j - 1];
                place = std::max(place, bound(j - m, m, 0, nothing.data(), nothing.data()));
            }
    }

    // among lists of h candidates that are not sure and m that are
    double kinds(std::size_t h, std::size_t m) const {
        if (m >= covered_.size() || h >= exposed_[1][0].size()) return -1.0;
        const Values nothing(targets_ + 1, 0.0);
        return bound(h, m, 0, nothing.data(), nothing.data());
    }

    // among lists of j with candidate i
    double given(std::size_t j, std::size_t i) const {
        double found = 0.0;
        for (std::size_t m = 0; m <= std::min(j - 1, covered_.size() - 1); ++m)
            found = std::max(found, bound(j - 1 - m, m, sure_[i], &exposure_[i * (targets_ + 1)], &mean_[i * (targets_ + 1)]));
        return found;
    }

private:
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

    double bound(std::size_t others, std::size_t m, std::size_t sure, const double* exposure, const double* mean) const {
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
        return std::min(1.0, binomial_tail(targets, p, need) * (1 + kRounding));
    }

    Index need_;
    std::size_t targets_;
    std::vector<std::size_t> sure_;
    Values exposure_, mean_, covered_, before_, seen_before_;
    std::vector<Values> exposed_[2], seen_[2];
};

// Bounds for j = 1 .. levels: of any j candidates, and of any j among which is candidate i. `table` has those of h
// candidates that are not sure and m that are, h < others, m < sures; -1 where there are not so many.
inline void level_bounds(const Candidates& candidates, const double* unseen_all, Index r, std::size_t levels, int steps,
                         std::size_t others, std::size_t sures, double* best, double* given, double* table) {
    const std::size_t count = candidates.count, targets = candidates.targets;
    std::vector<std::size_t> open;
    for (std::size_t x = 0; x < targets; ++x)
        if (unseen_all[x] > 0) open.push_back(x);
    const std::size_t n = open.size();
    const Index need = r - Index(targets - n);
    if (need <= 0) {
        std::fill(best, best + levels, 1.0);
        std::fill(given, given + levels * count, 1.0);
        std::fill(table, table + others * sures, 1.0);
        return;
    }
    Values unseen(n), before(n), mean(count * n, 0.0);
    for (std::size_t x = 0; x < n; ++x) {
        unseen[x] = unseen_all[open[x]];
        before[x] = -std::log(unseen[x]);
    }
    Exposures all{count, n, Values(count * n)}, unsure{0, n, {}};
    std::vector<bool> surely(count, false);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t x = 0; x < n; ++x) {
            const double p = candidates.row(i)[open[x]];
            all.values[i * n + x] = candidates.exposed(i)[open[x]];
            if (p == 1.0)
                surely[i] = true;
            else
                mean[i * n + x] = p * unseen[x];
        }
        if (!surely[i]) {
            unsure.values.insert(unsure.values.end(), all.row(i), all.row(i) + n);
            ++unsure.count;
        }
    }
    Values without, with;
    const Split split(all, mean, surely, unseen, need, std::max(levels, std::max(others, sures)));
    split.bounds(levels, without, with);
    if (unsure.count && unsure.count < count) {
        const Tangents found = tangent_bounds(unsure, before, std::size_t(need), levels, steps);
        for (std::size_t j = 0; j < levels; ++j)
            without[j] = std::min(without[j], std::exp(found.best[j]) * (1 + kRounding));
    }
    for (std::size_t h = 0; h < others; ++h)
        for (std::size_t m = 0; m < sures; ++m) {
            double& place = table[h * sures + m];
            place = split.kinds(h, m);
            if (m == 0 && h >= 1 && h <= levels && place >= 0.0) place = std::min(place, without[h - 1]);
        }
    const Tangents found = tangent_bounds(all, before, std::size_t(need), levels, steps);
    for (std::size_t j = 0; j < levels; ++j) {
        best[j] = std::min(std::max(without[j], with[j]), std::exp(found.best[j]) * (1 + kRounding));
        best[j] = std::min(best[j], 1.0);
        for (std::size_t i = 0; i < count; ++i)
            given[j * count + i] = std::min(best[j], std::exp(found.given[j * count + i]) * (1 + kRounding));
        for (std::size_t i = 0; j >= 1 && j < kSplitGiven && i < count; ++i)
            given[j * count + i] = std::min(given[j * count + i], split.given(j + 1, i));
    }
}

// What all ranks after one can add: in all, after a next candidate that is not sure, and after one that is. As
// kernels/list_bounds.py, best_ways.
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
