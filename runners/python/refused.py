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


def in_words(error):
    """An error of a library."""
    return str(error) or type(error).__name__
