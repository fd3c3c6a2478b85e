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

// The judged names of topics, each topic with a table of its own: made once, and asked by every run.
class JudgedNames {
public:
    // Names of topic i are those from bounds[i] to bounds[i + 1]. One that no column holds is not found.
    JudgedNames(const Index* bounds, std::size_t topics, const std::vector<Token>& names) {
        table_.reserve(topics);
        for (std::size_t topic = 0; topic < topics; ++topic) {
            std::size_t size = 2;
            while (size < 2 * std::size_t(bounds[topic + 1] - bounds[topic])) size *= 2;
            table_.push_back({slots_.size(), size - 1});
            slots_.resize(slots_.size() + size);
            for (Index i = bounds[topic]; i < bounds[topic + 1]; ++i) {
                const Token& name = names[std::size_t(i)];
                if (!column_.add(name)) {
                    column_.add({name.at, 0});
                    continue;
                }
                const std::uint64_t hash = Vocabulary::hash(name);
                slots_[slot_of(table_.back(), name, hash)] = {tag(hash), std::uint32_t(i + 1)};
            }
        }
    }
    std::size_t topics() const { return table_.size(); }
    // As judged_hits, where no topic has a name twice. Of a name judged several times the last judgement is found.
    void find(const Index* from, const Index* to, const NameColumn& names, const std::uint64_t* place,
              const MovedRows& moved, std::vector<Index>& found, std::vector<Index>& rank) const {
        for (std::size_t topic = 0; topic < table_.size(); ++topic) {
            const Index* next = std::lower_bound(moved.at, moved.at + moved.count, from[topic]);
            for (Index row = from[topic]; row < to[topic]; ++row) {
                Index own = row;
                if (next != moved.at + moved.count && *next == row) own = moved.row[next++ - moved.at];
                const Token name = names.name(place[own]);
                const Slot& slot = slots_[slot_of(table_[topic], name, Vocabulary::hash(name))];
                if (!slot.number) continue;
                found.push_back(Index(slot.number) - 1);
                rank.push_back(row - from[topic]);
            }
        }
    }

private:
    struct Slot {
        std::uint32_t tag = 0, number = 0;  // the number of a judgement, from 1; 0: free
    };
    struct Table {
        std::size_t begin, mask;
    };
    // Where a name is, or where there is room for it: at least half of a table is free.
    std::size_t slot_of(const Table& table, const Token& name, std::uint64_t hash) const {
        for (std::uint64_t i = hash & table.mask;; i = (i + 1) & table.mask) {
            const Slot& slot = slots_[table.begin + i];
            if (!slot.number) return table.begin + i;
            if (slot.tag != tag(hash)) continue;
            const Token other = column_.name(column_.places()[slot.number - 1]);
            if (other.size == name.size && equal(other.at, name.at, name.size)) return table.begin + i;
        }
    }
    static std::uint32_t tag(std::uint64_t hash) { return std::uint32_t(hash >> 32); }
    NameColumn column_;         // the name of each judgement
    std::vector<Slot> slots_;  // those of all tables, one after the other
    std::vector<Table> table_;
};

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
    // `prints` are those of names beyond ASCII, of which none is made here.
    KnownNames(const std::vector<Token>& names, const std::vector<Token>& prints)
        : names_(names.size()), prints_(names.size() + prints.size()) {
        std::vector<char> room;
        for (const Token& name : names) {
            names_.add(name);
            if (is_ascii(name.at, name.size)) prints_.add(print_of(name, room));
        }
        for (const Token& one : prints) prints_.add(one);
    }
    // Whether any row has a known name; the rows whose names are not known but may be but for their form. Of names
    // beyond ASCII no print is made here: each of them may be.
    bool look(const NameColumn& column, std::vector<Index>& near) const {
        bool any = false;
        std::vector<char> room;
        for (std::size_t row = 0; row < column.size(); ++row) {
            const Token name = column.name(column.places()[row]);
            if (names_.has(name)) {
                any = true;
                continue;
            }
            if (is_ascii(name.at, name.size) && !prints_.has(print_of(name, room))) continue;
            near.push_back(Index(row));
        }
        return any;
    }

private:
    // A set of names that is mostly asked for others: a few bits say of nearly all of these that they are not there.
    class Set {
    public:
        explicit Set(std::size_t most) {
            std::size_t size = 1024;
            while (size < 16 * most) size *= 2;
            bits_.resize(size / 64);
        }
        void add(const Token& name) {  // longer names are in no column
            if (name.size > Vocabulary::longest || names_.full()) return;
            const std::uint64_t hash = Vocabulary::hash(name);
            names_.code(name, hash);
            bits_[place(hash)] |= bit(hash);
        }
        bool has(const Token& name) const {
            const std::uint64_t hash = Vocabulary::hash(name);
            return (bits_[place(hash)] & bit(hash)) && names_.find(name, hash) >= 0;
        }

    private:
        std::size_t place(std::uint64_t hash) const { return std::size_t(hash >> 6) & (bits_.size() - 1); }
        static std::uint64_t bit(std::uint64_t hash) { return std::uint64_t(1) << (hash & 63); }
        Vocabulary names_;
        std::vector<std::uint64_t> bits_;
    };
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }
    static Token print_of(const Token& name, std::vector<char>& room) {
        const char *p = name.at, *end = name.at + name.size;
        while (p < end && is_blank(*p)) ++p;
        while (p < end && is_blank(end[-1])) --end;
        if (room.size() <= name.size) room.resize(name.size + 1);  // so that there is memory
        char* out = room.data();
        for (bool inside = false; p < end; ++p) {  // a number
            if (*p == '0' && !inside && p + 1 < end && is_digit(p[1])) continue;
            inside = is_digit(*p);
            *out++ = *p >= 'A' && *p <= 'Z' ? char(*p + 32) : *p;
        }
        return {room.data(), std::size_t(out - room.data())};
    }
    Set names_, prints_;
};

// The names with codes, in the order in which they were met.
inline void intern(const NameColumn& names, Vocabulary& vocabulary, Column<std::int32_t>& codes) {
    Coder coder(vocabulary, codes);
    for (std::size_t row = 0; row < names.size(); ++row) coder.add(names.name(names.places()[row]));
    coder.flush();
}

}  // namespace berrypick
