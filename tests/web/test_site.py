"""What an operator sets: title, footer, calibration; and what other sites show of links."""

from __future__ import annotations

import struct
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.strength.estimate_cases import game, make_case
from tests.web.made_results import SCRIPT, backgammon_result, go_result, results_csv, store_result
from tests.web.reading import Element, read_page
from tests.web.serving import Server, serving, settings_for
from yardstone.errors import InputError, UsageError
from yardstone.strength.calibration import Calibration
from yardstone.strength.estimation import estimate_everyone
from yardstone.strength.model import default_model
from yardstone.web.kinds import KINDS
from yardstone.web.kinds.go import go_result as result_of
from yardstone.web.kinds.go import own_scale
from yardstone.web.kinds.kind import Card
from yardstone.web.pages.job_pages import card_png
from yardstone.web.settings import footer_html, load_settings

HTML = {"Accept": "text/html"}
PLOT = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")


def metas(page: Element) -> dict[str, str]:
    result = page.one("head").all("meta")
    return {
        each.attributes.get("property") or each.attributes["name"]: each.attributes["content"]
        for each in result
        if "property" in each.attributes or "name" in each.attributes
    }


def shown(server: Server, path: str, **headers: str) -> Element:
    answer = server.get(path, headers={**HTML, **headers})
    assert answer.status_code == 200
    return read_page(answer.text)


def test_title_and_footer_stand_on_every_page(tmp_path: Path) -> None:
    footer = "Run by **Ann & Bob**. [Imprint](https://example.org/imprint)\n\n[Privacy](/privacy)"
    with serving(tmp_path, title="Strength <of> Go", footer=footer) as server:
        job = "/r/" + store_result(server.worker.store, "go", go_result(1))
        for path in ("/", job):
            page = shown(server, path)
            assert page.one("head").one("title").text.endswith(" · Strength <of> Go")
            assert page.one("a", class_="home").text == "Strength <of> Go"
            below = page.one("footer")
            assert [each.text for each in below.all("p")][:2] == [
                "Run by Ann & Bob. Imprint",
                "Privacy",
            ]
            assert [each.attributes["href"] for each in below.all("a")] == [
                "https://example.org/imprint",
                "/privacy",
            ]
        assert metas(shown(server, job))["og:site_name"] == "Strength <of> Go"
        assert "Strength &lt;of&gt; Go" in server.get("/nowhere", headers=HTML).text


@pytest.mark.parametrize("target", ["javascript:alert", "data:text/html,x", "//x.org", "ftp://x"])
def test_a_footer_leads_nowhere_strange(target: str) -> None:
    with pytest.raises(UsageError, match="footer: a link to"):
        footer_html(f"[a]({target})")


def test_a_footer_is_text_where_it_is_no_link() -> None:
    made = str(footer_html('<img src=x onerror="x"> [a](https://x.org/?a&b)'))
    assert "<img" not in made
    assert 'href="https://x.org/?a&amp;b"' in made
    with pytest.raises(UsageError):
        footer_html('[a](https://x.org/"onclick="y)')
    assert str(footer_html("a * b [c] (d)")) == "<p>a * b [c] (d)</p>"
    assert footer_html("  \n\n ") == ""


def test_a_footer_from_a_file_and_from_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "imprint.md"
    file.write_text("Ann, Berlin.\n", encoding="utf-8")
    assert load_settings(options={"footer": str(file)}, environment={}).footer == "Ann, Berlin.\n"
    environment = {"YARDSTONE_SERVE_FOOTER": "Ann.", "YARDSTONE_SERVE_TITLE": "Club"}
    result = load_settings(environment=environment)
    assert (result.title, result.footer) == ("Club", "Ann.")
    with pytest.raises(InputError, match="cannot be read"):
        load_settings(options={"footer": str(tmp_path / "none.txt")}, environment={})
    with pytest.raises(UsageError, match="link"):
        load_settings(options={"footer": "[a](ftp://example.org)"}, environment={})
    with pytest.raises(UsageError, match="title"):
        load_settings(options={"title": " "}, environment={})


# Cards


