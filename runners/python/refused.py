"""What a reply says if its status is not ok."""


class Refused(Exception):
    """Arguments: status, reason, and the remedy if there is one."""

    def reply(self):
        return dict(zip(("status", "reason", "remedy"), self.args))


class NotAuthentic(Exception):
    """The input of `open` is not authentic."""


def failed(reason):
    return Refused("failed", reason)


def unsupported(reason):
    return Refused("unsupported", reason)


def refused_algorithm(primitive, error):
    """The OpenSSL below a library does not have an algorithm, as some in FIPS mode."""
    reason = f"OpenSSL or the library above it refuses {primitive}: {error}"
    return Refused("missing", reason, "leave FIPS mode, or take a Python whose OpenSSL has it")


def in_words(error):
    """An error of a library."""
    return str(error) or type(error).__name__
