// Lines of words separated by white space, read into columns: what the text formats of runs and judgements share.
//
// A line that is not exactly as its format says ends the reading. The plain reader in Python then reads the whole file
// again: it alone decides what is an error, and names the line. So nothing here reports anything.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define BERRYPICK_SSE2 1
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "polynomial.hpp"

namespace berrypick {

// Large memory in large pages, where the system has them: fewer of them to fetch, and to look up.
inline void in_large_pages(void* memory, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes < (std::size_t(4) << 20)) return;
    // whole pages, the first one with what malloc keeps there: a mapping of two kinds of pages cannot be moved by realloc,
    // which copies it then
    const std::uintptr_t page = 4096, from = std::uintptr_t(memory) / page * page;
    const std::uintptr_t to = (std::uintptr_t(memory) + bytes + page - 1) / page * page;
    madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

// A table of zeros.
template <class T>
class Zeros {
public:
    explicit Zeros(std::size_t size) : data_(static_cast<T*>(std::calloc(size ? size : 1, sizeof(T)))), size_(size) {
        if (!data_) throw std::bad_alloc();
        in_large_pages(data_, size * sizeof(T));
    }
    Zeros(const Zeros&) = delete;
    Zeros& operator=(const Zeros&) = delete;
    Zeros(Zeros&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    ~Zeros() { std::free(data_); }
    void swap(Zeros& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    std::size_t size() const { return size_; }

private:
    T* data_;
    std::size_t size_;
};

// A column that grows. Large blocks of realloc move without being copied, and pages nobody wrote to cost nothing.
template <class T>
class Column {
public:
    Column() = default;
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    Column(Column&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Column& operator=(Column&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~Column() { std::free(data_); }
    void push(T value) {
        if (size_ == capacity_) grow();
        data_[size_++] = value;
    }
    std::size_t size() const { return size_; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& back() { return data_[size_ - 1]; }
    // the memory, which is the caller's from now on; at least one byte, so that it is never null
    T* release() {
        T* found = static_cast<T*>(std::realloc(data_, size_ ? size_ * sizeof(T) : 1));
        if (!found) throw std::bad_alloc();
        data_ = nullptr;
        size_ = capacity_ = 0;
        return found;
    }
    void append(const T* from, std::size_t count) {
        if (!count) return;  // from may be null
        while (capacity_ - size_ < count) grow();
        std::memcpy(data_ + size_, from, count * sizeof(T));
        size_ += count;
    }
    // Room for so many values in all, if there is any: one piece of memory, where growing leaves pieces behind.
    void reserve(std::size_t wanted) {
        if (wanted > capacity_) resize(wanted);
    }
    // the values of another one, each larger by so much
    void append_shifted(const T* from, std::size_t count, T shift) {
        append(from, count);
        for (T* at = data_ + (size_ - count); at != data_ + size_; ++at) *at += shift;
    }

private:
    void grow() {
        if (!resize(capacity_ ? 2 * capacity_ : 1024)) throw std::bad_alloc();
    }
    bool resize(std::size_t wanted) {
        T* found = static_cast<T*>(std::realloc(data_, wanted * sizeof(T)));
        if (!found) return false;
        data_ = found;
        capacity_ = wanted;
        in_large_pages(data_, wanted * sizeof(T));
        return true;
    }
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

// Ten to the power of: what a double holds exactly.
constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// A column in half the memory, as long as its values are whole numbers of 32 bits, or such numbers over one power of ten,
// as scores of few decimals are: one division gives the nearest double, as it does where a number is read.
template <class Wide>
class PackedColumn {
public:
    void push(std::int64_t whole, int decimals = 0) {
        std::int64_t scaled = whole;
        if (is_packed_ && fits(scaled) && (decimals == decimals_ || scale(scaled, decimals)))
            narrow_.push(std::int32_t(scaled));
        else
            push_wide(value(whole, decimals));
    }
    void push_wide(Wide value) {
        unpack();
        wide_.push(value);
    }
    void append(const PackedColumn& later) {
        if (is_packed_ && later.is_packed_ && decimals_ == later.decimals_)
            return narrow_.append(later.narrow_.data(), later.narrow_.size());
        for (std::size_t i = 0; i < later.size(); ++i)
            later.is_packed_ ? push(later.narrow_.data()[i], later.decimals_) : push_wide(later.wide_.data()[i]);
    }
    void reserve(std::size_t rows) { is_packed_ ? narrow_.reserve(rows) : wide_.reserve(rows); }
    std::size_t size() const { return is_packed_ ? narrow_.size() : wide_.size(); }
    Wide operator[](std::size_t i) const {
        return is_packed_ ? value(narrow_.data()[i], decimals_) : wide_.data()[i];
    }
    bool is_packed() const { return is_packed_; }
    int decimals() const { return decimals_; }
    Column<std::int32_t>& narrow() { return narrow_; }
    Column<Wide>& wide() { return wide_; }

private:
    static bool fits(std::int64_t whole) {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        return whole >= -most && whole <= most;
    }
    // A whole number with as many decimals as the column has, or more decimals for all of the column; false if one of them
    // does not fit then.
    bool scale(std::int64_t& whole, int decimals) {
        const int more = decimals - decimals_;
        if (more < -9 || more > 9) return false;
        const auto factor = std::int64_t(tens[more < 0 ? -more : more]);
        if (more < 0) return fits(whole *= factor);
        std::int32_t* const all = narrow_.data();
        for (std::size_t i = 0; i < narrow_.size(); ++i)
            if (!fits(all[i] * factor)) return false;
        for (std::size_t i = 0; i < narrow_.size(); ++i) all[i] = std::int32_t(all[i] * factor);
        decimals_ = decimals;
        return true;
    }
    static Wide value(std::int64_t whole, int decimals) {
        if constexpr (std::is_integral_v<Wide>) return whole;
        return Wide(double(whole) / tens[decimals]);
    }
    void unpack() {
        if (!is_packed_) return;
        wide_.reserve(narrow_.size());
        for (std::size_t i = 0; i < narrow_.size(); ++i) wide_.push((*this)[i]);
        is_packed_ = false;
        narrow_ = Column<std::int32_t>();
    }
    Column<std::int32_t> narrow_;
    Column<Wide> wide_;
    bool is_packed_ = true;
    int decimals_ = 0;  // 0 in a column of whole numbers
};

// The numbers of the lines that rows stand in: in most files every line is a row, and the first number says all.
class LineNumbers {
public:
    void push(std::int32_t number) {
        if (!size_) first_ = number;
        if (!rest_.size() && number == first_ + std::int32_t(size_)) {
            ++size_;
        } else {
            spell_out();
            rest_.push(number);
            ++size_;
        }
    }
    // those of a part of the file that comes after so many lines
    void append(const LineNumbers& later, std::int32_t lines) {
        if (!size_ && later.size_) first_ = later.first_ + lines;
        if (later.size_ && !later.rest_.size() && !rest_.size() && later.first_ + lines == first_ + std::int32_t(size_)) {
            size_ += later.size_;
            return;
        }
        for (std::size_t i = 0; i < later.size_; ++i) push(lines + later[i]);
    }
    std::size_t size() const { return size_; }
    std::int32_t operator[](std::size_t i) const { return rest_.size() ? rest_.data()[i] : first_ + std::int32_t(i); }
    bool is_range() const { return !rest_.size(); }
    std::int32_t first() const { return first_; }
    Column<std::int32_t>& numbers() { return rest_; }

private:
    void spell_out() {
        while (rest_.size() < size_) rest_.push(first_ + std::int32_t(rest_.size()));
    }
    std::int32_t first_ = 1;
    std::size_t size_ = 0;
    Column<std::int32_t> rest_;  // all of them, where they are no range
};

struct Token {
    const char* at;
    std::size_t size;
    bool is(const char* word) const { return std::strlen(word) == size && std::memcmp(at, word, size) == 0; }
};

// Short names are equal or not in a few instructions, without a call.
inline bool equal(const char* a, const char* b, std::size_t count) {
    if (count >= 8) {
        std::size_t i = 0;
        std::uint64_t x, y;
        for (; i + 8 <= count; i += 8) {
            std::memcpy(&x, a + i, 8);
            std::memcpy(&y, b + i, 8);
            if (x != y) return false;
        }
        std::memcpy(&x, a + count - 8, 8);
        std::memcpy(&y, b + count - 8, 8);
        return x == y;
    }
    if (count >= 4) {
        std::uint32_t x, y, u, v;
        std::memcpy(&x, a, 4);
        std::memcpy(&y, b, 4);
        std::memcpy(&u, a + count - 4, 4);
        std::memcpy(&v, b + count - 4, 4);
        return x == y && u == v;
    }
    for (std::size_t i = 0; i < count; ++i)
        if (a[i] != b[i]) return false;
    return true;
}

inline void prefetch(const void* place) {
#if defined(__GNUC__)
    __builtin_prefetch(place);
#else
    (void)place;
#endif
}

// --- names ---------------------------------------------------------------------------------------------------------

// Distinct names in the order in which they were met, each with a code.
class Vocabulary {
public:
    Vocabulary() : slots_(1024), mask_(1023) { ends_.push(0); }

    static std::uint64_t hash(const Token& name) {
        constexpr std::uint64_t one = 0x9E3779B97F4A7C15ull, two = 0xC2B2AE3D27D4EB4Full;
        const char* p = name.at;
        std::size_t left = name.size;
        std::uint64_t h = left * one;
        while (left > 8) {
            h = mixed(h ^ (word(p) * two)) * one;
            p += 8;
            left -= 8;
        }
        h = mixed(h ^ (tail(p, left) * two)) * one;
        return mixed(h);
    }
    void prefetch_slot(std::uint64_t h) const { prefetch(&slots_[h & mask_]); }
    void prefetch_name(std::uint64_t h) const {
        const Slot& slot = slots_[h & mask_];
        if (slot.code && (slot.place & 0xFFFF) > short_name) prefetch(bytes_.data() + (slot.place >> 16));
    }
    // the code of a name, -1 if it is not known
    std::int32_t find(const Token& name, std::uint64_t h) const {
        for (std::uint64_t i = h & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (!slot.code) return -1;
            if (same(slot, name, h)) return std::int32_t(slot.code - 1);
        }
    }
    std::int32_t code(const Token& name, std::uint64_t h) {
        for (std::uint64_t i = h & mask_;; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.code) {
                if (same(slot, name, h)) return std::int32_t(slot.code - 1);
                continue;
            }
            slot = {tag(h), std::uint32_t(size() + 1), place(name.size, h, bytes_.size())};
            bytes_.append(name.at, name.size);
            ends_.push(bytes_.size());
            if (3 * slots_.size() < 4 * size()) grow();
            return std::int32_t(size() - 1);
        }
    }
    // The codes of all names of another vocabulary, which are added; false if there is no room.
    bool add_all(const Vocabulary& others, std::vector<std::int32_t>& codes) {
        codes.clear();
        for (std::size_t i = 0; i < others.size(); ++i) {
            if (full()) return false;
            const Token name = others.name(i);
            codes.push_back(code(name, hash(name)));
        }
        return true;
    }
    std::size_t size() const { return ends_.size() - 1; }
    Token name(std::size_t code) const {
        const std::uint64_t from = ends_.data()[code];
        return {bytes_.data() + from, std::size_t(ends_.data()[code + 1] - from)};
    }
    static constexpr std::size_t longest = 65535;  // bytes in a name: what a slot has room for
    bool full() const { return size() >= std::size_t(std::numeric_limits<std::int32_t>::max()) - 1; }

private:
    struct Slot {
        std::uint32_t tag, code;  // the code from 1; 0: free
        std::uint64_t place;      // where the name begins, or the rest of its hash; in the low 16 bits its length
    };
    // Names of so many bytes and one length have different hashes: each step of hash() can be undone.
    static constexpr std::size_t short_name = 8;
    static std::uint64_t place(std::size_t size, std::uint64_t h, std::uint64_t begin) {
        return ((size <= short_name ? h : begin) << 16) | size;
    }
    static std::uint64_t word(const char* p) {
        std::uint64_t found;
        std::memcpy(&found, p, 8);
        return found;
    }
    static std::uint64_t tail(const char* p, std::size_t left) {
        if (left == 8) return word(p);
        if (left >= 4) {
            std::uint32_t first, last;
            std::memcpy(&first, p, 4);
            std::memcpy(&last, p + left - 4, 4);
            return (std::uint64_t(first) << 32) | last;
        }
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < left; ++i) found = (found << 8) | std::uint8_t(p[i]);
        return found;
    }
    static std::uint64_t mixed(std::uint64_t h) { return h ^ (h >> 32); }
    static std::uint32_t tag(std::uint64_t h) { return std::uint32_t(h >> 32); }
    bool same(const Slot& slot, const Token& name, std::uint64_t h) const {
        if (name.size <= short_name) return slot.tag == tag(h) && slot.place == place(name.size, h, 0);
        return slot.tag == tag(h) && (slot.place & 0xFFFF) == name.size &&
               equal(bytes_.data() + (slot.place >> 16), name.at, name.size);
    }
    void grow() {
        Zeros<Slot> larger(2 * slots_.size());
        const std::uint64_t mask = larger.size() - 1;
        for (std::size_t code = 0; code < size(); ++code) {
            const Token known = name(code);
            const std::uint64_t h = hash(known);
            std::uint64_t i = h & mask;
            while (larger[i].code) i = (i + 1) & mask;
            larger[i] = {tag(h), std::uint32_t(code + 1), place(known.size, h, ends_.data()[code])};
        }
        slots_.swap(larger);
        mask_ = mask;
    }
    Zeros<Slot> slots_;
    std::uint64_t mask_;
    Column<char> bytes_;
    Column<std::uint64_t> ends_;
};

// Names on their way to their codes: a few at a time, so that the memory of one is fetched while others are looked up.
class Coder {
public:
    explicit Coder(Vocabulary& names, Column<std::int32_t>& codes) : names_(names), codes_(codes) {}
    bool add(const Token& name) {
        if (name.size > Vocabulary::longest || names_.full()) return false;
        waiting_[count_] = name;
        hash_[count_] = Vocabulary::hash(name);
        names_.prefetch_slot(hash_[count_]);
        if (++count_ == width) flush();
        return true;
    }
    void flush() {
        for (std::size_t i = 0; i < count_; ++i) names_.prefetch_name(hash_[i]);
        for (std::size_t i = 0; i < count_; ++i) codes_.push(names_.code(waiting_[i], hash_[i]));
        count_ = 0;
    }

private:
    static constexpr std::size_t width = 32;
    Vocabulary& names_;
    Column<std::int32_t>& codes_;
    Token waiting_[width];
    std::uint64_t hash_[width];
    std::size_t count_ = 0;
};

// The names of rows as they were read, without codes: what one evaluation asks of them is asked topic by topic, in tables
// that stay in the caches.
class NameColumn {
public:
    bool add(const Token& name) {
        if (name.size > Vocabulary::longest) return false;
        place_.push((std::uint64_t(bytes_.size()) << 16) | name.size);
        bytes_.append(name.at, name.size);
        return true;
    }
    void append(const NameColumn& others) {
        place_.append_shifted(others.place_.data(), others.size(), std::uint64_t(bytes_.size()) << 16);
        bytes_.append(others.bytes_.data(), others.bytes_.size());
    }
    void reserve(std::size_t rows, std::size_t bytes) {
        place_.reserve(rows);
        bytes_.reserve(bytes);
    }
    std::size_t size() const { return place_.size(); }
    std::size_t bytes() const { return bytes_.size(); }
    // where the names begin, and in the low 16 bits their lengths
    const std::uint64_t* places() const { return place_.data(); }
    Token name(std::uint64_t place) const { return {bytes_.data() + (place >> 16), std::size_t(place & 0xFFFF)}; }
    bool holds(std::uint64_t place) const {
        return (place >> 16) <= bytes_.size() && (place & 0xFFFF) <= bytes_.size() - (place >> 16);
    }

private:
    Column<char> bytes_;
    Column<std::uint64_t> place_;
};

// A set of numbered names that is emptied at once. Names are kept elsewhere.
class NameTable {
public:
    // Room for so many names, none of them there.
    void clear(std::size_t most) {
        std::size_t size = 16;
        while (size < 2 * most) size *= 2;
        if (size > slots_.size()) {
            slots_.assign(size, Slot{});
            stamp_ = 0;
        }
        mask_ = size - 1;
        ++stamp_;
    }
    // The number that goes with a hash and for which `same` holds; `number` if there was none, which is then added.
    template <class Same>
    std::uint32_t add(std::uint64_t hash, std::uint32_t number, Same&& same) {
        for (std::uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.stamp != stamp_) {
                slot = {hash, number, stamp_};
                return number;
            }
            if (slot.hash == hash && same(slot.number)) return slot.number;
        }
    }
    // The number, none if there is none.
    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same&& same) const {
        for (std::uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.stamp != stamp_) return none;
            if (slot.hash == hash && same(slot.number)) return slot.number;
        }
    }
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t number = 0, stamp = 0;
    };
    std::vector<Slot> slots_;
    std::uint64_t mask_ = 0;
    std::uint32_t stamp_ = 0;
};

// --- numbers -------------------------------------------------------------------------------------------------------

inline int lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#elif defined(_M_X64) || defined(_M_ARM64)
    unsigned long first;
    _BitScanForward64(&first, bits);
    return int(first);
#else
    int first = 0;
    for (; !(bits & 1); bits >>= 1) ++first;
    return first;
#endif
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes behind a text that may be read, and are not used.
constexpr std::size_t slack = 64;

#if defined(_MSC_VER) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define BERRYPICK_LITTLE_ENDIAN 1

// The number that the first `count` (1 to 8) of eight bytes are, without a branch for each of them: numbers in a file have
// any length, which no processor foresees. False if one of these is no digit.
inline bool digits_of(std::uint64_t bytes, std::size_t count, std::uint64_t& value) {
    // the last digit in the highest byte, zeros before the first
    std::uint64_t d = (bytes ^ 0x3030303030303030ull) << (8 * (8 - count));
    if ((d | (d + 0x7676767676767676ull)) & 0x8080808080808080ull) return false;
    d = 10 * d + (d >> 8);  // two digits in every other byte
    constexpr std::uint64_t pair = 0x000000FF000000FFull;
    value = ((d & pair) * (100 + (1000000ull << 32)) + ((d >> 16) & pair) * (1 + (10000ull << 32))) >> 32;
    return true;
}
#endif

// The eight bytes from `at` on are read, `count` (1 to 8) of them used.
inline bool eight_digits(const char* at, std::size_t count, std::uint64_t& value) {
#if defined(BERRYPICK_LITTLE_ENDIAN)
    std::uint64_t bytes;
    std::memcpy(&bytes, at, 8);
    return digits_of(bytes, count, value);
#else
    value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_digit(at[i])) return false;
        value = 10 * value + std::uint64_t(at[i] - '0');
    }
    return true;
