"""The bytes of the protocol: the byte stream, and the words of the fold."""

from functools import lru_cache

from refused import failed

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15

# How many words of the stream are computed at a time.
LANES = 4096


@lru_cache(maxsize=64)
def _lanes(count):
    """Numbers of `count` lanes of 128 bits: ones, masks of 64 bits, and the steps of the state."""
    ones = int.from_bytes((1).to_bytes(16, "little") * count, "little")
    steps = b"".join((i * GOLDEN & MASK).to_bytes(16, "little") for i in range(1, count + 1))
    return ones, ones * MASK, int.from_bytes(steps, "little")


def stream(seed, size):
    """A message: protocol, "The byte stream". One integer has a lane of 128 bits for each word, so
    that Python adds and multiplies thousands of words at once, and no product leaves its lane."""
    out = []
    for at in range(0, size, 8 * LANES):
        count = min(LANES, (size - at + 7) // 8)
        ones, mask, steps = _lanes(count)
        z = (steps + ones * ((seed + at // 8 * GOLDEN) & MASK)) & mask
        z = ((z ^ (z >> 30) & mask) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27) & mask) * 0x94D049BB133111EB) & mask
        z ^= (z >> 31) & mask
        words = memoryview(z.to_bytes(16 * count, "little")).cast("Q")
        out.append(words[::2].tobytes())
    return b"".join(out)[:size]


def word(output):
    """The word of an output: protocol, "The fold"."""
    return int.from_bytes(output[:8], "little") + int.from_bytes(output[-8:], "little")


def nonce(number, length):
    """The nonce of a number: protocol, "Keys and nonces"."""
    return number.to_bytes(length, "big")


def from_hex(text, name):
    try:
        return bytes.fromhex(text)
    except (TypeError, ValueError):
        raise failed(f"`{name}` is not hex") from None


def pieces(message, chunks):
    """A message in chunks of these lengths, over and over."""
    at = turn = 0
    while at < len(message):
        end = at + chunks[turn % len(chunks)]
        yield message[at:end]
        at, turn = end, turn + 1
