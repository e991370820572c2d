"""The waits of a log in the order of time, with the rows of the same records in the files."""

from collections.abc import Callable
from dataclasses import replace

from getrace.analysis.hangs.model import Hang, Hangs, Limit, Rank, RankGraph, Spread
from getrace.analysis.places import Place

RowInFile = Callable[[int], int]


def hangs_in_file_rows(hangs: Hangs, row_in_file: RowInFile) -> Hangs:
    """Give the same waits with every row replaced by the row of the same record in the files."""

    def place(spot: Place) -> Place:
        return replace(spot, row=row_in_file(spot.row))

    def places(spots: tuple[Place, ...]) -> tuple[Place, ...]:
        return tuple(map(place, spots))

    def stream(hang: Hang) -> Hang:
        recorder = hang.recorder
        if recorder is not None and recorder.place is not None:
            recorder = replace(recorder, place=place(recorder.place))
        at, done = (None if spot is None else place(spot) for spot in (hang.at, hang.done_at))
        return replace(hang, evidence=places(hang.evidence), at=at, done_at=done, recorder=recorder)

    def rank(known: Rank) -> Rank:
        return replace(known, evidence=places(known.evidence))

    def limit(known: Limit) -> Limit:
        return replace(known, place=place(known.place))

    def spread(known: Spread) -> Spread:
        return replace(known, limits=tuple(map(limit, known.limits)))

    def group(known: RankGraph) -> RankGraph:
        edges = tuple(replace(edge, evidence=places(edge.evidence)) for edge in known.edges)
        ranks, roots = tuple(map(rank, known.ranks)), tuple(map(rank, known.roots))
        return replace(known, ranks=ranks, edges=edges, roots=roots, spread=spread(known.spread))

    streams, groups = tuple(map(stream, hangs.streams)), tuple(map(group, hangs.groups))
    return Hangs(streams, groups, tuple(map(limit, hangs.limits)), hangs.unread)
