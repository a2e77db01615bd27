from __future__ import annotations

import pytest

from yardstone.errors import InputError
from yardstone.go.rules import (
    NAMED_RULES,
    TROMP_TAYLOR,
    Conditions,
    Knowledge,
    Rules,
    parse_rules,
    parse_rules_and_komi,
)

#: What KataGo 1.17.2 makes of the names (`kata-get-rules` after `kata-set-rules`).
KATAGO = {
    "tromp-taylor": "koPOSITIONALscoreAREAtaxNONEsui1",
    "chinese": "koSIMPLEscoreAREAtaxNONEsui0whbNfpok1",
    "japanese": "koSIMPLEscoreTERRITORYtaxSEKIsui0",
    "korean": "koSIMPLEscoreTERRITORYtaxSEKIsui0",
    "aga": "koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1",
    "aga-button": "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1",
    "new-zealand": "koSITUATIONALscoreAREAtaxNONEsui1fpok1",
    "ing": "koPOSITIONALscoreAREAtaxNONEsui1fpok1",
    "chinese-ogs": "koPOSITIONALscoreAREAtaxNONEsui0whbNfpok1",
    "stone-scoring": "koSIMPLEscoreAREAtaxALLsui0fpok1",
    "ancient-territory": "koSIMPLEscoreTERRITORYtaxALLsui0",
}


def test_texts_and_rules_are_inverse() -> None:
    assert {name: str(rules) for name, rules in NAMED_RULES.items()} == KATAGO
    for name, rules in NAMED_RULES.items():
        for text in (str(rules), name.upper().replace("-", " "), rules.name):
            assert parse_rules(text) == rules
    for name, texts in {
        "chinese": (" chinese rules ", "Chinese rule", "中国规则", f'{" ":2000}chinese'),
        "japanese": ("JP", "日本ルール", "korean"),
        "ing": ("GOE",), "new-zealand": ("NZ", "New_Zealand"), "tromp-taylor": ("{}",),
    }.items():  # fmt: skip
        for text in texts:
            assert parse_rules(text) == NAMED_RULES[name], text
    # What is left out is as with Tromp and Taylor; the komi may be in the text.
    assert parse_rules("scoreTERRITORY").tax == "seki"
    assert parse_rules("taxNONE scoring TERRITORY").tax == "none"
    for text, rules, komi in (
        ("koSIMPLE", Rules(ko="simple"), None),
        ('{"scoring": "TERRITORY", "hasButton": true}',
         Rules(scoring="territory", tax="seki", button=True), None),
        ("koSIMPLEkomi-5.5sui0", Rules(ko="simple", suicide=False), -5.5),
        ('{"ko": "SIMPLE", "komi": 0}', Rules(ko="simple"), 0),
        ("komi150", TROMP_TAYLOR, 150),
        ('{"komi": 150}', TROMP_TAYLOR, 150),
    ):  # fmt: skip
        assert parse_rules_and_komi(text) == (rules, komi)
    usual = [NAMED_RULES[name].default_komi for name in ("chinese", "japanese", "aga-button")]
    assert usual == [7.5, 6.5, 7.0]
    assert Rules(suicide=False, button=True).name == "koPOSITIONALscoreAREAtaxNONEsui0button1"


def test_what_names_no_rules() -> None:
    for text in [
        *("", "no rules of mine", "koFOO", "koSPIGHT", "suiNONE", "koSIMPLEx"),
        *("komi1e9", "komi999", "komi151", "{", "[1]", '{"ko": 1}', '{"suicide": "yes"}'),
        *('{"ko": "NEVER"}', '{"komi": NaN}', '{"komi": true}', '{"x": 1}', "[" * 900),
        *("x" * 100_000, '{"komi": -151}'),
    ]:
        with pytest.raises(InputError) as caught:
            parse_rules(text)
        assert len(str(caught.value)) < 1500
    with pytest.raises(InputError, match="the choices are none, seki, all"):
        Rules(tax="half")  # type: ignore[arg-type]


def test_what_a_network_knows() -> None:
    known = Knowledge("small", TROMP_TAYLOR, (5.5, 7.5), 19)
    assert str(known) == "tromp-taylor rules, komi 5.5 to 7.5 and boards of 19x19"
    chinese, ing = NAMED_RULES["chinese"], NAMED_RULES["ing"]
    assert [known.knows(rules) for rules in (TROMP_TAYLOR, ing, chinese)] == [True, True, False]
    for komi in (5.5, 7.5):
        assert known.asked(Conditions(ing, komi), 19) == Conditions(ing, komi)
    asked = known.asked(Conditions(chinese, 5.5), 19)
    remark = "small does not know chinese rules"
    assert asked == Conditions(TROMP_TAYLOR, 5.5, remark)
    assert asked.in_words == f"tromp-taylor rules, komi 5.5 ({remark})"
    for komi, size, message in (
        (5.4, 19, "does not know komi 5.4"),
        (7.6, 19, "does not know komi 7.6"),
        (6.5, 13, "does not know boards of 13x13"),
    ):
        with pytest.raises(InputError, match=message):
            known.asked(Conditions(TROMP_TAYLOR, komi), size)
