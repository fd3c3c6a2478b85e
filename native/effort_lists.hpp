// Lists of candidates that cost different effort, until a gain is reached: what every set of a few candidates leads to,
// and the best order among them. kernels/gain_steps.py and kernels/effort_lists.py have the plain forms.
#pragma once

#include <cstdint>

#include "gain_law.hpp"

namespace berrypick {

// P(gain below the threshold), P(not below) and whether it is surely reached, for every set of a few candidates.
inline void gains_of_sets(const double* rows, unsigned count, const GainLaw& law, double* below, double* reached,
                          std::uint8_t* done) {
    GainLaw::Scratch scratch;
    for_each_set(rows, count, law.targets(), [&](std::size_t s, const double* seen, const double* unseen) {
        const GainLaw::Tails found = law(seen, unseen, scratch);
        below[s] = found.below;
        reached[s] = found.reached;
        done[s] = law.is_sure(unseen);
    });
}

// The best order of candidates whose sets can all be listed: each step from a set adds -weight x (the effort it adds), or
// for the inverse weight x (what it takes from 1/effort). `best` holds on entry what a list that ends there adds.
inline void cheapest_order(const double* weight, const double* effort, bool inverse, double* best, Index* step,
                           const std::uint8_t* done, unsigned count) {
    for (std::size_t s = std::size_t(1) << count; s-- > 0;) {  // every larger set is a larger number
        step[s] = -1;
        if (done[s]) continue;
        for (unsigned i = 0; i < count; ++i) {
            const std::size_t larger = s | (std::size_t(1) << i);
            if (larger == s) continue;
            double total = best[larger];
            if (weight[s] > 0.0) {
                const double more = effort[larger] - effort[s];
                total += inverse ? weight[s] * more / (effort[s] * effort[larger]) : -weight[s] * more;
            }
            if (total > best[s]) {
                best[s] = total;
                step[s] = Index(i);
            }
        }
    }
}

}  // namespace berrypick
