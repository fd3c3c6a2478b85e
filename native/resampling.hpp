// What intervals and tests need of many resamples: a few order statistics of each row, and how many sign changes of a
// column of differences give a sum at least as large as the one that was seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "polynomial.hpp"
#ifdef BERRYPICK_WIDE
#include <immintrin.h>
#endif

namespace berrypick {

// Order statistics of rows. Ranks of intervals lie in the tails, so the values of both tails are gathered first, beyond
// bounds that a normal law with the row's moments would have; where they were too narrow, wider ones are tried, and then
// the whole row is ordered.
class OrderStatistics {
  public:
    OrderStatistics(std::size_t count, const std::int64_t* rank, std::size_t ranks, bool wide)
        : count_(count), rank_(rank, rank + ranks), low_(count), high_(count), some_(count), others_(count), wide_(wide && has_wide()) {
        while (lower_ < ranks && 4 * std::size_t(rank_[lower_]) < count) ++lower_;
        for (std::size_t i = lower_; i < ranks; ++i) tails_ = tails_ && 4 * (count - std::size_t(rank_[i])) < count;
        tails_ = tails_ && count >= 16 * stride;
        if (!tails_) return;
        last_ = lower_ ? std::size_t(rank_[lower_ - 1]) : 0;
        rest_ = lower_ < ranks ? count - 1 - std::size_t(rank_[lower_]) : 0;
        for (std::size_t i = 0; i < tries; ++i) {
            below_[i] = normal_quantile(wider[i] * double(last_ + 1) / double(count));
            above_[i] = -normal_quantile(wider[i] * double(rest_ + 1) / double(count));
        }
    }

    // `out` gets the value at each rank; ranks ascend. False if a value is not a number.
    bool of(const double* row, double* out) {
        if (tails_ && gathered(row)) {
            if (!numbers(low_.data(), lows_)) return false;
            select(low_.data(), 0, lows_, 0, lower_, out);
            select(high_.data(), count_ - highs_, highs_, lower_, rank_.size(), out);
        } else {
            if (!numbers(row, count_)) return false;
            select(row, 0, count_, 0, rank_.size(), out);
        }
        return true;
    }

  private:
    static constexpr std::size_t stride = 32, group = 4, tries = 2;
    static constexpr double wider[tries] = {1.5, 4.0};  // times as many values as must be gathered

    static bool numbers(const double* value, std::size_t count) {
        bool sound = true;
        for (std::size_t i = 0; i < count; ++i) sound &= value[i] == value[i];
        return sound;
    }

    // The values at ranks i to end, among values of which the first would have rank `first` in the whole row.
    void select(const double* value, std::size_t first, std::size_t many, std::size_t i, std::size_t end, double* out) {
        for (; i < end; ++i) {
            std::copy(value, value + many, some_.begin());
            out[i] = nth(std::size_t(rank_[i]) - first, many);
        }
    }

    // The n-th of `many` values in some_: parts are chosen without branches, since no side of a pivot can be foreseen.
    double nth(std::size_t n, std::size_t many) {
        double *value = some_.data(), *other = others_.data();
        for (int turn = 0; many > 24 && turn < 64; ++turn) {
            const double a = value[0], b = value[many / 2], c = value[many - 1];
            const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
            std::size_t below = 0, rest = 0;
            for (std::size_t i = 0; i < many; ++i) {
                const double one = value[i];
                value[below] = other[rest] = one;
                below += one < pivot;
                rest += !(one < pivot);
            }
            if (n < below) {
                many = below;
                continue;
            }
            std::swap(value, other);
            n -= below;
            many = rest;
            if (below > 0) continue;
            rest = 0;  // the pivot is the least: it goes, with its equals
            for (std::size_t i = 0; i < many; ++i) {
                const double one = value[i];
                value[rest] = one;
                rest += one > pivot;
            }
            if (n < many - rest) return pivot;
            n -= many - rest;
            many = rest;
        }
        std::nth_element(value, value + n, value + many);
        return value[n];
    }

    // Whether both tails were gathered. What is not a number is always gathered.
    bool gathered(const double* row) {
        const auto [centre, spread] = moments(row);
        for (std::size_t i = 0; i < tries; ++i) {
            gather(row, centre + spread * below_[i], centre + spread * above_[i]);
            if ((lower_ == 0 || lows_ > last_) && (lower_ == rank_.size() || highs_ > rest_)) return true;
        }
        return false;
    }

