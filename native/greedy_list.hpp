// One greedy list: what its readers have seen, what each candidate would add, and the law of the number of targets seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "greedy_candidates.hpp"
#include "greedy_loops.hpp"

namespace berrypick::greedy {

// The candidates to choose from, ascending. Of many that are alike the first few are here, and the last of these
// stands for the others: as long as it is left and nothing has happened to its targets, they cannot be the choice.
struct Shortlist {
    std::vector<std::size_t> candidates;
    std::vector<Index> place;  // by candidate, -1: not here
    std::vector<double> added, turned;
    std::vector<std::uint8_t> stands;  // by candidate
    bool valid = false;
};

// A list: what has been seen after it, and what the candidates that are left would add.
struct List {
    std::vector<double> seen, unseen;    // by target
    std::vector<double> fr, fi;          // the function of the number of targets partly seen, as far as it counts
    std::vector<double> added, turned, narrowed;  // by candidate, see renew(); bounds where stale
    std::vector<std::uint64_t> alike;    // the same for candidates that add the same
    std::vector<std::uint8_t> left, stale;
    Shortlist shortlist;
    std::vector<Index> chosen;
    std::size_t first = 0;
    Index sure = 0, partly = 0, steps = 0;
    double mean = 0.0, variance = 0.0;   // of the number of targets partly seen
};

// Begin lists and append candidates to them.
class Steps {
public:
    Steps(const Candidates& all, const Frequencies& waves) : all_(all), waves_(waves) {}

    List start() const {
        List list;
        list.seen.assign(all_.targets, 0.0);
        list.unseen.assign(all_.targets, 1.0);
        list.added.assign(all_.candidates, -1.0);
        list.turned.assign(all_.candidates, -1.0);
        list.narrowed.assign(all_.candidates, 0.0);
        list.alike.assign(all_.candidates, 0);
        list.left.assign(all_.candidates, 0);
        list.stale.assign(all_.candidates, 0);
        list.shortlist.place.assign(all_.candidates, -1);
        list.shortlist.stands.assign(all_.candidates, 0);
        list.first = all_.candidates;
        for (std::size_t c = all_.candidates; c-- > 0;)
            if (all_.useful[c]) {
                list.left[c] = 1;
                list.first = c;
                renew(list, c);
            }
        multiply(list, waves_.most_frequencies);
        return list;
    }

    // The function, from what has been seen.
    void multiply(List& list, std::size_t width) const {
        list.fr.assign(width, 1.0);
        list.fi.assign(width, 0.0);
        list.steps = 0;
        if (list.partly == 0) return;
        for (std::size_t x = 0; x < all_.targets; ++x)
            if (list.seen[x] > 0.0 && list.unseen[x] > 0.0) apply(loops().factor, list, list.seen[x], list.unseen[x]);
    }

    void apply(decltype(Loops::factor) change, List& list, double seen, double unseen) const {
        change(seen, unseen, waves_.er.data(), waves_.ei.data(), list.fr.data(), list.fi.data(), list.fr.size());
    }

    // What a candidate adds to E[F]; the part of it on those who have seen the target; what Var F loses.
    void renew(List& list, std::size_t c) const {
        const Candidates::Row one = all_.row(c);
        double added = 0.0, turned = 0.0, narrowed = 0.0;
        std::uint64_t alike = 1469598103934665603u;
        for (std::size_t i = 0; i < one.count; ++i) {
            const std::size_t x = std::size_t(one.target[i]);
            const double seen = list.seen[x], unseen = list.unseen[x], gain = one.p[i] * unseen;
            if (gain == 0.0) continue;
            added += gain;
            turned += gain * seen;
            narrowed += seen * unseen - (seen + gain) * (unseen - gain);
            alike = mixed(mixed(mixed(alike, one.p[i]), unseen), seen);
        }
        list.added[c] = added;
        list.turned[c] = turned;
        list.narrowed[c] = narrowed;
        list.alike[c] = alike;
        list.stale[c] = 0;
        show(list, c);
    }

    static void show(List& list, std::size_t c) {
        const Index place = list.shortlist.place[c];
        if (place < 0) return;
        list.shortlist.added[std::size_t(place)] = list.added[c];
        list.shortlist.turned[std::size_t(place)] = list.turned[c];
    }

    static std::uint64_t mixed(std::uint64_t key, double value) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        key ^= bits;
        key *= 0x9e3779b97f4a7c15u;
        return key ^ (key >> 29);
    }

