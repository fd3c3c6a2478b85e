// Half-open intervals on a line: their union, their intersections, and what of each is new when they come in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "polynomial.hpp"

namespace berrypick {

// Positions are whole (int64) or real. Whole ones within these bounds have differences and sums that fit.
constexpr std::int64_t furthest = std::int64_t(1) << 61;

template <class T>
bool measurable(const T* positions, std::size_t count) {
    if constexpr (std::is_integral_v<T>) {
        for (std::size_t i = 0; i < count; ++i)
            if (positions[i] < -furthest || positions[i] > furthest) return false;
    }
    return true;
}

// The union as disjoint intervals in order: touching ones are joined, empty ones vanish. Returns how many there are.
template <class T>
std::size_t merge(const T* start, const T* end, std::size_t count, T* merged_start, T* merged_end) {
    std::vector<std::pair<T, T>> kept;
    kept.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        if (end[i] > start[i]) kept.emplace_back(start[i], end[i]);
    if (!std::is_sorted(kept.begin(), kept.end())) std::sort(kept.begin(), kept.end());
    std::size_t found = 0;
    for (const auto& [a, b] : kept) {
        if (found && a <= merged_end[found - 1]) {
            merged_end[found - 1] = std::max(merged_end[found - 1], b);
        } else {
            merged_start[found] = a;
            merged_end[found++] = b;
        }
    }
    return found;
}

// The length of the intersection of each interval with each other one.
template <class T>
void intersections(const T* start, const T* end, std::size_t count, const T* other_start, const T* other_end,
                   std::size_t others, double* out) {
    for (std::size_t i = 0; i < count; ++i) {
        const T a = start[i], b = end[i];
        for (std::size_t j = 0; j < others; ++j) {
            const T low = std::max(a, other_start[j]), high = std::min(b, other_end[j]);
            out[i * others + j] = high > low ? double(high - low) : 0.0;
        }
    }
}

// How much relevant text lies before a position, from disjoint intervals in order. Most documents have a few of them, which
// are added up anew each time; sums of many are kept.
template <class T>
class Relevant {
public:
    Relevant(const T* start, const T* end, std::size_t count) : start_(start), end_(end), count_(count) {
        if (count <= few) return;
        before_.resize(count);
        T sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            before_[i] = sum;
            sum += end[i] - start[i];
        }
    }
    T up_to(T position) const {
        T before = 0;
        std::size_t i = 0;  // how many begin before
        if (count_ > few) {
            i = std::size_t(std::upper_bound(start_, start_ + count_, position) - start_);
            if (i) before = before_[i - 1];
        } else {
            for (; i < count_ && start_[i] <= position; ++i)
                if (i) before += end_[i - 1] - start_[i - 1];
        }
        return i ? before + std::min(position - start_[i - 1], end_[i - 1] - start_[i - 1]) : T(0);
    }

private:
    static constexpr std::size_t few = 8;
    const T* start_;
    const T* end_;
    std::size_t count_;
    std::vector<T> before_;
};

// One document: for each region in turn the length that no earlier region had, and how much of that is relevant.
// Regions that do not overlap, as in most documents, have all of their text for themselves. Else the ends of all regions
// cut the line into cells; each cell is taken once, and taken cells are skipped in one step.
template <class T>
class FirstSeen {
public:
    void operator()(const std::size_t* rows, std::size_t count, const T* start, const T* end,
                    const Relevant<T>* relevant, double* fresh, double* good) {
        if (apart(rows, count, start, end)) {
            for (std::size_t i = 0; i < count; ++i) {
                const T a = start[rows[i]], b = end[rows[i]], length = b > a ? b - a : T(0);
                fresh[rows[i]] = double(length);
                good[rows[i]] = relevant && b > a ? double(std::min(relevant->up_to(b) - relevant->up_to(a), length)) : 0.0;
            }
            return;
        }
        ends_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            if (end[rows[i]] > start[rows[i]]) {
                ends_.push_back(start[rows[i]]);
                ends_.push_back(end[rows[i]]);
            }
        }
        std::sort(ends_.begin(), ends_.end());
        ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
        next_.resize(ends_.size());
        measure_.assign(ends_.size(), 0);
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            next_[i] = i;
            if (relevant) measure_[i] = relevant->up_to(ends_[i]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            T length = 0, found = 0;
            if (end[rows[i]] > start[rows[i]]) {
                const std::size_t last = place(end[rows[i]]);
                for (std::size_t cell = free_from(place(start[rows[i]])); cell < last; cell = free_from(cell)) {
                    const std::size_t first = cell;
                    while (cell < last && next_[cell] == cell) {
                        next_[cell] = cell + 1;
                        ++cell;
                    }
                    const T piece = ends_[cell] - ends_[first];
                    length += piece;
                    found += std::min(measure_[cell] - measure_[first], piece);  // rounding of seconds adds no text
                }
            }
            fresh[rows[i]] = double(length);
            good[rows[i]] = double(found);
        }
    }

