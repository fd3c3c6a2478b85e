// Greedy ideal lists of all recall values: append the candidate with the largest E[min(F, r)], the first of equals,
// until r targets are surely seen. kernels/lists/greedy.py has the plain form.
//
// The number F of targets seen is kept as the values of its characteristic function at the frequencies 2 pi j / n.
// A list replaces the factors of a few targets at each step, which is a multiplication at each frequency, and what a
// candidate adds to E[min(F, r)] is a sum over the frequencies. F stays within some standard deviations of its mean
// (Hoeffding), so n needs to be no more than that, and at high frequencies the function is 0 to rounding
// (|E exp(itF)| <= exp(-2 Var F sin^2(t/2))). Neither number grows with the targets faster than their root.
//
// Recall values that have chosen alike share one list. Of each, three stretches are told apart: F cannot have come near
// r (what counts is E[F]); it may be on both sides of r; and it has surely passed r to rounding, so that nothing is to
// be gained and the first candidate left is the next.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "law.hpp"

namespace berrypick {

// --- loops over frequencies ----------------------------------------------------------------------------------------

// y = 1 - (1 - y)(1 - p q), q = unseen u / (unseen + seen e), e = exp(it), u = 1 - e: what is gone of the function once
// a target is met with probability p
BERRYPICK_INLINE void meet_body(double p, double seen, double unseen, const double* BERRYPICK_RESTRICT er,
                                const double* BERRYPICK_RESTRICT ei, double* BERRYPICK_RESTRICT yr,
                                double* BERRYPICK_RESTRICT yi, std::size_t count) {
    const double gain = p * unseen;
    for (std::size_t j = 0; j < count; ++j) {
        const double br = unseen + seen * er[j], bi = seen * ei[j], ur = 1.0 - er[j], ui = -ei[j];
        const double size = gain / (br * br + bi * bi), left = 1.0 - yr[j], y = yi[j];
        const double tr = (ur * br + ui * bi) * size, ti = (ui * br - ur * bi) * size;
        yr[j] += left * tr + y * ti;
        yi[j] = y + (left * ti - y * tr);
    }
}

// The real part of the sum of a y. Four sums side by side, so that the order does not depend on the instruction set.
BERRYPICK_INLINE double dot_body(const double* BERRYPICK_RESTRICT ar, const double* BERRYPICK_RESTRICT ai,
                                 const double* BERRYPICK_RESTRICT yr, const double* BERRYPICK_RESTRICT yi,
                                 std::size_t count) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    std::size_t j = 0;
    for (; j + 4 <= count; j += 4)
        for (std::size_t i = 0; i < 4; ++i) sum[i] += ar[j + i] * yr[j + i] - ai[j + i] * yi[j + i];
    for (std::size_t i = 0; j < count; ++j, ++i) sum[i] += ar[j] * yr[j] - ai[j] * yi[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// a *= unseen + seen e
BERRYPICK_INLINE void factor_body(double seen, double unseen, const double* BERRYPICK_RESTRICT er,
                                  const double* BERRYPICK_RESTRICT ei, double* BERRYPICK_RESTRICT ar,
                                  double* BERRYPICK_RESTRICT ai, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
        const double br = unseen + seen * er[j], bi = seen * ei[j], a = ar[j];
        ar[j] = a * br - ai[j] * bi;
        ai[j] = a * bi + ai[j] * br;
    }
}

// a /= unseen + seen e
BERRYPICK_INLINE void divide_body(double seen, double unseen, const double* BERRYPICK_RESTRICT er,
                                  const double* BERRYPICK_RESTRICT ei, double* BERRYPICK_RESTRICT ar,
                                  double* BERRYPICK_RESTRICT ai, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
        const double br = unseen + seen * er[j], bi = seen * ei[j], a = ar[j];
        const double size = 1.0 / (br * br + bi * bi);
        ar[j] = (a * br + ai[j] * bi) * size;
        ai[j] = (ai[j] * br - a * bi) * size;
    }
}

// The values added whole + turned part, and the largest of each block of them.
constexpr std::size_t block = 16;