#endif
}

// Up to 16 digits.
inline bool digits(const char* at, std::size_t count, std::uint64_t& value) {
    if (count <= 8) return count && eight_digits(at, count, value);
    std::uint64_t first, last;
    if (count > 16 || !eight_digits(at, count - 8, first) || !eight_digits(at + count - 8, 8, last)) return false;
    value = 100000000 * first + last;
    return true;
}

// A whole number of at most 15 digits; -1 if it is none.
inline std::int64_t whole(const Token& word) {
    std::uint64_t value;
    return word.size <= 15 && digits(word.at, word.size, value) ? std::int64_t(value) : -1;
}

// How Python reads a number that is not read here, with a code for what it is.
enum class Number { finite, other, none };
using Slow = Number (*)(const Token&, double&);

// The decimal point in up to 16 bytes; the end if there is none.
inline const char* find_point(const char* from, const char* end) {
#if defined(BERRYPICK_SSE2)
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const int points = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
    return std::min(end, from + lowest_bit(unsigned(points) | 0x10000u));
#else
    return std::find(from, end, '.');
#endif
}

// A number of up to 15 digits, some of them decimals: a whole number over a power of ten. Minus zero is none.
struct Decimal {
    std::int64_t whole;
    std::size_t decimals;
    double value() const { return double(whole) / tens[decimals]; }  // both are exact, so that it rounds once
};

