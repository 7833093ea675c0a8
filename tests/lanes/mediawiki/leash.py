"""Runs a server for as long as somebody holds the other end of our input; then ends the whole group.

PHP's server forks workers that go on serving when their master is killed, and a test run that is killed itself
could not end anything.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys


def main() -> None:
    subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    sys.stdin.read()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