private:
    // whether no two regions overlap
    bool apart(const std::size_t* rows, std::size_t count, const T* start, const T* end) {
        if (count <= 4) {  // each with each, without sorting
            for (std::size_t i = 1; i < count; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    if (std::max(start[rows[i]], start[rows[j]]) < std::min(end[rows[i]], end[rows[j]])) return false;
            return true;
        }
        regions_.clear();
        for (std::size_t i = 0; i < count; ++i)
            if (end[rows[i]] > start[rows[i]]) regions_.emplace_back(start[rows[i]], end[rows[i]]);
        std::sort(regions_.begin(), regions_.end());
        for (std::size_t i = 1; i < regions_.size(); ++i)
            if (regions_[i].first < regions_[i - 1].second) return false;
        return true;
    }
    std::size_t place(T position) const {
        return std::size_t(std::lower_bound(ends_.begin(), ends_.end(), position) - ends_.begin());
    }
    // the first cell from here on that nobody has taken; the way there is halved for those who come later
    std::size_t free_from(std::size_t cell) {
        while (next_[cell] != cell) {
            next_[cell] = next_[next_[cell]];
            cell = next_[cell];
        }
        return cell;
    }

    std::vector<std::pair<T, T>> regions_;
    std::vector<T> ends_;
    std::vector<std::size_t> next_;
    std::vector<T> measure_;
};

// Documents numbered in the order in which they are first met, and the rows of each in turn.
class Numbered {
public:
    Numbered(const Index* document, std::size_t count) : number_(count) {
        std::size_t size = 64;
        while (size < 2 * count) size *= 2;
        slots_.assign(size, 0);
        for (std::size_t row = 0; row < count; ++row) {
            if (row && document[row] == document[row - 1]) {  // as in many runs
                number_[row] = number_[row - 1];
                continue;
            }
            std::uint32_t& slot = slots_[place(document[row])];
            if (!slot) {
                code_.push_back(document[row]);
                slot = std::uint32_t(code_.size());
            }
            number_[row] = Index(slot - 1);
        }
    }
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t number_of(Index code) const {
        const std::uint32_t slot = slots_[place(code)];
        return slot ? slot - 1 : none;
    }
    const std::vector<Index>& number() const { return number_; }
    const std::vector<Index>& code() const { return code_; }
    // rows document by document, those of one in their order; those of document i are rows[bounds[i]] .. [bounds[i+1]]
    void group(std::vector<std::size_t>& rows, std::vector<std::size_t>& bounds) const {
        bounds.assign(code_.size() + 1, 0);
        for (const Index n : number_) ++bounds[std::size_t(n) + 1];
        for (std::size_t i = 1; i < bounds.size(); ++i) bounds[i] += bounds[i - 1];
        rows.resize(number_.size());
        std::vector<std::size_t> next(bounds.begin(), bounds.end() - 1);
        for (std::size_t row = 0; row < number_.size(); ++row) rows[next[std::size_t(number_[row])]++] = row;
    }

private:
    // the slot of a code, or the free one for it
    std::size_t place(Index code) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = std::size_t((std::uint64_t(code) * 0x9E3779B97F4A7C15ull) >> 20) & mask;
        while (slots_[i] && code_[slots_[i] - 1] != code) i = (i + 1) & mask;
        return i;
    }
    std::vector<std::uint32_t> slots_;  // the number from 1; 0: free
    std::vector<Index> number_, code_;
};

// The relevant text of documents: that of code[i] are the intervals part[i] .. part[i+1], disjoint and in order.
template <class T>
struct RelevantText {
    const Index* code;
    std::size_t count;
    const Index* part;
    const T *start, *end;
};

