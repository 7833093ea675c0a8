"""Fetch the jars of a real Neo4j server from Maven Central into the test cache."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

VERSION = "5.26.30"
POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>graphvine.tests</groupId>
  <artifactId>neo4j-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId>
      <artifactId>neo4j</artifactId>
      <version>{VERSION}</version>
    </dependency>
  </dependencies>
</project>
"""


def home() -> Path:
    """The cache folder of this version: pom.xml, and the jars in lib/."""
    cache = os.environ.get("GRAPHVINE_TEST_CACHE") or Path.home() / ".cache" / "graphvine"
    return Path(cache) / f"neo4j-{VERSION}"


def lib() -> Path:
    """The folder to put on Java's class path, as `lib()/*`."""
    return home() / "lib"


def complete() -> bool:
    """Whether a fetch ran to its end; the mark is written last, so half a download does not count."""
    return (home() / "complete").exists() and any(lib().glob("neo4j-*.jar"))


def fetch() -> None:
    """Let Maven copy the server and all it depends on: 123 MB, 20 to 60 s the first time."""
    home().mkdir(parents=True, exist_ok=True)
    (home() / "pom.xml").write_text(POM)
    goal = ("dependency:copy-dependencies", f"-DoutputDirectory={lib()}", "-DincludeScope=runtime")
    subprocess.run(("mvn", "-q", "-B", *goal), cwd=home(), check=True, timeout=900)
    (home() / "complete").write_text(f"{len(list(lib().glob('*.jar')))} jars\n")


if __name__ == "__main__":
    if not complete():
        fetch()
    print(lib())
