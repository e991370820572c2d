"""A diagnosis made in the order of time, with the rows of the store as it stands in its files.

Callers know only that store: a row of the other one would point at another record.
"""

from collections.abc import Callable
from dataclasses import replace

from getrace.analysis.failure.addresses import Book
from getrace.analysis.failure.model import Diagnosis, Failure, KernelAt
from getrace.analysis.hangs.moved import hangs_in_file_rows
from getrace.analysis.places import Place

RowInFile = Callable[[int], int]


def in_file_rows(diagnosis: Diagnosis, row_in_file: RowInFile) -> Diagnosis:
    """Give the same diagnosis with every row replaced by the row of the same record in the files."""
    failure = None if diagnosis.failure is None else _failure(diagnosis.failure, row_in_file)
    moved = tuple(replace(finding, evidence=_places(finding.evidence, row_in_file)) for finding in diagnosis.findings)
    causes = tuple(replace(cause, place=_place(cause.place, row_in_file)) for cause in diagnosis.causes)
    hangs = hangs_in_file_rows(diagnosis.hangs, row_in_file)
    return Diagnosis(diagnosis.verdict, failure, moved, causes, hangs, diagnosis.matches.moved(row_in_file))


def _failure(failure: Failure, row_in_file: RowInFile) -> Failure:
    def moved(spot: Place | None) -> Place | None:
        return None if spot is None else _place(spot, row_in_file)

    def known(kernel: KernelAt | None) -> KernelAt | None:
        return None if kernel is None else replace(kernel, place=_place(kernel.place, row_in_file))

    return replace(
        failure,
        at=moved(failure.at),
        error=moved(failure.error),
        first_sign=moved(failure.first_sign),
        consequences=_places(failure.consequences, row_in_file),
        last_good=known(failure.last_good),
        expected_next=known(failure.expected_next),
        book=None if failure.book is None else _book(failure.book, row_in_file),
        tree=tuple(replace(link, row=row_in_file(link.row), under=row_in_file(link.under)) for link in failure.tree),
        cause=None if failure.cause is None else replace(failure.cause, place=_place(failure.cause.place, row_in_file)),
    )


def _book(book: Book, row_in_file: RowInFile) -> Book:
    held = (replace(each, row=None if each.row is None else row_in_file(each.row)) for each in book.held)
    return replace(book, row=row_in_file(book.row), held=tuple(held))


def _places(spots: tuple[Place, ...], row_in_file: RowInFile) -> tuple[Place, ...]:
    return tuple(_place(spot, row_in_file) for spot in spots)


def _place(spot: Place, row_in_file: RowInFile) -> Place:
    return replace(spot, row=row_in_file(spot.row))
