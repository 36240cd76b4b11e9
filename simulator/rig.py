"""Rig of rgb, semantic, instance and depth cameras at one place, moved and read tick by tick.

Part of :mod:`caos.simulator.session`. The cameras are kept between captures; those not needed are quiet, so that a
server does not draw for nobody.
"""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Collection
from typing import Any, Final

import carla

from caos.foundation.errors import CaosError, LostError
from caos.simulator.connection import LossReporting, transform_out
from caos.simulator.frames import OUTPUTS, Frame, decode_depth, decode_instances, decode_rgb, decode_tags, pixels
from caos.simulator.transform import Transform

BLUEPRINTS: Final = {
    "rgb": "sensor.camera.rgb",
    "tags": "sensor.camera.semantic_segmentation",
    "instances": "sensor.camera.instance_segmentation",
    "depth": "sensor.camera.depth",
}
_DECODERS: Final = {"rgb": decode_rgb, "tags": decode_tags, "instances": decode_instances, "depth": decode_depth}
_LAST_PICTURES_S: Final = 0.2


class RigCamera:
    """One camera and the pictures it has sent."""

    def __init__(self, actor: Any) -> None:
        self.actor = LossReporting(actor)
        self._images: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._listens = False

    def listen(self) -> None:
        """Begin to receive pictures."""
        if not self._listens:
            self.drain()
            self.actor.listen(self._images.put)
            self._listens = True

    def stop(self) -> None:
        """Receive no more pictures."""
        if self._listens:
            self._listens = False
            self.actor.stop()

    def drain(self) -> None:
        """Forget what has arrived."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._images.get_nowait()

    def picture(self, frame: int, patience_s: float) -> Any | None:
        """The image of a frame, or None when it does not come in time; older ones are thrown away."""
        until = time.monotonic() + patience_s
        while (left := until - time.monotonic()) > 0:
            try:
                image = self._images.get(timeout=left)
            except queue.Empty:
                return None
            if image.frame >= frame:
                return image if image.frame == frame else None
        return None


class Rig:
    """The cameras of a session in one town."""

    def __init__(self, client: Any, world: Any) -> None:
        self._client, self._world = client, world
        self._library = world.get_blueprint_library()
        self._cameras: dict[str, RigCamera] = {}
        self._lens: tuple[int, int, float] | None = None

    @property
    def ids(self) -> list[int]:
        """Actor ids of the cameras."""
        return [camera.actor.id for camera in self._cameras.values()]

    def set_up(self, width: int, height: int, fov_deg: float, outputs: Collection[str]) -> None:
        """Have the cameras of these outputs listen, with this lens, and no others.

        Raises:
            CaosError: If the server refuses such a camera.
        """
        if self._lens != (width, height, fov_deg):
            self.dismantle()
            self._lens = (width, height, fov_deg)
        for output in outputs:
            if output not in self._cameras:
                self._cameras[output] = RigCamera(self._spawn(output, width, height, fov_deg))
        for output, camera in self._cameras.items():
            if output in outputs:
                camera.listen()
            else:
                camera.stop()

    def move(self, pose: Transform) -> None:
        """Put all cameras at a world pose, with the next tick."""
        there = transform_out(pose)
        self._client.apply_batch_sync([carla.command.ApplyTransform(i, there) for i in self.ids], False)

    def read(self, frame: int, pose: Transform, outputs: Collection[str], patience_s: float) -> Frame:
        """What the cameras saw in a frame.

        Raises:
            CaosError: If a picture does not come in time; it names the camera.
        """
        assert self._lens is not None, "a rig is set up before it is read"
        images: dict[str, Any] = {}
        until = time.monotonic() + patience_s
        for output in sorted(outputs, key=OUTPUTS.index):
            image = self._cameras[output].picture(frame, max(0.05, until - time.monotonic()))
            if image is None:
                received = ", ".join(images) or "none"
                raise LostError(
                    f"frame {frame}: no image from the {output!r} camera within {patience_s:g} s (received: {received})"
                )
            images[output] = image
        decoded: dict[str, Any] = {
            name: _DECODERS[name](pixels(image.raw_data, image.width, image.height)) for name, image in images.items()
        }
        return Frame(frame, pose, self._lens[2], **decoded)

    def rest(self) -> None:
        """Stop the colour camera: by the time of the next tick the server knows, and paints no picture for nobody."""
        if "rgb" in self._cameras:
            self._cameras["rgb"].stop()

    def quiet(self) -> None:
        """Stop all cameras and let their last pictures arrive: the client can crash at exit with one in flight."""
        for camera in self._cameras.values():
            camera.stop()
        if self._cameras:
            time.sleep(_LAST_PICTURES_S)
        for camera in self._cameras.values():
            camera.drain()

    def dismantle(self) -> None:
        """Remove the cameras from the server."""
        self.quiet()
        if self._cameras:
            self._client.apply_batch_sync([carla.command.DestroyActor(i) for i in self.ids], False)
        self._cameras.clear()
        self._lens = None

    def _spawn(self, output: str, width: int, height: int, fov_deg: float) -> Any:
        blueprint = self._library.find(BLUEPRINTS[output])
        wanted = {"image_size_x": str(width), "image_size_y": str(height), "fov": repr(float(fov_deg))}
        if output == "rgb":
            # a camera that jumps from place to place must not smear
            wanted["motion_blur_intensity"] = "0.0"
        for name, value in wanted.items():
            if blueprint.has_attribute(name):
                blueprint.set_attribute(name, value)
        # As a command, because a refusal is then an answer and not the same error as a server that has gone.
        command = carla.command.SpawnActor(blueprint, carla.Transform())
        (answer,) = self._client.apply_batch_sync([command], False)
        if answer.error:
            raise CaosError(f"cannot make a {output} camera of {width}x{height}, {fov_deg:g} degrees: {answer.error}")
        actor = self._world.get_actor(answer.actor_id)
        if actor is None:
            raise CaosError(f"the {output} camera {answer.actor_id} is gone; did another client remove it?")
        return actor
