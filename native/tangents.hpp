// Bounds from tangents of concave functions of exposures, within budgets of effort. ideal/tangents.py has the plain form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "polynomial.hpp"

namespace berrypick {

constexpr double kRounding = 1e-12;
constexpr double kLeastSlope = 1e-30;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

// Rounded up to 32 bits; what is above such a number by no more than rounding does becomes that number.
inline double coarse(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint64_t power = (bits >> 52) & 0x7ff;
    if (power > 64 && power < 0x7f0) {  // the same by the bits of the number: powers of 2 are at hand
        const std::uint64_t scale = (power + 1) << 52, back = (2045 - power) << 52;
        double up, down;
        std::memcpy(&up, &scale, sizeof up);
        std::memcpy(&down, &back, sizeof down);
        return std::ceil(value * down * 4294967296.0 - 1.0 / 4096.0) * (1.0 / 4294967296.0) * up;
    }
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::ceil(mantissa * 4294967296.0 - 1.0 / 4096.0), exponent - 32);
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

    Exposures(std::size_t count_, std::size_t targets_, Values values_)
        : count(count_), targets(targets_), values(std::move(values_)) {}

    Exposures(const Candidates& candidates, const std::vector<std::size_t>& open)
        : count(candidates.count), targets(open.size()) {
        values.reserve(count * targets);
        for (std::size_t i = 0; i < count; ++i)
            for (const std::size_t x : open) values.push_back(candidates.exposed(i)[x]);
    }

    const double* row(std::size_t i) const { return values.data() + i * targets; }
};

// The same target by target, and what tangents need of them whatever the level.
struct Columns {
    Values values, largest, worth;

    explicit Columns(const Exposures& exposure)
        : values(exposure.values.size()), largest(exposure.targets, 0.0), worth(exposure.count, 0.0) {
        for (std::size_t i = 0; i < exposure.count; ++i)
            for (std::size_t x = 0; x < exposure.targets; ++x) {
                const double one = exposure.row(i)[x];
                values[x * exposure.count + i] = one;
                largest[x] = std::max(largest[x], one);
                worth[i] += std::min(one, 1.0);
            }
    }
};

// log P(F >= need) at exposures y, and its gradient.
class LogReached {
public:
    LogReached(std::size_t targets, std::size_t need)
        : n_(targets), need_(need), ahead_((targets + 1) * (need + 1)), behind_(ahead_.size()), seen_(n_), unseen_(n_) {}

    double operator()(const Values& y, Values& slope) {
        const std::size_t width = need_ + 1;
        ahead_[0] = behind_[n_ * width] = 1.0;
        for (std::size_t x = 0; x < n_; ++x) {
            seen_[x] = -std::expm1(-y[x]);
            unseen_[x] = std::exp(-y[x]);
            extend(&ahead_[x * width], &ahead_[(x + 1) * width], x, x);
        }
        for (std::size_t x = n_; x-- > 1;) extend(&behind_[(x + 1) * width], &behind_[x * width], n_ - 1 - x, x);
        const double reached = ahead_[n_ * width + need_];
        for (std::size_t x = 0; x < n_; ++x) {
            // of x targets no more than x are seen, and of those behind no more than there are
            const std::size_t behind = n_ - 1 - x, first = need_ - 1 > behind ? need_ - 1 - behind : 0;
            const double *from = &ahead_[x * width], *to = &behind_[(x + 1) * width] + (need_ - 1);
            double missing = 0.0;
            for (std::size_t f = first, end = std::min(x + 1, need_); f < end; ++f) missing += from[f] * *(to - f);
            slope[x] = unseen_[x] * missing / reached;
        }
        return std::log(reached);
    }

private:
    // one target more than `known` ones
    void extend(const double* BERRYPICK_RESTRICT from, double* BERRYPICK_RESTRICT to, std::size_t known,
                std::size_t x) const {
        const double seen = seen_[x], unseen = unseen_[x];
        const std::size_t most = std::min(known, need_);
        to[0] = from[0] * unseen;
        for (std::size_t f = 1; f <= most; ++f) to[f] = from[f] * unseen + from[f - 1] * seen;
        if (known < need_)
            to[known + 1] = from[known] * seen;
        else
            to[need_] += from[need_] * seen;
    }

    std::size_t n_, need_;
    Values ahead_, behind_, seen_, unseen_;
};

// The exposure that stands for a sure target in a tangent with this slope.
inline double exposure_cap(double slope) {
    slope = std::max(slope, kLeastSlope);
    return std::log1p(1.0 / slope) + std::log1p(slope) / slope;
}

// Less than the exposure cap, without logarithms.
inline double low_exposure_cap(double slope) {
    int exponent = 0;
    std::frexp(slope, &exponent);  // the slope is below 2^exponent
    return (exponent < 0 ? -0.693 * double(std::max(exponent, -90)) : 0.0) + 0.999 / (1.0 + slope);
}

