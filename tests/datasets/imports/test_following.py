"""Converted rows are stored while the child process writes them. It may write in the middle of a line."""

import os
import threading

from datasets.imports.conversion import LineReader

ROWS = 30_000
LINE = "{}\tid-{}\t2024-01-01T00:00:00Z\t\t\t{{}}\n"


def test_no_row_is_read_twice_or_lost_while_lines_are_written_in_parts(tmp_path):
    path = tmp_path / "rows"

    def write() -> None:
        with path.open("ab", buffering=0) as file:
            for number in range(1, ROWS + 1):
                line = LINE.format(number, number).encode()
                file.write(line[: number % len(line)])
                file.write(line[number % len(line) :])

    path.touch()
    writing = threading.Thread(target=write)
    writing.start()
    reader, after, read, ids = LineReader(path), ROWS // 2, 0, []
    while writing.is_alive() or reader.unread_bytes:
        if found := reader.take(4096, after):
            after = found.position
            read += found.number
            ids += [record.id for record in found.records]
    writing.join()
    reader.close()

    assert read == ROWS - ROWS // 2
    assert ids == [f"id-{number}" for number in range(ROWS // 2 + 1, ROWS + 1)]


def test_a_line_that_is_not_complete_waits(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(LINE.format(1, 1).encode() + b"2\tid")
    reader = LineReader(path)

    first = reader.take(4096, 0)
    assert first is not None
    assert (first.position, first.number, reader.unread_bytes) == (1, 1, len("2\tid"))
    assert reader.take(4096, 1) is None

    with path.open("ab") as file:
        os.write(file.fileno(), b"-2\t2024-01-01T00:00:00Z\t\t\t{}\n")
    second = reader.take(4096, 1)
    assert second is not None
    assert [record.id for record in second.records] == ["id-2"]
    reader.close()
