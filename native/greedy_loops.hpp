// The inner loops of greedy ideal lists, over the frequencies of a characteristic function and over bounds of candidates:
// each once for any processor and once for AVX2, with the same sums in the same order.
#pragma once

#include <cstddef>

#include "law.hpp"

namespace berrypick::greedy {

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

struct Loops {
    void (*meet)(double, double, double, const double*, const double*, double*, double*, std::size_t);
    double (*dot)(const double*, const double*, const double*, const double*, std::size_t);
    void (*factor)(double, double, const double*, const double*, double*, double*, std::size_t);
    void (*divide)(double, double, const double*, const double*, double*, double*, std::size_t);
    void (*bounds)(const double*, const double*, double, double, double*, double*, std::size_t);
};

#define BERRYPICK_LOOPS(name, attribute)                                                                              \
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
    constexpr Loops loops_##name{meet_##name, dot_##name, factor_##name, divide_##name, bounds_##name};

BERRYPICK_LOOPS(plain, )
#ifdef BERRYPICK_WIDE
BERRYPICK_LOOPS(wide, __attribute__((target("avx2"))))
#endif
#undef BERRYPICK_LOOPS

inline const Loops& loops() {
#ifdef BERRYPICK_WIDE
    static const Loops chosen = __builtin_cpu_supports("avx2") ? loops_wide : loops_plain;
    return chosen;
#else
    return loops_plain;
#endif
}

}  // namespace berrypick::greedy