    void append(List& list, std::size_t c) const {
        const Candidates::Row one = all_.row(c);
        take(list, c);
        std::size_t touched = 0;
        for (std::size_t i = 0; i < one.count; ++i) {
            const std::size_t x = std::size_t(one.target[i]);
            const double seen = list.seen[x], unseen = list.unseen[x], p = one.p[i];
            if (unseen == 0.0) continue;
            touched += all_.column_start[x + 1] - all_.column_start[x];
            const bool was = seen > 0.0, is = p < 1.0;
            list.seen[x] = is ? seen + unseen * p : 1.0;
            list.unseen[x] = is ? std::max(unseen * (1.0 - p), least_unseen) : 0.0;
            list.partly += Index(is) - Index(was);
            list.sure += !is;
            list.mean += (is ? list.seen[x] : 0.0) - (was ? seen : 0.0);
            list.variance += list.seen[x] * list.unseen[x] - seen * unseen;
            if (was) apply(loops().divide, list, seen, unseen);
            if (is) apply(loops().factor, list, list.seen[x], list.unseen[x]);
        }
        if (list.partly == 0) list.mean = list.variance = 0.0;
        mark(list, one, touched);
        const std::size_t width = waves_.needed(0.75 * list.variance);
        if (waves_.needed(list.variance) > list.fr.size() || list.partly <= few || ++list.steps >= again) {
            list.shortlist.valid &= list.steps < again;
            multiply(list, width);
        } else if (width < list.fr.size()) {
            list.fr.resize(width);
            list.fi.resize(width);
        }
    }

    void take(List& list, std::size_t c) const {
        list.chosen.push_back(Index(c));
        list.left[c] = 0;
        list.added[c] = list.turned[c] = -1.0;  // never the largest again
        show(list, c);
        list.shortlist.valid &= !list.shortlist.stands[c];
        while (list.first < all_.candidates && !list.left[list.first]) ++list.first;
    }

    // Candidates that share a target with the one appended add less than before.
    void mark(List& list, const Candidates::Row& one, std::size_t touched) const {
        const auto stale = [&](std::size_t c) {
            if (!list.left[c]) return;
            list.stale[c] = 1;
            list.turned[c] = list.added[c];
            show(list, c);
            list.shortlist.valid &= !list.shortlist.stands[c];
        };
        if (touched >= all_.candidates) {
            for (std::size_t c = 0; c < all_.candidates; ++c) stale(c);
            return;
        }
        for (std::size_t i = 0; i < one.count; ++i) {
            const std::size_t x = std::size_t(one.target[i]);
            for (std::size_t k = all_.column_start[x]; k < all_.column_start[x + 1]; ++k) stale(all_.column[k]);
        }
    }

    // --- the law near a recall value ---

    Index lowest(const List& list) const {
        return std::max<Index>(0, Index(std::floor(list.mean - waves_.around)));
    }

    // P(G < n) of the number G of targets partly seen
    double below(const List& list, Index n) const {
        const Index low = lowest(list);
        if (n <= low) return 0.0;
        if (n > list.partly || double(n) > list.mean + waves_.around + 1.0) return 1.0;
        double sum = 0.0;
        const std::size_t width = waves_.needed(list.variance);
        Frequencies::Turns a(low + n - 1, waves_.period), b(n - low, waves_.period);
        for (std::size_t j = 0; j < width; ++j, a.next(), b.next())
            // exp(-it low) + ... + exp(-it (n - 1)) is exp(-it (low + n - 1)/2) sin(t (n - low)/2) / sin(t/2)
            sum += (list.fr[j] * waves_.cosine[a.at] + list.fi[j] * waves_.sine[a.at]) *
                   (waves_.sine[b.at] * waves_.inverse_sine[j]);
        return std::min(1.0, std::max(0.0, (double(n - low) + 2.0 * sum) / double(waves_.period)));
    }

    // P(G = n)
    double at(const List& list, Index n) const {
        if (n < 0 || n > list.partly) return 0.0;
        double sum = 0.0;
        const std::size_t width = waves_.needed(list.variance);
        Frequencies::Turns a(2 * n, waves_.period);
        for (std::size_t j = 0; j < width; ++j, a.next())
            sum += list.fr[j] * waves_.cosine[a.at] + list.fi[j] * waves_.sine[a.at];
        return std::max(0.0, (1.0 + 2.0 * sum) / double(waves_.period));
    }

private:
    static constexpr double least_unseen = std::numeric_limits<double>::min();  // 0 is for what is surely seen
    static constexpr Index few = 16;    // so few targets partly seen, and the function is multiplied anew at each step
    static constexpr Index again = 64;  // steps after which it is multiplied anew in any case

    const Candidates& all_;
    const Frequencies& waves_;
};

}  // namespace berrypick::greedy