    void gather(const double* row, double least, double most) {
        double *low = low_.data(), *high = high_.data();
        std::size_t i = 0;
#ifdef BERRYPICK_WIDE
        for (; wide_ && i + 64 <= count_; i += 64) {
            const auto [lows, highs] = outside(row + i, least, most);
            low = chosen(row + i, lows, low);
            high = chosen(row + i, highs, high);
        }
#endif
        for (; i < count_; ++i) {  // no branches: whether a value is in a tail cannot be foreseen
            const double value = row[i];
            *low = *high = value;
            low += !(value > least);
            high += !(value < most);
        }
        lows_ = std::size_t(low - low_.data());
        highs_ = std::size_t(high - high_.data());
    }

#ifdef BERRYPICK_WIDE
    // Which of 64 values are not above the one bound, and which are not below the other.
    __attribute__((target("avx2"))) static std::pair<std::uint64_t, std::uint64_t> outside(const double* value,
                                                                                           double least, double most) {
        const __m256d lower = _mm256_set1_pd(least), upper = _mm256_set1_pd(most);
        std::uint64_t lows = 0, highs = 0;
        for (int i = 0; i < 64; i += 4) {
            const __m256d four = _mm256_loadu_pd(value + i);
            lows |= std::uint64_t(_mm256_movemask_pd(_mm256_cmp_pd(four, lower, _CMP_NGT_UQ))) << i;
            highs |= std::uint64_t(_mm256_movemask_pd(_mm256_cmp_pd(four, upper, _CMP_NLT_UQ))) << i;
        }
        return {lows, highs};
    }

    static double* chosen(const double* value, std::uint64_t bits, double* to) {
        for (; bits; bits &= bits - 1) *to++ = value[__builtin_ctzll(bits)];
        return to;
    }
#endif

    // Mean and standard deviation of an eighth of the values.
    std::pair<double, double> moments(const double* row) const {
        double sum[group] = {}, square[group] = {};
        for (std::size_t i = 0; i + group <= count_; i += stride)
            for (std::size_t k = 0; k < group; ++k) {
                const double value = row[i + k] - row[0];
                sum[k] += value;
                square[k] += value * value;
            }
        const double many = double(group * ((count_ - group) / stride + 1));
        const double mean = std::accumulate(sum, sum + group, 0.0) / many;
        const double variance = std::accumulate(square, square + group, 0.0) / many - mean * mean;
        return {row[0] + mean, std::sqrt(variance > 0 ? variance : 0.0)};
    }

    // By halving: it is needed a few times for all rows.
    static double normal_quantile(double level) {
        double low = -40.0, high = 40.0;
        for (int i = 0; i < 60; ++i) {
            const double middle = (low + high) / 2;
            (std::erfc(-middle / std::sqrt(2.0)) / 2 < level ? low : high) = middle;
        }
        return low;
    }

    std::size_t count_;
    std::vector<std::int64_t> rank_;
    std::vector<double> low_, high_, some_, others_;
    std::size_t lower_ = 0;            // so many ranks lie in the lower tail
    std::size_t last_ = 0, rest_ = 0;  // more values than these have to be in the tails
    std::size_t lows_ = 0, highs_ = 0;
    double below_[tries] = {}, above_[tries] = {};
    bool tails_ = true;
    bool wide_;  // four values at once, where the processor can
};

// All sums of some values with either sign, in order: each value doubles them, and merges the two halves. They lie
// symmetrically about 0, to the bit, so that only the upper half is merged and the lower one is its mirror image.
class SignedSums {
  public:
    explicit SignedSums(std::size_t most) : sums_((std::size_t(1) << most) + 2), next_(sums_.size()) {}

    // The sums are at data()[0] to data()[size() - 1].
    void of(const double* value, std::size_t count) {
        sums_[0] = 0.0;
        size_ = 1;
        for (std::size_t i = 0; i < count; ++i) {
            const double step = value[i] < 0 ? -value[i] : value[i];
            const double* from = sums_.data();
            double* to = next_.data();
            // the largest first; the upper half never needs more than the `size_` sums of either side
            std::size_t less = size_, more = size_;
            for (std::size_t k = 2 * size_; k > size_; --k) {
                const double one = from[less - 1] - step, other = from[more - 1] + step;
                const bool first = one > other;
                to[k - 1] = first ? one : other;
                less -= first;
                more -= !first;
            }
            size_ *= 2;
            for (std::size_t k = 0; k < size_ / 2; ++k) to[k] = -to[size_ - 1 - k];
            sums_.swap(next_);
        }
    }

    const double* data() const { return sums_.data(); }
    std::size_t size() const { return size_; }

  private:
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

// How many of some drawn sign changes of columns of values give a sum that is at least as far from 0 as `least`. The sums
// of four values with all 16 signs are taken once; a drawn sum is then one look-up for four values.
class SignChanges {
  public:
    static constexpr std::size_t columns = 8;  // side by side

