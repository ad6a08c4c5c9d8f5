"""The agent argument in a configuration's text: any way to write it, and back to the byte."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pyctl import flink_config
from pyctl.agent_option import edit_agent
from pyctl.errors import ClusterError
from pyctl.flink_config import OPTS_KEY
from pyctl.flink_home import JAR_NAME

AGENT = f"-javaagent:/opt/flink/lib/{JAR_NAME}"
SHIPPED = """\
# the opens that Java 17 needs
env:
  java:
    opts:
      all: --add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED
#  log:
#    level: TRACE

jobmanager:
  rpc:
    port: 6123 # keep
"""

# -- configurations as people write them -------------------------------------------------------------------------------

SOME_ARGUMENTS = ["-Xmx1g", "-Da=b", "-javaagent:/x/other.jar", "-XX:+UseG1GC", "-Dpath=/a:/b", "--add-opens=a/b=C"]
OTHER_LINES = [
    "# env.java.opts.all: -Xcommented",
    "",
    "   ",
    "jobmanager.rpc.port: 6123 # keep",
    "taskmanager:\n  numberOfTaskSlots: '2'\n  memory:\n    process.size: 1g",
    "env.java.default-opts.all: -Xdefault",
    "env.java.opts.taskmanager: -Xtm",
    "pipeline.jars: [a, b]",
    'state.name: "quoted # no comment"',
    "text: |\n  -javaagent:/no/option.jar\n\n  more",
    "list:\n  - |\n    text",
    "ünï.cödé: ✓",
]


SHAPES = [
    (OPTS_KEY + ": {}", 2),
    (OPTS_KEY + " : {}", 2),
    ("'env.java.opts.all': {}", 2),
    ("env:\n  java:\n    opts:\n      all: {}", 8),
    ("env.java:\n  opts.all: {}", 6),
    ("env:\n  java.opts:\n    all: {}\n    jobmanager: -Xjm", 6),
    ("env:\n  log.max: 3\n  java:\n    default-opts:\n      all: -Xd\n    opts:\n      all: {}", 8),
]
"""How the key may be written, and the indentation of more lines of its value."""


def scalars(arguments: list[str], indent: int) -> list[str]:
    """The ways that YAML has to write a value of these arguments."""
    value, deeper = " ".join(arguments), "\n" + " " * indent
    plain = [value, f"  {value}", f"&anchor {value}", f"!!str {value}", deeper.join(arguments)]
    quoted = [f"'{value}'", f'"{value}"', f'"{value}  "', f"' {value}'", '"' + deeper.join(arguments) + '"']
    folded = [f">-{deeper}" + deeper.join(arguments), f">{deeper}" + deeper.join(arguments) + "  "]
    block = [f">+{deeper}{value}\n\n", f"|-{deeper}{value}", f"|{deeper}{value}\n"]
    return plain + quoted + folded + block


@st.composite
def option_lines(draw: st.DrawFn) -> str:
    """The option with a value, in one of the ways that YAML has for it."""
    arguments = draw(st.lists(st.sampled_from(SOME_ARGUMENTS), min_size=1, max_size=4))
    template, indent = draw(st.sampled_from(SHAPES))
    scalar = draw(st.sampled_from(scalars(arguments, indent)))
    comment = draw(st.sampled_from(["", " # note", "\t# tab"])) if "\n" not in scalar else ""
    return template.replace("{}", scalar + comment, 1)


@st.composite
def configurations(draw: st.DrawFn) -> str:
    """A whole file, with or without the option, with any line breaks and with or without one at its end."""
    lines = draw(st.lists(st.sampled_from(OTHER_LINES), unique=True, max_size=6))
    if draw(st.booleans()):
        lines.insert(draw(st.integers(0, len(lines))), draw(option_lines()))
    if draw(st.booleans()):
        lines.insert(0, "---")
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n", "\n  "]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text


@given(configurations())
@example(SHIPPED)
@example("a: 1")
@example("")
@example("\n")
@example("a: 1\r")
def test_what_was_put_in_is_taken_out_to_the_byte(text: str) -> None:
    try:
        before = flink_config.parse(text, "t")
    except ClusterError:
        assume(False)
    added = edit_agent(text, AGENT)
    after = flink_config.parse(added, "t")
    assert str(after.pop(OPTS_KEY)).split() == [*str(before.pop(OPTS_KEY, "")).split(), AGENT]
    assert after == before
    assert edit_agent(added, AGENT) == added
    assert edit_agent(added, None) == text
    assert edit_agent(edit_agent(added, AGENT.replace("/opt", "/srv/long")), None) == text


def test_values_in_each_style_are_edited() -> None:
    for line in (f"{OPTS_KEY}: -Xa", f"{OPTS_KEY}: '-Xa'", f"{OPTS_KEY}: >-\n  -Xa\n  -Xb", f"{OPTS_KEY}: |\n  -Xa"):
        assert AGENT in edit_agent(line, AGENT)


def test_the_agent_is_appended_to_the_shipped_value_and_all_else_stays() -> None:
    edited = edit_agent(SHIPPED, AGENT)
    assert edited == SHIPPED.replace("java.lang=ALL-UNNAMED\n", f"java.lang=ALL-UNNAMED {AGENT}\n")


@given(st.lists(st.sampled_from(["-Xmx1g", "-Da=b", "-javaagent:/x/other.jar", AGENT]), min_size=1, max_size=6))
def test_other_arguments_and_their_order_survive(arguments: list[str]) -> None:
    options = flink_config.parse(edit_agent(f"{OPTS_KEY}: {' '.join(arguments)}\n", AGENT), "t")
    kept = str(options[OPTS_KEY]).split()
    assert [a for a in kept if a != AGENT] == [a for a in arguments if a != AGENT]
    assert kept.count(AGENT) == 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"a: 1\n{OPTS_KEY}: {AGENT}\n", "a: 1\n"),
        (f"a: 1\n{OPTS_KEY}: '{AGENT}' # ours\nb: 2\n", "a: 1\nb: 2\n"),
        (f"env:\n  java:\n    opts:\n      all: {AGENT}\n", ""),
        (f"env:\n  log: 1\n  java:\n    opts:\n      all: >-\n        {AGENT}\nb: 2\n", "env:\n  log: 1\nb: 2\n"),
    ],
)
def test_an_option_that_has_only_the_agent_goes_as_a_whole(text: str, left: str) -> None:
    """Flink does not start with the option and no value, nor with a mapping that is empty."""
    assert edit_agent(text, None) == left


@pytest.mark.parametrize("value", ["", " ''", ' ""', " '  '", " ~"])
def test_an_option_without_a_value_is_refused_since_flink_does_not_start_with_it(value: str) -> None:
    with pytest.raises(ClusterError, match="no value"):
        edit_agent(f"{OPTS_KEY}:{value}\nz: 1\n", AGENT)


@pytest.mark.parametrize(
    "text",
    [
        "a: [", "- a\n- b\n", f"{OPTS_KEY}: -Xa\nenv:\n  java.opts.all: -Xb\n", "a: 1\n...\n",
        f"x: &o -Xa\n{OPTS_KEY}: *o\n", f"{{a: 1, {OPTS_KEY}: {AGENT}}}\n", "{a: 1}\n",
    ],
)  # fmt: skip
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(ClusterError, match=r"config\.yaml"):
        edit_agent(text, None if AGENT in text else AGENT)
