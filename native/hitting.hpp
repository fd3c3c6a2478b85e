// Visits of a chain, from below: the first-step equations of some targets. users/links/hitting.py has the plain form.
//
// Each row is a sum of positive terms, and rounding keeps order; so iterates from 0 grow, whatever the order in which rows
// are computed anew, and where nothing changes any more they are the least numbers that solve the rounded equations. Rows
// that use what has just been computed, and rows left alone while nothing they lead to has changed, thus end at the same
// bits as computing all rows from the ones before, again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "polynomial.hpp"

#ifdef BERRYPICK_WIDE
#include <immintrin.h>
#endif

namespace berrypick {

// A sparse matrix of steps, row by row.
struct Steps {
    std::size_t pages;
    const Index* first;  // of each row, and the end
    const Index* to;
    const double* probability;
};

class Hitting {
public:
    static constexpr std::size_t width = 8;  // targets side by side: a page's numbers are one line of the cache

    explicit Hitting(const Steps& steps)
        : steps_(steps), hit_(steps.pages * width), changed_(steps.pages), own_(steps.pages) {}

    // Visits of up to `width` targets, each from all pages; which of them have not settled after so many turns.
    std::vector<bool> of(const Index* target, std::size_t targets, std::size_t turns) {
        hit_.assign(hit_.size(), 0.0);
        changed_.assign(changed_.size(), 0);
        own_.assign(own_.size(), 0);
        for (std::size_t c = 0; c < targets; ++c) {
            hit_[std::size_t(target[c]) * width + c] = 1.0;
            changed_[std::size_t(target[c])] = 1;
            own_[std::size_t(target[c])] |= std::uint8_t(1u << c);
        }
        std::uint8_t moved = targets ? 255 : 0;
        for (std::size_t turn = 0; moved && turn < turns; ++turn) moved = sweep(std::uint32_t(turn + 2));
        std::vector<bool> slow(targets);
        for (std::size_t c = 0; c < targets; ++c) slow[c] = (moved >> c) & 1;
        return slow;
    }

    const double* row(std::size_t page) const { return hit_.data() + page * width; }

private:
    // All rows, always in the same order, which takes fewer turns than forwards and backwards; which columns have changed.
    std::uint8_t sweep(std::uint32_t now) {
        std::uint8_t moved = 0;
        for (std::size_t page = 0; page < steps_.pages; ++page) {
            const std::size_t from = std::size_t(steps_.first[page]), count = std::size_t(steps_.first[page + 1]) - from;
            bool fresh = false;  // in the turn before, or already in this one
            for (std::size_t k = from; k < from + count; ++k) fresh |= changed_[std::size_t(steps_.to[k])] + 1 >= now;
            if (!fresh) continue;
            const std::uint8_t other = renew(steps_.to + from, steps_.probability + from, count, page);
            if (other) changed_[page] = now;
            moved |= other;
        }
        return moved;
    }

    // A row anew, one term after the other; in which columns it is another one than before.
    std::uint8_t renew(const Index* to, const double* probability, std::size_t count, std::size_t page) {
        double* const mine = hit_.data() + page * width;
#ifdef BERRYPICK_WIDE
        if (wide_ && !own_[page]) return renew_wide(to, probability, count, hit_.data(), mine);
#endif
        double sum[width] = {};
        for (std::size_t k = 0; k < count; ++k) {
            const double* const other = hit_.data() + std::size_t(to[k]) * width;
            for (std::size_t c = 0; c < width; ++c) sum[c] += probability[k] * other[c];
        }
        std::uint8_t found = 0;
        for (std::size_t c = 0; c < width; ++c) {
            if ((own_[page] >> c) & 1) sum[c] = 1.0;
            found |= std::uint8_t((mine[c] != sum[c]) << c);
            mine[c] = sum[c];
        }
        return found;
    }

#ifdef BERRYPICK_WIDE
    // Eight columns in two registers: left to itself a compiler takes several terms of one column together.
    __attribute__((target("avx2"))) static std::uint8_t renew_wide(const Index* to, const double* probability,
                                                                   std::size_t count, const double* hit, double* mine) {
        __m256d low = _mm256_setzero_pd(), high = _mm256_setzero_pd();
        for (std::size_t k = 0; k < count; ++k) {
            const __m256d p = _mm256_set1_pd(probability[k]);
            const double* const other = hit + std::size_t(to[k]) * width;
            low = _mm256_add_pd(low, _mm256_mul_pd(p, _mm256_loadu_pd(other)));
            high = _mm256_add_pd(high, _mm256_mul_pd(p, _mm256_loadu_pd(other + 4)));
        }
        const int first = _mm256_movemask_pd(_mm256_cmp_pd(low, _mm256_loadu_pd(mine), _CMP_NEQ_UQ));
        const int last = _mm256_movemask_pd(_mm256_cmp_pd(high, _mm256_loadu_pd(mine + 4), _CMP_NEQ_UQ));
        _mm256_storeu_pd(mine, low);
        _mm256_storeu_pd(mine + 4, high);
        return std::uint8_t(first | last << 4);
    }
#endif

    Steps steps_;
    std::vector<double> hit_;
    std::vector<std::uint32_t> changed_;  // the turn in which a page's numbers have changed last
    std::vector<std::uint8_t> own_;       // the columns whose target a page is
    bool wide_ = has_wide();
};

}  // namespace berrypick