BERRYPICK_INLINE void bounds_body(const double* BERRYPICK_RESTRICT added, const double* BERRYPICK_RESTRICT turned,
                                  double whole, double part, double* BERRYPICK_RESTRICT out,
                                  double* BERRYPICK_RESTRICT most, std::size_t blocks) {
    for (std::size_t b = 0; b < blocks; ++b) {
        double largest[4] = {-1.0, -1.0, -1.0, -1.0};
        for (std::size_t j = b * block; j < (b + 1) * block; j += 4)
            for (std::size_t i = 0; i < 4; ++i) {
                const double bound = added[j + i] * whole + turned[j + i] * part;
                out[j + i] = bound;
                largest[i] = bound > largest[i] ? bound : largest[i];
            }
        const double one = largest[0] > largest[1] ? largest[0] : largest[1];
        const double other = largest[2] > largest[3] ? largest[2] : largest[3];
        most[b] = one > other ? one : other;
    }
}

struct Waves {
    void (*meet)(double, double, double, const double*, const double*, double*, double*, std::size_t);
    double (*dot)(const double*, const double*, const double*, const double*, std::size_t);
    void (*factor)(double, double, const double*, const double*, double*, double*, std::size_t);
    void (*divide)(double, double, const double*, const double*, double*, double*, std::size_t);
    void (*bounds)(const double*, const double*, double, double, double*, double*, std::size_t);
};

#define BERRYPICK_WAVES(name, attribute)                                                                              \
    attribute inline void meet_##name(double p, double s, double t, const double* a, const double* b, double* c,     \
                                      double* d, std::size_t n) {                                                     \
        meet_body(p, s, t, a, b, c, d, n);                                                                            \
    }                                                                                                                 \
    attribute inline double dot_##name(const double* a, const double* b, const double* c, const double* d,           \
                                       std::size_t n) {                                                               \
        return dot_body(a, b, c, d, n);                                                                               \
    }                                                                                                                 \
    attribute inline void factor_##name(double s, double t, const double* a, const double* b, double* c, double* d,  \
                                        std::size_t n) {                                                              \
        factor_body(s, t, a, b, c, d, n);                                                                             \
    }                                                                                                                 \
    attribute inline void divide_##name(double s, double t, const double* a, const double* b, double* c, double* d,  \
                                        std::size_t n) {                                                              \
        divide_body(s, t, a, b, c, d, n);                                                                             \
    }                                                                                                                 \
    attribute inline void bounds_##name(const double* a, const double* b, double w, double v, double* c, double* d,  \
                                        std::size_t n) {                                                              \
        bounds_body(a, b, w, v, c, d, n);                                                                             \
    }                                                                                                                 \
    constexpr Waves waves_##name{meet_##name, dot_##name, factor_##name, divide_##name, bounds_##name};

BERRYPICK_WAVES(plain, )
#ifdef BERRYPICK_WIDE
BERRYPICK_WAVES(wide, __attribute__((target("avx2"))))
#endif
#undef BERRYPICK_WAVES

inline const Waves& waves() {
#ifdef BERRYPICK_WIDE
    static const Waves chosen = __builtin_cpu_supports("avx2") ? waves_wide : waves_plain;
    return chosen;
#else
    return waves_plain;
#endif
}

// --- the lists -----------------------------------------------------------------------------------------------------

// Of the list for each recall value r = 1, 2, ..., at r - 1:
struct ListValues {
    double* length;   // E[ML_r], nan where r is not surely reached
    double* inverse;  // E[A_r/ML_r]
    double* reached;  // P(F >= r) after the list
    std::size_t targets;
};

class Greedy {
public:
    std::vector<Index> lists, bounds;  // all lists, one after the other

