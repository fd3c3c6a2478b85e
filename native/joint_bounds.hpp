// Bounds of P(F >= r) under every joint law of what is seen together, summed over the events of a list.
// kernels/joint_bounds.py has the formulas and the plain form: the same operations in the same order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "law.hpp"

namespace berrypick {

class JointBounds {
public:
    explicit JointBounds(std::size_t targets)
        : seen_(targets), sorted_(targets), total_(targets + 1), found_(targets + 1) {}

    void meet(Index target, double p) {
        double& s = seen_[std::size_t(target)];
        s = s + (1.0 - s) * p;
    }

    const std::vector<double>& found(bool high) {
        sorted_ = seen_;
        std::sort(sorted_.begin(), sorted_.end());
        if (!high) std::reverse(sorted_.begin(), sorted_.end());
        total_[0] = 0.0;
        for (std::size_t i = 0; i < sorted_.size(); ++i) total_[i + 1] = total_[i] + sorted_[i];
        found_[0] = 1.0;
        if (high) upper();
        else lower();
        return found_;
    }

private:
    std::vector<double> seen_, sorted_, total_, found_;

    void upper() {
        const std::size_t targets = sorted_.size();
        std::size_t m = 0;
        for (std::size_t r = 1; r <= targets; ++r) {
            double ratio = total_[targets - m] / double(r - m);
            while (m + 1 < r && sorted_[targets - 1 - m] > ratio) {
                ++m;
                ratio = total_[targets - m] / double(r - m);
            }
            found_[r] = std::min(1.0, ratio);
        }
    }

    void lower() {
        const std::size_t targets = sorted_.size();
        std::size_t n = 1;
        for (std::size_t r = 1; r <= targets; ++r) {
            n = std::max(n, r);
            double ratio = (total_[n] - double(r - 1)) / double(n - (r - 1));
            while (n < targets && sorted_[n] > ratio) {
                ++n;
                ratio = (total_[n] - double(r - 1)) / double(n - (r - 1));
            }
            found_[r] = std::max(0.0, ratio);
        }
    }
};

// out: targets + 1 places, cleared
inline void weighted_bounds(const Entries& entries, Index targets, const double* weight, bool high, double* out) {
    JointBounds bounds{static_cast<std::size_t>(targets)};
    std::size_t event = 0;
    for (std::size_t i = 0; i < entries.count; ++i) {
        bounds.meet(entries.target[i], entries.probability[i]);
        if (i + 1 < entries.count && entries.rank[i + 1] == entries.rank[i]) continue;
        const std::vector<double>& found = bounds.found(high);
        for (std::size_t r = 0; r < found.size(); ++r) out[r] += weight[event] * found[r];
        ++event;
    }
}

}  // namespace berrypick
