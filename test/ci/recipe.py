#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the recipes of ci/ as GitHub and GitLab run them, in the folder of a project.

    recipe.py github ACTION.YML [INPUT=VALUE...]    each step of the composite action, with a pull request's event
    recipe.py gitlab TEMPLATE.YML [VARIABLE=VALUE...] before_script and script of the hidden job, in one shell

The event comes from the environment: BASE_SHA, the commit of the target branch, and REQUEST, the request's number.
Exit status: that of the first step that failed.  --skip NAME leaves out the step NAME, or before_script.
"""
import os
import re
import subprocess
import sys
import tempfile

import yaml


def words(arguments):
    """Returns the values of NAME=VALUE, and the names after --skip."""
    values, skipped = {}, []
    rest = iter(arguments)
    for word in rest:
        if word == "--skip":
            skipped.append(next(rest))
        else:
            name, _, value = word.partition("=")
            values[name] = value
    return values, skipped


def github(path, values, skipped):
    """Runs the steps of an action.  An expression that this does not know is an error."""
    with open(path, encoding="utf-8") as file:
        action = yaml.safe_load(file)
    known = {"github.event.pull_request.base.sha || github.event.before": os.environ["BASE_SHA"],
             "github.event.pull_request.number": os.environ["REQUEST"],
             "github.token": os.environ.get("GITHUB_TOKEN", ""),
             "always() && github.event_name == 'pull_request'": "true"}

    def expand(text):
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: known[match[1]], str(text))

    for name, row in action["inputs"].items():
        if name not in values and row.get("required"):
            sys.exit(f"the input {name} is missing")
        known[f"inputs.{name}"] = values.pop(name) if name in values else expand(row["default"])
    if values:
        sys.exit(f"there is no input {', '.join(values)}")
    failed = 0
    with tempfile.NamedTemporaryFile() as summary:
        for step in action["runs"]["steps"]:
            always = "always()" in step.get("if", "")
            if step["name"] in skipped or failed and not always or expand(step.get("if", "true")) != "true":
                continue
            env = {name: expand(value) for name, value in step.get("env", {}).items()}
            env |= {"GITHUB_ACTION_PATH": os.path.dirname(os.path.abspath(path)), "GITHUB_STEP_SUMMARY": summary.name}
            inherited = {name: value for name, value in os.environ.items() if name != "GITHUB_TOKEN"}
            result = subprocess.run([step["shell"], "-e", "-c", step["run"]], env=inherited | env, check=False)
            print(f"step {step['name']}: status {result.returncode}", flush=True)
            failed = failed or result.returncode
    return failed


def gitlab(path, values, skipped):
    """Runs the scripts of the one job of a template."""
    with open(path, encoding="utf-8") as file:
        job = next(iter(yaml.safe_load(file).values()))
    env = os.environ | {name: str(value) for name, value in job["variables"].items()} | values
    env |= {"CI_MERGE_REQUEST_DIFF_BASE_SHA": os.environ["BASE_SHA"], "CI_MERGE_REQUEST_IID": os.environ["REQUEST"],
            "CI_PROJECT_DIR": os.getcwd()}
    lines = [] if "before_script" in skipped else job["before_script"]
    script = "\n".join(lines + job["script"])
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], env=env, check=False).returncode


def main():
    host, path = sys.argv[1:3]
    values, skipped = words(sys.argv[3:])
    sys.exit({"github": github, "gitlab": gitlab}[host](path, values, skipped))


main()
