"""The runner hosts contenders of Python and speaks the protocol of protocol/SPEC.md on standard
input and output."""

import json
import os
import sys

from server import Server

# The protocol's limit of a line, in bytes.
LONGEST = 48 << 20


def main():
    # Standard output is for replies only: the output of a library goes to the log.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    server = Server()
    while True:
        line = sys.stdin.buffer.readline(LONGEST + 1)
        if len(line) > LONGEST:
            sys.exit("a line of over 48 MiB")
        if not line:
            return
        reply, bye = server.answer(line)
        replies.write(json.dumps(reply).encode() + b"\n")
        replies.flush()
        if bye:
            return


main()