// Candidates by what they are worth for their effort, as many of them as are looked at.
class ByWorth {
public:
    // Those that were looked at last time are worth at least so much now; so none that is worth less comes before all of
    // them.
    void start(const Values& weight, const Values& effort) {
        double least = looked_ ? kInfinity : -kInfinity;
        for (std::size_t n = 0; n < looked_; ++n) {
            const std::size_t i = places_[n].second;
            least = std::min(least, weight[i] / effort[i]);
        }
        first_ = sorted_ = looked_ = 0;
        places_.resize(weight.size());
        for (std::size_t i = 0, last = weight.size(); i < weight.size(); ++i) {
            const Place place = {weight[i] / effort[i], i};
            places_[place.first >= least ? first_++ : --last] = place;
        }
    }

    // the nth best, the first of equals; nullptr if there are not so many
    const std::pair<double, std::size_t>* operator[](std::size_t n) {
        if (n >= places_.size()) return nullptr;
        looked_ = std::max(looked_, n + 1);
        while (sorted_ <= n) {
            const std::size_t before = sorted_, end = before < first_ ? first_ : places_.size();
            sorted_ = std::min(end, before + std::max(before, kFew));
            if (sorted_ < end) std::nth_element(at(before), at(sorted_), at(end), Before());
            std::sort(at(before), at(sorted_), Before());
        }
        return &places_[n];
    }

private:
    using Place = std::pair<double, std::size_t>;
    static constexpr std::size_t kFew = 16;  // most budgets hold fewer

    struct Before {
        bool operator()(const Place& one, const Place& other) const {
            return one.first > other.first || (one.first == other.first && one.second < other.second);
        }
    };

    std::vector<Place>::iterator at(std::size_t n) { return places_.begin() + std::ptrdiff_t(n); }

    std::vector<Place> places_;
    std::size_t first_ = 0, sorted_ = 0, looked_ = 0;
};

// The largest sum of weights within each budget, the last candidate in part. The least of these bounds that are added:
// `best` for each part, `given` (parts x candidates) with one of the candidates that are `asked` about.
class Knapsack {
public:
    Knapsack(const Values& effort, Values most, const std::vector<std::size_t>& asked)
        : best(most.size(), kInfinity),
          given(most.size() * asked.size(), kInfinity),
          effort_(effort),
          most_(std::move(most)),
          asked_(asked),
          group_(asked.size()) {
        for (const std::size_t i : asked) different_.push_back(effort[i]);
        std::sort(different_.begin(), different_.end());
        different_.erase(std::unique(different_.begin(), different_.end()), different_.end());
        for (std::size_t n = 0; n < asked.size(); ++n)
            group_[n] = std::size_t(std::lower_bound(different_.begin(), different_.end(), effort[asked[n]]) -
                                    different_.begin());
        ahead_.resize(different_.size());
    }

    Values best, given;

    void add(const Values& weight, double constant) {
        by_worth_.start(weight, effort_);
        spent_.assign(1, 0.0);
        sums_.assign(1, 0.0);
        for (std::size_t n = 0; spent_.back() < most_.back(); ++n) {
            const auto* const next = by_worth_[n];
            if (!next) break;
            spent_.push_back(spent_.back() + effort_[next->second]);
            sums_.push_back(sums_.back() + weight[next->second]);
        }
        std::size_t place = 0;
        for (std::size_t m = 0; m < most_.size(); ++m) {
            best[m] = std::min(best[m], constant + sum_within(most_[m], place));
            add_given(m, weight, constant);
        }
    }

    // How much of each candidate the best sum within a budget takes, the first of those that are worth about the same.
    // Calls take(candidate, share), for the weights added last, or those of start().
    template <class Take>
    void fill(double budget, Take take) {
        double spent = 0.0;
        double worth = by_worth_[0] ? coarse(by_worth_[0]->first) : 0.0;
        for (std::size_t n = 0; spent < budget && by_worth_[n];) {
            double following = worth;
            run_.clear();
            while (following == worth) {
                run_.push_back(by_worth_[n]->second);
                if (!by_worth_[++n]) break;
                following = coarse(by_worth_[n]->first);
            }
            worth = following;
            std::sort(run_.begin(), run_.end());
            for (const std::size_t i : run_) {
                const double share = std::min((budget - spent) / effort_[i], 1.0);
                if (share <= 0.0) return;
                take(i, share);
                spent += effort_[i];
            }
        }
    }

    void start(const Values& weight) { by_worth_.start(weight, effort_); }