    Greedy(const Entries& entries, std::size_t candidates, ListValues values)
        : candidates_(candidates), targets_(values.targets), values_(values) {
        read(entries);
        frequencies();
        std::fill(values.length, values.length + targets_, 0.0);
        std::fill(values.inverse, values.inverse + targets_, 0.0);
        expected_.assign(targets_, 0.0);
        lost_.resize(candidates_);
        kinds_.assign(kinds, Kind{0, 0, 0});
        found_.resize(targets_);
        std::vector<Index> wanted(targets_);
        for (std::size_t r = 0; r < targets_; ++r) wanted[r] = Index(r) + 1;
        List list = start();
        complete(list, wanted);
        bounds.push_back(0);
        for (const std::vector<Index>& one : found_) {
            lists.insert(lists.end(), one.begin(), one.end());
            bounds.push_back(Index(lists.size()));
        }
    }

private:
    static constexpr double same = 1e-12;        // values that differ by less than this share are equal
    static constexpr double nothing = 1e-17;     // of the laws, what is left out
    static constexpr double negligible = 1e-19;  // of the largest probability
    static constexpr double rounding = 1e-13;    // of probabilities that are sums over frequencies
    static constexpr double least_unseen = std::numeric_limits<double>::min();  // 0 is for what is surely seen
    static constexpr std::size_t most_alike = 8;  // of candidates that are alike, so many are on the shortlist
    static constexpr std::size_t kinds = 1024;    // how many kinds of them are told apart
    static constexpr Index few = 16;    // so few targets partly seen, and the function is multiplied anew at each step
    static constexpr Index again = 64;  // steps after which it is multiplied anew in any case

    struct Row {
        const Index* target;
        const double* p;
        std::size_t count;
    };

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

    struct Lost {
        std::uint64_t alike = 0;
        std::vector<double> r, i;
    };

    // --- preparation ---

    // Probabilities that change no digit of E[F] are left out.
    void read(const Entries& entries) {
        double largest = 0.0;
        for (std::size_t i = 0; i < entries.count; ++i) largest = std::max(largest, entries.probability[i]);
        useful_.assign(candidates_, 0);
        start_.assign(candidates_ + 1, 0);
        column_start_.assign(targets_ + 1, 0);
        for (std::size_t i = 0; i < entries.count; ++i) {
            const std::size_t c = std::size_t(entries.rank[i]), x = std::size_t(entries.target[i]);
            const double p = entries.probability[i];
            useful_[c] |= p > 0.0;
            if (p <= negligible * largest) continue;
            ++start_[c + 1];
            ++column_start_[x + 1];
            target_.push_back(Index(x));
            p_.push_back(p);
        }
        for (std::size_t i = 0; i < candidates_; ++i) start_[i + 1] += start_[i];
        for (std::size_t i = 0; i < targets_; ++i) column_start_[i + 1] += column_start_[i];
        column_.resize(target_.size());
        std::vector<std::size_t> next(column_start_);
        for (std::size_t c = 0; c < candidates_; ++c)
            for (std::size_t i = start_[c]; i < start_[c + 1]; ++i) column_[next[std::size_t(target_[i])]++] = c;
    }

    Row row(std::size_t candidate) const {
        const std::size_t from = start_[candidate];
        return {target_.data() + from, p_.data() + from, start_[candidate + 1] - from};
    }

    void frequencies() {
        double largest = 0.0;
        std::vector<std::uint8_t> partly(targets_, 0);
        for (std::size_t c = 0; c < candidates_; ++c) {
            const Row one = row(c);
            double sum = 0.0;
            for (std::size_t i = 0; i < one.count; ++i) {
                sum += one.p[i];
                partly[std::size_t(one.target[i])] |= one.p[i] < 1.0;
            }
            largest = std::max(largest, sum);
            most_ = std::max(most_, Index(one.count));
        }
        const double number = double(std::count(partly.begin(), partly.end(), std::uint8_t(1)));
        around_ = std::sqrt(number * std::log(2.0 / nothing) / 2.0);
        above_ = around_ + largest;
        const double period = around_ + above_ + 3.0;
        period_ = std::min(Index(targets_) + 1, Index(std::ceil(period))) | 1;
        most_frequencies_ = std::size_t(period_ / 2);
        const double half = std::acos(-1.0) / double(period_);
        for (Index j = 0; j < 2 * period_; ++j) {
            cosine_.push_back(std::cos(half * double(j)));
            sine_.push_back(std::sin(half * double(j)));
        }
        for (std::size_t j = 0; j < most_frequencies_; ++j) {
            er_.push_back(cosine_[2 * (j + 1)]);
            ei_.push_back(sine_[2 * (j + 1)]);
            inverse_sine_.push_back(1.0 / sine_[j + 1]);
            weight_.push_back(1.0 / (2.0 * sine_[j + 1] * sine_[j + 1] * double(period_)));
        }
        needed_.resize(targets_ / 4 + 2);
        for (std::size_t v = 0; v < needed_.size(); ++v) {
            std::size_t j = 0;
            while (j < most_frequencies_ && 2.0 * double(v) * sine_[j + 1] * sine_[j + 1] < -std::log(nothing)) ++j;
            needed_[v] = j;
        }
    }

