"""Prints the medians of two sides' figures and their ratios, out of the reports that Benchmarks/compare wrote."""

import json
import pathlib
import re
import statistics
import sys

# Of these more is better; of all others less is.
HIGHER_IS_BETTER = re.compile(r"[pP]erSecond|\bshare|\bratio|\barrivedInTime")


def figures(value, path=()):
    """The numbers of a report by their path; an element of a list goes by its rate or name where it has one."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from figures(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from figures(part, (*path, label(part, index)))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield ".".join(path), float(value)


def label(part, index):
    if isinstance(part, dict):
        named = {**part, **part.get("outcome", {})} if isinstance(part.get("outcome"), dict) else part
        for key in ("name", "kind", "changesPerSecond", "clients", "streams", "cards", "deliveries"):
            if isinstance(named.get(key), (str, int, float)):
                return f"{key}={named[key]}"
    return str(index)


def read(folder, side):
    """Every run's value of each figure that all runs of the side have, but for the description of the machine."""
    reports = [dict(figures(json.loads(file.read_text()))) for file in sorted(folder.glob(f"{side}-*.json"))]
    shared = set(reports[0]).intersection(*reports[1:])
    return {name: [report[name] for report in reports] for name in shared if not name.startswith("machine.")}


def verdict(name, base, head):
    """Says whether the medians differ by more than the runs of either side do, and which way."""
    before, after = statistics.median(base), statistics.median(head)
    spread = max(max(base) - min(base), max(head) - min(head))
    if abs(after - before) <= spread:
        return ""
    measured = re.sub(r"\w+=[^.]*\.", "", name)
    return "better" if (after > before) == bool(HIGHER_IS_BETTER.search(measured)) else "WORSE"


def text(number):
    return f"{number:.0f}" if abs(number) >= 1000 or number == int(number) else f"{number:.3g}"


def main():
    part, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    base, head = read(folder, "base"), read(folder, "head")
    print(f"| figure of {part} | base | head | ratio | base, least to most | head, least to most | |")
    print("|---|---|---|---|---|---|---|")
    worse = []
    for name in sorted(base.keys() & head.keys()):
        if len({*base[name], *head[name]}) == 1:
            # What was asked for, or what nothing changes.
            continue
        before, after = statistics.median(base[name]), statistics.median(head[name])
        ratio = f"{after / before:.3f}" if before else ""
        word = verdict(name, base[name], head[name])
        if word == "WORSE":
            worse.append(name)
        ranges = [f"{text(min(side[name]))} to {text(max(side[name]))}" for side in (base, head)]
        print(f"| {name} | {text(before)} | {text(after)} | {ratio} | {ranges[0]} | {ranges[1]} | {word} |")
    for name in sorted(base.keys() ^ head.keys()):
        print(f"only {'base' if name in base else 'head'} has {name}")
    if worse:
        print(f"\nworse by more than the runs differ: {', '.join(worse)}", file=sys.stderr)
        sys.exit(1)


main()
