// What intervals and tests need of many resamples: a few order statistics of each row, and how many sign changes of a
// column of differences give a sum at least as large as the one that was seen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace berrypick {

// Order statistics of rows. Ranks of intervals lie in the tails, so the values of both tails are gathered first, beyond
// bounds that are guessed from every sixteenth value; where a guess was too narrow, the whole row is ordered.
class OrderStatistics {
  public:
    OrderStatistics(std::size_t count, const std::int64_t* rank, std::size_t ranks)
        : count_(count), rank_(rank, rank + ranks), low_(count), high_(count), sample_(count / stride + 1) {
        while (lower_ < ranks && 4 * std::size_t(rank_[lower_]) < count) ++lower_;
        for (std::size_t i = lower_; i < ranks; ++i) tails_ = tails_ && 4 * (count - std::size_t(rank_[i])) < count;
        tails_ = tails_ && count >= 64 * stride;
    }

    // `out` gets the value at each rank; ranks ascend.
    void of(const double* row, double* out) {
        if (tails_ && gathered(row)) {
            select(low_.data(), 0, lows_, 0, lower_, out);
            select(high_.data(), count_ - highs_, highs_, lower_, rank_.size(), out);
        } else {
            std::copy(row, row + count_, low_.begin());
            select(low_.data(), 0, count_, 0, rank_.size(), out);
        }
    }

  private:
    static constexpr std::size_t stride = 16;

    // The values at some ranks, among values of which the first would have rank `first` in the whole row.
    void select(double* value, std::size_t first, std::size_t many, std::size_t i, std::size_t end, double* out) const {
        double* from = value;
        for (; i < end; ++i) {
            double* at = value + (std::size_t(rank_[i]) - first);
            if (at >= from) {
                std::nth_element(from, at, value + many);
                from = at + 1;
            }
            out[i] = *at;
        }
    }

    bool gathered(const double* row) {
        const std::size_t last = lower_ ? std::size_t(rank_[lower_ - 1]) : 0;
        const std::size_t rest = lower_ < rank_.size() ? count_ - 1 - std::size_t(rank_[lower_]) : 0;
        guess(row, last, rest);
        const double least = least_, most = most_;
        double *low = low_.data(), *high = high_.data();
        for (std::size_t i = 0; i < count_; ++i) {  // two branches that are seldom taken
            const double value = row[i];
            if (value <= least) *low++ = value;
            if (value >= most) *high++ = value;
        }
        lows_ = std::size_t(low - low_.data());
        highs_ = std::size_t(high - high_.data());
        return (lower_ == 0 || lows_ > last) && (lower_ == rank_.size() || highs_ > rest);
    }

    // Bounds that more than `last` values are most probably below, and more than `rest` above.
    void guess(const double* row, std::size_t last, std::size_t rest) {
        const std::size_t many = count_ / stride;
        for (std::size_t i = 0; i < many; ++i) sample_[i] = row[i * stride];
        const auto place = [&](std::size_t rank) {
            return std::ptrdiff_t(std::min(many - 1, rank / stride + rank / (4 * stride) + 12));
        };
        const auto begin = sample_.begin(), end = begin + std::ptrdiff_t(many);
        const auto low = begin + place(last), high = end - 1 - place(rest);
        std::nth_element(begin, low, end);
        least_ = *low;
        std::nth_element(high > low ? low : begin, high, end);
        most_ = *high;
    }

    std::size_t count_;
    std::vector<std::int64_t> rank_;
    std::vector<double> low_, high_, sample_;
    std::size_t lower_ = 0;  // so many ranks lie in the lower tail
    std::size_t lows_ = 0, highs_ = 0;
    double least_ = 0.0, most_ = 0.0;
    bool tails_ = true;
};

// All sums of some values with either sign, in order: each value doubles them, and merges the two halves.
class SignedSums {
  public:
    explicit SignedSums(std::size_t most) : sums_((std::size_t(1) << most) + 2), next_(sums_.size()) {}

    // The sums are at data()[0] to data()[size() - 1], with infinity behind them.
    void of(const double* value, std::size_t count) {
        sums_[0] = 0.0;
        sums_[size_ = 1] = infinity;
        for (std::size_t i = 0; i < count; ++i) {
            const double step = value[i] < 0 ? -value[i] : value[i];
            const double* from = sums_.data();
            double* to = next_.data();
            std::size_t less = 0, more = 0;
            for (std::size_t k = 0; k < 2 * size_; ++k) {
                const double one = from[less] - step, other = from[more] + step;
                const bool first = one <= other;
                to[k] = first ? one : other;
                less += first;
                more += !first;
            }
            size_ *= 2;
            to[size_] = infinity;
            sums_.swap(next_);
        }
    }

    const double* data() const { return sums_.data(); }
    std::size_t size() const { return size_; }

  private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> sums_, next_;
    std::size_t size_ = 0;
};

// How many of all sign changes of the values have a sum of at least `least`: the sums of one half of the values, in
// order, against those of the other. A sum counts if the other half's is at least `least` minus its own.
class ExtremeSums {
  public:
    explicit ExtremeSums(std::size_t most) : some_(most / 2), others_(most - most / 2) {}

    std::int64_t count(const double* value, std::size_t count, double least) {
        const std::size_t half = count / 2;
        some_.of(value, half);
        others_.of(value + half, count - half);
        const double *some = some_.data(), *others = others_.data();
        std::size_t below = others_.size();
        std::int64_t found = 0;
        for (std::size_t i = 0; i < some_.size();) {
            const bool down = below > 0 && others[below - 1] >= least - some[i];
            below -= down;
            found += down ? 0 : std::int64_t(others_.size() - below);
            i += !down;
        }
        return found;
    }

  private:
    SignedSums some_, others_;
};

}  // namespace berrypick
