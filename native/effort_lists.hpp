// Lists of candidates that cost different effort, until a gain is reached: what every set of a few candidates leads to,
// and the best order among them. kernels/gain_steps.py and kernels/effort_lists.py have the plain forms.
#pragma once

#include <cstdint>
#include <vector>

#include "lists.hpp"

namespace berrypick {

constexpr Index kReached = -1;  // the gain is reached, whatever follows
constexpr Index kMissed = -2;   // it is not, whatever follows

// The law of a gain below and above a threshold, one target after the other: `states` partial sums are told apart before
// each target, and each leads to a state before the next one where the target is not seen (stay), and where it is (move).
struct GainLaw {
    std::size_t targets;
    const Index *states, *stay, *move;

    // P(gain below the threshold) and P(not below) from what has been seen.
    void operator()(const double* seen, const double* unseen, Values& mass, Values& next, double& below,
                    double& reached) const {
        const Index *left = stay, *right = move;
        below = reached = 0.0;
        mass.assign(1, 1.0);
        for (std::size_t x = 0; x < targets; ++x) {
            next.assign(std::size_t(states[x + 1]), 0.0);
            for (std::size_t s = 0; s < std::size_t(states[x]); ++s) {
                put(left[s], mass[s] * unseen[x], next, below, reached);
                put(right[s], mass[s] * seen[x], next, below, reached);
            }
            left += states[x];
            right += states[x];
            mass.swap(next);
        }
    }

private:
    static void put(Index to, double share, Values& next, double& below, double& reached) {
        if (to == kReached)
            reached += share;
        else if (to == kMissed)
            below += share;
        else
            next[std::size_t(to)] += share;
    }
};

// P(gain below the threshold), P(not below) and whether it is surely reached, for every set of a few candidates.
inline void gains_of_sets(const double* rows, unsigned count, const GainLaw& law, const double* gains, double wanted,
                          double* below, double* reached, std::uint8_t* done) {
    Values mass, next;
    for_each_set(rows, count, law.targets, [&](std::size_t s, const double* seen, const double* unseen) {
        law(seen, unseen, mass, next, below[s], reached[s]);
        double sure = 0.0;
        for (std::size_t x = 0; x < law.targets; ++x) sure += unseen[x] == 0.0 ? gains[x] : 0.0;
        done[s] = sure >= wanted;
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