def test_a_link_to_a_result_has_a_card_without_names(tmp_path: Path) -> None:
    with serving(tmp_path, public_url="https://example.org") as server:
        path = "/r/" + store_result(server.worker.store, "go", go_result(2))
        result = metas(shown(server, path))
        assert result["og:title"] == "Go: 3d (3.4) on the scale of Fox"
        assert result["og:description"].startswith("90 % interval 2.1 to 4.5: 2d to 4d; from ")
        assert result["og:url"] == f"https://example.org{path}"
        assert result["robots"] == "noindex, nofollow, noarchive"
        assert not [value for value in result.values() if "Park" in value]
        matches = "/r/" + store_result(server.worker.store, "backgammon", backgammon_result())
        result = metas(shown(server, matches))
        assert result["og:title"] == "Backgammon: error rates of 2 players"
        assert not [value for value in result.values() if "Anna" in value or SCRIPT in value]
        address = str(server.send([("r.csv", results_csv())]).json()["id"])
        assert "og:title" not in metas(shown(server, f"/r/{address}")), "there is no result yet"
        server.worker.work()
        result = metas(shown(server, f"/r/{address}"))
        assert result["og:title"] == "Rating list of 12 players"
        assert result["og:description"].startswith("From 163 games, rated from ")
        assert not [value for value in result.values() if "Engine" in value]
        assert metas(shown(server, "/"))["og:title"] == "How strong am I?"


@PLOT
def test_the_picture_of_a_card_is_a_png_of_the_usual_size(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        path = "/r/" + store_result(server.worker.store, "go", go_result(2))
        result = metas(shown(server, path))
        assert result["og:image"] == f"{server.url}{path}/card.png"
        assert result["twitter:card"] == "summary_large_image"
        answer = server.get(f"{path}/card.png")
        assert answer.headers["Content-Type"] == "image/png"
        assert answer.content.startswith(b"\x89PNG")
        assert struct.unpack(">II", answer.content[16:24]) == (1200, 630)
        assert "noindex" in answer.headers["X-Robots-Tag"]
        waiting = server.accepted([("r.csv", results_csv())])
        assert server.get(f"/r/{waiting}/card.png").status_code == 404
    many = Card("A title " * 20, "A sentence " * 40, tuple((k, k + 1.0, k + 2.0) for k in range(9)))
    assert card_png(many, "Site").startswith(b"\x89PNG")


def test_without_matplotlib_there_is_a_card_without_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("yardstone.web.pages.job_pages.can_draw", lambda: False)
    with serving(tmp_path) as server:
        path = "/r/" + store_result(server.worker.store, "go", go_result(2))
        result = metas(shown(server, path))
        assert result["twitter:card"] == "summary"
        assert "og:image" not in result
        assert server.get(f"{path}/card.png").status_code == 404


def test_every_kind_has_a_card() -> None:
    assert all(callable(kind.card) for kind in KINDS.values())


# Calibration


def calibration(model: str) -> Calibration:
    return Calibration(
        site="Club", kind="ogs", model=model, basis="fox", players=30, slope=95.0, intercept=1200.0,
        slope_error=5.0, intercept_error=20.0, deviation=150.0, unexplained=140.0,
        determined=0.8, lowest=-4.0, highest=8.0,
    )  # fmt: skip


def test_a_calibration_is_checked_when_the_server_starts(tmp_path: Path) -> None:
    file = tmp_path / "club.json"
    calibration("some other model").save(file)
    with pytest.raises(InputError, match="is for the model"):
        load_settings(options={"calibration": str(file)}, environment={})
    file.write_text("{}")
    with pytest.raises(InputError, match="not a calibration"):
        load_settings(options={"calibration": str(file)}, environment={})
    calibration(str(default_model().card["name"])).save(file)
    result = load_settings(environment={"YARDSTONE_SERVE_CALIBRATION": str(file)})
    assert result.calibration == str(file)


def test_estimates_are_shown_on_the_operators_scale_as_well(tmp_path: Path) -> None:
    case = make_case(tmp_path)
    file = tmp_path / "club.json"
    calibration("").save(file)
    settings = settings_for(tmp_path, calibration=str(file))
    own = own_scale(settings)
    assert own is not None
    assert own.name == "Club"
    assert own_scale(settings_for(tmp_path)) is None
    games = [game(seed, "Ann", "Bob", day=seed) for seed in range(3)]
    estimates = estimate_everyone(games, "Ann", net=case.network, model=case.model)
    result = result_of(estimates, own)
    assert list(result["scales"]) == ["fox", "ogs", "ogs-2020", "egf", "Club"]
    fox, club = result["scales"]["fox"], result["scales"]["Club"]
    assert club["rating"] == pytest.approx(1200.0 + 95.0 * fox["rating"], abs=1.0)
    assert club["rank"] is not None
    with serving(tmp_path, calibration=str(file)) as server:
        path = "/r/" + store_result(server.worker.store, "go", result)
        text = shown(server, f"{path}?scale=Club").one("main").text
        assert f"{club['rating']:.0f}" in text
        assert "Club" in shown(server, path).one("main").text, "the other scales are offered"
