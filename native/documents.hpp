// Whole documents: which are retrieved twice, and which of the retrieved ones are judged.
#pragma once

#include <algorithm>
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
template <class T>
void repeated_spans(const Index* bounds, std::size_t topics, const std::int32_t* document, const T* start, const T* end,
                    bool* out) {
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

// Which topics may have a name twice: equal names have equal hashes.
inline void repeated_names(const Index* bounds, std::size_t topics, const NameColumn& names,
                           const std::uint64_t* place, bool* out) {
    NameTable table;
    for (std::size_t topic = 0; topic < topics; ++topic) {
        table.clear(std::size_t(bounds[topic + 1] - bounds[topic]));
        bool found = false;
        for (Index row = bounds[topic]; row < bounds[topic + 1]; ++row) {
            const auto number = std::uint32_t(row - bounds[topic]);
            const std::uint64_t hash = Vocabulary::hash(names.name(place[row]));
            found |= table.add(hash, number, [](std::uint32_t) { return true; }) != number;
        }
        out[topic] = found;
    }
}

// Rows whose names stand in another row of the column: those of `at`, which rises, in `row`.
struct MovedRows {
    const Index *at, *row;
    std::size_t count;
};

// As judged_hits, from the names themselves, where no topic has a name twice.
inline void judged_names(const Index* from, const Index* to, std::size_t topics, const NameColumn& names,
                         const std::uint64_t* place, const MovedRows& moved, const Index* judged_bounds,
                         const std::vector<Token>& judged, std::vector<Index>& found, std::vector<Index>& rank) {
    NameTable table;
    std::vector<Index> last;  // the last judgement of each name
    for (std::size_t topic = 0; topic < topics; ++topic) {
        const Index first = judged_bounds[topic], count = judged_bounds[topic + 1] - first;
        const auto same = [&](const Token& name) {
            return [&judged, &name, first](std::uint32_t number) {
                const Token& other = judged[std::size_t(first) + number];
                return other.size == name.size && equal(other.at, name.at, name.size);
            };
        };
        table.clear(std::size_t(count));
        last.assign(std::size_t(count), 0);
        for (Index i = 0; i < count; ++i) {
            const Token& name = judged[std::size_t(first + i)];
            last[table.add(Vocabulary::hash(name), std::uint32_t(i), same(name))] = first + i;
        }
        const Index* next = std::lower_bound(moved.at, moved.at + moved.count, from[topic]);
        for (Index row = from[topic]; row < to[topic]; ++row) {
            Index own = row;
            if (next != moved.at + moved.count && *next == row) own = moved.row[next++ - moved.at];
            const Token name = names.name(place[own]);
            const std::uint32_t number = table.find(Vocabulary::hash(name), same(name));
            if (number == NameTable::none) continue;
            found.push_back(last[number]);
            rank.push_back(row - from[topic]);
        }
    }
}

// Whether any row has one of these names.
inline bool has_any(const NameColumn& names, const std::vector<Token>& wanted) {
    NameTable table;
    table.clear(wanted.size());
    const auto same = [&wanted](const Token& name) {
        return [&wanted, &name](std::uint32_t number) {
            return wanted[number].size == name.size && equal(wanted[number].at, name.at, name.size);
        };
    };
    for (std::size_t i = 0; i < wanted.size(); ++i)
        table.add(Vocabulary::hash(wanted[i]), std::uint32_t(i), same(wanted[i]));
    for (std::size_t row = 0; row < names.size(); ++row) {
        const Token name = names.name(names.places()[row]);
        if (table.find(Vocabulary::hash(name), same(name)) != NameTable::none) return true;
    }
    return false;
}

// Whether there are surely more distinct names than `most`: names with different hashes differ. False if it is not sure.
inline bool has_more(const NameColumn& names, std::size_t most) {
    std::size_t size = 1024;
    while (size < 8 * most) size *= 2;
    std::vector<std::uint64_t> met(size / 64);
    std::size_t distinct = 0;
    for (std::size_t row = 0; row < names.size() && distinct <= most; ++row) {
        const std::uint64_t hash = Vocabulary::hash(names.name(names.places()[row])) & (size - 1);
        const std::uint64_t bit = std::uint64_t(1) << (hash % 64);
        distinct += !(met[hash / 64] & bit);
        met[hash / 64] |= bit;
    }
    return distinct > most;
}

// Names that are known, and what is left of each without case, white space around it and leading zeros: its print.
class KnownNames {
public:
    KnownNames(const std::vector<Token>& names, const std::vector<Token>& prints) {
        for (const Token& name : names) add(names_, name);
        for (const Token& print : prints) add(prints_, print);
    }
    // Whether any row has a known name; the rows whose names are not known but may be but for their form. Of names
    // beyond ASCII no print is made here: each of them may be.
    bool look(const NameColumn& column, std::vector<Index>& near) const {
        bool any = false;
        std::string print;
        for (std::size_t row = 0; row < column.size(); ++row) {
            const Token name = column.name(column.places()[row]);
            if (has(names_, name)) {
                any = true;
                continue;
            }
            if (is_ascii(name.at, name.size)) {
                print_of(name, print);
                if (!has(prints_, {print.data(), print.size()})) continue;
            }
            near.push_back(Index(row));
        }
        return any;
    }

private:
    static void add(Vocabulary& names, const Token& name) {  // longer names are in no column
        if (name.size <= Vocabulary::longest && !names.full()) names.code(name, Vocabulary::hash(name));
    }
    static bool has(const Vocabulary& names, const Token& name) { return names.find(name, Vocabulary::hash(name)) >= 0; }
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }
    static void print_of(const Token& name, std::string& print) {
        const char *p = name.at, *end = name.at + name.size;
        while (p < end && is_blank(*p)) ++p;
        while (p < end && is_blank(end[-1])) --end;
        print.clear();
        for (bool inside = false; p < end; ++p) {  // a number
            if (*p == '0' && !inside && p + 1 < end && is_digit(p[1])) continue;
            inside = is_digit(*p);
            print.push_back(*p >= 'A' && *p <= 'Z' ? char(*p + 32) : *p);
        }
    }
    Vocabulary names_, prints_;
};

// The names with codes, in the order in which they were met.
inline void intern(const NameColumn& names, Vocabulary& vocabulary, Column<std::int32_t>& codes) {
    Coder coder(vocabulary, codes);
    for (std::size_t row = 0; row < names.size(); ++row) coder.add(names.name(names.places()[row]));
    coder.flush();
}

}  // namespace berrypick
