// Whole documents: which are retrieved twice, and which of the retrieved ones are judged.
#pragma once

#include <cstdint>
#include <vector>

#include "lines.hpp"

namespace berrypick {

constexpr Index ahead = 16;  // rows whose memory is fetched before they are looked at

// Which topics point to a document twice. Every document remembers the last topic that had it.
inline void repeated_documents(const Index* bounds, std::size_t topics, const std::int32_t* document,
                               std::size_t vocabulary, bool* out) {
    Zeros<std::int32_t> last(vocabulary);  // the topic, from 1
    const Index rows = bounds[topics];
    for (std::size_t topic = 0; topic < topics; ++topic) {
        bool found = false;
        for (Index row = bounds[topic]; row < bounds[topic + 1]; ++row) {
            if (row + ahead < rows) prefetch(&last[std::size_t(document[row + ahead])]);
            std::int32_t& owner = last[std::size_t(document[row])];
            found |= owner == std::int32_t(topic + 1);
            owner = std::int32_t(topic + 1);
        }
        out[topic] = found;
    }
}

// Which topics may point to a span twice: a set of fingerprints for each, made anew by a larger stamp.
inline void repeated_spans(const Index* bounds, std::size_t topics, const std::int32_t* document, const Index* start,
                           const Index* end, bool* out) {
    struct Slot {
        std::uint64_t print;
        std::size_t stamp;
    };
    std::size_t size = 1024;
    for (std::size_t topic = 0; topic < topics; ++topic)
        while (size < 2 * std::size_t(bounds[topic + 1] - bounds[topic])) size *= 2;
    std::vector<Slot> slots(size, Slot{0, 0});
    for (std::size_t topic = 0; topic < topics; ++topic) {
        bool found = false;
        for (Index row = bounds[topic]; row < bounds[topic + 1]; ++row) {
            std::uint64_t print = std::uint64_t(document[row]) * 0x9E3779B97F4A7C15ull;
            print = (print ^ (print >> 29) ^ std::uint64_t(start[row])) * 0xC2B2AE3D27D4EB4Full;
            print = (print ^ (print >> 32) ^ std::uint64_t(end[row])) * 0x9E3779B97F4A7C15ull;
            print ^= print >> 31;
            std::size_t i = std::size_t(print) & (size - 1);
            while (slots[i].stamp == topic + 1 && slots[i].print != print) i = (i + 1) & (size - 1);
            found |= slots[i].stamp == topic + 1;
            slots[i] = {print, topic + 1};
        }
        out[topic] = found;
    }
}

// For each topic, whose rows are from .. to, the documents judged for it that it retrieves: which judgement that is
// (`found`), and at which rank, from 0, among the distinct documents of the topic. A document counts where it stands
// first. Of a document judged several times under one topic the last judgement is found.
inline void judged_hits(const Index* from, const Index* to, std::size_t topics, const std::int32_t* document,
                        const Index* judged_bounds, const Index* judged, std::size_t vocabulary, Index* retrieved,
                        std::vector<Index>& found, std::vector<Index>& rank) {
    struct Place {
        std::int32_t judged_for, seen_by;  // topics, from 1
        Index judgement;
    };
    Zeros<Place> places(vocabulary);
    for (std::size_t topic = 0; topic < topics; ++topic) {
        const auto own = std::int32_t(topic + 1);
        for (Index i = judged_bounds[topic]; i < judged_bounds[topic + 1]; ++i) {
            if (i + ahead < judged_bounds[topics] && judged[i + ahead] >= 0)
                prefetch(&places[std::size_t(judged[i + ahead])]);
            if (judged[i] < 0) continue;
            Place& place = places[std::size_t(judged[i])];
            place.judged_for = own;
            place.judgement = i;
        }
        Index position = 0;
        for (Index row = from[topic]; row < to[topic]; ++row) {
            if (row + ahead < to[topic]) prefetch(&places[std::size_t(document[row + ahead])]);
            Place& place = places[std::size_t(document[row])];
            if (place.seen_by == own) continue;
            place.seen_by = own;
            if (place.judged_for == own) {
                found.push_back(place.judgement);
                rank.push_back(position);
            }
            ++position;
        }
        retrieved[topic] = position;
    }
}

}  // namespace berrypick