inline bool decimal(const Token& word, Decimal& found) {
    static constexpr std::uint64_t powers[] = {1,         10,         100,         1000,         10000,        100000,
                                               1000000,   10000000,   100000000,   1000000000,   10000000000,  100000000000,
                                               1000000000000, 10000000000000, 100000000000000, 1000000000000000};
    const char *from = word.at, *const end = word.at + word.size;
    const bool negative = from < end && *from == '-';
    if (from < end && (*from == '-' || *from == '+')) ++from;
    if (end - from > 16) return false;
    const char* const point = find_point(from, end);
    const auto before = std::size_t(point - from), after = point < end ? std::size_t(end - point - 1) : 0;
#if defined(BERRYPICK_LITTLE_ENDIAN)
    if (std::uint64_t all; before && after && before + after <= 8) {  // most scores: as one number without its point
        std::uint64_t bytes, behind;
        std::memcpy(&bytes, from, 8);
        std::memcpy(&behind, from + 1, 8);
        const std::uint64_t kept = ~std::uint64_t(0) >> (64 - 8 * before);
        if (!digits_of((bytes & kept) | (behind & ~kept), before + after, all)) return false;
        found = {negative ? -std::int64_t(all) : std::int64_t(all), after};
        return all || !negative;
    }
#endif
    std::uint64_t first = 0, last = 0;
    if (before + after < 1 || before + after > 15 || (before && !digits(from, before, first)) ||
        (after && !digits(point + 1, after, last)))
        return false;
    const std::uint64_t size = first * powers[after] + last;
    found = {negative ? -std::int64_t(size) : std::int64_t(size), after};
    return size || !negative;
}

