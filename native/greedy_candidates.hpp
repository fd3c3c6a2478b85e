// The candidates of greedy ideal lists, and the frequencies at which the law of the targets that they show is kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "law.hpp"

namespace berrypick::greedy {

// Which targets each candidate shows, and which candidates show each target.
struct Candidates {
    static constexpr double negligible = 1e-19;  // of the largest probability

    struct Row {
        const Index* target;
        const double* p;
        std::size_t count;
    };

    std::size_t candidates, targets;
    std::vector<std::size_t> start, column_start, column;
    std::vector<std::uint8_t> useful;
    std::vector<Index> target;
    std::vector<double> probability;
    Index most = 0;  // targets of one candidate

    // Probabilities that change no digit of E[F] are left out.
    Candidates(const Entries& entries, std::size_t candidates_given, std::size_t targets_given)
        : candidates(candidates_given), targets(targets_given) {
        double largest = 0.0;
        for (std::size_t i = 0; i < entries.count; ++i) largest = std::max(largest, entries.probability[i]);
        useful.assign(candidates, 0);
        start.assign(candidates + 1, 0);
        column_start.assign(targets + 1, 0);
        for (std::size_t i = 0; i < entries.count; ++i) {
            const std::size_t c = std::size_t(entries.rank[i]), x = std::size_t(entries.target[i]);
            const double p = entries.probability[i];
            useful[c] |= p > 0.0;
            if (p <= negligible * largest) continue;
            ++start[c + 1];
            ++column_start[x + 1];
            target.push_back(Index(x));
            probability.push_back(p);
        }
        for (std::size_t i = 0; i < candidates; ++i) start[i + 1] += start[i];
        for (std::size_t i = 0; i < targets; ++i) column_start[i + 1] += column_start[i];
        for (std::size_t c = 0; c < candidates; ++c) most = std::max(most, Index(start[c + 1] - start[c]));
        column.resize(target.size());
        std::vector<std::size_t> next(column_start);
        for (std::size_t c = 0; c < candidates; ++c)
            for (std::size_t i = start[c]; i < start[c + 1]; ++i) column[next[std::size_t(target[i])]++] = c;
    }

    Row row(std::size_t candidate) const {
        const std::size_t from = start[candidate];
        return {target.data() + from, probability.data() + from, start[candidate + 1] - from};
    }
};

// The angles, and of how many of them the function counts.
struct Frequencies {
    static constexpr double nothing = 1e-17;  // of the laws, what is left out

    // Where the tables have n times half the angle of one frequency after the other.
    struct Turns {
        std::size_t step, full, at;
        Turns(Index n, Index period) : step(std::size_t(n % (2 * period))), full(std::size_t(2 * period)), at(step) {}
        void next() {
            at += step;
            if (at >= full) at -= full;
        }
    };

    Index period = 1;
    double around = 0.0, above = 0.0;  // how far the number of targets seen lies from its mean
    std::size_t most_frequencies = 0;
    std::vector<double> cosine, sine, inverse_sine, er, ei, weight;

    explicit Frequencies(const Candidates& all) {
        double largest = 0.0;
        std::vector<std::uint8_t> partly(all.targets, 0);
        for (std::size_t c = 0; c < all.candidates; ++c) {
            const Candidates::Row one = all.row(c);
            double sum = 0.0;
            for (std::size_t i = 0; i < one.count; ++i) {
                sum += one.p[i];
                partly[std::size_t(one.target[i])] |= one.p[i] < 1.0;
            }
            largest = std::max(largest, sum);
        }
        const double number = double(std::count(partly.begin(), partly.end(), std::uint8_t(1)));
        around = std::sqrt(number * std::log(2.0 / nothing) / 2.0);
        above = around + largest;
        const double width = around + above + 3.0;
        period = std::min(Index(all.targets) + 1, Index(std::ceil(width))) | 1;
        most_frequencies = std::size_t(period / 2);
        const double half = std::acos(-1.0) / double(period);
        for (Index j = 0; j < 2 * period; ++j) {
            cosine.push_back(std::cos(half * double(j)));
            sine.push_back(std::sin(half * double(j)));
        }
        for (std::size_t j = 0; j < most_frequencies; ++j) {
            er.push_back(cosine[2 * (j + 1)]);
            ei.push_back(sine[2 * (j + 1)]);
            inverse_sine.push_back(1.0 / sine[j + 1]);
            weight.push_back(1.0 / (2.0 * sine[j + 1] * sine[j + 1] * double(period)));
        }
        needed_.resize(all.targets / 4 + 2);
        for (std::size_t v = 0; v < needed_.size(); ++v) {
            std::size_t j = 0;
            while (j < most_frequencies && 2.0 * double(v) * sine[j + 1] * sine[j + 1] < -std::log(nothing)) ++j;
            needed_[v] = j;
        }
    }

    // how many frequencies count where the variance is at least so large
    std::size_t needed(double variance) const {
        const std::size_t v = variance > 0.0 ? std::size_t(variance) : 0;
        return needed_[std::min(v, needed_.size() - 1)];
    }

private:
    std::vector<std::size_t> needed_;
};

}  // namespace berrypick::greedy
