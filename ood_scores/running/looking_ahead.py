"""Looking ahead: pictures go through the networks in other threads, while this one scores and measures earlier ones.

A network's layers hand their work to the threads of torch and wait for the last of them, layer by layer; on two cores
they leave a seventh of the time unused. Two pictures at once, each in a thread of its own, leave none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from caos.foundation.ahead import begun_ahead
from caos.foundation.processor_time import count_this_thread, of_this_thread
from caos.ood_scores.running.image_pass import BegunImage, ImagePass
from caos.ood_scores.running.workers import Chunk


class LookingAhead:
    """The threads of one process that is ahead.

    Attributes:
        threads: How many images are begun at once; 0 if the source must be asked in one thread.
        of_torch: Threads that torch has in each of these; in the one that ends an image it has one.
    """

    def __init__(self, image_pass: ImagePass, images: Chunk) -> None:
        self._pass, self._images = image_pass, images
        self.threads, self.of_torch = min(image_pass.source.threads_ahead, len(images)), 1
        if self.threads:
            import torch

            self.of_torch = max(1, torch.get_num_threads() // self.threads)

    @property
    def kind_of_rest(self) -> str:
        """Kind of work of what no clock told: that of further threads of torch, if there are any, or little things."""
        return "forward" if self.of_torch > 1 else "merging"

    @contextlib.contextmanager
    def begun(self) -> Iterator[Iterator[BegunImage]]:
        """The images in order; inside, processor time is that of this thread."""
        import torch

        def make_ready() -> None:
            torch.set_num_threads(self.of_torch)
            count_this_thread()

        had = torch.get_num_threads()
        torch.set_num_threads(1)
        images = begun_ahead(self._images, lambda image: self._pass.begin(*image), self.threads, make_ready)
        try:
            with of_this_thread(), contextlib.closing(images):
                yield images
        finally:
            torch.set_num_threads(had)