// A number as Python's float() reads it. What has many digits or an exponent goes to the library, and what that does not
// know to `slow`.
inline Number number(const Token& word, double& value, Slow slow) {
    Decimal found_decimal;
    if (decimal(word, found_decimal)) {
        value = found_decimal.value();
        return Number::finite;
    }
    const char *from = word.at, *const end = word.at + word.size;
    const bool negative = from < end && *from == '-';
    if (from < end && (*from == '-' || *from == '+')) ++from;
#if defined(__cpp_lib_to_chars)
    if (from < end && (is_digit(*from) || *from == '.')) {
        double found = 0;
        const std::from_chars_result read = std::from_chars(from, end, found);
        if (read.ec == std::errc() && read.ptr == end) {
            value = negative ? -found : found;
            return Number::finite;
        }
    }
#endif
    return slow(word, value);
}

// MediaEval: 17.10 is 17 minutes 10 seconds, 20 is 20 minutes; -1 if it is no such time
inline std::int64_t minutes_seconds(const Token& word) {
    const char* const point = static_cast<const char*>(std::memchr(word.at, '.', word.size));
    const Token minutes{word.at, point ? std::size_t(point - word.at) : word.size};
    if (minutes.size == 0 || minutes.size > 9) return -1;
    const std::int64_t found = whole(minutes);
    if (found < 0) return -1;
    if (!point || point + 1 == word.at + word.size) return 60 * found;
    const std::int64_t seconds = whole({point + 1, word.size - minutes.size - 1});
    return seconds < 0 || seconds >= 60 ? -1 : 60 * found + seconds;
}