    // how many frequencies count where the variance is at least so large
    std::size_t needed(double variance) const {
        const std::size_t v = variance > 0.0 ? std::size_t(variance) : 0;
        return needed_[std::min(v, needed_.size() - 1)];
    }

    List start() const {
        List list;
        list.seen.assign(targets_, 0.0);
        list.unseen.assign(targets_, 1.0);
        list.added.assign(candidates_, -1.0);
        list.turned.assign(candidates_, -1.0);
        list.narrowed.assign(candidates_, 0.0);
        list.alike.assign(candidates_, 0);
        list.left.assign(candidates_, 0);
        list.stale.assign(candidates_, 0);
        list.shortlist.place.assign(candidates_, -1);
        list.shortlist.stands.assign(candidates_, 0);
        list.first = candidates_;
        for (std::size_t c = candidates_; c-- > 0;)
            if (useful_[c]) {
                list.left[c] = 1;
                list.first = c;
                renew(list, c);
            }
        multiply(list, most_frequencies_);
        return list;
    }

    // --- one list ---

    // The function, from what has been seen.
    void multiply(List& list, std::size_t width) const {
        list.fr.assign(width, 1.0);
        list.fi.assign(width, 0.0);
        list.steps = 0;
        if (list.partly == 0) return;
        for (std::size_t x = 0; x < targets_; ++x)
            if (list.seen[x] > 0.0 && list.unseen[x] > 0.0) apply(waves().factor, list, list.seen[x], list.unseen[x]);
    }

    void apply(decltype(Waves::factor) change, List& list, double seen, double unseen) const {
        change(seen, unseen, er_.data(), ei_.data(), list.fr.data(), list.fi.data(), list.fr.size());
    }

