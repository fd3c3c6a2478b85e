// The choice of a greedy list for one recall value: the first of the candidates that add most to E[min(F, r)].
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "greedy_list.hpp"

namespace berrypick::greedy {

class Choices {
public:
    Choices(const Candidates& all, const Frequencies& waves, const Steps& steps)
        : all_(all), waves_(waves), steps_(steps), lost_(all.candidates), kinds_(kinds, Kind{0, 0, 0}) {}

    // The first of the candidates that add most to E[F], and how much that is.
    std::size_t of_mean(List& list, double expected, double& gain) const {
        double best = -1.0;
        while (true) {
            const std::size_t c =
                std::size_t(std::max_element(list.added.begin(), list.added.end()) - list.added.begin());
            best = list.added[c];
            if (!list.stale[c]) break;
            steps_.renew(list, c);
        }
        const double least = (expected + best) * (1.0 - same) - expected;
        for (std::size_t c = list.first; c < all_.candidates; ++c) {
            if (!list.left[c] || list.added[c] < least) continue;
            if (list.stale[c]) steps_.renew(list, c);
            if (list.added[c] >= least) {
                gain = list.added[c];
                return c;
            }
        }
        return list.first;
    }

    // The same for E[min(F, r)], where r - sure = n and P(G < n) = share.
    //
    // A target with probability s of having been seen, met with p, adds p (1 - s) P(G' < n), G' the number of others;
    // P(G' < n) = P(G < n) + s P(G' = n - 1), and P(G' = n - 1) is at most P(G = n) left of the mode, P(G = n - 1)
    // right of it, and their sum anywhere. Meeting one target lowers what another one adds. Hence the bounds.
    std::size_t best(List& list, Index n, double share, double expected, double& gain) {
        const double here = steps_.at(list, n - 1), next = steps_.at(list, n);
        const double point = double(n) <= list.mean - 2.0   ? next
                             : double(n) >= list.mean + 2.0 ? here
                                                            : here + next;
        const double whole = share + rounding, part = point + rounding;
        gain = 0.0;
        if (!list.shortlist.valid) select(list);
        Shortlist& shortlist = list.shortlist;
        bounds_.resize(shortlist.added.size());
        most_bound_.resize(shortlist.added.size() / block);
        loops().bounds(shortlist.added.data(), shortlist.turned.data(), whole, part, bounds_.data(), most_bound_.data(),
                       most_bound_.size());
        const auto largest = std::max_element(most_bound_.begin(), most_bound_.end());
        if (*largest <= same * expected) return list.first;
        weigh(list, n);
        const auto from = bounds_.begin() + (largest - most_bound_.begin()) * Index(block);
        const auto place = std::find(from, bounds_.end(), *largest) - bounds_.begin();
        const std::size_t top = shortlist.candidates[std::size_t(place)];
        Passed found{top, 0.0};
        double least = 0.0;
        const auto evaluate = [&](std::size_t c) {
            const Passed one{c, gain_of(list, c)};
            if (one.gain > found.gain) found = one;
            least = found.gain - same * (expected + found.gain);
            return one;
        };
        for (std::size_t c : {top, hint_})
            if (list.left[c]) {
                if (list.stale[c]) steps_.renew(list, c);
                evaluate(c);
            }
        passed_.clear();
        for (std::size_t b = 0; b < most_bound_.size(); ++b) {
            if (most_bound_[b] < least) continue;
            for (std::size_t i = b * block; i < std::min(shortlist.candidates.size(), (b + 1) * block); ++i) {
                const std::size_t c = shortlist.candidates[i];
                if (bounds_[i] < least || !list.left[c]) continue;
                if (list.stale[c]) {
                    steps_.renew(list, c);
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
                found = one;
                break;
            }
        gain = found.gain;
        hint_ = found.candidate;
        return found.candidate;
    }

private:
    static constexpr double same = 1e-12;         // values that differ by less than this share are equal
    static constexpr double rounding = 1e-13;     // of probabilities that are sums over frequencies
    static constexpr std::size_t most_alike = 8;  // of candidates that are alike, so many are on the shortlist
    static constexpr std::size_t kinds = 1024;    // how many kinds of them are told apart

    struct Lost {
        std::uint64_t alike = 0;
        std::vector<double> r, i;
    };

    struct Kind {
        std::uint64_t alike;
        std::size_t count, last;
    };

    struct Passed {
        std::size_t candidate;
        double gain;
    };

    void select(List& list) {
        Shortlist& shortlist = list.shortlist;
        for (std::size_t c : shortlist.candidates) shortlist.place[c] = -1;
        shortlist.candidates.clear();
        std::fill(shortlist.stands.begin(), shortlist.stands.end(), std::uint8_t(0));
        std::fill(kinds_.begin(), kinds_.end(), Kind{0, 0, 0});
        for (std::size_t c = list.first; c < all_.candidates; ++c) {
            if (!list.left[c]) continue;
            if (list.stale[c]) steps_.renew(list, c);
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
            Steps::show(list, shortlist.candidates[i]);
        }
        shortlist.valid = true;
    }

    // 1 - (the function after the candidate over the function before it). It is kept, as most candidates meet targets
    // that nothing has happened to since.
    const Lost& lost(const List& list, std::size_t c, std::size_t width) {
        Lost& kept = lost_[c];
        if (kept.alike == list.alike[c] && kept.r.size() >= width) return kept;
        kept.alike = list.alike[c];
        kept.r.assign(list.fr.size(), 0.0);
        kept.i.assign(list.fr.size(), 0.0);
        const Candidates::Row one = all_.row(c);
        for (std::size_t i = 0; i < one.count; ++i) {
            const std::size_t x = std::size_t(one.target[i]);
            if (list.unseen[x] > 0.0)
                loops().meet(one.p[i], list.seen[x], list.unseen[x], waves_.er.data(), waves_.ei.data(), kept.r.data(),
                             kept.i.data(), kept.r.size());
        }
        return kept;
    }

    // What a candidate adds is the sum over n' < n of P(G <= n') before minus after: the weights of the frequencies.
    void weigh(const List& list, Index n) {
        const Index low = steps_.lowest(list);
        base_ = double(n - low) / double(waves_.period);
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
        Frequencies::Turns a(2 * low, waves_.period), b(2 * n, waves_.period);
        for (std::size_t j = 0; j < width; ++j, a.next(), b.next()) {
            sr_[j] = waves_.weight[j] * (waves_.cosine[a.at] - waves_.cosine[b.at]);
            si_[j] = waves_.weight[j] * (waves_.sine[b.at] - waves_.sine[a.at]);
        }
    }

    double gain_of(const List& list, std::size_t c) {
        const std::size_t width = waves_.needed(list.variance - std::max(0.0, list.narrowed[c]));
        if (width <= list.fr.size()) {
            const Lost& one = lost(list, c, width);
            return base_ * list.added[c] + loops().dot(ar_.data(), ai_.data(), one.r.data(), one.i.data(), width);
        }
        // frequencies count for the law after the candidate that do not count for the law before it
        difference(list, c, width);
        if (sr_.size() < width) weights(low_, n_, width);
        return base_ * list.added[c] + loops().dot(sr_.data(), si_.data(), yr_.data(), yi_.data(), width);
    }

    // The function before the candidate minus the function after it.
    void difference(const List& list, std::size_t c, std::size_t width) {
        const Candidates::Row one = all_.row(c);
        yr_.assign(width, 1.0);
        yi_.assign(width, 0.0);
        std::size_t i = 0;
        for (std::size_t x = 0; x < all_.targets; ++x) {
            double seen = list.seen[x], unseen = list.unseen[x];
            const bool known = unseen == 0.0;
            if (i < one.count && std::size_t(one.target[i]) == x) {
                seen += unseen * one.p[i];
                unseen *= 1.0 - one.p[i++];
            }
            if (!known && seen > 0.0)
                loops().factor(seen, unseen, waves_.er.data(), waves_.ei.data(), yr_.data(), yi_.data(), width);
        }
        for (std::size_t j = 0; j < width; ++j) {
            yr_[j] = (j < list.fr.size() ? list.fr[j] : 0.0) - yr_[j];
            yi_[j] = (j < list.fi.size() ? list.fi[j] : 0.0) - yi_[j];
        }
    }

    const Candidates& all_;
    const Frequencies& waves_;
    const Steps& steps_;
    double base_ = 0.0;
    std::vector<double> sr_, si_, ar_, ai_, yr_, yi_, bounds_, most_bound_;
    std::size_t hint_ = 0;  // the choice of another recall value
    Index low_ = 0, n_ = 0;
    std::vector<Lost> lost_;
    std::vector<Kind> kinds_;
    std::vector<Passed> passed_;
};

}  // namespace berrypick::greedy