    // a bound with a candidate is not above the bound for any; where it alone is beyond the budget, nothing is said
    void finish() {
        for (std::size_t m = 0; m < most_.size(); ++m)
            for (std::size_t n = 0; n < asked_.size(); ++n) {
                double& place = given[m * asked_.size() + n];
                place = most_[m] - effort_[asked_[n]] >= 0 ? std::min(place, best[m]) : kInfinity;
            }
    }

private:
    double sum_within(double budget, std::size_t& place) const {
        while (place + 1 < spent_.size() && spent_[place + 1] <= budget) ++place;
        if (place + 1 == spent_.size()) return sums_.back();
        const double slope = (sums_[place + 1] - sums_[place]) / (spent_[place + 1] - spent_[place]);
        return slope * (budget - spent_[place]) + sums_[place];
    }

    void add_given(std::size_t m, const Values& weight, double constant) {
        std::size_t place = 0;
        for (std::size_t g = different_.size(); g-- > 0;) {  // what is left grows
            const double left = most_[m] - different_[g];
            ahead_[g] = left >= 0 ? sum_within(left, place) : kInfinity;
        }
        double* const row = given.data() + m * asked_.size();
        for (std::size_t n = 0; n < asked_.size(); ++n)
            row[n] = std::min(row[n], constant + weight[asked_[n]] + ahead_[group_[n]]);
    }

    const Values& effort_;
    const Values most_;
    const std::vector<std::size_t>& asked_;
    std::vector<std::size_t> group_, run_;
    Values different_, ahead_, spent_, sums_;
    ByWorth by_worth_;
};

BERRYPICK_INLINE void capped_body(const double* BERRYPICK_RESTRICT columns, const double* cap, const double* slope,
                                  std::size_t targets, std::size_t count, double* BERRYPICK_RESTRICT weight) {
    for (std::size_t i = 0; i < count; ++i) weight[i] = 0.0;
    for (std::size_t x = 0; x < targets; ++x) {
        const double most = cap[x], times = slope[x];
        const double* BERRYPICK_RESTRICT column = columns + x * count;
        for (std::size_t i = 0; i < count; ++i) weight[i] += (most < column[i] ? most : column[i]) * times;
    }
}

#ifdef BERRYPICK_WIDE
__attribute__((target("avx2"))) inline void capped_wide(const double* columns, const double* cap, const double* slope,
                                                        std::size_t targets, std::size_t count, double* weight) {
    capped_body(columns, cap, slope, targets, count, weight);
}
#endif

// What each candidate is worth by a tangent: the sum over targets of slope x exposure, up to a cap. Exposures are given
// target by target, so that several candidates are looked at side by side; each sum is still one term after the other.
inline void capped_weights(const Values& columns, const Values& cap, const Values& slope, Values& weight) {
#ifdef BERRYPICK_WIDE
    if (has_wide()) return capped_wide(columns.data(), cap.data(), slope.data(), cap.size(), weight.size(), weight.data());
#endif
    capped_body(columns.data(), cap.data(), slope.data(), cap.size(), weight.size(), weight.data());
}

// Bounds from tangents at points that Frank-Wolfe steps find for some budgets, of a concave function of exposures.
template <class Concave>
void add_tangents(const Exposures& exposure, const Columns& columns, const Values& before, Concave function,
                  const Values& budgets, int steps, Knapsack& knapsack) {
    const std::size_t n = exposure.targets;
    const Values& largest = columns.largest;
    Values y(n), slope(n), cap(n), total(n), weight(exposure.count);
    for (const double budget : budgets) {
        std::fill(total.begin(), total.end(), 0.0);
        knapsack.start(columns.worth);
        knapsack.fill(budget, [&](std::size_t i, double share) {
            for (std::size_t x = 0; x < n; ++x) total[x] += share * std::min(exposure.row(i)[x], 1.0);
        });
        for (std::size_t x = 0; x < n; ++x) y[x] = before[x] + 0.5 * total[x] + 0.05;
        for (int step = 0; step < steps; ++step) {
            double constant = function(y, slope);
            const auto finite = [](double one) { return std::isfinite(one); };
            // too small a number: this point gives no bound
            if (!finite(constant) || !std::all_of(slope.begin(), slope.end(), finite)) break;
            for (std::size_t x = 0; x < n; ++x) {
                // where no candidate's exposure comes near it, a cap changes nothing
                const bool is_far = largest[x] <= low_exposure_cap(slope[x]) - before[x];
                cap[x] = is_far ? largest[x] : std::max(exposure_cap(slope[x]) - before[x], 0.0);
                constant -= slope[x] * (y[x] - before[x]);
            }
            capped_weights(columns.values, cap, slope, weight);
            knapsack.add(weight, constant);
            std::fill(total.begin(), total.end(), 0.0);
            knapsack.fill(budget, [&](std::size_t i, double share) {
                for (std::size_t x = 0; x < n; ++x) total[x] += share * std::min(exposure.row(i)[x], cap[x]);
            });
            for (std::size_t x = 0; x < n; ++x) y[x] += (before[x] + total[x] - y[x]) * (2.0 / (step + 4.0));
        }
    }
}

}  // namespace berrypick
