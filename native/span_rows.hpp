// Rows of spans in columns, whatever kind of line they stand in: a topic, a document or a text, numbers, a tag. The
// fields and what stands under each are known from the first line.
#pragma once

#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "lines.hpp"
#include "records.hpp"

namespace berrypick {

struct SpanRows : Named {
    // What stands under a name. `other` is not read, but the first line that has it is kept; `any` is the same, and may
    // be a list or an object; `dropped` is passed over, and `inside` is an object with fields of the row.
    enum Slot : int {
        topic_slot, document_slot, start_slot, end_slot, score_slot, rank_slot, first_detail_slot,
        tag_slot = first_detail_slot + 6, text_slot, other_slot, any_slot, dropped_slot, inside_slot
    };
    static constexpr int numbers = tag_slot - start_slot;
    struct Field {
        std::string name;
        Slot slot;
        std::int64_t line = 0, place = 0;  // of the first value of an `other` one that is not empty
    };

    using Named::Named;
    std::vector<Field> fields;  // those of the row, then those of the object in it
    std::size_t outer = 0;  // so many are those of the row
    PackedColumn<double> column[numbers];
    NameColumn texts;
    std::string tag;
    std::int64_t lines = 0;
    std::vector<std::string> inner_names;  // in objects under other names, and in objects that lists there begin with

    // Of lines that have a value, all or none have it.
    bool has(int slot) const { return needed_ >> slot & 1; }

protected:
    // A number, and the same as a whole number over a power of ten, if it was read so.
    struct Value {
        double number = 0;
        Decimal decimal = {};
        bool is_decimal = false;
        void add_to(PackedColumn<double>& column) const {
            is_decimal ? column.push(decimal.whole, int(decimal.decimals)) : column.push_wide(number);
        }
    };
    struct Row {
        Value value[numbers];
        Token name[2] = {}, text = {}, tag = {};
        unsigned met = 0;
        std::uint64_t met_others = 0;
    };
    static constexpr unsigned bit(int slot) { return 1u << slot; }
    static constexpr unsigned named = 1u << topic_slot | 1u << document_slot;
    static constexpr unsigned optional = 1u << tag_slot | 1u << other_slot | 1u << any_slot | 1u << dropped_slot | 1u << inside_slot;

    bool add_row(const Row& row, std::int64_t line) {
        const unsigned met = row.met & ~optional;
        if (needed_ == 0) needed_ = met;
        if (met != needed_ || !says_where(met) || bool(met & bit(start_slot)) != bool(met & bit(end_slot))) return false;
        if ((met & bit(start_slot)) && !(row.value[0].number >= 0 && row.value[1].number >= row.value[0].number)) return false;
        for (int i = 0; i < numbers; ++i)
            if (met & bit(start_slot + i)) row.value[i].add_to(column[i]);
        if ((met & bit(text_slot)) && !texts.add(row.text)) return false;
        if ((row.met & bit(tag_slot)) && tag.empty()) tag.assign(row.tag.at, row.tag.size);
        return add_names(row.name[0], row.name[met & bit(document_slot) ? 1 : 0], std::int32_t(line));
    }
    // A topic and a document; or a text in place of the document, whose names then mean nothing.
    static bool says_where(unsigned met) {
        return (met & named) == named || (met & (named | bit(text_slot) | bit(start_slot))) == (bit(topic_slot) | bit(text_slot));
    }
    static void note(Field& field, std::int64_t line, std::size_t place) {
        if (field.line) return;
        field.line = line;
        field.place = std::int64_t(place);
    }
    bool is_numbered(std::int64_t line) const { return line <= std::numeric_limits<std::int32_t>::max(); }
    static bool is_large(double number) { return !(std::fabs(number) < 9007199254740992.0); }

    unsigned needed_ = 0;
    std::deque<std::string> held_;  // names and texts that were written with escapes, until they have codes
};

}  // namespace berrypick
