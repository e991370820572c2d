"""Lives of RT streams, and the launch list."""

from handmade import HandLog

from getrace.analysis.streams import Launch, StreamLife, StreamLives, launches
from getrace.events.device import StreamCreated, StreamDestroyed, TaskListed, TaskSubmitted
from getrace.events.launch import GuideLaunch, TaskIds

CREATE = TaskSubmitted(2, 0, 7, "CREATE_STREAM")


def test_a_create_task_and_the_line_of_the_api_tell_of_one_birth() -> None:
    log = HandLog()
    log.say(CREATE)
    log.say(StreamCreated(2, 0))
    log.say(StreamDestroyed(2))
    assert StreamLives(log.store()).lives == [StreamLife(370, 2, 0, 2)]


def test_each_create_task_begins_a_life_even_without_a_destroy_between() -> None:
    log = HandLog()
    log.say(CREATE)
    log.say(TaskSubmitted(2, 1, 0, "KERNEL_AICORE"))
    log.say(CREATE)
    lives = StreamLives(log.store())
    assert [lives.number(370, 2, row) for row in range(3)] == [1, 1, 2]
    assert lives.lives == [StreamLife(370, 2, 0, None), StreamLife(370, 2, 2, None)]


def test_the_time_before_the_first_creation_is_life_zero() -> None:
    log = HandLog()
    log.say(TaskSubmitted(2, 1, 0, "KERNEL_AICORE"))
    log.say(StreamDestroyed(2))
    log.say(StreamCreated(2, 0))
    lives = StreamLives(log.store())
    assert [lives.number(370, 2, row) for row in range(3)] == [0, 0, 1]
    assert lives.lives == [StreamLife(370, 2, None, 1), StreamLife(370, 2, 2, None)]


def test_streams_of_two_processes_live_apart() -> None:
    log = HandLog()
    log.say(CREATE, pid=1)
    lives = StreamLives(log.store())
    assert (lives.number(1, 2, 5), lives.number(2, 2, 5)) == (1, 0)


def test_the_launch_list_holds_every_kernel_that_prints_its_task() -> None:
    log = HandLog()
    log.say(CREATE)
    log.say(TaskIds(rt_stream=2, task=70_000, flip=1, flip_task=4_464), "LaunchKernelWithFlag_a_1")
    log.say(GuideLaunch(task=123), "LaunchKernelWithHandle")
    assert launches(log.store(), StreamLives(log.store())) == [
        Launch(row=1, pid=370, kernel="LaunchKernelWithFlag_a_1", rt_stream=2, task=4_464, life=1, other=70_000),
        Launch(row=2, pid=370, kernel="LaunchKernelWithHandle", rt_stream=None, task=123, life=0),
    ]


def test_a_renamed_task_counts_in_its_own_life_only() -> None:
    log = HandLog()
    log.say(TaskSubmitted(2, 11, 0, "KERNEL_AICORE"))
    log.say(TaskListed(2, 1, 0, "KERNEL_AICORE", 0, 2))
    log.say(CREATE)
    log.say(TaskIds(rt_stream=2, task=11, flip=0, flip_task=11), "LaunchKernelWithFlag_a_1")
    assert [launch.task for launch in launches(log.store(), StreamLives(log.store()))] == [11]


def test_tasks_that_two_threads_submit_at_once_are_not_mixed_up() -> None:
    log = HandLog()
    log.say(TaskSubmitted(2, 10, 0, "KERNEL_AICORE"), tid=1)
    log.say(TaskSubmitted(2, 11, 0, "KERNEL_AICORE"), tid=2)
    log.say(TaskListed(2, 10, 0, "KERNEL_AICORE", 0, 2), tid=1)
    log.say(TaskListed(2, 11, 0, "KERNEL_AICORE", 0, 3), tid=2)
    log.say(TaskIds(rt_stream=2, task=11, flip=0, flip_task=11), "LaunchKernelWithFlag_a_1")
    assert [launch.task for launch in launches(log.store(), StreamLives(log.store()))] == [11]
