"""What the figures were measured on."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import version

import psutil


def machine() -> dict[str, str]:
    """What a reader needs to compare with figures of their own."""
    load = os.getloadavg()[0]
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cores": str(os.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "python": platform.python_version(),
        "kernel": f"{platform.system()} {platform.release()}",
        "kuzu": version("kuzu"),
        "load": f"{load:.1f} (average of the last minute, at the end of the run)",
    }
