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
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "greedy_choice.hpp"

namespace berrypick {

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
        : all_(entries, candidates, values.targets), waves_(all_), steps_(all_, waves_), choices_(all_, waves_, steps_),
          values_(values) {
        std::fill(values.length, values.length + all_.targets, 0.0);
        std::fill(values.inverse, values.inverse + all_.targets, 0.0);
        expected_.assign(all_.targets, 0.0);
        found_.resize(all_.targets);
        std::vector<Index> wanted(all_.targets);
        for (std::size_t r = 0; r < all_.targets; ++r) wanted[r] = Index(r) + 1;
        greedy::List list = steps_.start();
        complete(list, wanted);
        bounds.push_back(0);
        for (const std::vector<Index>& one : found_) {
            lists.insert(lists.end(), one.begin(), one.end());
            bounds.push_back(Index(lists.size()));
        }
    }

private:
    // Complete the list for recall values that have chosen alike so far, ascending.
    void complete(greedy::List& list, std::vector<Index> wanted) {
        std::vector<double> share(wanted.size(), 1.0);
        if (!list.chosen.empty()) share = ranked(list, wanted);
        while (!wanted.empty()) {
            const std::size_t done =
                std::size_t(std::upper_bound(wanted.begin(), wanted.end(), list.sure) - wanted.begin());
            for (std::size_t i = 0; i < done; ++i) finish(list, wanted[i], true, 1.0);
            wanted.erase(wanted.begin(), wanted.begin() + Index(done));
            share.erase(share.begin(), share.begin() + Index(done));
            if (wanted.empty()) return;
            if (list.first == all_.candidates) {
                for (std::size_t i = 0; i < wanted.size(); ++i) finish(list, wanted[i], false, 1.0 - share[i]);
                return;
            }
            if (wanted.back() - list.sure <= steps_.lowest(list)) {
                follow(list, wanted);
                return;
            }
            steps_.append(list, divide(list, wanted, chosen(list, wanted, share)));
            share = ranked(list, wanted);
        }
    }

    std::vector<std::size_t> chosen(greedy::List& list, const std::vector<Index>& wanted,
                                    const std::vector<double>& share) {
        std::vector<std::size_t> found(wanted.size(), list.first);
        std::size_t by_mean = all_.candidates;
        double mean_gain = 0.0;
        const double top = list.mean + waves_.above + 1.0;
        const Index low = steps_.lowest(list);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const Index n = wanted[i] - list.sure;
            if (n <= low) continue;
            double& expected = expected_[std::size_t(wanted[i]) - 1];
            double gain = 0.0;
            if (n >= list.partly + all_.most || double(n) > top) {
                if (by_mean == all_.candidates) by_mean = choices_.of_mean(list, expected, mean_gain);
                found[i] = by_mean;
                gain = mean_gain;
            } else {
                found[i] = choices_.best(list, n, share[i], expected, gain);
            }
            expected += gain;
        }
        return found;
    }

    // Complete a copy of the list for each choice but the one of most recall values, which are left in ``wanted``.
    std::size_t divide(const greedy::List& list, std::vector<Index>& wanted, const std::vector<std::size_t>& choices) {
        std::map<std::size_t, std::vector<Index>> groups;
        for (std::size_t i = 0; i < wanted.size(); ++i) groups[choices[i]].push_back(wanted[i]);
        const auto most = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
            return a.second.size() < b.second.size();
        });
        for (auto group = groups.begin(); group != groups.end(); ++group) {
            if (group == most) continue;
            greedy::List copy(list);
            steps_.append(copy, group->first);
            complete(copy, std::move(group->second));
        }
        wanted = std::move(most->second);
        return most->first;
    }

    // Count the rank just appended; P(F < r) of each recall value.
    std::vector<double> ranked(const greedy::List& list, const std::vector<Index>& wanted) {
        std::vector<double> share(wanted.size());
        const double k = double(list.chosen.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const std::size_t r = std::size_t(wanted[i]) - 1;
            share[i] = steps_.below(list, wanted[i] - list.sure);
            values_.length[r] += share[i];
            values_.inverse[r] += (1.0 - share[i]) / (k * (k + 1.0));
        }
        return share;
    }

    // F has passed all these recall values: what is left is to make them sure.
    void follow(greedy::List& list, const std::vector<Index>& wanted) {
        const double k = double(list.chosen.size());
        std::vector<std::uint8_t> sure(all_.targets);
        for (std::size_t x = 0; x < all_.targets; ++x) sure[x] = list.unseen[x] == 0.0;
        std::size_t i = 0;
        while (true) {
            for (; i < wanted.size() && wanted[i] <= list.sure; ++i) end(list, wanted[i], true, 1.0, k);
            if (i == wanted.size() || list.first == all_.candidates) break;
            const greedy::Candidates::Row one = all_.row(list.first);
            for (std::size_t e = 0; e < one.count; ++e) {
                std::uint8_t& known = sure[std::size_t(one.target[e])];
                list.sure += one.p[e] == 1.0 && !known;
                known |= one.p[e] == 1.0;
            }
            steps_.take(list, list.first);
        }
        for (; i < wanted.size(); ++i) end(list, wanted[i], false, 1.0, k);
    }

    void finish(const greedy::List& list, Index r, bool sure, double last) {
        end(list, r, sure, last, double(list.chosen.size()));
    }

    // ``last`` is P(F >= r) from rank k on
    void end(const greedy::List& list, Index r, bool sure, double last, double k) {
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

    greedy::Candidates all_;
    greedy::Frequencies waves_;
    greedy::Steps steps_;
    greedy::Choices choices_;
    ListValues values_;
    std::vector<double> expected_;
    std::vector<std::vector<Index>> found_;
};

}  // namespace berrypick
