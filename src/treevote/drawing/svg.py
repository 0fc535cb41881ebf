"""A tree as arcs above the words, as SVG: lines of words wrap, and the stroke of an arc shows the trees it is in.

An arc of both trees is a thin line, one of the gold tree alone a thick one, one of the system's alone a dashed one, and
an arc of both with different labels a double one; colours repeat the difference. The picture takes its colours from the
page (`COLOURS`), for light and dark screens and print. A sentence read from right to left is drawn from right to left.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Literal, NamedTuple

from treevote.corpus.sentence import Sentence
from treevote.drawing.arcs import Arc, arcs_of
from treevote.drawing.layout import GAP, SHOULDER, Stroke, label_middle, lay_out
from treevote.drawing.text import DOUBT, UNSURE, is_unsure
from treevote.drawing.widths import ems, right_to_left, shortened
from treevote.visibility import visible

FORM, TAG, LABEL, CAPTION = 15.0, 10.5, 11.0, 12.0
"""Sizes of type: of the words, the tags below them, the labels above the arcs, captions and legend of a file."""

LEVEL, LINE, MARGIN = 21.0, 24.0, 6.0
"""Height of an arc above the next lower one, room below a line of words, room at the sides, in CSS pixels."""

MAX_FORM = 40
"""Maximum length of a word, in columns of a terminal; longer ones are cut off."""

MAX_INLINE = 3
"""Maximum number of sentences in a notebook's cell."""

BAR = 26.0
"""Length of the bar of a confidence of 1."""

XMLNS = "http://www.w3.org/2000/svg"

COLOURS = {
    "light": "--ink:#1c1b1a;--quiet:#6f6a64;--paper:#fffefb;--line:#a8a29a;"
    "--gold:#0b6e63;--system:#b3400f;--label:#6b3fa0",
    "dark": "--ink:#ece8e1;--quiet:#a39d94;--paper:#171615;--line:#77716a;"
    "--gold:#5fc9b8;--system:#f0955f;--label:#c3a2f0",
}
"""The colours of the page that a drawing uses, as CSS custom properties."""

STYLE = (
    ".tree{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;fill:var(--ink)}"
    ".tree text{text-anchor:middle;unicode-bidi:isolate}"
    f".tree .f{{font-size:{FORM}px}}.tree .t{{font-size:{TAG}px;fill:var(--quiet);letter-spacing:.03em}}"
    f".tree .l{{font-size:{LABEL}px;paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}}"
    ".tree path{fill:none;stroke:var(--line);stroke-width:1.1}"
    ".tree .sure path{stroke:var(--gold);stroke-width:2}"
    ".tree .unsure path{stroke:var(--system);stroke-width:3.5;stroke-dasharray:2 1.5}"
    ".tree .unsure .t{font-weight:700;fill:var(--ink)}"
    ".tree .yellow path{stroke-dasharray:7 2.5;stroke-width:1.5}"
    ".tree .red path{stroke:var(--system);stroke-dasharray:1.5 3;stroke-width:2.4}"
    ".tree .red .l{fill:var(--system);font-weight:700}.tree .red path.h{fill:var(--system)}"
    ".tree .yellow path.h,.tree .red path.h{stroke:none}"
    ".tree .both .l{fill:var(--quiet)}.tree path.h{fill:var(--line);stroke:none}"
    ".tree .gold path{stroke:var(--gold);stroke-width:2.6}.tree .gold .l{fill:var(--gold);font-weight:600}"
    ".tree .system path{stroke:var(--system);stroke-width:1.7;stroke-dasharray:5 3.5}"
    ".tree .system .l{fill:var(--system);font-style:italic}"
    ".tree .label path{stroke:var(--label);stroke-width:4}.tree .label path.i{stroke:var(--paper);stroke-width:1.8}"
    ".tree .label .l{fill:var(--label)}"
    ".tree .gold path.h{fill:var(--gold)}.tree .system path.h{fill:var(--system)}.tree .label path.h{fill:var(--label)}"
    ".tree .gold path.h,.tree .system path.h,.tree .label path.h{stroke:none}"
)
"""Style sheet of a page with drawings, besides the colours."""

MEANING = {
    "both": "in both trees",
    "gold": "in the gold tree only",
    "system": "in the system’s tree only",
    "label": "in both, with different labels (gold ≠ system)",
}
"""Meaning of the strokes."""


LIGHTS = {
    "yellow": f"yellow light: worth a look ({DOUBT['yellow']})",
    "red": f"red light: often wrong ({DOUBT['red']})",
}
"""Meaning of the strokes of lights."""


class Picture(NamedTuple):
    """An ``svg`` element and its size in CSS pixels."""

    markup: str
    width: float
    height: float


