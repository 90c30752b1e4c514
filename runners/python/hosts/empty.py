def prepare(_):
    return lambda _: b""
