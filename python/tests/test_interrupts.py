"""Ctrl-C stops every long call at once (within a second on a machine that has nothing else to do), and other
threads go on meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import pytest

import dcmrank as dr

LONG = {
    "compare": "dr.compare(small, ['dcm-ts'], steps=10**11, runs=4)",
    "compare a class": "dr.compare(small, [Fixed], steps=10**11, runs=4)",
    "compare a slow class in processes": "dr.compare(small, [Slow], steps=5, runs=10**5, n_jobs=2)",
    "play": "dr.Users(small).play(dr.policy('dcm-ts', 4, 2), 10**11)",
    "play a class": "dr.Users(small).play(Fixed(4, 2, None), 10**11)",
    "fit to a pipe that nobody writes to": "dr.CascadeModel().fit(dr.read_log(pipe, format='tsv'))",
    "fit to a pipe that nobody writes on": "os.open(pipe, os.O_RDWR); dr.CascadeModel().fit(dr.read_log(pipe, format='tsv'))",
}
SCRIPT = """
    import os, sys, tempfile, time
    import dcmrank as dr
    pipe = os.path.join(tempfile.mkdtemp(), "pipe")
    os.mkfifo(pipe)
    small = dr.Dcm([.6, .5, .4, .1], [.5, .1])
    class Fixed(dr.Policy):
        def rank(self): return [0, 1]
        def update(self, ranking, clicks): pass
    class Slow(Fixed):
        def rank(self):
            time.sleep(.01)
            return [0, 1]
    try:
        print("begins", flush=True)
        {call}
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_stops_at_once(call: str) -> None:
    program = textwrap.dedent(SCRIPT).format(call=LONG[call])
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, start_new_session=True) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(2.0 if "processes" in call else 0.3)
        os.kill(process.pid, signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "stopped\n"
        took = time.monotonic() - start
        process.stdout.read()
    assert took < 20  # the calls take hours, or for ever


def test_the_gil_is_released_in_long_calls(small: dr.Dcm) -> None:
    work = threading.Thread(
        target=lambda: dr.compare(small, ["dcm-ts"], steps=2_000_000, runs=2, n_jobs=1)
    )
    work.start()
    counted = 0
    while work.is_alive():
        counted += 1
    assert counted > 10_000


def test_a_stopped_play_knows_how_far_it_came(small: dr.Dcm) -> None:
    def stop(done: int, total: int) -> Any:
        raise LookupError

    policy, users = dr.policy("dcm-ts", 4, 2), dr.Users(small)
    with pytest.raises(LookupError):
        users.play(policy, 10**10, progress=stop)
    assert 0 < users.rounds < 10**10
    twin, again = dr.policy("dcm-ts", 4, 2), dr.Users(small)
    again.play(twin, users.rounds)
    assert again.regret == users.regret and twin.to_json() == policy.to_json()
