#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Posts a file of Markdown as a comment on a pull request of GitHub or a merge request of GitLab, or changes the
comment that it posted there before.

    comment.py github --number 12 comment.md     GITHUB_API_URL, GITHUB_REPOSITORY; the token is GITHUB_TOKEN
    comment.py gitlab --number 12 comment.md     CI_API_V4_URL, CI_PROJECT_ID; the token is GITLAB_TOKEN

A comment is known by a mark at its end with its --name, so several programs may each have one.  Exit status 0: posted,
or printed with --dry-run; 3: it could not be posted, and one line says why.
"""
import argparse
import html
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

PAGES = 20  # of 100 comments, in which the earlier one is looked for
LONGEST = 60000  # characters; GitHub takes 65536


class Refused(Exception):
    """What went wrong, as a sentence."""


def request(args, method, path, body=None):
    """Calls the API and returns what it answers."""
    headers = {"Content-Type": "application/json", "User-Agent": "armpmu"}
    if args.host == "github":
        headers |= {"Accept": "application/vnd.github+json", "Authorization": f"Bearer {args.token}"}
    else:
        headers |= {"PRIVATE-TOKEN": args.token}
    data = None if body is None else json.dumps(body).encode()
    call = urllib.request.Request(args.api.rstrip("/") + path, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(call, timeout=30) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        raise Refused(f"{method} {path}: status {error.code}: may this token write comments? "
                      "(of a fork it may not: print the comment in the job's summary)") from None
    except (OSError, ValueError) as error:
        raise Refused(f"{method} {path}: {error}") from None


def places(args):
    """Returns the path of the list of comments, and the method and path that change comment {}."""
    if args.host == "github":
        folder = f"/repos/{args.project}/issues"
        return f"{folder}/{args.number}/comments", "PATCH", folder + "/comments/{}"
    folder = f"/projects/{urllib.parse.quote(args.project, safe='')}/merge_requests/{args.number}/notes"
    return folder, "PUT", folder + "/{}"


def post(args, text, mark):
    """Changes the comment that has the mark, or makes one.  Returns what was done."""
    listed, method, one = places(args)
    for page in range(1, PAGES + 1):
        comments = request(args, "GET", f"{listed}?per_page=100&page={page}")
        if not isinstance(comments, list):
            raise Refused(f"GET {listed}: the answer is no list of comments")
        for comment in comments:
            if mark in (comment.get("body") or ""):
                if comment["body"] == text:
                    return "the comment is up to date"
                request(args, method, one.format(comment["id"]), {"body": text})
                return "the comment was changed"
        if len(comments) < 100:
            break
    request(args, "POST", listed, {"body": text})
    return "a comment was made"


def main():
    parser = argparse.ArgumentParser(description="Posts a comment on a pull or merge request.")
    parser.add_argument("host", choices=["github", "gitlab"])
    parser.add_argument("file")
    parser.add_argument("--number", required=True, help="the number of the pull or merge request")
    parser.add_argument("--name", default="counts", help="tells this comment from others on the same request")
    parser.add_argument("--api", help="the address of the API")
    parser.add_argument("--project", help="OWNER/NAME, or the number of a project of GitLab")
    parser.add_argument("--dry-run", action="store_true", help="print the comment, and call nobody")
    args = parser.parse_args()
    names = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN") if args.host == "github" else \
        ("CI_API_V4_URL", "CI_PROJECT_ID", "GITLAB_TOKEN")
    args.api = args.api or os.environ.get(names[0], "")
    args.project = args.project or os.environ.get(names[1], "")
    args.token = os.environ.get(names[2], "")
    mark = f"<!-- armpmu {html.escape(args.name)} -->"
    try:
        with open(args.file, encoding="utf-8", errors="replace") as file:
            text = file.read(4 * LONGEST)
        if len(text) > LONGEST:
            text = text[:LONGEST] + "\n\n(cut)\n"
        text = f"{text.rstrip()}\n\n{mark}\n"
        if args.dry_run:
            print(text, end="")
            return 0
        if not args.number.isdigit():
            raise Refused(f"--number: {args.number} is no number of a request")
        for value, name in zip((args.api, args.project, args.token), names):
            if not value:
                raise Refused(f"{name} is not set")
        print(f"comment.py: {post(args, text, mark)}")
    except (Refused, OSError) as error:
        print(f"comment.py: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
