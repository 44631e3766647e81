"""Which calls a circuit breaker allows while it is closed, open or half-open."""

from config.circuit_breaker import CircuitBreaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def breaker_of(clock: Clock, **options: bool | float) -> CircuitBreaker:
    return CircuitBreaker(**{"failures": 2, "open_seconds": 1.0, "probe_seconds": 4.0, "clock": clock, **options})


def fail(breaker: CircuitBreaker) -> None:
    for _ in range(2):
        breaker.note_failure()


def test_it_opens_after_its_number_of_failures_and_then_allows_one_probe_at_a_time():
    clock = Clock()
    breaker = breaker_of(clock)
    assert not breaker.note_failure()
    assert breaker.allows()

    assert breaker.note_failure()
    while_open = breaker.allows()
    clock.now += 1.0
    half_open = [breaker.allows() for _ in range(3)]
    clock.now += 4.0
    next_probe = breaker.allows()

    assert (while_open, half_open, next_probe) == (False, [True, False, False], True)


def test_without_probe_seconds_a_half_open_breaker_allows_every_call_until_one_fails():
    clock = Clock()
    breaker = breaker_of(clock, probe_seconds=0.0)
    fail(breaker)
    clock.now += 1.0
    half_open = [breaker.allows() for _ in range(3)]

    opens = breaker.note_failure()

    assert (half_open, opens, breaker.allows()) == ([True] * 3, True, False)


def test_a_success_closes_it_and_the_failures_count_from_the_start():
    breaker = breaker_of(Clock())
    fail(breaker)

    breaker.note_success()
    opens = breaker.note_failure()

    assert not opens
    assert [breaker.allows() for _ in range(2)] == [True, True]


def test_failures_of_calls_that_began_before_the_last_success_do_not_count():
    clock = Clock()
    breaker = breaker_of(clock)
    breaker.note_success()

    opens = [breaker.note_failure(since=98.0) for _ in range(3)]

    assert opens == [False] * 3
    assert breaker.allows()


def test_a_breaker_that_is_not_enforced_allows_every_call():
    breaker = breaker_of(Clock(), is_enforced=False)

    fail(breaker)

    assert breaker.allows()
