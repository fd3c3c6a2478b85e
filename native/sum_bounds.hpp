// The least effort for a gain, from what each candidate leads to in all. ideal/sum_bounds.py has the plain form, and why
// it is a bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "list_bounds.hpp"

namespace berrypick {

// Of some candidates: their efforts and expected gains, summed up from those that give most for their effort.
struct LeastEffort {
    Values efforts, gains;
    double least = kInfinity;

    LeastEffort() = default;

    LeastEffort(const Values& worth, const Values& effort) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < worth.size(); ++i)
            if (worth[i] > 0) order.push_back(i);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return worth[a] / effort[a] > worth[b] / effort[b]; });
        efforts.assign(1, 0.0);
        gains.assign(1, 0.0);
        for (const std::size_t i : order) {
            efforts.push_back(efforts.back() + effort[i]);
            gains.push_back(gains.back() + worth[i]);
            least = std::min(least, effort[i]);
        }
    }

    // No list has such an expected gain for less.
    double on_average(double need) const {
        const auto above = std::upper_bound(gains.begin(), gains.end(), need);
        if (above == gains.begin()) return 0.0;
        if (above == gains.end()) return efforts.back() * (1 - kRounding);
        const auto n = std::size_t(above - gains.begin());
        const double part = (need - gains[n - 1]) / (gains[n] - gains[n - 1]);
        return (efforts[n - 1] + part * (efforts[n] - efforts[n - 1])) * (1 - kRounding);
    }

    // The same for readers who need at least one candidate.
    double operator()(double need) const { return std::max(least, on_average(need)); }
};

}  // namespace berrypick
