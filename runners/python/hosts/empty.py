"""The empty operation: what the runner itself takes for a call."""


def prepare(_):
    return lambda _: b""