// All documents of a list, as FirstSeen has each.
template <class T>
class FirstSeenOfList {
public:
    void operator()(const Numbered& documents, const T* start, const T* end, const RelevantText<T>& text, double* fresh,
                    double* good) {
        documents.group(rows_, bounds_);
        known_.assign(documents.code().size(), Numbered::none);
        for (std::size_t k = text.count; k-- > 0;) {  // of equal ones the first
            const std::size_t number = documents.number_of(text.code[k]);
            if (number != Numbered::none) known_[number] = k;
        }
        for (std::size_t i = 0; i < known_.size(); ++i) {
            const std::size_t* const own = rows_.data() + bounds_[i];
            const std::size_t many = bounds_[i + 1] - bounds_[i];
            if (const std::size_t k = known_[i]; k != Numbered::none) {
                const Relevant<T> relevant(text.start + text.part[k], text.end + text.part[k],
                                           std::size_t(text.part[k + 1] - text.part[k]));
                one_(own, many, start, end, &relevant, fresh, good);
            } else if (many == 1) {
                fresh[*own] = end[*own] > start[*own] ? double(end[*own] - start[*own]) : 0.0;
                good[*own] = 0.0;
            } else {
                one_(own, many, start, end, nullptr, fresh, good);
            }
        }
    }
    // which relevant text the document with a number has, Numbered::none if it has none
    std::size_t known(Index number) const { return known_[std::size_t(number)]; }

private:
    FirstSeen<T> one_;
    std::vector<std::size_t> rows_, bounds_, known_;
};

// The lists of topics, rows bounds[i] .. bounds[i+1] of topic i, with the relevant text from[i] .. to[i]. Also the number of
// the document of each row among those of its list, and which relevant text that document has, -1 if it has none.
inline void read_lists(const Index* bounds, std::size_t topics, const Index* document, const Index* start,
                       const Index* end, const Index* from, const Index* to, const RelevantText<Index>& text,
                       double* fresh, double* good, Index* number, Index* place) {
    FirstSeenOfList<Index> seen;
    for (std::size_t topic = 0; topic < topics; ++topic) {
        const Index first = bounds[topic];
        const Numbered documents(document + first, std::size_t(bounds[topic + 1] - first));
        seen(documents, start + first, end + first,
             {text.code + from[topic], std::size_t(to[topic] - from[topic]), text.part + from[topic], text.start, text.end},
             fresh + first, good + first);
        for (Index row = first; row < bounds[topic + 1]; ++row) {
            number[row] = documents.number()[std::size_t(row - first)];
            const std::size_t known = seen.known(number[row]);
            place[row] = known == Numbered::none ? -1 : from[topic] + Index(known);
        }
    }
}

// For each topic and each share of its relevant text (hundredths, which rise): the largest precision, relevant over all
// text read, at any rank where so much has been found. Lengths are whole numbers, so that sums and products are exact.
inline void best_precision(const Index* bounds, std::size_t topics, const double* fresh, const double* good,
                           const double* total, const double* hundredth, std::size_t levels, double* out) {
    for (std::size_t topic = 0; topic < topics; ++topic, out += levels) {
        double found = 0.0, read = 0.0, best = 0.0;
        for (Index row = bounds[topic]; row < bounds[topic + 1]; ++row) {
            found += good[row];
            read += fresh[row];
        }
        std::size_t level = levels;
        while (level && 100.0 * found < total[topic] * hundredth[level - 1]) out[--level] = 0.0;
        for (Index row = bounds[topic + 1]; level && row-- > bounds[topic];) {
            if (good[row] != 0.0) {  // precision falls where nothing is found, and no share is reached there
                best = std::max(best, found / read);
                found -= good[row];
                while (level && 100.0 * found < total[topic] * hundredth[level - 1]) out[--level] = best;
            }
            read -= fresh[row];
        }
        while (level) out[--level] = best;  // of nothing at all
    }
}

// The length of all regions together, what several of them hold counted once.
inline double covered(const Index* document, const Index* start, const Index* end, std::size_t count) {
    const Numbered documents(document, count);
    std::vector<std::size_t> rows, bounds;
    documents.group(rows, bounds);
    std::vector<std::pair<Index, Index>> regions;
    Index total = 0;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
        regions.clear();
        for (std::size_t j = bounds[i]; j < bounds[i + 1]; ++j)
            if (end[rows[j]] > start[rows[j]]) regions.emplace_back(start[rows[j]], end[rows[j]]);
        if (regions.size() > 1) std::sort(regions.begin(), regions.end());
        Index reached = std::numeric_limits<Index>::min();
        for (const auto& [a, b] : regions) {
            if (b <= reached) continue;
            total += b - std::max(a, reached);
            reached = b;
        }
    }
    return double(total);
}

// The height of a line through some corners; level beyond them, and behind the last of corners at one place.
inline double height(const double* x, const double* y, std::size_t corners, double position) {
    const std::size_t after = std::size_t(std::upper_bound(x, x + corners, position) - x);
    if (after == 0) return y[0];
    if (after == corners || x[after - 1] == position) return y[after - 1];
    const double slope = (y[after] - y[after - 1]) / (x[after] - x[after - 1]);
    return slope * (position - x[after - 1]) + y[after - 1];
}

}  // namespace berrypick
