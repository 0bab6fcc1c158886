#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Plays the part of the APIs of GitHub and GitLab that ci/comment.py calls, with comments in memory.

    api.py PORT-FILE LOG    writes its port to PORT-FILE, and a line for each call to LOG

The token "good" may write, "reader" may read, and any other may nothing.  120 comments of others are there at first.
"""
import http.server
import json
import os
import sys
import urllib.parse

comments = [{"id": i, "body": f"comment {i} of somebody else"} for i in range(1, 121)]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one call."""

    def answer(self, status, body):
        """Sends an answer, and logs the call."""
        with open(sys.argv[2], "a", encoding="utf-8") as log:
            log.write(f"{self.command} {self.path} {status}\n")
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def serve(self):
        """Answers any call."""
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        token = self.headers.get("PRIVATE-TOKEN") or (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        place = urllib.parse.urlsplit(self.path)
        parts = place.path.strip("/").split("/")
        page = int(dict(urllib.parse.parse_qsl(place.query)).get("page", 1))
        if token not in ("good", "reader") or token == "reader" and self.command != "GET":
            self.answer(403, {"message": "no"})
        elif parts[-2:] in (["12", "comments"], ["12", "notes"]) and self.command == "GET":
            self.answer(200, comments[100 * (page - 1):100 * page])
        elif parts[-2:] in (["12", "comments"], ["12", "notes"]) and self.command == "POST":
            comments.append({"id": len(comments) + 1, "body": body["body"]})
            self.answer(201, comments[-1])
        elif self.command in ("PATCH", "PUT") and parts[-1].isdigit() and 0 < int(parts[-1]) <= len(comments):
            comments[int(parts[-1]) - 1]["body"] = body["body"]
            self.answer(200, comments[int(parts[-1]) - 1])
        elif parts == ["comments"]:
            self.answer(200, comments[120:])
        else:
            self.answer(404, {"message": "nothing here"})

    do_GET = do_POST = do_PATCH = do_PUT = serve

    def log_message(self, *_):
        """Prints nothing."""


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w", encoding="utf-8") as port_file:
    port_file.write(str(server.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
