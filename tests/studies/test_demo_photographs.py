"""The demo's word on photographs: the transfer study of its run, told and linked on its first page."""

from __future__ import annotations

import re
from pathlib import Path

from caos.demo import _report, _transfer
from caos.foundation.execution.progress import Terminal
from caos.ood_scores.command import Request, run_request
from tests.ood_scores import little


def test_the_demos_page_tells_and_links_the_study(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    little.write_set(out / "data", test=3, val=1)
    little.write_set(tmp_path / "photos", test=3, val=0, seed=4)
    little.write_run(out / "run")
    scorers = "msp,max_logit,entropy"
    run_request(Request(out / "data", out / "run", out / "results", scorers, "caos,smiyc", components=False))
    study = _transfer(tmp_path / "photos", out, 0, Terminal())
    assert [entry["name"] for entry in study.content.details["entries"]] == ["demo on streets", "demo on photographs"]
    assert study.content.lead.startswith(
        "The order of scorers of demo on streets (AUROC, caos) correlates with that of"
    )
    page = _report(out / "results", out / "site", study, Terminal())
    told = re.search(r'<h2>On photographs</h2><p class="lead">(.*) <a href="(.*)">', page.read_text())
    assert told is not None
    assert told[1] == study.content.lead
    assert (page.parent / told[2]).resolve() == study.page.resolve()
