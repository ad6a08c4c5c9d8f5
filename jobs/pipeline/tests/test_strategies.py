"""How strategies of a bench are named."""

import pytest

from drrs_jobs.runner.strategies import Strategy, StrategyError, parse_strategies


def test_options_have_short_names_and_a_label_may_stand_before() -> None:
    assert parse_strategies("drrs, megaphone(batch=4),plain=drrs(decoupling=false, drrs.copy-ahead=true),restart") == [
        Strategy("drrs", "drrs"),
        Strategy("megaphone(batch=4)", "megaphone", {"drrs.megaphone.batch": "4"}),
        Strategy("plain", "drrs", {"drrs.strategy.decoupling": "false", "drrs.copy-ahead": "true"}),
        Strategy("restart", "restart"),
    ]
    (restart,) = parse_strategies("restart(savepoint-format=canonical)")
    assert restart.options == {"restart.savepoint-format": "canonical"}


def test_those_that_stop_the_job_are_not_live_and_folders_have_plain_names() -> None:
    found = parse_strategies("drrs(decoupling=false),restart,adaptive")
    assert [one.live for one in found] == [True, False, False]
    assert found[0].slug == "drrs-decoupling-false"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", ["no strategy is given"]),
        ("drrs,drrs", ["the strategy drrs is given more than once"]),
        ("drrs(batch)", ["'batch' in drrs(batch) is not option=value"]),
        ("foo bar,drrs(a=),restart", ["'foo bar' is no strategy", "'a=' in drrs(a=) is not option=value"]),
    ],
)
def test_all_faults_are_told_at_once(text: str, sentences: list[str]) -> None:
    with pytest.raises(StrategyError) as told:
        parse_strategies(text)
    assert len(told.value.sentences) == len(sentences)
    for found, wanted in zip(told.value.sentences, sentences, strict=True):
        assert found.startswith(wanted)
