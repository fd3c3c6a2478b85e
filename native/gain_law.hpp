// P(gain >= threshold), target after target, and of all sets of a few candidates the best order. ideal/gain_steps.py
// and kernels/lists/candidate_sets.py have the plain forms.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "list_bounds.hpp"

namespace berrypick {

constexpr Index kReached = -1;  // the gain is reached, whatever follows
constexpr Index kMissed = -2;   // it is not, whatever follows

// Laws of the number of targets seen, of so many lists side by side: target after target, and of each the lists.
constexpr std::size_t kLists = 4;

BERRYPICK_INLINE void numbers_body(const double* BERRYPICK_RESTRICT seen, const double* BERRYPICK_RESTRICT unseen,
                                   std::size_t targets, double* BERRYPICK_RESTRICT mass) {
    for (std::size_t k = 0; k < kLists; ++k) mass[k] = 1.0;
    for (std::size_t x = 0; x < targets; ++x, seen += kLists, unseen += kLists) {
        for (std::size_t k = 0; k < kLists; ++k) mass[(x + 1) * kLists + k] = mass[x * kLists + k] * seen[k];
        for (std::size_t f = x; f > 0; --f)
            for (std::size_t k = 0; k < kLists; ++k)
                mass[f * kLists + k] = mass[f * kLists + k] * unseen[k] + mass[(f - 1) * kLists + k] * seen[k];
        for (std::size_t k = 0; k < kLists; ++k) mass[k] *= unseen[k];
    }
}

#ifdef BERRYPICK_WIDE
__attribute__((target("avx2"))) inline void numbers_wide(const double* seen, const double* unseen, std::size_t targets,
                                                         double* mass) {
    numbers_body(seen, unseen, targets, mass);
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
        Values mass, next, seen, unseen;
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

    // The same of up to kLists lists, given as arrays of seen and unseen, to the same bits: a factor of 1 or 0 changes
    // nothing.
    void several(const double* const* seen, const double* const* unseen, std::size_t lists, Scratch& scratch,
                 Tails* found) const {
        if (!is_number || lists == 1) {
            for (std::size_t k = 0; k < lists; ++k) found[k] = (*this)(seen[k], unseen[k], scratch);
            return;
        }
        scratch.seen.assign(targets() * kLists, 0.0);
        scratch.unseen.assign(targets() * kLists, 1.0);
        scratch.next.resize((targets() + 1) * kLists);
        for (std::size_t k = 0; k < lists; ++k)
            for (std::size_t x = 0; x < targets(); ++x) {
                scratch.seen[x * kLists + k] = seen[k][x];
                scratch.unseen[x * kLists + k] = unseen[k][x];
            }
#ifdef BERRYPICK_WIDE
        if (has_wide())
            numbers_wide(scratch.seen.data(), scratch.unseen.data(), targets(), scratch.next.data());
        else
#endif
            numbers_body(scratch.seen.data(), scratch.unseen.data(), targets(), scratch.next.data());
        for (std::size_t k = 0; k < lists; ++k) found[k] = number_tails(scratch.next.data() + k, kLists, targets() + 1, 0);
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
        Values &mass = scratch.mass, &next = scratch.next;
        mass.assign(targets() + 2, 0.0);
        next.assign(targets() + 2, 0.0);
        mass[0] = 1.0;
        std::size_t sure = 0, size = 1;
        for (std::size_t x = 0; x < targets(); ++x) {
            const double a = seen[x], b = unseen[x];
            if (a == 1.0 && b == 0.0) ++sure;
            if ((a == 1.0 && b == 0.0) || (a == 0.0 && b == 1.0)) continue;
            next[0] = mass[0] * b;
            for (std::size_t f = 1; f <= size; ++f) next[f] = mass[f] * b + mass[f - 1] * a;
            ++size;
            std::swap(mass, next);
        }
        return number_tails(mass.data(), 1, size, sure);
    }

    // from the law of the number seen beyond the sure ones, its numbers so many places apart
    Tails number_tails(const double* mass, std::size_t apart, std::size_t size, std::size_t sure) const {
        Tails found;
        const std::size_t r = std::size_t(wanted);
        for (std::size_t f = 0; f < size && f + sure < r; ++f) {
            found.below += mass[f * apart];
            found.expected += double(f + sure) * mass[f * apart];
        }
        for (std::size_t f = size; f > 0 && f + sure > r; --f) found.reached += mass[(f - 1) * apart];
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
