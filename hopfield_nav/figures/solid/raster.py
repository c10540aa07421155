"""Faces into pixels with a depth buffer, three samples a pixel, which show what is nearest.

An opaque face hides all behind it. Transparent faces come in layers, of each of which a sample
takes the nearest face alone, and these are laid over what is opaque from back to front.
"""

import math

import numpy as np

from dynamics.kernels.decorators import inlined, kernel

_AT = (1 / 2, 1 / 6, 5 / 6)  # x of the samples in a pixel, from the lowest up
_ROWS = len(_AT)
_NONE = -np.inf  # how near a sample is where there is nothing
# columns of planes: depth is X x + Y y + Z, from FAR to NEAR; rows LOW to HIGH
X, Y, Z, FAR, NEAR, LOW, HIGH = range(7)


def paint(
    corners: np.ndarray,
    colours: np.ndarray,
    layers: np.ndarray,
    size: tuple[int, int],
    cut: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """A picture (height, width, 4) uint8, and how near its opaque pixels are (height, width).

    The lowest row comes first. Faces (k, 4, 3) are convex and flat: x to the right and y upwards in
    pixels, z towards the eye; a triangle repeats its last corner. Colours (k, 4) are within 0 and
    1, ``layers`` (k,) 0 for opaque faces. Where ``cut`` (4,) @ (x, y, z, 1) is below zero nothing
    is drawn. Nothing there is as near as -inf.
    """
    width, height = size
    picture = np.zeros((height, width, 4), np.uint8)
    depth = np.full((height, width), _NONE)
    good = np.isfinite(corners).all(axis=(1, 2))
    lowest = corners[good, :, 1].min(axis=1)
    order = np.flatnonzero(good)[np.argsort(lowest)]
    if len(order):
        corners = corners[order]
        _fill(_edges(corners), _planes(corners), colours[order], layers[order], cut, picture, depth)
    return picture, depth


def _edges(corners: np.ndarray) -> np.ndarray:
    """Of each edge (k, 4, 4) its lower and upper y, x at the lower end, and x per y.

    They are the same for both faces that share an edge: whichever way it runs, it is taken upwards.
    """
    start = corners[..., :2]
    end = np.roll(start, -1, axis=1)
    falls = (start[..., 1] > end[..., 1])[..., None]
    lower = np.where(falls, end, start)
    upper = np.where(falls, start, end)
    run = upper[..., 0] - lower[..., 0]
    rise = upper[..., 1] - lower[..., 1]
    x_per_y = run / np.where(rise > 0.0, rise, np.inf)
    return np.stack([lower[..., 1], upper[..., 1], lower[..., 0], x_per_y], axis=-1)


def _planes(corners: np.ndarray) -> np.ndarray:
    """The planes (k, 7) of faces, see ``X``.

    A plane with the normal (a, b, c) has the depth z = z0 - (a x + b y) / c; one on edge is flat.
    """
    first_diagonal = corners[:, 2] - corners[:, 0]
    second_diagonal = corners[:, 3] - corners[:, 1]
    normal = np.cross(first_diagonal, second_diagonal)
    towards_eye = normal[:, 2:]
    slope = -normal[:, :2] / np.where(towards_eye == 0.0, np.inf, towards_eye)
    middle = corners.mean(axis=1)
    at_origin = middle[:, 2] - np.sum(slope * middle[:, :2], axis=1)
    y = corners[:, :, 1]
    z = corners[:, :, 2]
    return np.column_stack(
        [slope, at_origin, z.min(axis=1), z.max(axis=1), y.min(axis=1), y.max(axis=1)]
    )


@kernel
def _fill(edges, planes, colours, layers, cut, picture, depth):
    """Paint faces, the lowest first, row of samples by row; in place."""
    height, width = depth.shape
    most = layers.max() + 1
    count = np.zeros(width, np.int64)  # of the layers that a sample shows
    near = np.zeros((width, most))  # how near the nearest face of each layer is
    shown = np.zeros((width, most), np.int64)  # which face that is
    light = np.zeros((width, 4))
    active = np.zeros(len(edges), np.int64)  # faces that the row of samples may cross
    started = 0
    going = 0
    for row in range(_ROWS * height):
        x = _AT[row % _ROWS]
        y = (row + 0.5) / _ROWS
        while started < len(edges) and planes[started, LOW] <= y:
            active[going] = started
            going += 1
            started += 1
        kept = 0
        for k in range(going):
            face = active[k]
            if planes[face, HIGH] > y:
                active[kept] = face
                kept += 1
                left, right = _span(face, y, edges)
                _cover(face, (x, y), (left, right), planes, layers, cut, (count, near, shown))
        going = kept
        last = row % _ROWS == _ROWS - 1
        if going or last:
            _collect(colours, layers, (count, near, shown), light, depth[row // _ROWS])
        if last:
            _write(light, picture[row // _ROWS])


@inlined
def _span(face, y, edges):
    """Where a row of samples enters and leaves a face; it does not if the first is not smaller."""
    left = np.inf
    right = -np.inf
    for k in range(4):
        if edges[face, k, 0] <= y < edges[face, k, 1]:
            x = edges[face, k, 2] + (y - edges[face, k, 0]) * edges[face, k, 3]
            left = min(left, x)
            right = max(right, x)
    return left, right


@inlined
def _cover(face, at, span, planes, layers, cut, samples):
    """Note a face in the samples of a row that it covers, unless their layer has a nearer one."""
    count, near, shown = samples
    if not span[0] < span[1]:
        return
    y = at[1]
    first = max(0, math.ceil(span[0] - at[0]))
    behind_last = min(len(count), math.ceil(span[1] - at[0]))
    for sample in range(first, behind_last):
        x = sample + at[0]
        z = planes[face, X] * x + planes[face, Y] * y + planes[face, Z]
        z = min(max(z, planes[face, FAR]), planes[face, NEAR])
        if cut[0] * x + cut[1] * y + cut[2] * z + cut[3] < 0.0:
            continue
        k = 0
        while k < count[sample] and layers[shown[sample, k]] != layers[face]:
            k += 1
        if k == count[sample] or z > near[sample, k]:
            near[sample, k] = z
            shown[sample, k] = face
            count[sample] = max(count[sample], k + 1)


@inlined
def _collect(colours, layers, samples, light, depth):
    """Add what a row of samples shows to the light (width, 4) of their pixels, and empty them."""
    count, near, shown = samples
    for sample in range(len(count)):
        behind = _NONE
        red, green, blue, alpha = 0.0, 0.0, 0.0, 0.0
        for k in range(count[sample]):
            if layers[shown[sample, k]] == 0:
                behind = near[sample, k]
                red, green, blue, alpha = colours[shown[sample, k]]
        depth[sample] = behind
        farthest = 0
        while count[sample] and farthest >= 0:  # lay the farthest one that is left over the rest
            farthest = -1
            for k in range(count[sample]):
                if near[sample, k] > behind and (
                    farthest < 0 or near[sample, k] < near[sample, farthest]
                ):
                    farthest = k
            if farthest >= 0:
                behind = near[sample, farthest]
                glass = colours[shown[sample, farthest]]
                red += glass[3] * (glass[0] - red)
                green += glass[3] * (glass[1] - green)
                blue += glass[3] * (glass[2] - blue)
                alpha += glass[3] * (1.0 - alpha)
        count[sample] = 0
        light[sample, 0] += red
        light[sample, 1] += green
        light[sample, 2] += blue
        light[sample, 3] += alpha


@inlined
def _write(light, pixels):
    """Turn the light of a row of pixels into their colours, and empty it.

    In the light each colour is multiplied by how opaque it is.
    """
    for column in range(len(light)):
        alpha = light[column, 3]
        if alpha > 0.0:
            for k in range(3):
                pixels[column, k] = round(255.0 * light[column, k] / alpha)
            pixels[column, 3] = round(255.0 * alpha / _ROWS)
            light[column, :] = 0.0
