// P(gain >= threshold), target after target, and of all sets of a few candidates the best order. kernels/gain_steps.py
// and kernels/candidate_sets.py have the plain forms.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "list_bounds.hpp"

namespace berrypick {

constexpr Index kReached = -1;  // the gain is reached, whatever follows
constexpr Index kMissed = -2;   // it is not, whatever follows

// The law of the number of targets seen, those left out that surely are seen or not. Returns which of two arrays has it,
// both with zeros before and behind; `size`: how many numbers there are.
constexpr std::size_t kBlock = 4;

BERRYPICK_INLINE void number_step(const double* BERRYPICK_RESTRICT mass, double* BERRYPICK_RESTRICT next, std::size_t size,
                                  double seen, double unseen) {
    for (std::size_t f = 0; f <= size; f += kBlock)
        for (std::size_t k = f; k < f + kBlock; ++k) next[k] = mass[k] * unseen + (mass + k)[-1] * seen;
}

BERRYPICK_INLINE const double* number_body(const double* seen, const double* unseen, std::size_t targets, double* mass,
                                           double* next, std::size_t& size) {
    mass[0] = 1.0;
    size = 1;
    for (std::size_t x = 0; x < targets; ++x) {
        const double a = seen[x], b = unseen[x];
        if ((a == 1.0 && b == 0.0) || (a == 0.0 && b == 1.0)) continue;
        number_step(mass, next, size++, a, b);
        std::swap(mass, next);
    }
    return mass;
}

#ifdef BERRYPICK_WIDE
__attribute__((target("avx2"))) inline const double* number_wide(const double* seen, const double* unseen,
                                                                 std::size_t targets, double* mass, double* next,
                                                                 std::size_t& size) {
    return number_body(seen, unseen, targets, mass, next, size);
}
#endif

// The partial sums told apart before each target (`order`: targets as they are looked at) are its states. Each leads to a
// state before the next target where the target is not seen (stay), and where it is (move). Where the threshold is a
// `number` of targets, each a gain of 1, there are no states: the law of the number seen has it.
struct GainLaw {
    std::vector<Index> order, states, stay, move;
    Values sums;     // of the states
    Values counted;  // the gains as they are counted
    Values gains;
    double wanted = 0.0;
    bool is_number = false;

    static GainLaw of_number(std::size_t targets, std::size_t number) {
        GainLaw made;
        made.gains.assign(targets, 1.0);
        made.wanted = double(number);
        made.is_number = true;
        return made;
    }

    struct Tails {
        double below = 0.0, reached = 0.0;
        double expected = 0.0;  // E[min(gain, threshold)]
    };

    struct Scratch {
        Values mass, next;
        const double* numbers = nullptr;  // the law of the number seen beyond the sure ones, where it was asked for last
    };

    std::size_t targets() const { return gains.size(); }

    Tails operator()(const double* seen, const double* unseen, Scratch& scratch) const {
        if (is_number) return by_number(seen, unseen, scratch);
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
    // one target at a time: the digits are those of the plain form
    Tails by_number(const double* seen, const double* unseen, Scratch& scratch) const {
        scratch.mass.assign(targets() + 1 + 2 * kBlock, 0.0);
        scratch.next.assign(targets() + 1 + 2 * kBlock, 0.0);
        double *const one = scratch.mass.data() + kBlock, *const other = scratch.next.data() + kBlock;
        std::size_t sure = 0, size = 1;
        for (std::size_t x = 0; x < targets(); ++x) sure += seen[x] == 1.0 && unseen[x] == 0.0;
#ifdef BERRYPICK_WIDE
        if (has_wide())
            scratch.numbers = number_wide(seen, unseen, targets(), one, other, size);
        else
#endif
            scratch.numbers = number_body(seen, unseen, targets(), one, other, size);
        const double* const mass = scratch.numbers;
        Tails found;
        const std::size_t r = std::size_t(wanted);
        for (std::size_t f = 0; f < size && f + sure < r; ++f) {
            found.below += mass[f];
            found.expected += double(f + sure) * mass[f];
        }
        for (std::size_t f = size; f > 0 && f + sure > r; --f) found.reached += mass[f - 1];
        found.expected += wanted * found.reached;
        return found;
    }

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

// Calls visit(set, seen, unseen) for every set of a few candidates; set number s holds candidate i where bit i is 1.
template <class Visit>
void for_each_set(const double* rows, unsigned count, std::size_t targets, Visit visit) {
    const std::size_t sets = std::size_t(1) << count;
    Values seen(count * targets + targets, 0.0), unseen(count * targets + targets, 1.0);
    for (std::size_t s = 0; s < sets; ++s) {
        // the state at level d depends on the d highest bits; those above the highest that has changed stay
        unsigned from = 0;
        if (s) {
            const std::size_t changed = s ^ (s - 1);
            unsigned high = 0;
            while ((changed >> high) > 1) ++high;
            from = count - 1 - high;
        }
        for (unsigned d = from; d < count; ++d) {
            const unsigned i = count - 1 - d;
            const double* row = rows + i * targets;
            const bool in = (s >> i) & 1;
            for (std::size_t x = 0; x < targets; ++x) {
                const double a = seen[d * targets + x], b = unseen[d * targets + x];
                seen[(d + 1) * targets + x] = in ? a + (1.0 - a) * row[x] : a;
                unseen[(d + 1) * targets + x] = in ? b * (1.0 - row[x]) : b;
            }
        }
        visit(s, &seen[count * targets], &unseen[count * targets]);
    }
}

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
inline void best_order(const double* weight, const double* effort, bool inverse, double* best, Index* step,
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
