// Spans as JSON Lines, in columns. Read here are lines that are objects of texts and numbers under names that are known
// from the first line; whatever else there is makes the plain reader read the file.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "lines.hpp"
#include "records.hpp"

namespace berrypick {

struct SpanRunLines : Named {
    // What stands under a name. `other` is not read, but it is said that it is there.
    enum Slot : int { topic_slot, document_slot, start_slot, end_slot, score_slot, rank_slot, tag_slot, text_slot, other_slot };
    static constexpr int numbers = 4;  // from start on
    struct Field {
        std::string name;
        Slot slot;
        std::int64_t line = 0, place = 0;  // of the first value of an `other` one that is not empty
    };

    using Named::Named;
    std::vector<Field> fields;
    PackedColumn<double> column[numbers];
    NameColumn texts;
    std::string tag;
    std::int64_t lines = 0;

    // false: the plain reader has to read this file
    bool feed(const char* text, std::size_t count) {
        if (!is_ascii(text, count) && !is_plain_utf8(text, count)) return false;
        const char *from = text, *const last = text + count;
        while (from < last) {
            const char* const found = static_cast<const char*>(std::memchr(from, '\n', std::size_t(last - from)));
            end_ = found ? found : last;
            at_ = from;
            if (++lines > std::numeric_limits<std::int32_t>::max() || !add_line()) return false;
            from = end_ + 1;
        }
        coder.flush();
        held_.clear();
        return true;
    }
    // Of lines that have a value, all or none have it.
    bool has(Slot slot) const { return needed_ >> slot & 1; }

private:
    // A number, and the same as a whole number over a power of ten, if it was read so.
    struct Value {
        double number = 0;
        Decimal decimal = {};
        bool is_decimal = false;
        void add_to(PackedColumn<double>& column) const {
            is_decimal ? column.push(decimal.whole, int(decimal.decimals)) : column.push_wide(number);
        }
    };
    static constexpr unsigned bit(int slot) { return 1u << slot; }
    static constexpr unsigned named = 1u << topic_slot | 1u << document_slot, optional = 1u << tag_slot | 1u << other_slot;

    bool add_line() {
        const char* p = at_;
        while (p < end_ && is_space(*p)) ++p;
        if (p == end_ || *p == '#') return true;
        if (!skip('{')) return false;
        Value value[numbers];
        Token name[2] = {}, text = {};
        unsigned met = 0;
        std::uint64_t met_others = 0;
        std::size_t place = 0;
        do {
            if (!next() || *at_ != '"') return false;
            std::size_t number = place;
            if (!passes_name(place)) {
                Token key;
                if (!plain_text(key)) return false;
                number = field_of(key, place);
                if (number == fields.size()) return false;
            }
            if (!skip(':') || !next()) return false;
            Field& field = fields[number];
            const unsigned own = bit(field.slot);
            if (field.slot == other_slot ? met_others >> number & 1 : met & own) return false;  // a name twice
            met |= own;
            if (field.slot == other_slot) {
                met_others |= std::uint64_t(1) << number;
                bool empty = false;
                if (!other_value(empty)) return false;
                if (!empty && !field.line) {
                    field.line = lines;
                    field.place = std::int64_t(place);
                }
            } else if (field.slot <= document_slot) {
                if (!name_value(name[field.slot])) return false;
            } else if (field.slot == tag_slot) {
                Token found;
                if (*at_ != '"' || !text_value(found)) return false;
                if (tag.empty()) tag.assign(found.at, found.size);
            } else if (field.slot == text_slot) {
                if (*at_ != '"' || !text_value(text)) return false;
            } else if (!number_value(value[field.slot - start_slot])) {
                return false;
            }
            ++place;
        } while (skip(','));
        if (!skip('}') || next()) return false;
        met &= ~optional;
        if (needed_ == 0) needed_ = met;
        if (met != needed_ || !says_where(met) || bool(met & bit(start_slot)) != bool(met & bit(end_slot))) return false;
        if ((met & bit(start_slot)) && !(value[0].number >= 0 && value[1].number >= value[0].number)) return false;
        for (int i = 0; i < numbers; ++i)
            if (met & bit(start_slot + i)) value[i].add_to(column[i]);
        if ((met & bit(text_slot)) && !texts.add(text)) return false;
        return add_names(name[0], name[met & bit(document_slot) ? 1 : 0], std::int32_t(lines));
    }
    // A topic and a document; or a text in place of the document, whose names then mean nothing.
    static bool says_where(unsigned met) {
        return (met & named) == named || (met & (named | bit(text_slot) | bit(start_slot))) == (bit(topic_slot) | bit(text_slot));
    }
    // Whether there is more in the line behind white space.
    bool next() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
        return at_ < end_;
    }
    bool skip(char mark) {
        if (!next() || *at_ != mark) return false;
        ++at_;
        return true;
    }
    // Go behind the name that the first line has at this place, if it is here again. A name with a mark in it that is
    // escaped in a line is looked at as a text.
    bool passes_name(std::size_t place) {
        if (place >= fields.size()) return false;
        const std::string& name = fields[place].name;
        if (std::size_t(end_ - at_) < name.size() + 2 || at_[name.size() + 1] != '"') return false;
        if (std::memcmp(at_ + 1, name.data(), name.size()) != 0) return false;
        if (text_end(at_ + 1, end_) != at_ + name.size() + 1) return false;
        at_ += name.size() + 2;
        return true;
    }
    // The first quote, backslash or control character.
    static const char* text_end(const char* p, const char* end) {
#if defined(BERRYPICK_SSE2)
        const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1F);
        for (; end - p >= 16; p += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
            const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, escape));
            const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes);
            const auto found = unsigned(_mm_movemask_epi8(_mm_or_si128(marks, low)));
            if (found) return p + lowest_bit(found);
        }
