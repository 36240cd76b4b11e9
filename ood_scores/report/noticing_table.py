"""Table of what was noticed in time, in Markdown: one line per detector, the best one by speed, category and more."""

from __future__ import annotations

from collections.abc import Mapping

from caos.ood_scores.measuring.noticing import NoticedBy, NoticedGroup, Noticing

HEAD = ("approaches", "noticed", "in time", "median distance", "mark lost")


def noticing_words(noticing: Noticing | None) -> str:
    """How it is measured, in a few sentences; nothing without approaches."""
    if noticing is None:
        return ""
    rules = noticing.rules
    return (
        f"On approaches {noticing.definition}. The threshold allows at most {rules.false_alarms_per_hour:g} false "
        f"alarms per hour (in {60 * noticing.hours:.1f} minutes of driving, one alarm counts as "
        f"{1 / noticing.hours:.0f} per hour). In time means no nearer than the stopping distance, with "
        f"{rules.reaction_s:g} s of reaction and friction {rules.friction_dry:g} (wet {rules.friction_wet:g}); "
        "approaches that begin nearer than that are not judged."
    )


def noticing_table(noticing: Noticing | None, titles: Mapping[str, str]) -> list[str]:
    """Lines of Markdown; none without approaches."""
    if noticing is None:
        return []
    lines = [
        "",
        "## Noticed in time",
        "",
        noticing_words(noticing),
        "",
        *_head("scorer", "false alarms per hour", rest=HEAD),
    ]
    names = best_first(noticing)
    for name in names:
        found = noticing.scorers[name]
        lines.append(f"| {titles.get(name, name)} | {found.false_alarms_per_hour:.0f} | {_cells(found.every)} |")
    best = noticing.scorers[names[0]]
    lines += ["", "Noticed in time (and at all), with at most this many false alarms per hour:", ""]
    lines += _head("scorer", rest=tuple(best.at_rates))
    for name in names:
        cells = [f"{group.in_time} ({group.noticed})" for group in noticing.scorers[name].at_rates.values()]
        lines.append(f"| {titles.get(name, name)} | " + " | ".join(cells) + " |")
    lines += [
        "",
        f"By hazard and conditions, {titles.get(names[0], names[0])}:",
        "",
        *_head("by", "group", rest=HEAD),
    ]
    for by, groups in best.groups.items():
        lines += [f"| {by} | {group} | {_cells(numbers)} |" for group, numbers in groups.items()]
    return lines


def best_first(noticing: Noticing) -> list[str]:
    """The detectors, the one that notices most in time first."""
    return sorted(noticing.scorers, key=lambda name: _order(noticing.scorers[name]))


def _head(*first: str, rest: tuple[str, ...]) -> list[str]:
    names = [*first, *rest]
    return ["| " + " | ".join(names) + " |", "|---" + "|---:" * (len(names) - 1) + "|"]


def _order(found: NoticedBy) -> tuple[tuple[int, int, float], ...]:
    """Best first: in time, then noticed, then from afar; between equals, by what more false alarms would allow."""
    groups = (found.every, *found.at_rates.values())
    return tuple((-group.in_time, -group.noticed, -(group.median_m or 0.0)) for group in groups)


def _cells(group: NoticedGroup) -> str:
    median = "" if group.median_m is None else f"{group.median_m:.1f} m"
    in_time = f"{group.in_time} of {group.judged}" if group.judged else "none judged"
    return f"{group.approaches} | {group.noticed} | {in_time} | {median} | {group.lost:.1f}"
