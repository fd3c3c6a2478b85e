// Polynomials with non-negative coefficients, multiplied by factors (seen z + unseen).
//
// Nothing but products and sums of non-negative numbers is formed, so every coefficient keeps its relative precision.
// A coefficient that falls below the smallest double is gone; because factors never exceed 1, what is lost with it can
// never be more than that smallest double times the number of terms, in any coefficient of any later product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(_MSC_VER) && !defined(__clang__)
#define BERRYPICK_INLINE __forceinline
#define BERRYPICK_RESTRICT __restrict
#else
#define BERRYPICK_INLINE inline __attribute__((always_inline))
#define BERRYPICK_RESTRICT __restrict__
#endif

namespace berrypick {

using Index = std::int64_t;

struct Factor {
    double seen;
    double unseen;
};

// --- the inner loop: out = a * (c[0] + c[1] z + ... + c[degree] z^degree) ------------------------------------------
//
// Four factors are multiplied out first and then applied in one pass. The same expression is compiled for the plain
// and for the wide instruction set; neither fuses multiplications with additions (-ffp-contract=off), so both give the
// same bits.

template <int degree>
BERRYPICK_INLINE void convolve(const double* BERRYPICK_RESTRICT a, double* BERRYPICK_RESTRICT out,
                                                    std::size_t count, const double* c) {
    const double c0 = c[0], c1 = c[1];
    const double c2 = degree > 1 ? c[2] : 0.0, c3 = degree > 2 ? c[3] : 0.0, c4 = degree > 3 ? c[4] : 0.0;
    for (std::size_t j = 0; j < count; ++j) {
        const double* at = a + j;
        double sum = c0 * at[0] + c1 * at[-1];
        if (degree > 1) sum += c2 * at[-2];
        if (degree > 2) sum += c3 * at[-3];
        if (degree > 3) sum += c4 * at[-4];
        out[j] = sum;
    }
}

BERRYPICK_INLINE void convolve_any(const double* a, double* out, std::size_t count,
                                                        const double* c, int degree) {
    switch (degree) {
        case 1: convolve<1>(a, out, count, c); break;
        case 2: convolve<2>(a, out, count, c); break;
        case 3: convolve<3>(a, out, count, c); break;
        default: convolve<4>(a, out, count, c); break;
    }
}

// --- equation 8 of PRUM for one target x that a rank reaches, over all s -------------------------------------------
//
// ``others`` is the law of the number seen among the other targets. The share of those who have seen s targets and
// not x is a quotient of a part by its whole, so it cannot exceed 1.

struct Cause {
    double seen;
    double unseen;
    double reach;
};

BERRYPICK_INLINE void cause_body(const double* BERRYPICK_RESTRICT others, double* BERRYPICK_RESTRICT found,
                                                      double* BERRYPICK_RESTRICT whole, std::size_t count, Cause x) {
    const double seen = x.seen, unseen = x.unseen, reach = x.reach;
    for (std::size_t j = 0; j < count; ++j) {
        const double part = unseen * others[j];
        const double total = part + seen * (others + j)[-1];
        const double divisor = total > 0.0 ? total : 1.0;  // where the whole is 0 the part is
        found[j] += (1.0 - found[j]) * (reach * (part / divisor));
        whole[j] = total;
    }
}

using Convolve = void (*)(const double*, double*, std::size_t, const double*, int);
using CauseLoop = void (*)(const double*, double*, double*, std::size_t, Cause);

inline void convolve_plain(const double* a, double* out, std::size_t count, const double* c, int degree) {
    convolve_any(a, out, count, c, degree);
}
inline void cause_plain(const double* others, double* found, double* whole, std::size_t count, Cause x) {
    cause_body(others, found, whole, count, x);
}

#if defined(__x86_64__) && defined(__GNUC__)
#define BERRYPICK_WIDE 1
__attribute__((target("avx2"))) inline void convolve_wide(const double* a, double* out, std::size_t count,
                                                          const double* c, int degree) {
    convolve_any(a, out, count, c, degree);
}
__attribute__((target("avx2"))) inline void cause_wide(const double* others, double* found, double* whole,
                                                       std::size_t count, Cause x) {
    cause_body(others, found, whole, count, x);
}
#endif

inline bool has_wide() {
#ifdef BERRYPICK_WIDE
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

struct Loops {
    Convolve convolve = convolve_plain;
    CauseLoop cause = cause_plain;
    Loops() {
#ifdef BERRYPICK_WIDE
        if (has_wide()) {
            convolve = convolve_wide;
            cause = cause_wide;
        }
#endif
    }
};

inline const Loops& loops() {
    static const Loops chosen;
    return chosen;
}

// --- a polynomial --------------------------------------------------------------------------------------------------

// Coefficients of z^low, z^(low+1), ...; all others are zero. No coefficients: the polynomial 0.
// Four zeros stand before and after them, so that the inner loop needs no special case at the ends.
class Band {
public:
    static constexpr std::size_t pad = 4;

    Index low() const { return low_; }
    std::size_t count() const { return count_; }
    const double* data() const { return values_.data() + first_; }

    void clear() { count_ = 0; }

    void constant(double value, Index power) {
        low_ = power;
        reserve(values_, 1);
        first_ = pad;
        values_[first_] = value;
        count_ = value == 0.0 ? 0 : 1;
        seal(values_, first_, 1);
    }

    void assign(const std::vector<double>& coefficients, Index power, double scale) {
        low_ = power;
        count_ = coefficients.size();
        reserve(values_, count_);
        first_ = pad;
        for (std::size_t j = 0; j < count_; ++j) values_[pad + j] = scale * coefficients[j];
        seal(values_, first_, count_);
        trim();
    }

    void copy(const Band& other) {
        low_ = other.low_;
        count_ = other.count_;
        reserve(values_, count_);
        first_ = pad;
        if (count_) std::memcpy(values_.data() + pad, other.data(), count_ * sizeof(double));
        seal(values_, first_, count_);
    }

    void add(const Band& other) {
        if (!other.count_) return;
        if (!count_) {
            copy(other);
            return;
        }
        const Index low = std::min(low_, other.low_);
        const Index high = std::max(low_ + Index(count_), other.low_ + Index(other.count_));
        const std::size_t count = std::size_t(high - low);
        reserve(spare_, count);
        double* out = spare_.data() + pad;
        std::fill(out, out + count, 0.0);
        std::memcpy(out + (low_ - low), data(), count_ * sizeof(double));
        double* at = out + (other.low_ - low);
        const double* from = other.data();
        for (std::size_t j = 0; j < other.count_; ++j) at[j] += from[j];
        values_.swap(spare_);
        first_ = pad;
        low_ = low;
        count_ = count;
        seal(values_, first_, count_);
    }

    void times(const Factor* factors, std::size_t number) {
        if (!count_) return;
        std::size_t i = 0;
        while (i < number) {
            const int degree = int(std::min<std::size_t>(4, number - i));
            double c[5] = {factors[i].unseen, factors[i].seen, 0.0, 0.0, 0.0};
            for (int d = 1; d < degree; ++d) {
                const Factor f = factors[i + std::size_t(d)];
                c[d + 1] = c[d] * f.seen;
                for (int k = d; k > 0; --k) c[k] = c[k] * f.unseen + c[k - 1] * f.seen;
                c[0] *= f.unseen;
            }
            const std::size_t count = count_ + std::size_t(degree);
            reserve(spare_, count);
            loops().convolve(data(), spare_.data() + pad, count, c, degree);
            values_.swap(spare_);
            first_ = pad;
            count_ = count;
            seal(values_, first_, count_);
            trim();
            i += std::size_t(degree);
        }
    }

private:
    static void reserve(std::vector<double>& buffer, std::size_t count) {
        const std::size_t needed = count + 2 * pad;
        if (buffer.size() < needed) buffer.resize(needed + needed / 2);
    }
    static void seal(std::vector<double>& buffer, std::size_t first, std::size_t count) {
        for (std::size_t j = 0; j < pad; ++j) {
            buffer[first - 1 - j] = 0.0;
            buffer[first + count + j] = 0.0;
        }
    }
    // coefficients that have fallen to zero at either end need no more work
    void trim() {
        const double* a = data();
        std::size_t ahead = 0;
        while (ahead < count_ && a[ahead] == 0.0) ++ahead;
        while (count_ > ahead && a[count_ - 1] == 0.0) --count_;
        count_ -= ahead;
        first_ += ahead;
        low_ += Index(ahead);
    }

    std::vector<double> values_;
    std::vector<double> spare_;
    std::size_t first_ = pad;
    std::size_t count_ = 0;
    Index low_ = 0;
};

}  // namespace berrypick
