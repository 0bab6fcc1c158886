# SPDX-License-Identifier: BSD-2-Clause
"""record.py PORT FILE: relays one client to the GDB server at PORT of this machine.

Prints the port to connect to, and writes requests and replies to FILE in the format of test/cli/state/peer.h:
"> REQUEST" and "< REPLY", with | for a newline."""

import re
import select
import socket
import sys

PACKET = re.compile(rb"\$([^#]*)#[0-9a-fA-F]{2}", re.S)


def relay(client, server):
    """Relays until one side ends.  Returns the packets in their order, as (sent by the client, packet)."""
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
                sys.exit("record.py: a packet has a |, which stands for a newline in the format")
            print(">" if asked else "<", text.replace("\n", "|"), file=out)


main()
