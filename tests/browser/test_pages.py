"""The pages in a real Chromium, opened from the file system."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore")]

MARKUP = "<img src=x onerror=document.title='pwned'>"


def go(page: Any, site: Path, name: str) -> None:
    file, _, fragment = name.partition("#")
    page.goto((site / file).as_uri() + (f"#{fragment}" if fragment else ""))


def column(page: Any, number: int) -> list[str]:
    return [cell.strip() for cell in page.locator(f"#table tbody tr td:nth-child({number})").all_inner_texts()]


def test_the_overview_table_sorts(page: Any, site: Path) -> None:
    go(page, site, "index.html")
    auroc = [float(text.split()[0]) for text in column(page, 3)]
    assert len(auroc) == 2
    assert auroc == sorted(auroc, reverse=True)
    page.locator("#table").get_by_role("button", name="scorer").click()
    assert column(page, 1) == ["MSP", "MaxLogit"]
    page.locator("#table").get_by_role("button", name="scorer").click()
    assert column(page, 1) == ["MaxLogit", "MSP"]
    assert page.locator("#table th[aria-sort]").count() == 1


def test_open_set_instances_and_published_rows_have_their_tables(page: Any, site: Path) -> None:
    go(page, site, "index.html")
    content = json.loads((site.parent / "results/results.json").read_text())
    open_set = content["open_set"]["scorers"]["msp"]["recall_95"]
    row = page.locator("#open-set tbody tr", has_text="MSP").first.locator("td").all_inner_texts()
    assert float(row[1].split()[0]) == pytest.approx(100 * open_set["open_miou"], abs=0.06)
    assert f"Closed-mIoU {100 * content['open_set']['closed_miou']:.1f}" in page.locator("#open-set").inner_text()
    row = page.locator("#instances tbody tr", has_text="MSP").locator("td").all_inner_texts()
    assert float(row[2].split()[0]) == pytest.approx(100 * content["instances"]["scorers"]["msp"]["ap50"], abs=0.06)
    assert page.locator("#table tr.theirs").count() == 0
    page.locator("#published").check()
    published = page.locator("#table").inner_text()
    assert "PSPNet, ResNet-101, without negatives" in published
    # Measured by another protocol than the one that is shown.
    assert "DenseHybrid" not in published
    groups = page.locator("#table tr.group").all_inner_texts()
    assert groups[-1] == "Not known whether trained with negatives"
    assert "Mask2Anomaly" in page.locator("#published-open-set").text_content()


def test_the_first_page_begins_with_what_was_noticed_missed_and_falsely_marked(page: Any, site: Path) -> None:
    go(page, site, "index.html")
    data = json.loads((site / "data.js").read_text().removeprefix("window.CAOS = ").rstrip(";\n"))
    kinds = [frame["kind"] for frame in data["telling"]]
    assert kinds[0] == "noticed"
    assert page.locator("#strip > figure").count() == len(kinds)
    first = data["telling"][0]
    marked = data["frames"][first["frame"]]["hazards"][first["hazard"]]["marked"]
    share = 100 * marked[data["scorers"].index(first["scorer"])]
    assert (
        f"{data['titles'][first['scorer']]} marks {share:.0f} % of it"
        in page.locator("#strip figure.noticed").first.inner_text()
    )
    page.locator("#strip a").first.click()
    page.wait_for_selector("#viewer h2:not(:empty)")
    assert page.locator("#viewer h2").inner_text() == data["frames"][first["frame"]]["key"]


def test_a_line_is_lit_when_its_name_is_chosen(page: Any, site: Path) -> None:
    go(page, site, "index.html")
    assert page.locator("#curves .line.lit").count() == 0
    page.locator("#curves figure").first.get_by_role("button", name="MSP").click()
    assert page.locator("#curves .line.lit").count() == 1
    assert "AUROC" in page.locator("#curves figure").first.locator("text.told").last.text_content()


def test_curves_and_breakdowns_are_drawn(page: Any, site: Path) -> None:
    go(page, site, "index.html")
    assert page.locator("#curves svg path.line").count() == 4
    for number in range(2):
        labels = page.locator("#curves figure").nth(number).locator("text.series")
        (one, other) = [box for label in labels.all() if (box := label.bounding_box()) is not None]
        apart_x = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
        assert apart_x or one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    names = page.locator("#breakdowns figcaption").all_inner_texts()
    assert {"By category", "By distance", "By weather", "By size"} <= set(names)


def test_the_slider_changes_the_overlay_and_its_shares(page: Any, site: Path) -> None:
    go(page, site, "gallery.html")
    page.locator(".tile").first.click()
    page.wait_for_selector("#tp")
    stack = page.locator(".stack")

    def at(level: int) -> tuple[bytes, float, float]:
        page.locator("#threshold").evaluate(f"e => {{ e.value = {level}; e.dispatchEvent(new Event('input')); }}")
        page.wait_for_timeout(150)
        shares = [float(page.locator(f"{name} b").inner_text().split()[0]) for name in ("#tp", "#fp")]
        return stack.screenshot(), shares[0], shares[1]

    levels = page.evaluate("CAOS.levels[CAOS.telling.length ? CAOS.telling[0].scorer : CAOS.scorers[0]].alarms")
    code, regions = levels[0]
    at(code)
    assert page.locator("#set").inner_text().endswith(f", {60 * regions:g} false alarms per minute")
    low, low_found, low_false = at(1)
    high, high_found, high_false = at(255)
    assert low != high
    assert low_found >= high_found
    assert low_false > high_false
    assert low_false > 50
    again, _, _ = at(1)
    assert again == low


def test_filters_filter_and_hardest_comes_first(page: Any, site: Path) -> None:
    go(page, site, "gallery.html")
    assert page.locator(".tile").count() == 5
    bar = page.locator(".tile .meter i").first.bounding_box()
    assert bar["height"] >= 4
    assert bar["width"] > 20
    page.get_by_label("Town").select_option("t6")
    assert page.locator(".tile b").all_text_contents() == ["test/t6/4", "test/t6/5"]
    page.get_by_label("Town").select_option("any")
    page.get_by_label("Weather").select_option("clear")
    assert page.locator(".tile").count() == 2
    page.get_by_label("Category").select_option("animals")
    assert page.locator(".tile").count() == 0
    page.get_by_label("Weather").select_option("any")
    page.get_by_label("Category").select_option("any")
    page.get_by_label("Distance").select_option("over 25 m")
    assert page.locator(".tile b").all_text_contents() == ["test/t5/3", "test/t6/4", "test/t6/5"]
    page.get_by_label("Distance").select_option("any")
    page.get_by_label("Order").select_option("hardest")
    titles = page.locator(".tile .meter").evaluate_all("all => all.map(m => parseFloat(m.title.slice(6)))")
    assert titles == sorted(titles)


def test_the_keyboard_walks_and_flips(page: Any, site: Path) -> None:
    go(page, site, "gallery.html#test%2Ft5%2F2")
    page.wait_for_selector("#tp")
    heading = page.locator("#viewer h2")
    assert heading.inner_text() == "test/t5/2"
    page.keyboard.press("ArrowRight")
    assert heading.inner_text() == "test/t5/3"
    page.keyboard.press("t")
    assert page.locator("[data-layer=twin]").get_attribute("aria-pressed") == "true"
    assert page.locator(".stack img").first.get_attribute("src").endswith("twin.webp")
    page.keyboard.press("3")
    assert page.locator(".stack img").first.get_attribute("src").endswith("truth.webp")
    page.keyboard.press("s")
    assert page.get_by_label("Scorer").input_value() == "msp"


def test_a_link_restores_the_view(page: Any, site: Path) -> None:
    go(page, site, "gallery.html")
    page.get_by_label("Weather").select_option("clear")
    page.locator(".tile").first.click()
    page.get_by_label("Compare with").select_option("score msp")
    page.locator("#swipe").fill("40")
    page.locator("#threshold").fill("77")
    page.locator("[data-layer=truth]").click()
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("#tp")
    assert page.locator(".tile").count() == 2
    assert page.locator("#viewer h2").inner_text() == "test/t5/2"
    assert page.get_by_label("Compare with").input_value() == "score msp"
    assert (page.locator("#swipe").input_value(), page.locator("#threshold").input_value()) == ("40", "77")
    assert page.locator("[data-layer=truth]").get_attribute("aria-pressed") == "true"


def test_the_pointer_tells_classes_and_scores(page: Any, site: Path) -> None:
    go(page, site, "gallery.html#test%2Ft5%2F1")
    page.wait_for_selector("#tp")
    box = page.locator("#viewer .stack").bounding_box()
    for (x, y), truth in {(28, 70): "anomaly", (80, 10): "background", (150, 90): "road"}.items():
        page.mouse.move(box["x"] + box["width"] * x / 160, box["y"] + box["height"] * y / 96)
        page.locator("#pixel", has_text=f"x {x}, y {y} ").wait_for()
        said = page.locator("#pixel").inner_text()
        assert f"truth: {truth} " in said
        assert "of the ordinary pixels" in said or "lowest scores" in said


def test_holding_shows_the_other_layer_alone(page: Any, site: Path) -> None:
    go(page, site, "gallery.html#test%2Ft5%2F1")
    clip = "e => getComputedStyle(e).clipPath"
    before = page.locator(".pane.back").evaluate(clip)
    page.keyboard.down(" ")
    assert page.locator(".pane.back").evaluate(clip) == "none"
    page.keyboard.up(" ")
    assert page.locator(".pane.back").evaluate(clip) == before != "none"


def test_markup_in_a_name_stays_text(page: Any, site: Path) -> None:
    go(page, site, "hazards.html")
    assert MARKUP in page.locator("#matrix .face b").all_inner_texts()
    go(page, site, "gallery.html")
    page.locator(".tile").first.click()
    assert page.locator(".box em").first.inner_text() == MARKUP
    page.wait_for_timeout(100)
    assert "pwned" not in page.title()


def test_hazards_are_a_matrix_with_pictures_that_leads_to_the_frames(page: Any, site: Path) -> None:
    go(page, site, "hazards.html")
    assert page.locator("#matrix tbody tr").count() == 5
    assert page.locator("#matrix thead th").count() == 2
    shares = [float(text) for text in page.locator("#matrix tbody tr td:nth-child(2)").all_inner_texts()]
    rows = [json.loads(line) for line in (site.parent / "results/images.jsonl").read_text().splitlines()]
    best = page.locator("#matrix thead th").first.inner_text()
    flagged = [
        100 * row["hazards"][0]["flagged"][{"MSP": "msp", "MaxLogit": "max_logit"}[best]]["false_alarms_1"]
        for row in rows
    ]
    assert sorted(shares) == pytest.approx(sorted(flagged), abs=0.6)
    page.locator("#matrix .face").first.click()
    assert page.locator("tr.members li").count() == 1
    assert page.locator("tr.members canvas").count() == 1
    page.get_by_label("Rows").select_option("category")
    assert sorted(page.locator("#matrix .face b").all_inner_texts()) == ["animals", "furniture"]
    page.locator("#matrix .face").first.click()
    page.locator("tr.members a").first.click()
    page.wait_for_selector("#viewer h2:not(:empty)")
    assert page.locator("#viewer h2").inner_text().startswith("test/")


def test_the_dataset_page_shows_shares_beside_the_genuine_ones(page: Any, site: Path) -> None:
    go(page, site, "dataset.html")
    assert page.locator("#shares figure").count() == 2
    names = [
        figure.locator("text[text-anchor=end]").all_text_contents() for figure in page.locator("#shares figure").all()
    ]
    assert names[0] == names[1]
    assert (
        "genuine 37.74 %" in page.locator("#shares [data-town='test/t5'] title", has_text="road:").first.text_content()
    )
    assert page.locator("#class-samples b").all_inner_texts() == ["background", "road", "anomaly"]
    assert page.locator("#weather-samples b").all_inner_texts() == ["clear", "fog"]
    assert page.locator("#hazard-plots figcaption").all_inner_texts() == ["Distance", "Size in the image"]
    assert page.locator("#sheet img").evaluate("i => i.complete || i.loading === 'lazy'")


@pytest.mark.parametrize("name", ["index.html", "gallery.html", "hazards.html", "dataset.html"])
def test_a_phone_does_not_scroll_sideways(page: Any, site: Path, name: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    go(page, site, name)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_light_and_dark(page: Any, site: Path) -> None:
    go(page, site, "index.html")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


@pytest.fixture(scope="module")
def large_site(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same site with 1,500 frames: what the pages read is long, the pictures are those of the five."""
    root = tmp_path_factory.mktemp("large") / "site"
    shutil.copytree(site, root)
    data = json.loads((site / "data.js").read_text().removeprefix("window.CAOS = ").rstrip(";\n"))
    frames = [dict(data["frames"][n % 5], key=f"test/t{5 + n % 2}/{n}") for n in range(1500)]
    for n, frame in enumerate(frames):
        frame["hazards"] = [dict(hazard, object=f"object_{n % 400}") for hazard in frame["hazards"]]
    (root / "data.js").write_text(f"window.CAOS = {json.dumps(data | {'frames': frames}, separators=(',', ':'))};\n")
    return root