def draw(
    gold: Sentence,
    system: Sentence | None = None,
    *,
    width: float = 960,
    title: str = "",
    confidence: Sequence[float] | None = None,
    lights: Sequence[str] | None = None,
    lit: Literal["gold", "system"] = "gold",
    meaning: Mapping[str, str] = MEANING,
    numbered: bool = False,
) -> Picture:
    """Draw a tree, or two trees over the same words; tokens without a head have no arc.

    ``width`` is the maximum length of a line of words, in CSS pixels. ``title`` is for screen readers, by default the
    words. The ``confidence`` of the arc of each word (n + 1 numbers) stands below the tag, and a bar below it is as
    long. Its light, ``"yellow"`` or ``"red"``, is in the stroke of the arc and in marks behind its label; ``lit`` is
    the tree whose arcs have the lights. ``meaning`` are the words for each stroke, for screen readers. With
    ``numbered`` the element of each word has its position in ``data-word``, for a script.
    """
    arcs = arcs_of(gold, system)
    dark = {"gold": "system", "system": "gold"}[lit]

    def light_of(arc: Arc) -> str:
        return "" if lights is None or arc.kind == dark else lights[arc.dependent]

    forms = [shortened(visible(word.form), MAX_FORM) for word in gold.words]
    tags = [visible(word.upos) for word in gold.words]
    words = [max(ems(form) * FORM, ems(tag) * TAG) for form, tag in zip(forms, tags, strict=True)]
    labels = [ems(_label(arc, light_of(arc))) * LABEL for arc in arcs]
    mirrored = right_to_left(forms[1:])
    place = ' data-word="{}"'.format if numbered else "".format
    lines, inner = lay_out(arcs, words, labels, width - 2 * MARGIN, mirrored=mirrored)
    marks, y = list[str](), 0.0
    for line in lines:
        base = y + LABEL + 6 + line.n_levels * LEVEL  # where the arcs stand
        marks += [_stroke(stroke, base, inner, light_of(stroke.arc)) for stroke in line.strokes]
        marks += [
            f'<text class="f"{place(word)} x="{_n(x)}" y="{_n(base + FORM + 3)}">{_text(forms[word])}</text>'
            f'<text class="t" x="{_n(x)}" y="{_n(base + FORM + TAG + 7)}">{_text(tags[word])}</text>'
            for word, x in line.words.items()
        ]
        if confidence is not None:
            marks += [_sure(x, base + FORM + TAG + 7, confidence[word]) for word, x in line.words.items()]
        y = base + FORM + TAG + LINE + (0 if confidence is None else TAG + 7)
    size = _size(inner + 2 * MARGIN, y)
    told = f"<title>{_text(title or ' '.join(forms[1:]))}</title>"
    told += f"<desc>{_text(_description(arcs, forms, meaning))}</desc>"
    body = f'<g transform="translate({MARGIN:g})">{"".join(marks)}</g>'
    markup = f'<svg xmlns="{XMLNS}" class="tree" role="img" {size}>{told}{body}</svg>'
    return Picture(markup, inner + 2 * MARGIN, y)


def _sure(x: float, y: float, confidence: float) -> str:
    """Return a confidence as a number and a bar: full length for 1."""
    return (
        f'<g class="sure{" unsure" if is_unsure(confidence) else ""}">'
        f'<text class="t" x="{_n(x)}" y="{_n(y + TAG + 2)}">{confidence:.2f}</text>'
        f'<path d="M{_n(x - BAR / 2)},{_n(y + TAG + 6)}h{_n(BAR * confidence)}"/></g>'
    )


def document(
    pictures: Sequence[tuple[str, Picture]], *, two_trees: bool, confident: bool = False, lit: bool = False
) -> str:
    """Return a whole SVG file: the pictures below each other, each under its caption, and a legend.

    ``two_trees``, ``confident`` and ``lit`` tell whether the legend is one of the two trees, the confidence, the
    lights.
    """
    sure = {"": f"confidence of arc and label, bold on a dashed bar below {UNSURE:g}"}
    told = ((two_trees, MEANING), (confident, sure), (lit, LIGHTS))
    legend = [row for is_told, meaning in told if is_told for row in meaning.items()]
    widths = [ems(meaning) * CAPTION + MARGIN + (44 if kind else MARGIN) for kind, meaning in legend]
    width = max([330.0, *widths, *(picture.width for _, picture in pictures)])
    y, marks = MARGIN, list[str]()
    for caption, picture in pictures:
        for line in _lines(visible(caption), (width - 2 * MARGIN) / CAPTION):
            y += 16
            marks.append(f'<text class="c" x="{MARGIN:g}" y="{_n(y)}">{_text(line)}</text>')
            width = max(width, ems(line) * CAPTION + 2 * MARGIN)  # of a word without a break
        y += 10
        marks.append(picture.markup.replace("<svg ", f'<svg y="{_n(y)}" ', 1))
        y += picture.height + 2 * GAP
    for kind, meaning in legend:
        if kind:
            words = f'<text class="c" x="44" y="12">{meaning}</text>'
            marks.append(f'<g transform="translate({MARGIN:g} {_n(y)})">{key(kind)}{words}</g>')
        else:
            marks.append(f'<text class="c" x="{MARGIN:g}" y="{_n(y + 12)}">{meaning}</text>')
        y += 18
    style = (
        f"svg{{{COLOURS['light']};background:var(--paper)}}@media(prefers-color-scheme:dark){{svg{{{COLOURS['dark']}}}}}"
        f"{STYLE}.c{{font:{CAPTION:g}px system-ui,sans-serif;fill:var(--quiet)}}"
    )
    return f'<svg xmlns="{XMLNS}" {_size(width, y + MARGIN)}><style>{style}</style>{"".join(marks)}</svg>\n'


