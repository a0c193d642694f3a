"""Counts the test cases of one bazel test, and prints the line that says so.

Reads Bazel's build events, which name the test.xml of this run's targets and
of no other, and Bazel's exit status. A test that died and wrote no XML counts
as one failed case; so do a test that failed only after its cases had passed (a
leak, say), and a build that failed.
"""

import collections
import json
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree as xml

_BUILD_FAILED = 1


def final_results(events):
    """The last attempt of every run and shard of every test."""
    results = {}
    for line in events:
        event = json.loads(line)
        name = event["id"].get("testResult")
        if name:
            key = (name["label"], name.get("run"), name.get("shard"))
            results[key] = event["testResult"]
    return results.values()


def outcome(case):
    """What became of one <testcase>; None for one that is disabled."""
    if case.get("status") == "notrun":
        return None
    for tag, result in (("failure", "failed"), ("error", "failed"), ("skipped", "skipped")):
        if case.find(tag) is not None:
            return result
    return "passed"


def count_cases(result):
    """The outcomes of the cases in one test.xml."""
    counts = collections.Counter()
    for output in result.get("testActionOutput", ()):
        if output["name"] == "test.xml":
            path = urllib.request.url2pathname(urllib.parse.urlparse(output["uri"]).path)
            try:
                cases = xml.parse(path).iter("testcase")
            except (OSError, xml.ParseError):
                continue
            counts.update(filter(None, map(outcome, cases)))
    if result["status"] != "PASSED" and not counts["failed"]:
        counts["failed"] = 1
    return counts


def main(path, status):
    with open(path, encoding="utf-8") as events:
        counts = sum(map(count_cases, final_results(events)), collections.Counter())
    if status == _BUILD_FAILED or status and not counts["failed"]:
        counts["failed"] += 1
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    if counts["skipped"]:
        line += f", {counts['skipped']} skipped"
    print(line)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