    // What a candidate adds to E[F]; the part of it on those who have seen the target; what Var F loses.
    void renew(List& list, std::size_t c) const {
        const Row one = row(c);
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

    void append(List& list, std::size_t c) {
        const Row one = row(c);
        take(list, c);
        std::size_t touched = 0;
        for (std::size_t i = 0; i < one.count; ++i) {
            const std::size_t x = std::size_t(one.target[i]);
            const double seen = list.seen[x], unseen = list.unseen[x], p = one.p[i];
            if (unseen == 0.0) continue;
            touched += column_start_[x + 1] - column_start_[x];
            const bool was = seen > 0.0, is = p < 1.0;
            list.seen[x] = is ? seen + unseen * p : 1.0;
            list.unseen[x] = is ? std::max(unseen * (1.0 - p), least_unseen) : 0.0;
            list.partly += Index(is) - Index(was);
            list.sure += !is;
            list.mean += (is ? list.seen[x] : 0.0) - (was ? seen : 0.0);
            list.variance += list.seen[x] * list.unseen[x] - seen * unseen;
            if (was) apply(waves().divide, list, seen, unseen);
            if (is) apply(waves().factor, list, list.seen[x], list.unseen[x]);
        }
        if (list.partly == 0) list.mean = list.variance = 0.0;
        mark(list, one, touched);
        const std::size_t width = needed(0.75 * list.variance);
        if (needed(list.variance) > list.fr.size() || list.partly <= few || ++list.steps >= again) {
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
        while (list.first < candidates_ && !list.left[list.first]) ++list.first;
    }

    // Candidates that share a target with the one appended add less than before.
    void mark(List& list, const Row& one, std::size_t touched) const {
        const auto stale = [&](std::size_t c) {
            if (!list.left[c]) return;
            list.stale[c] = 1;
            list.turned[c] = list.added[c];
            show(list, c);
            list.shortlist.valid &= !list.shortlist.stands[c];
        };
        if (touched >= candidates_) {
            for (std::size_t c = 0; c < candidates_; ++c) stale(c);
            return;
        }
        for (std::size_t i = 0; i < one.count; ++i) {
            const std::size_t x = std::size_t(one.target[i]);
            for (std::size_t k = column_start_[x]; k < column_start_[x + 1]; ++k) stale(column_[k]);
        }
    }

    // 1 - (the function after the candidate over the function before it). It is kept, as most candidates meet targets
    // that nothing has happened to since.
    const Lost& lost(const List& list, std::size_t c, std::size_t width) {
        Lost& kept = lost_[c];
        if (kept.alike == list.alike[c] && kept.r.size() >= width) return kept;
        kept.alike = list.alike[c];
        kept.r.assign(list.fr.size(), 0.0);
        kept.i.assign(list.fr.size(), 0.0);
        const Row one = row(c);
        for (std::size_t i = 0; i < one.count; ++i) {
            const std::size_t x = std::size_t(one.target[i]);
            if (list.unseen[x] > 0.0)
                waves().meet(one.p[i], list.seen[x], list.unseen[x], er_.data(), ei_.data(), kept.r.data(),
                             kept.i.data(), kept.r.size());
        }
        return kept;
    }

    // --- the law near a recall value ---

    Index lowest(const List& list) const {
        return std::max<Index>(0, Index(std::floor(list.mean - around_)));
    }

    // P(G < n) of the number G of targets partly seen
    double below(const List& list, Index n) const {
        const Index low = lowest(list);
        if (n <= low) return 0.0;
        if (n > list.partly || double(n) > list.mean + around_ + 1.0) return 1.0;
        double sum = 0.0;
        const std::size_t width = needed(list.variance);
        Turns a(low + n - 1, period_), b(n - low, period_);
        for (std::size_t j = 0; j < width; ++j, a.next(), b.next())
            // exp(-it low) + ... + exp(-it (n - 1)) is exp(-it (low + n - 1)/2) sin(t (n - low)/2) / sin(t/2)
            sum += (list.fr[j] * cosine_[a.at] + list.fi[j] * sine_[a.at]) * (sine_[b.at] * inverse_sine_[j]);
        return std::min(1.0, std::max(0.0, (double(n - low) + 2.0 * sum) / double(period_)));
    }

    // P(G = n)
    double at(const List& list, Index n) const {
        if (n < 0 || n > list.partly) return 0.0;
        double sum = 0.0;
        const std::size_t width = needed(list.variance);
        Turns a(2 * n, period_);
        for (std::size_t j = 0; j < width; ++j, a.next()) sum += list.fr[j] * cosine_[a.at] + list.fi[j] * sine_[a.at];
        return std::max(0.0, (1.0 + 2.0 * sum) / double(period_));
    }

    // Where the tables have n times half the angle of one frequency after the other.
    struct Turns {
        std::size_t step, full, at;
        Turns(Index n, Index period) : step(std::size_t(n % (2 * period))), full(std::size_t(2 * period)), at(step) {}
        void next() {
            at += step;
            if (at >= full) at -= full;
        }
    };

    // --- choices ---

    // The first of the candidates that add most to E[F], and how much that is.
    std::size_t choice_of_mean(List& list, double expected, double& gain) const {
        double best = -1.0;
        while (true) {
            const std::size_t c =
                std::size_t(std::max_element(list.added.begin(), list.added.end()) - list.added.begin());
            best = list.added[c];
            if (!list.stale[c]) break;
            renew(list, c);
        }
        const double least = (expected + best) * (1.0 - same) - expected;
        for (std::size_t c = list.first; c < candidates_; ++c) {
            if (!list.left[c] || list.added[c] < least) continue;
            if (list.stale[c]) renew(list, c);
            if (list.added[c] >= least) {
                gain = list.added[c];
                return c;
            }
        }
        return list.first;
    }

    struct Kind {
        std::uint64_t alike;
        std::size_t count, last;
    };

    struct Passed {
        std::size_t candidate;
        double gain;
    };

    // The same for E[min(F, r)], where r - sure = n and P(G < n) = share.
    //
    // A target with probability s of having been seen, met with p, adds p (1 - s) P(G' < n), G' the number of others;
    // P(G' < n) = P(G < n) + s P(G' = n - 1), and P(G' = n - 1) is at most P(G = n) left of the mode, P(G = n - 1)
    // right of it, and their sum anywhere. Meeting one target lowers what another one adds. Hence the bounds.
    std::size_t choice(List& list, Index n, double share, double expected, double& gain) {
        const double here = at(list, n - 1), next = at(list, n);
        const double point = double(n) <= list.mean - 2.0   ? next
                             : double(n) >= list.mean + 2.0 ? here
                                                            : here + next;
        const double whole = share + rounding, part = point + rounding;
        gain = 0.0;
        if (!list.shortlist.valid) select(list);
        Shortlist& shortlist = list.shortlist;
        bounds_.resize(shortlist.added.size());
        most_bound_.resize(shortlist.added.size() / block);
        waves().bounds(shortlist.added.data(), shortlist.turned.data(), whole, part, bounds_.data(), most_bound_.data(),
                       most_bound_.size());
        const auto largest = std::max_element(most_bound_.begin(), most_bound_.end());
        if (*largest <= same * expected) return list.first;
        weigh(list, n);
        const auto from = bounds_.begin() + (largest - most_bound_.begin()) * Index(block);
        const auto place = std::find(from, bounds_.end(), *largest) - bounds_.begin();
        const std::size_t top = shortlist.candidates[std::size_t(place)];
        Passed best{top, 0.0};
        double least = 0.0;
        const auto evaluate = [&](std::size_t c) {
            const Passed one{c, gain_of(list, c)};
            if (one.gain > best.gain) best = one;
            least = best.gain - same * (expected + best.gain);
            return one;
        };
        for (std::size_t c : {top, hint_})
            if (list.left[c]) {
                if (list.stale[c]) renew(list, c);
                evaluate(c);
            }
        passed_.clear();
        for (std::size_t b = 0; b < most_bound_.size(); ++b) {
            if (most_bound_[b] < least) continue;
            for (std::size_t i = b * block; i < std::min(shortlist.candidates.size(), (b + 1) * block); ++i) {
                const std::size_t c = shortlist.candidates[i];
                if (bounds_[i] < least || !list.left[c]) continue;
                if (list.stale[c]) {
                    renew(list, c);
                    if (list.added[c] * whole + list.turned[c] * part < least) continue;
                }
                std::size_t& first = kinds_[list.alike[c] % kinds].last;
                if (first < passed_.size() && list.alike[passed_[first].candidate] == list.alike[c]) continue;
                first = passed_.size();
                passed_.push_back(evaluate(c));
            }
        }
        if (least <= 0.0) return list.first;
        for (const Passed& one : passed_)
            if (one.gain >= least) {
                best = one;
                break;
            }
        gain = best.gain;
        hint_ = best.candidate;
        return best.candidate;
    }

    void select(List& list) {
        Shortlist& shortlist = list.shortlist;
        for (std::size_t c : shortlist.candidates) shortlist.place[c] = -1;
        shortlist.candidates.clear();
        std::fill(shortlist.stands.begin(), shortlist.stands.end(), std::uint8_t(0));
        std::fill(kinds_.begin(), kinds_.end(), Kind{0, 0, 0});
        for (std::size_t c = list.first; c < candidates_; ++c) {
            if (!list.left[c]) continue;
            if (list.stale[c]) renew(list, c);
            Kind& kind = kinds_[list.alike[c] % kinds];
            if (kind.alike != list.alike[c]) kind = {list.alike[c], 0, 0};
            if (kind.count == most_alike) {
                shortlist.stands[kind.last] = 1;
                continue;
            }
            ++kind.count;
            kind.last = c;
            shortlist.candidates.push_back(c);
        }
        const std::size_t count = shortlist.candidates.size();
        shortlist.added.assign((count + block - 1) / block * block, -1.0);
        shortlist.turned.assign(shortlist.added.size(), -1.0);
        for (std::size_t i = 0; i < count; ++i) {
            shortlist.place[shortlist.candidates[i]] = Index(i);
            show(list, shortlist.candidates[i]);
        }
        shortlist.valid = true;
    }

    // What a candidate adds is the sum over n' < n of P(G <= n') before minus after: the weights of the frequencies.
    void weigh(const List& list, Index n) {
        const Index low = lowest(list);
        base_ = double(n - low) / double(period_);
        const std::size_t width = list.fr.size();
        weights(low, n, width);
        ar_.resize(width);
        ai_.resize(width);
        for (std::size_t j = 0; j < width; ++j) {
            ar_[j] = list.fr[j] * sr_[j] - list.fi[j] * si_[j];
            ai_[j] = list.fr[j] * si_[j] + list.fi[j] * sr_[j];
        }
        low_ = low;
        n_ = n;
    }

    void weights(Index low, Index n, std::size_t width) {
        sr_.resize(width);
        si_.resize(width);
        Turns a(2 * low, period_), b(2 * n, period_);
        for (std::size_t j = 0; j < width; ++j, a.next(), b.next()) {
            sr_[j] = weight_[j] * (cosine_[a.at] - cosine_[b.at]);
            si_[j] = weight_[j] * (sine_[b.at] - sine_[a.at]);
        }
    }

    double gain_of(const List& list, std::size_t c) {
        const std::size_t width = needed(list.variance - std::max(0.0, list.narrowed[c]));
        if (width <= list.fr.size()) {
            const Lost& one = lost(list, c, width);
            return base_ * list.added[c] + waves().dot(ar_.data(), ai_.data(), one.r.data(), one.i.data(), width);
        }
        // frequencies count for the law after the candidate that do not count for the law before it
        difference(list, c, width);
        if (sr_.size() < width) weights(low_, n_, width);
        return base_ * list.added[c] + waves().dot(sr_.data(), si_.data(), yr_.data(), yi_.data(), width);
    }

    // The function before the candidate minus the function after it.
    void difference(const List& list, std::size_t c, std::size_t width) {
        const Row one = row(c);
        yr_.assign(width, 1.0);
        yi_.assign(width, 0.0);
        std::size_t i = 0;
        for (std::size_t x = 0; x < targets_; ++x) {
            double seen = list.seen[x], unseen = list.unseen[x];
            const bool known = unseen == 0.0;
            if (i < one.count && std::size_t(one.target[i]) == x) {
                seen += unseen * one.p[i];
                unseen *= 1.0 - one.p[i++];
            }
            if (!known && seen > 0.0)
                waves().factor(seen, unseen, er_.data(), ei_.data(), yr_.data(), yi_.data(), width);
        }
        for (std::size_t j = 0; j < width; ++j) {
            yr_[j] = (j < list.fr.size() ? list.fr[j] : 0.0) - yr_[j];
            yi_[j] = (j < list.fi.size() ? list.fi[j] : 0.0) - yi_[j];
        }
    }

    // --- all lists ---

    // Complete the list for recall values that have chosen alike so far, ascending.
    void complete(List& list, std::vector<Index> wanted) {
        std::vector<double> share(wanted.size(), 1.0);
        if (!list.chosen.empty()) share = ranked(list, wanted);
        while (!wanted.empty()) {
            const std::size_t done =
                std::size_t(std::upper_bound(wanted.begin(), wanted.end(), list.sure) - wanted.begin());
            for (std::size_t i = 0; i < done; ++i) finish(list, wanted[i], true, 1.0);
            wanted.erase(wanted.begin(), wanted.begin() + Index(done));
            share.erase(share.begin(), share.begin() + Index(done));
            if (wanted.empty()) return;
            if (list.first == candidates_) {
                for (std::size_t i = 0; i < wanted.size(); ++i) finish(list, wanted[i], false, 1.0 - share[i]);
                return;
            }
            if (wanted.back() - list.sure <= lowest(list)) {
                follow(list, wanted);
                return;
            }
            append(list, divide(list, wanted, chosen(list, wanted, share)));
            share = ranked(list, wanted);
        }
    }

    std::vector<std::size_t> chosen(List& list, const std::vector<Index>& wanted, const std::vector<double>& share) {
        std::vector<std::size_t> found(wanted.size(), list.first);
        std::size_t by_mean = candidates_;
        double mean_gain = 0.0;
        const double top = list.mean + above_ + 1.0;
        const Index low = lowest(list);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const Index n = wanted[i] - list.sure;
            if (n <= low) continue;
            double& expected = expected_[std::size_t(wanted[i]) - 1];
            double gain = 0.0;
            if (n >= list.partly + most_ || double(n) > top) {
                if (by_mean == candidates_) by_mean = choice_of_mean(list, expected, mean_gain);
                found[i] = by_mean;
                gain = mean_gain;
            } else {
                found[i] = choice(list, n, share[i], expected, gain);
            }
            expected += gain;
        }
        return found;
    }

    // Complete a copy of the list for each choice but the one of most recall values, which are left in ``wanted``.
    std::size_t divide(const List& list, std::vector<Index>& wanted, const std::vector<std::size_t>& choices) {
        std::map<std::size_t, std::vector<Index>> groups;
        for (std::size_t i = 0; i < wanted.size(); ++i) groups[choices[i]].push_back(wanted[i]);
        const auto most = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
            return a.second.size() < b.second.size();
        });
        for (auto group = groups.begin(); group != groups.end(); ++group) {
            if (group == most) continue;
            List copy(list);
            append(copy, group->first);
            complete(copy, std::move(group->second));
        }
        wanted = std::move(most->second);
        return most->first;
    }

    // Count the rank just appended; P(F < r) of each recall value.
    std::vector<double> ranked(const List& list, const std::vector<Index>& wanted) {
        std::vector<double> share(wanted.size());
        const double k = double(list.chosen.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const std::size_t r = std::size_t(wanted[i]) - 1;
            share[i] = below(list, wanted[i] - list.sure);
            values_.length[r] += share[i];
            values_.inverse[r] += (1.0 - share[i]) / (k * (k + 1.0));
        }
        return share;
    }

    // F has passed all these recall values: what is left is to make them sure.
    void follow(List& list, const std::vector<Index>& wanted) {
        const double k = double(list.chosen.size());
        std::vector<std::uint8_t> sure(targets_);
        for (std::size_t x = 0; x < targets_; ++x) sure[x] = list.unseen[x] == 0.0;
        std::size_t i = 0;
        while (true) {
            for (; i < wanted.size() && wanted[i] <= list.sure; ++i) end(list, wanted[i], true, 1.0, k);
            if (i == wanted.size() || list.first == candidates_) break;
            const Row one = row(list.first);
            for (std::size_t e = 0; e < one.count; ++e) {
                std::uint8_t& known = sure[std::size_t(one.target[e])];
                list.sure += one.p[e] == 1.0 && !known;
                known |= one.p[e] == 1.0;
            }
            take(list, list.first);
        }
        for (; i < wanted.size(); ++i) end(list, wanted[i], false, 1.0, k);
    }

    void finish(const List& list, Index r, bool sure, double last) {
        end(list, r, sure, last, double(list.chosen.size()));
    }

    // ``last`` is P(F >= r) from rank k on
    void end(const List& list, Index r, bool sure, double last, double k) {
        const std::size_t at = std::size_t(r) - 1;
        double &length = values_.length[at], &inverse = values_.inverse[at];
        found_[at] = list.chosen;
        values_.reached[at] = list.chosen.empty() ? 0.0 : last;
        inverse += values_.reached[at] / (k + 1.0);
        if (sure) {
            // r targets that are surely reached need no more than r candidates
            length = std::min(1.0 + length, double(r));
            inverse = std::max(inverse, 1.0 / double(r));
        } else {
            length = std::numeric_limits<double>::quiet_NaN();
        }
    }

    std::size_t candidates_, targets_;
    ListValues values_;
    std::vector<std::size_t> start_, column_start_, column_;
    std::vector<std::uint8_t> useful_;
    std::vector<Index> target_;
    std::vector<double> p_;

    Index most_ = 0, period_ = 1;
    double around_ = 0.0, above_ = 0.0;
    std::size_t most_frequencies_ = 0;
    std::vector<double> cosine_, sine_, inverse_sine_, er_, ei_, weight_;
    std::vector<std::size_t> needed_;

    double base_ = 0.0;
    std::vector<double> sr_, si_, ar_, ai_, yr_, yi_, expected_, bounds_, most_bound_;
    std::size_t hint_ = 0;  // the choice of another recall value
    Index low_ = 0, n_ = 0;
    std::vector<Lost> lost_;
    std::vector<Kind> kinds_;
    std::vector<Passed> passed_;
    std::vector<std::vector<Index>> found_;
};

}  // namespace berrypick
