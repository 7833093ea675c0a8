"""Plain SentenceTransformer.encode, batch 32, at a parent's word: it may live in an environment of its own.

Takes the model's folder and the number of threads. Each line on stdin names a file of texts (JSON) and a file for
the vectors; each is answered by the seconds that encode took.
"""

from __future__ import annotations

import json
import os
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"


def main(folder: str, threads: int) -> None:
    import numpy
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    model = SentenceTransformer(folder, device="cpu")
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        source, target = json.loads(line)
        with open(source, encoding="utf-8") as file:
            texts = json.load(file)
        start = time.perf_counter()
        vectors = model.encode(texts, batch_size=32, show_progress_bar=False)
        seconds = time.perf_counter() - start
        numpy.save(target, vectors)
        print(json.dumps({"seconds": seconds}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
