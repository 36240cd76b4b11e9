"""The citation says what the package says of itself, and where the cited papers are."""

from __future__ import annotations

import sys

import yaml

from tests.docs.pages import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def test_the_citation_is_of_this_version_and_leads_to_the_papers() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["version"] == project["version"]
    assert cited["license"] == "MIT"
    assert {"message", "title", "abstract", "authors", "keywords", "cff-version"} <= set(cited)
    papers = [cited["preferred-citation"], *cited["references"]]
    assert [paper["title"] for paper in papers if not {"url", "doi", "institution"} & set(paper)] == []