#endif
        while (p < end && *p != '"' && *p != '\\' && std::uint8_t(*p) >= 0x20) ++p;
        return p;
    }
    // The field of a name; most lines have their names in the order of the first.
    std::size_t field_of(const Token& key, std::size_t place) const {
        const auto same = [&key](const Field& field) {
            return field.name.size() == key.size && std::memcmp(field.name.data(), key.at, key.size) == 0;
        };
        if (place < fields.size() && same(fields[place])) return place;
        std::size_t number = 0;
        while (number < fields.size() && !same(fields[number])) ++number;
        return number;
    }
    // A text without escapes.
    bool plain_text(Token& found) {
        const char* const p = text_end(++at_, end_);
        if (p == end_ || *p != '"') return false;
        found = {at_, std::size_t(p - at_)};
        at_ = p + 1;
        return true;
    }
    bool text_value(Token& found) {
        const char* const begun = at_;
        if (plain_text(found)) return true;
        at_ = begun + 1;
        std::string text;
        while (at_ < end_ && *at_ != '"') {
            if (std::uint8_t(*at_) < 0x20) return false;
            if (*at_ != '\\') {
                text.push_back(*at_++);
                continue;
            }
            ++at_;
            if (!escaped(text)) return false;
        }
        if (at_ == end_) return false;
        ++at_;
        held_.push_back(std::move(text));
        found = {held_.back().data(), held_.back().size()};
        return true;
    }
    bool escaped(std::string& text) {
        static constexpr char marks[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
        if (at_ == end_) return false;
        if (*at_ != 'u') {
            const char* const found = *at_ ? std::strchr(marks, *at_) : nullptr;
            if (!found) return false;
            text.push_back(meant[found - marks]);
            ++at_;
            return true;
        }
        std::uint32_t code = 0, low = 0;
        ++at_;
        if (!four_digits(code)) return false;
        if (code >= 0xD800 && code <= 0xDBFF) {
            if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
            at_ += 2;
            if (!four_digits(low) || low < 0xDC00 || low > 0xDFFF) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if ((code >= 0xDC00 && code <= 0xDFFF) || !code) {
            return false;
        }
        put(text, code);
        return true;
    }
    bool four_digits(std::uint32_t& code) {
        if (end_ - at_ < 4) return false;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = *at_, lower = char(c | 0x20);
            if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) return false;
            code = 16 * code + std::uint32_t(is_digit(c) ? c - '0' : lower - 'a' + 10);
        }
        return true;
    }
    static void put(std::string& text, std::uint32_t code) {
        if (code < 0x80) {
            text.push_back(char(code));
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static constexpr std::uint32_t first[] = {0, 0xC0, 0xE0, 0xF0};
        text.push_back(char(first[more] | (code >> (6 * more))));
        for (int i = more - 1; i >= 0; --i) text.push_back(char(0x80 | ((code >> (6 * i)) & 0x3F)));
    }
    // A number as JSON has it.
    bool number_token(Token& found, bool& is_whole) {
        const char* p = at_;
        const auto some_digits = [this, &p] {
            const char* const from = p;
            while (p < end_ && is_digit(*p)) ++p;
            return p > from;
        };
        if (p < end_ && *p == '-') ++p;
        const char* const first = p;
        if (!some_digits() || (*first == '0' && p > first + 1)) return false;
        is_whole = true;
        if (p < end_ && *p == '.') {
            is_whole = false;
            ++p;
            if (!some_digits()) return false;
        }
        if (p < end_ && (*p == 'e' || *p == 'E')) {
            is_whole = false;
            ++p;
            if (p < end_ && (*p == '-' || *p == '+')) ++p;
            if (!some_digits()) return false;
        }
        found = {at_, std::size_t(p - at_)};
        at_ = p;
        return found.size <= 300;
    }
    // A number of up to 15 digits without an exponent, which most are: one division rounds once, as in number().
    bool short_number(Value& value) {
        const char* p = at_;
        const bool negative = p < end_ && *p == '-';
        const char* const first = p += negative;
        std::uint64_t digits = 0;
        while (p < end_ && is_digit(*p)) digits = 10 * digits + std::uint64_t(*p++ - '0');
        const std::ptrdiff_t before = p - first;
        std::ptrdiff_t after = 0;
        if (before < 1 || before > 15 || (*first == '0' && before > 1)) return false;
        if (p < end_ && *p == '.') {
            const char* const point = p++;
            while (p < end_ && is_digit(*p) && p - point <= 15) digits = 10 * digits + std::uint64_t(*p++ - '0');
            after = p - point - 1;
            if (after < 1 || before + after > 15) return false;
        }
        if (p < end_ && (*p == 'e' || *p == 'E' || is_digit(*p))) return false;
        const double found = double(digits) / tens[after];
        const std::int64_t whole = negative ? -std::int64_t(digits) : std::int64_t(digits);
        value = {negative ? -found : found, {whole, std::size_t(after)}, whole || !negative};  // not minus zero
        at_ = p;
        return true;
    }
    bool number_value(Value& value) {
        if (short_number(value)) return true;
        Token word;
        bool is_whole = false;
        value.is_decimal = false;
        return number_token(word, is_whole) && number(word, value.number, slow) == Number::finite &&
               std::fabs(value.number) < 9007199254740992.0;
    }
    // A name, or a whole number in its place.
    bool name_value(Token& found) {
        if (*at_ == '"') return text_value(found) && found.size;
        bool is_whole = false;
        return number_token(found, is_whole) && is_whole && found.size <= 18 && !found.is("-0");
    }
    bool other_value(bool& empty) {
        Token found;
        bool is_whole = false;
        if (*at_ == '"') {
            if (!text_value(found)) return false;
            empty = !found.size;
            if (!held_.empty() && found.at == held_.back().data()) held_.pop_back();
            return true;
        }
        for (const char* word : {"true", "false"}) {
            const std::size_t size = std::strlen(word);
            if (std::size_t(end_ - at_) >= size && std::memcmp(at_, word, size) == 0) {
                at_ += size;
                return true;
            }
        }
        return number_token(found, is_whole);
    }

    const char *at_ = nullptr, *end_ = nullptr;
    unsigned needed_ = 0;
    std::deque<std::string> held_;  // names that were written with escapes, until they have codes
};

}  // namespace berrypick