// --- text ----------------------------------------------------------------------------------------------------------

inline bool is_ascii(const char* p, std::size_t count) {
    std::uint64_t all = 0;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, p + i, 8);
        all |= word;
    }
    for (; i < count; ++i) all |= std::uint64_t(std::uint8_t(p[i]));
    return !(all & 0x8080808080808080ull);
}

// What Python takes for white space in a text, beyond ASCII; and the byte order mark, which only the plain reader reports.
inline bool is_wide_space(std::uint32_t c) {
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

// Whether bytes are UTF-8 as Python reads it (nothing overlong, no surrogates), and `allowed` holds for each character
// beyond ASCII.
template <class Allowed>
bool is_utf8_of(const char* p, std::size_t count, Allowed&& allowed) {
    const auto* s = reinterpret_cast<const std::uint8_t*>(p);
    for (std::size_t i = 0; i < count;) {
        const std::uint8_t c = s[i];
        if (c < 0x80) {
            ++i;
            continue;
        }
        const std::size_t more = c >= 0xC2 && c <= 0xDF ? 1 : (c & 0xF0) == 0xE0 ? 2 : c >= 0xF0 && c <= 0xF4 ? 3 : 0;
        if (!more || count - i <= more) return false;
        std::uint32_t found = c & (0x3F >> more);
        for (std::size_t j = 1; j <= more; ++j) {
            if ((s[i + j] & 0xC0) != 0x80) return false;
            found = (found << 6) | (s[i + j] & 0x3F);
        }
        if ((more == 2 && (found < 0x800 || (found >= 0xD800 && found <= 0xDFFF))) ||
            (more == 3 && (found < 0x10000 || found > 0x10FFFF)) || !allowed(found))
            return false;
        i += more + 1;
    }
    return true;
}

inline bool is_utf8(const char* p, std::size_t count) {
    return is_utf8_of(p, count, [](std::uint32_t) { return true; });
}

// UTF-8 without white space beyond ASCII.
inline bool is_plain_utf8(const char* p, std::size_t count) {
    return is_utf8_of(p, count, [](std::uint32_t c) { return !is_wide_space(c); });
}

inline bool is_space(char c) {
    const auto u = std::uint8_t(c);
    return u <= 0x20 && (u == 0x20 || (u >= 9 && u <= 13) || (u >= 0x1C && u <= 0x1F));
}

// Which of the 64 bytes from here on are white space, and which end a line.
struct Blanks {
    std::uint64_t space = 0, line_end = 0;
};

inline Blanks blanks(const char* p) {
    Blanks found;
#if defined(BERRYPICK_SSE2)
    const auto below = [](__m128i bytes, char most) {  // unsigned: most or less
        return _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(most)), bytes);
    };
    for (int i = 3; i >= 0; --i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i);
        const __m128i spaces = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x20)),
                                                         below(_mm_sub_epi8(bytes, _mm_set1_epi8(9)), 4)),
                                            below(_mm_sub_epi8(bytes, _mm_set1_epi8(0x1C)), 3));
        const __m128i ends = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
        found.space = (found.space << 16) | std::uint64_t(unsigned(_mm_movemask_epi8(spaces)));
        found.line_end = (found.line_end << 16) | std::uint64_t(unsigned(_mm_movemask_epi8(ends)));
    }
