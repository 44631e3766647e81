"""Once nobody has had an answer, others are refused at once, and one a moment asks whether it is back."""

from config.postgresql.silence import ASKING_SECONDS, ENOUGH, PAUSE_SECONDS, Silence


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def wait_in_vain(silence: Silence) -> None:
    for _ in range(ENOUGH):
        silence.note_vain(since=98.0)


def test_after_two_waits_in_vain_nobody_asks_for_a_moment_and_then_one_does():
    clock = Clock()
    silence = Silence(clock, is_heeded=True)
    silence.note_vain(since=98.0)
    assert silence.lets_ask()

    silence.note_vain(since=98.0)
    meanwhile = silence.lets_ask()
    clock.now += PAUSE_SECONDS
    then = [silence.lets_ask() for _ in range(3)]
    clock.now += ASKING_SECONDS
    once_more = silence.lets_ask()

    assert not meanwhile
    assert then == [True, False, False]
    assert once_more


def test_an_answer_ends_it_for_all():
    silence = Silence(Clock(), is_heeded=True)
    wait_in_vain(silence)

    silence.note_answer()

    assert silence.lets_ask()
    assert silence.lets_ask()


def test_who_waited_in_vain_while_others_were_answered_was_in_a_crowd():
    clock = Clock()
    silence = Silence(clock, is_heeded=True)
    silence.note_answer()

    wait_in_vain(silence)

    assert silence.lets_ask()


def test_a_worker_asks_each_time():
    silence = Silence(Clock())

    wait_in_vain(silence)

    assert silence.lets_ask()
