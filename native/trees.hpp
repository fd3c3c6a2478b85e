// Elements inside elements. In the order of their start tags, the element a contains b (or is b) exactly when
// start[a] <= start[b] < end[a]: such intervals are nested or apart, they never cross.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "polynomial.hpp"

namespace berrypick {

struct Places {
    const Index* document;
    const Index* start;
    const Index* end;
    std::size_t count;
};

// Pairs (one, other) of the same document where one contains the other, either way round, in the order of one and
// then of other. Work follows the number of pairs found: what is inside is a run of the order of start tags, what is
// around is found by climbing.
inline void nested_pairs(const Places& one, const Places& other, std::vector<Index>& first,
                         std::vector<Index>& second) {
    std::vector<std::size_t> order(other.count);
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto before = [&](std::size_t a, std::size_t b) {  // outer ones first where they start together
        if (other.document[a] != other.document[b]) return other.document[a] < other.document[b];
        if (other.start[a] != other.start[b]) return other.start[a] < other.start[b];
        if (other.end[a] != other.end[b]) return other.end[a] > other.end[b];
        return a < b;
    };
    std::sort(order.begin(), order.end(), before);
    // the nearest one around (or equal), by place in the order; order.size() if there is none
    const std::size_t none = order.size();
    std::vector<std::size_t> around(order.size(), none), open;
    for (std::size_t i = 0; i < order.size(); ++i) {
        while (!open.empty() && (other.document[order[open.back()]] != other.document[order[i]] ||
                                 other.end[order[open.back()]] <= other.start[order[i]]))
            open.pop_back();
        if (!open.empty()) around[i] = open.back();
        open.push_back(i);
    }
    std::vector<Index> found;
    for (std::size_t i = 0; i < one.count; ++i) {
        const Index document = one.document[i], start = one.start[i], end = one.end[i];
        const auto starts_before = [&](std::size_t x, Index place) {
            return other.document[x] != document ? other.document[x] < document : other.start[x] < place;
        };
        const std::size_t low = std::size_t(std::lower_bound(order.begin(), order.end(), start, starts_before) -
                                            order.begin());
        const std::size_t high = std::size_t(
            std::lower_bound(order.begin() + std::ptrdiff_t(low), order.end(), std::max(start, end), starts_before) -
            order.begin());
        found.clear();
        for (std::size_t k = low; k < high; ++k) found.push_back(Index(order[k]));
        for (std::size_t k = low == 0 ? none : low - 1; k != none; k = around[k]) {
            if (other.document[order[k]] != document) break;
            if (other.end[order[k]] > start) found.push_back(Index(order[k]));
        }
        std::sort(found.begin(), found.end());
        first.insert(first.end(), found.size(), Index(i));
        second.insert(second.end(), found.begin(), found.end());
    }
}

// For each element in turn its length without what was retrieved before: nothing under a retrieved element, else
// its length minus the outermost retrieved elements inside it (GRPng).
inline void unseen_lengths(const Places& element, const double* length, double* out) {
    struct Outermost {
        Index end;
        double length;
    };
    std::map<std::pair<Index, Index>, Outermost> seen;  // by document and start; none inside another
    for (std::size_t i = 0; i < element.count; ++i) {
        const Index document = element.document[i], start = element.start[i], end = element.end[i];
        auto next = seen.upper_bound({document, start});
        if (next != seen.begin()) {
            const auto& [place, outer] = *std::prev(next);
            if (place.first == document && start < outer.end && (place.second < start || end <= outer.end)) {
                out[i] = 0.0;
                continue;
            }
            if (place.first == document && place.second == start) --next;  // starts together, and lies inside
        }
        double inside = 0.0;
        while (next != seen.end() && next->first.first == document && next->first.second < end) {
            inside += next->second.length;
            next = seen.erase(next);
        }
        out[i] = std::max(0.0, length[i] - inside);  // lengths may not add up
        seen.emplace(std::pair{document, start}, Outermost{end, length[i]});
    }
}

}  // namespace berrypick
