# SPDX-License-Identifier: BSD-2-Clause
"""record.py PORT FILE: stands between one client and the GDB server at PORT of this machine, prints the port to connect
to, and writes the requests and replies to FILE as test/cli/state/peer.h reads them: "> REQUEST", "< REPLY", | for a new line."""

import re
import select
import socket
import sys

PACKET = re.compile(rb"\$([^#]*)#[0-9a-fA-F]{2}", re.S)


def relay(client, server):
    """All that each side sent, in the order of the packets: (from the client?, packet)."""
    pending = {client: b"", server: b""}
    packets = []
    while True:
        for end in select.select([client, server], [], [], 30)[0]:
            data = end.recv(65536)
            if not data:
                return packets
            (server if end is client else client).sendall(data)
            pending[end] += data
            for found in PACKET.finditer(pending[end]):
                packets.append((end is client, found[1].decode("latin-1")))
            pending[end] = PACKET.sub(b"", pending[end])


def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1)
    print(listener.getsockname()[1], flush=True)
    client = listener.accept()[0]
    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    packets = relay(client, server)
    with open(sys.argv[2], "w", encoding="latin-1", newline="\n") as out:
        for asked, text in packets:
            if "|" in text:
                sys.exit("record.py: a packet has a |, which the format has for a new line")
            print(">" if asked else "<", text.replace("\n", "|"), file=out)


main()
