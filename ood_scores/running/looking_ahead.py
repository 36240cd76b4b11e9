"""Looking ahead: pictures go through networks and scorers in other threads, while this one measures earlier ones.

A network's layers hand their work to the threads of torch and wait for the last of them, layer by layer; on two cores
they leave a seventh of the time unused, or more. Two pictures at once, each in a thread of its own, leave none. There
are no more threads than cores: a third one would take turns with both, and empty their caches each time. So where each
thread has a core, the one that measures begins pictures itself whenever none is ready to be measured.
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
        of_torch: Threads that torch has in each of these; in the one that ends images it has one.
    """

    def __init__(self, image_pass: ImagePass, images: Chunk) -> None:
        self._pass, self._images = image_pass, images
        self.threads, self.of_torch = min(image_pass.source.threads_ahead, len(images)), 1
        if self.threads:
            import torch

            self.of_torch = max(1, torch.get_num_threads() // self.threads)

    @property
    def helps(self) -> bool:
        """Whether the thread that ends images begins some, too, for there is a core for each of the threads alone."""
        return self.threads > 1 and self.of_torch == 1

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
        threads = self.threads - self.helps
        images = begun_ahead(
            self._images, lambda image: self._pass.begin(*image), threads, make_ready, helps=self.helps
        )
        try:
            with of_this_thread(), contextlib.closing(images):
                yield images
        finally:
            torch.set_num_threads(had)
