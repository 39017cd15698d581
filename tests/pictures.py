"""What the tests of pictures share: the texts that are drawn, their faults, and the smallest letters."""

import io
import itertools

import matplotlib as mpl
import pytest

# the smallest letters of a picture: as a share of the font size of rcParams, and in points where that is not smaller
LEAST_OF_FONT, LEAST_POINTS = 0.8, 6.0


def drawn_texts(figure, **file):
    """Each text that is drawn, or saved in a file of this format and dpi, with its box and its size in points."""
    drawn, draw = {}, mpl.text.Text.draw

    def note(text, renderer):
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent(renderer)
            as_drawn = mpl.transforms.Affine2D().scale(own / figure.dpi)
            drawn[id(text)] = text.get_text(), box.transformed(as_drawn), text.get_fontsize()
        return draw(text, renderer)

    figure.canvas.draw()
    own = figure.dpi
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mpl.text.Text, "draw", note)
        if file:
            figure.savefig(io.BytesIO(), **file)
        else:
            figure.canvas.draw()
    return list(drawn.values())


def collisions(figure, **file):
    """Texts that leave the figure or have too small letters, and pairs that cover each other, by more than a pixel."""
    texts, frame = drawn_texts(figure, **file), figure.bbox
    font = mpl.rcParams["font.size"]
    least = max(LEAST_OF_FONT * font, min(LEAST_POINTS, font)) - 1e-6
    found = [(text, f"{size:.2f} points") for text, _, size in texts if size < least]
    found += [
        text
        for text, box, _ in texts
        if box.x0 < frame.x0 - 1 or box.y0 < frame.y0 - 1 or box.x1 > frame.x1 + 1 or box.y1 > frame.y1 + 1
    ]
    for (text, box, _), (other, second, _) in itertools.combinations(texts, 2):
        width = min(box.x1, second.x1) - max(box.x0, second.x0)
        height = min(box.y1, second.y1) - max(box.y0, second.y0)
        if min(width, height) > 1:
            found.append((text, other))
    return found
