"""Faces into pixels with a depth buffer: three samples a pixel, each of which shows what is nearest to the eye.

An opaque face hides all behind it. Transparent faces come in layers, of each of which a sample
takes the nearest face alone, and these are laid over what is opaque from back to front.
"""

import math

import numpy as np

from dynamics.kernels.decorators import inlined, kernel

_AT = (1 / 2, 1 / 6, 5 / 6)  # x of the samples in a pixel, from the lowest up
_ROWS = len(_AT)
_NONE = -np.inf  # how near a sample is where there is nothing
X, Y, Z, FAR, NEAR, LOW, HIGH = range(
    7
)  # columns of planes: depth is X x + Y y + Z, from FAR to NEAR; rows LOW to HIGH


def paint(
    corners: np.ndarray,
    colours: np.ndarray,
    layers: np.ndarray,
    size: tuple[int, int],
    cut: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """A picture (height, width, 4) uint8, its lowest row first, and how near its opaque pixels are (height, width).

    Faces (k, 4, 3) are convex and flat: x to the right and y upwards in pixels, z towards the eye;
    a triangle repeats its last corner. Colours (k, 4) are within 0 and 1, ``layers`` (k,) 0 for
    opaque faces. Where ``cut`` (4,) @ (x, y, z, 1) is below zero nothing is drawn. Nothing there is
    as near as -inf.
    """
    picture, depth = np.zeros((*size[::-1], 4), np.uint8), np.full(size[::-1], _NONE)
    good = np.isfinite(corners).all(axis=(1, 2))
    order = np.flatnonzero(good)[np.argsort(corners[good, :, 1].min(axis=1))]
    if len(order):
        corners = corners[order]
        _fill(_edges(corners), _planes(corners), colours[order], layers[order], cut, picture, depth)
    return picture, depth


def _edges(corners: np.ndarray) -> np.ndarray:
    """(k, 4, 4) of each edge its lower and upper y, x at the lower end, and x per y; the same for both faces at it."""
    ends = np.stack([corners[..., :2], np.roll(corners[..., :2], -1, axis=1)])
    falls = ends[0, ..., 1] > ends[1, ..., 1]
    (x, y), (x1, y1) = (
        np.moveaxis(np.where(falls[..., None], ends[1 - k], ends[k]), -1, 0) for k in (0, 1)
    )
    return np.stack([y, y1, x, (x1 - x) / np.where(y1 > y, y1 - y, np.inf)], axis=-1)


def _planes(corners: np.ndarray) -> np.ndarray:
    """(k, 7), see ``X``."""
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    slope = -normal[:, :2] / np.where(normal[:, 2:] == 0.0, np.inf, normal[:, 2:])
    middle, (z, y) = corners.mean(axis=1), (corners[:, :, 2], corners[:, :, 1])
    at_origin = middle[:, 2] - np.sum(slope * middle[:, :2], axis=1)
    return np.column_stack(
        [slope, at_origin, z.min(axis=1), z.max(axis=1), y.min(axis=1), y.max(axis=1)]
    )


@kernel
def _fill(edges, planes, colours, layers, cut, picture, depth):
    """Paint faces, the lowest first, row of samples by row; in place."""
    height, width = depth.shape
    count = np.zeros(
        width, np.int64
    )  # of the layers that a sample shows, and the nearest face of each
    near, shown = np.zeros((width, layers.max() + 1)), np.zeros((width, layers.max() + 1), np.int64)
    light = np.zeros((width, 4))
    active = np.zeros(len(edges), np.int64)
    started = going = 0
    for row in range(_ROWS * height):
        x, y = _AT[row % _ROWS], (row + 0.5) / _ROWS
        while started < len(edges) and planes[started, LOW] <= y:
            active[going] = started
            going, started = going + 1, started + 1
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
    """Where a row of samples enters and leaves a face; none where the first is not below the second."""
    left, right = np.inf, -np.inf
    for k in range(4):
        if edges[face, k, 0] <= y < edges[face, k, 1]:
            x = edges[face, k, 2] + (y - edges[face, k, 0]) * edges[face, k, 3]
            left, right = min(left, x), max(right, x)
    return left, right


@inlined
def _cover(face, at, span, planes, layers, cut, samples):
    """Note a face in the samples of a row that it covers and in which nothing of its layer is nearer; in place."""
    count, near, shown = samples
    if not span[0] < span[1]:
        return
    for sample in range(
        max(0, math.ceil(span[0] - at[0])), min(len(count), math.ceil(span[1] - at[0]))
    ):
        x, y = sample + at[0], at[1]
        z = planes[face, X] * x + planes[face, Y] * y + planes[face, Z]
        z = min(max(z, planes[face, FAR]), planes[face, NEAR])
        if cut[0] * x + cut[1] * y + cut[2] * z + cut[3] < 0.0:
            continue
        k = 0
        while k < count[sample] and layers[shown[sample, k]] != layers[face]:
            k += 1
        if k == count[sample] or z > near[sample, k]:
            near[sample, k], shown[sample, k] = z, face
            count[sample] = max(count[sample], k + 1)


@inlined
def _collect(colours, layers, samples, light, depth):
    """Add what the samples of a row show to the light (width, 4) of their pixels, and empty them; in place."""
    count, near, shown = samples
    for sample in range(len(count)):
        pixel, behind = light[sample], _NONE
        red = green = blue = alpha = 0.0
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
                behind, glass = near[sample, farthest], colours[shown[sample, farthest]]
                red += glass[3] * (glass[0] - red)
                green += glass[3] * (glass[1] - green)
                blue += glass[3] * (glass[2] - blue)
                alpha += glass[3] * (1.0 - alpha)
        count[sample] = 0
        pixel[0], pixel[1], pixel[2], pixel[3] = (
            pixel[0] + red,
            pixel[1] + green,
            pixel[2] + blue,
            pixel[3] + alpha,
        )


@inlined
def _write(light, pixels):
    """Turn the light of a row of pixels, each colour times how opaque it is, into their colours, and empty it."""
    for column in range(len(light)):
        alpha = light[column, 3]
        if alpha > 0.0:
            for k in range(3):
                pixels[column, k] = round(255.0 * light[column, k] / alpha)
            pixels[column, 3] = round(255.0 * alpha / _ROWS)
            light[column, :] = 0.0