def test_fifteen_hundred_frames_open_light(page: Any, large_site: Path) -> None:
    go(page, large_site, "gallery.html")
    assert page.locator("#count").inner_text() == "1500 of 1500 frames"
    assert page.locator(".tile").count() <= 240
    page.locator(".tile").nth(100).scroll_into_view_if_needed()
    page.locator(".tile").nth(130).wait_for(state="attached")
    page.get_by_label("Order").select_option("hardest")
    assert page.evaluate("document.querySelectorAll('*').length") < 6000
    go(page, large_site, "hazards.html")
    assert page.locator("#matrix tbody tr").count() == 60
    page.get_by_role("button", name="Show more (340 left)").click()
    assert page.locator("#matrix tbody tr").count() == 300
    # Two scorers here: a frame costs little beside its scorers' numbers.
    assert (large_site / "data.js").stat().st_size < 1500 * 700


def test_pages_print_in_light_colours_and_have_names_for_screen_readers(page: Any, site: Path) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    go(page, site, "index.html")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--c5')").strip() == "#94700a"
    for name in ("index.html", "gallery.html#test%2Ft5%2F1", "hazards.html", "dataset.html"):
        go(page, site, name)
        nameless = (
            "all => all.filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).length"
        )
        assert page.locator("button, select, input, a[href]").evaluate_all(nameless) == 0
        assert page.locator("img:not([alt])").count() == 0
        assert page.locator("svg.chart:not([aria-label])").count() == 0


def test_words_of_the_data_read_as_words(page: Any, site: Path) -> None:
    page.goto((site / "hazards.html").as_uri())
    words = page.evaluate("['boats_aircraft', '0-10 m', 't1-3', 'road_line'].map(plain)")
    assert words == ["boats and aircraft", "0\u201310 m", "t1-3", "road line"]
    assert page.locator("[data-name=sofa_01] b").evaluate("name => name.innerHTML") == "sofa_<wbr>01"
