// P(gain >= threshold), target after target; kernels/gain_steps.py has the plain form.
#pragma once

#include <cstdint>
#include <vector>

#include "lists.hpp"

namespace berrypick {

constexpr Index kReached = -1;  // the gain is reached, whatever follows
constexpr Index kMissed = -2;   // it is not, whatever follows

// The partial sums told apart before each target (`order`: targets as they are looked at) are its states. Each leads to a
// state before the next target where the target is not seen (stay), and where it is (move).
struct GainLaw {
    std::vector<Index> order, states, stay, move;
    Values sums;     // of the states
    Values counted;  // the gains as they are counted
    Values gains;
    double wanted = 0.0;

    struct Tails {
        double below = 0.0, reached = 0.0;
        double expected = 0.0;  // E[min(gain, threshold)]
    };

    struct Scratch {
        Values mass, next;
    };

    std::size_t targets() const { return order.size(); }

    Tails operator()(const double* seen, const double* unseen, Scratch& scratch) const {
        Tails found;
        double later = 0.0;  // what the targets to come add on average
        for (const Index x : order) later += seen[x] * counted[std::size_t(x)];
        scratch.mass.assign(1, 1.0);
        std::size_t first = 0;
        for (std::size_t n = 0; n < order.size(); ++n) {
            const std::size_t x = std::size_t(order[n]), count = std::size_t(states[n]);
            later -= seen[x] * counted[x];
            scratch.next.assign(std::size_t(states[n + 1]), 0.0);
            pass(stay.data() + first, sums.data() + first, count, unseen[x], 0.0, later, scratch, found);
            pass(move.data() + first, sums.data() + first, count, seen[x], counted[x], later, scratch, found);
            first += count;
            scratch.mass.swap(scratch.next);
        }
        found.expected += found.reached * wanted;
        return found;
    }

    // whether what is surely seen has the gain
    bool is_sure(const double* unseen) const {
        double sure = 0.0;
        for (std::size_t x = 0; x < gains.size(); ++x) sure += unseen[x] == 0.0 ? gains[x] : 0.0;
        return sure >= wanted;
    }

private:
    static void pass(const Index* to, const double* sum, std::size_t count, double share, double gain, double later,
                     Scratch& scratch, Tails& found) {
        for (std::size_t s = 0; s < count; ++s) {
            const double part = scratch.mass[s] * share;
            if (to[s] >= 0)
                scratch.next[std::size_t(to[s])] += part;
            else if (to[s] == kReached)
                found.reached += part;
            else {
                found.below += part;
                found.expected += part * (sum[s] + gain + later);
            }
        }
    }
};

}  // namespace berrypick