def _lines(text: str, room: float) -> list[str]:
    """Return a text in lines of at most ``room`` ems, broken at spaces; a longer word stays whole."""
    first, *words = text.split(" ")
    lines = [first]
    for word in words:
        if ems(longer := f"{lines[-1]} {word}") <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def draw_first(sentences: Iterable[Sentence]) -> str:
    """Return an SVG file with the first sentences, for the cell of a notebook.

    >>> from treevote.corpus.treebank import Treebank
    >>> toy = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])] * 5)
    >>> toy._repr_svg_().count("nsubj</text>"), toy[0]._repr_svg_().count("nsubj</text>")
    (3, 1)
    """
    pictures = [draw(sentence) for sentence in itertools.islice(sentences, MAX_INLINE)]
    captions = [f"sentence {number}" for number in range(1, len(pictures) + 1)] if len(pictures) > 1 else [""]
    return document([*zip(captions, pictures, strict=False)], two_trees=False)


def key(kind: str) -> str:
    """Return a short sample of a stroke, 36 by 14 pixels."""
    line = "M2,8H34"
    inner = f'<path class="i" d="{line}"/>' if kind == "label" else ""
    return (
        f'<svg class="tree" width="36" height="14" viewBox="0 0 36 14" aria-hidden="true">'
        f'<g class="{kind}"><path d="{line}"/>{inner}</g></svg>'
    )


def _stroke(stroke: Stroke, base: float, width: float, light: str) -> str:
    """Return line, arrowhead at the dependent, and label of an arc above the height ``base``."""
    top = base - stroke.level * LEVEL
    head, dependent, label = stroke.head, stroke.dependent, _label(stroke.arc, light)
    if not stroke.arc.is_stem:
        turn = math.copysign(min(SHOULDER, abs(dependent - head) / 2), dependent - head)
        rise = f"M{_n(head)},{_n(base)}V{_n(top + SHOULDER)}q0,{-SHOULDER:g} {_n(turn)},{-SHOULDER:g}"
        fall = f"H{_n(dependent - turn)}q{_n(turn)},0 {_n(turn)},{SHOULDER:g}V{_n(base - 4)}"
        path = rise if stroke.head_here else f"M{_n(head)},{_n(top)}"
        path += fall if stroke.dependent_here else f"H{_n(dependent)}"
    else:
        path = f"M{_n(dependent)},{_n(top)}V{_n(base - 4)}"
    lines = f'<path d="{path}"/>' + (f'<path class="i" d="{path}"/>' if stroke.arc.kind == "label" else "")
    arrow = f'<path class="h" d="M{_n(dependent)},{_n(base)}l-3.2,-6.5h6.4z"/>' if stroke.dependent_here else ""
    middle = label_middle(head, dependent, ems(label) * LABEL, width)
    text = f'<text class="l" x="{_n(middle)}" y="{_n(top - 4)}">{_text(label)}</text>'
    return f'<g class="{stroke.arc.kind}{f" {light}" if light else ""}">{lines}{arrow}{text}</g>'


def _label(arc: Arc, light: str = "") -> str:
    """Return the label, or both if they differ, a sign for a word that is its own head, and the mark of a light."""
    label = f"{arc.label} ≠ {arc.other}" if arc.kind == "label" else arc.label
    label = visible(f"{label} ↻" if arc.head == arc.dependent else label)
    return f"{label} {DOUBT[light]}" if light in DOUBT else label


def _description(arcs: Sequence[Arc], forms: Sequence[str], meaning: Mapping[str, str]) -> str:
    """Describe the arcs in words; of two trees only the differences."""
    described = []
    for arc in [arc for arc in arcs if arc.kind != "both"] or arcs:
        head = f" of {forms[arc.head]}" if arc.head else ""
        tree = f", {meaning[arc.kind]}" if arc.kind != "both" else ""
        described.append(f"{forms[arc.dependent]}: {_label(arc)}{head}{tree}")
    return "; ".join(described)


def _size(width: float, height: float) -> str:
    return f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'


def _text(text: str) -> str:
    return escape(text, quote=False)


def _n(number: float) -> str:
    """Return a number with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")