    // `signs`: draws x bytes, a bit of 1 for plus, the first value in the highest bit
    SignChanges(std::size_t values, const std::uint8_t* signs, std::size_t draws)
        : values_(values), bytes_((values + 7) / 8), signs_(signs), draws_(draws), sums_(2 * bytes_ * table) {}

    void count(const double* const* column, const double* least, std::int64_t* found) {
        for (std::size_t part = 0; part < 2 * bytes_; ++part)
            for (std::size_t k = 0; k < columns; ++k) tabulate(column[k], part, k);
#ifdef BERRYPICK_WIDE
        if (has_wide()) return count_wide(least, found);
#endif
        count_any(least, found);
    }

    // The sums of all draws, column after column.
    void sums(const double* const* column, double* out) {
        for (std::size_t part = 0; part < 2 * bytes_; ++part)
            for (std::size_t k = 0; k < columns; ++k) tabulate(column[k], part, k);
#ifdef BERRYPICK_WIDE
        if (has_wide()) return sums_wide(out);
#endif
        sums_any(out);
    }

  private:
    static constexpr std::size_t table = 16 * columns;

    BERRYPICK_INLINE void sums_any(double* out) const {
        for (std::size_t draw = 0; draw < draws_; ++draw) {
            double sum[columns] = {};
            add(draw, sum);
            for (std::size_t k = 0; k < columns; ++k) out[k * draws_ + draw] = sum[k];
        }
    }

    // The sums of one draw.
    BERRYPICK_INLINE void add(std::size_t draw, double* sum) const {
        const std::uint8_t* sign = signs_ + draw * bytes_;
        const double* sums = sums_.data();
        for (std::size_t byte = 0; byte < bytes_; ++byte, sums += 2 * table) {
            const double *one = sums + (sign[byte] >> 4) * columns, *other = sums + table + (sign[byte] & 15) * columns;
            for (std::size_t k = 0; k < columns; ++k) sum[k] += one[k] + other[k];
        }
    }

    BERRYPICK_INLINE void count_any(const double* least, std::int64_t* found) const {
        std::int64_t extreme[columns] = {};
        for (std::size_t draw = 0; draw < draws_; ++draw) {
            double sum[columns] = {};
            add(draw, sum);
            for (std::size_t k = 0; k < columns; ++k) extreme[k] += std::abs(sum[k]) >= least[k];
        }
        std::copy(extreme, extreme + columns, found);
    }

#ifdef BERRYPICK_WIDE
    __attribute__((target("avx2"))) void count_wide(const double* least, std::int64_t* found) const {
        count_any(least, found);
    }

    __attribute__((target("avx2"))) void sums_wide(double* out) const { sums_any(out); }
#endif

    // All sums of values 4 * part to 4 * part + 3, the last of them in the lowest bit.
    void tabulate(const double* value, std::size_t part, std::size_t k) {
        double* sum = sums_.data() + part * table + k;
        sum[0] = 0.0;
        for (std::size_t bit = 0; bit < 4; ++bit) {
            const std::size_t place = 4 * part + 3 - bit, size = std::size_t(1) << bit;
            const double step = place < values_ ? value[place] : 0.0;
            for (std::size_t i = 0; i < size; ++i) {
                sum[columns * (size + i)] = sum[columns * i] + step;
                sum[columns * i] -= step;
            }
        }
    }

    std::size_t values_, bytes_;
    const std::uint8_t* signs_;
    std::size_t draws_;
    std::vector<double> sums_;
};

// How many differences of two rows are at least as far from 0 as `most`, and as `least`, which is smaller.
BERRYPICK_INLINE void count_apart_any(const double* one, const double* other, std::size_t count, double most,
                                      double least, std::int64_t* sure, std::int64_t* maybe) {
    std::int64_t beyond = 0, near = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double apart = std::abs(one[i] - other[i]);
        beyond += apart >= most;
        near += apart >= least;
    }
    *sure += beyond;
    *maybe += near;
}

#ifdef BERRYPICK_WIDE
__attribute__((target("avx2"))) inline void count_apart_wide(const double* one, const double* other, std::size_t count,
                                                             double most, double least, std::int64_t* sure,
                                                             std::int64_t* maybe) {
    count_apart_any(one, other, count, most, least, sure, maybe);
}
#endif

inline void count_apart(const double* one, const double* other, std::size_t count, double most, double least,
                        std::int64_t* sure, std::int64_t* maybe) {
#ifdef BERRYPICK_WIDE
    if (has_wide()) return count_apart_wide(one, other, count, most, least, sure, maybe);
#endif
    count_apart_any(one, other, count, most, least, sure, maybe);
}

}  // namespace berrypick