#else
    for (int i = 0; i < 64; ++i) {
        found.space |= std::uint64_t(is_space(p[i])) << i;
        found.line_end |= std::uint64_t(p[i] == '\n') << i;
    }
#endif
    return found;
}

// --- lines ---------------------------------------------------------------------------------------------------------

// Whole lines, one after the other, to a format: add(words, count, number) says whether the line is as it should be.
template <class Format>
class Reader {
public:
    // false: the plain reader has to read this file. Behind the text there are `slack` bytes more.
    bool feed(const char* text, std::size_t count, Format& format) {
        if (!is_ascii(text, count) && !(Format::wide && is_plain_utf8(text, count))) return false;
        const char *const end = text + count, *from = text;
        words_ = 0;
        for (const char* base = text; base < end; base += 64) {
            auto [space, line_end] = blanks(base);
            if (end - base < 64) space &= (std::uint64_t(1) << (end - base)) - 1;
            for (; space; space &= space - 1) {
                const char* const p = base + lowest_bit(space);
                if (p > from) add_word(from, p);
                from = p + 1;
                if ((line_end & space & (0 - space)) && !add_line(format)) return false;
            }
        }
        if (from < end) add_word(from, end);
        if (words_ && !add_line(format)) return false;  // the last line of a file, without an end
        format.flush();
        return true;
    }
    std::int64_t lines() const { return number_; }

private:
    void add_word(const char* from, const char* to) {
        if (words_ == word_.size()) word_.resize(2 * words_);
        word_[words_++] = {from, std::size_t(to - from)};
    }
    bool add_line(Format& format) {
        ++number_;
        const std::size_t words = std::exchange(words_, 0);
        if (!words || *word_[0].at == '#') return true;
        return number_ <= std::numeric_limits<std::int32_t>::max() &&
               format.add(word_.data(), words, std::int32_t(number_));
    }
    std::vector<Token> word_ = std::vector<Token>(32);
    std::size_t words_ = 0;
    std::int64_t number_ = 0;
};

}  // namespace berrypick
