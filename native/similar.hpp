// Longest common subsequences of a short text with many stretches of a long one, a machine word of the short text at a
// time (Crochemore, Iliopoulos, Pinzon, Reid 2001; Hyyrö 2004). Bit i of the state is 0 where the common subsequence
// grows at character i; a carry out of the top says that it has grown by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace berrypick {

// Where each character occurs in the short text.
class Pattern {
  public:
    Pattern(const std::uint32_t* code, std::size_t count) : count_(count), words_((count + 63) / 64) {
        std::uint32_t largest = 0;
        for (std::size_t i = 0; i < count; ++i) largest = code[i] > largest ? code[i] : largest;
        row_.assign(std::size_t(largest) + 1, 0);
        std::size_t rows = 0;
        for (std::size_t i = 0; i < count; ++i)
            if (!row_[code[i]]) row_[code[i]] = std::uint32_t(++rows);
        bits_.assign(rows * words_, 0);
        for (std::size_t i = 0; i < count; ++i)
            bits_[(row_[code[i]] - 1) * words_ + i / 64] |= std::uint64_t(1) << (i % 64);
    }

    std::size_t count() const { return count_; }
    std::size_t words() const { return words_; }

    // The places of a character; null if it does not occur.
    const std::uint64_t* at(std::uint32_t code) const {
        if (code >= row_.size() || !row_[code]) return nullptr;
        return bits_.data() + std::size_t(row_[code] - 1) * words_;
    }

  private:
    std::size_t count_, words_;
    std::vector<std::uint32_t> row_;
    std::vector<std::uint64_t> bits_;
};

class Subsequence {
  public:
    explicit Subsequence(const Pattern& pattern) : pattern_(pattern), state_(pattern.words()) { reset(); }

    void reset() {
        length_ = 0;
        state_.assign(state_.size(), ~std::uint64_t(0));
    }

    // The length with one more character of the long text.
    std::size_t add(std::uint32_t code) {
        const std::uint64_t* places = pattern_.at(code);
        if (!places) return length_;
        std::uint64_t carry = 0;
        for (std::size_t word = 0; word < state_.size(); ++word) {
            const std::uint64_t before = state_[word], common = before & places[word];
            std::uint64_t sum = before + common;
            std::uint64_t over = sum < before;
            sum += carry;
            over |= sum < carry;
            state_[word] = sum | (before - common);
            carry = over;
        }
        return length_ += carry;
    }

  private:
    const Pattern& pattern_;
    std::vector<std::uint64_t> state_;
    std::size_t length_ = 0;
};

// The length with every prefix of the text.
inline void common_lengths(const Pattern& pattern, const std::uint32_t* text, std::size_t size, std::int64_t* out) {
    Subsequence common(pattern);
    for (std::size_t i = 0; i < size; ++i) out[i] = std::int64_t(common.add(text[i]));
}

// The first blocks of a text, four at a time, where the pattern fits into a word; how many were looked at.
template <class Code>
std::size_t alike_fours(const Pattern& pattern, const Code* text, std::size_t size, std::size_t block,
                        std::size_t width, std::size_t least, std::uint8_t* out) {
    std::vector<std::uint64_t> places(std::size_t(std::numeric_limits<Code>::max()) + 1);
    for (std::size_t code = 0; code < places.size(); ++code)
        if (const std::uint64_t* found = pattern.at(std::uint32_t(code))) places[code] = *found;
    std::size_t done = 0;
    for (; (done + 3) * block + width <= size; done += 4) {
        const Code* first = text + done * block;
        std::uint64_t state[4] = {~std::uint64_t(0), ~std::uint64_t(0), ~std::uint64_t(0), ~std::uint64_t(0)};
        std::size_t length[4] = {0, 0, 0, 0};
        for (std::size_t at = 0; at < width; ++at)
            for (std::size_t k = 0; k < 4; ++k) {
                const std::uint64_t common = state[k] & places[first[k * block + at]], sum = state[k] + common;
                length[k] += sum < common;
                state[k] = sum | (state[k] - common);
            }
        for (std::size_t k = 0; k < 4; ++k) out[done + k] = length[k] >= least;
    }
    return done;
}

// Which stretches, `width` characters from every multiple of `block` on, have `least` characters in common.
template <class Code>
void alike_blocks(const Pattern& pattern, const Code* text, std::size_t size, std::size_t block, std::size_t width,
                  std::size_t least, std::uint8_t* out) {
    Subsequence common(pattern);
    std::size_t i = 0;
    if constexpr (sizeof(Code) <= 2)
        if (pattern.words() == 1) i = alike_fours(pattern, text, size, block, width, least, out);
    for (std::size_t first = i * block; first < size; first += block, ++i) {
        const std::size_t end = size - first < width ? size : first + width;
        common.reset();
        std::size_t length = 0;
        for (std::size_t at = first; at < end && length < least && length + (end - at) >= least; ++at)
            length = common.add(std::uint32_t(text[at]));
        out[i] = length >= least;
    }
}

// A stretch of text, and how many characters it has in common with the pattern.
struct Alike {
    std::size_t start = 0, end = 0, length = 0;
};

// The stretch with the largest share of characters in common, 2 length / (count + stretch), that begins before `until`
// and has a character that is not a blank at both ends; of equal ones the shorter, then the earlier. end 0: none.
inline Alike best_span(const Pattern& pattern, const std::uint32_t* text, std::size_t size, std::size_t until,
                       std::size_t width) {
    Alike best;
    Subsequence common(pattern);
    for (std::size_t start = 0; start < until && start < size; ++start) {
        if (text[start] == ' ') continue;
        common.reset();
        const std::size_t last = size - start < width ? size : start + width;
        for (std::size_t at = start; at < last; ++at) {
            const std::size_t length = common.add(text[at]);
            if (text[at] == ' ' || !length) continue;
            const std::size_t ours = at + 1 - start, theirs = best.end - best.start;
            const auto left = length * (pattern.count() + theirs), right = best.length * (pattern.count() + ours);
            if (!best.end || left > right || (left == right && ours < theirs)) best = {start, at + 1, length};
        }
    }
    return best;
}

}  // namespace berrypick
