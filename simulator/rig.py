"""Rig of cameras and lidars, moved and read tick by tick: rgb, semantic, instance and depth cameras per view.

Part of :mod:`caos.simulator.session`. Cameras are kept between captures; unused ones do not listen, so that the server
does not render for them.
"""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import carla

from caos.foundation.errors import CaosError, LostError
from caos.simulator.actor_pool import HAZARD_ROLE
from caos.simulator.connection import LossReporting, transform_out
from caos.simulator.frames import (
    ALL_OUTPUTS,
    CLEARED,
    OUTPUTS,
    Frame,
    decode_depth,
    decode_instances,
    decode_normals,
    decode_rgb,
    decode_tags,
    pixels,
)
from caos.simulator.lens import Optics
from caos.simulator.lidar import BLUEPRINT as LIDAR
from caos.simulator.lidar import LidarBeams, LidarScan, decode_scan
from caos.simulator.transform import Transform

BLUEPRINTS: Final = {
    "rgb": "sensor.camera.rgb",
    "tags": "sensor.camera.semantic_segmentation",
    "instances": "sensor.camera.instance_segmentation",
    "depth": "sensor.camera.depth",
    "normals": "sensor.camera.normals",
    CLEARED: "sensor.camera.rgb",
}
HIDING: Final = "hidden_role"
"""Attribute of cameras that can leave actors out."""
_COLOURED: Final = ("rgb", CLEARED)
_DECODERS: Final = {
    "rgb": decode_rgb,
    "tags": decode_tags,
    "instances": decode_instances,
    "depth": decode_depth,
    "normals": decode_normals,
    CLEARED: decode_rgb,
}
_LAST_PICTURES_S: Final = 0.2


class RigCamera:
    """One camera and its received images."""

    def __init__(self, actor: Any) -> None:
        self.actor = LossReporting(actor)
        self._images: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._listens = False

    def listen(self) -> None:
        """Start receiving images."""
        if not self._listens:
            self.drain()
            self.actor.listen(self._images.put)
            self._listens = True

    def stop(self) -> None:
        """Stop receiving images."""
        if self._listens:
            self._listens = False
            self.actor.stop()

    def drain(self) -> None:
        """Discard received images."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._images.get_nowait()

    def image(self, frame: int, patience_s: float) -> Any | None:
        """Return the image of a frame, or None on timeout; older images are discarded."""
        until = time.monotonic() + patience_s
        while (left := until - time.monotonic()) > 0:
            try:
                image = self._images.get(timeout=left)
            except queue.Empty:
                return None
            if image.frame >= frame:
                return image if image.frame == frame else None
        return None


@dataclass(frozen=True)
class CameraView:
    """One camera pose in a capture.

    Attributes:
        pose: World pose.
        optics: Size and lens.
        outputs: Requested images.
        name: Name of the view; views of the same name reuse their cameras in the next capture.
    """

    pose: Transform
    optics: Optics
    outputs: tuple[str, ...] = OUTPUTS
    name: str = ""

    @property
    def keys(self) -> dict[str, str]:
        """Keys of the view's cameras in the rig, by output."""
        ordered = sorted(self.outputs, key=ALL_OUTPUTS.index)
        return {output: f"{self.name} {output}".strip() for output in ordered}


@dataclass(frozen=True)
class Scanner:
    """A lidar in one capture: name, world pose and beams."""

    name: str
    pose: Transform
    beams: LidarBeams

    @property
    def key(self) -> str:
        """Key of the lidar in the rig."""
        return f"{self.name} lidar"


class Rig:
    """Cameras and lidars of a session in one town."""

    def __init__(self, client: Any, world: Any) -> None:
        self._client, self._world = client, world
        self._library = world.get_blueprint_library()
        self._cameras: dict[str, RigCamera] = {}
        self._made: dict[str, Optics | LidarBeams] = {}

    @property
    def ids(self) -> list[int]:
        """Actor ids of the cameras and lidars."""
        return [camera.actor.id for camera in self._cameras.values()]

    def set_up(self, views: Sequence[CameraView], scanners: Sequence[Scanner], delta_s: float) -> None:
        """Let exactly the cameras and lidars of these views and scanners listen; create missing ones.

        Raises:
            CaosError: If the server rejects a camera or lidar.
        """
        made: dict[str, Optics | LidarBeams] = {view.name: view.optics for view in views}
        made |= {scanner.key: scanner.beams for scanner in scanners}
        self._remove([name for name, how in made.items() if self._made.get(name, how) != how])
        self._made |= made
        for view in views:
            for output, key in view.keys.items():
                if key not in self._cameras:
                    self._cameras[key] = RigCamera(self._spawn_camera(output, view.optics))
        for scanner in scanners:
            if scanner.key not in self._cameras:
                self._cameras[scanner.key] = RigCamera(self._spawn_lidar(scanner.beams, delta_s))
        wanted = {key for view in views for key in view.keys.values()} | {scanner.key for scanner in scanners}
        for key, camera in self._cameras.items():
            if key in wanted:
                camera.listen()
            else:
                camera.stop()

    def move(self, views: Sequence[CameraView], scanners: Sequence[Scanner]) -> None:
        """Move all cameras and lidars to their world poses, effective with the next tick."""
        places = {self._cameras[key].actor.id: view.pose for view in views for key in view.keys.values()}
        places |= {self._cameras[scanner.key].actor.id: scanner.pose for scanner in scanners}
        commands = [carla.command.ApplyTransform(i, transform_out(pose)) for i, pose in places.items()]
        self._client.apply_batch_sync(commands, False)

    def read(
        self, frame: int, views: Sequence[CameraView], scanners: Sequence[Scanner], patience_s: float
    ) -> tuple[dict[str, Frame], dict[str, LidarScan]]:
        """Return the measurements of a frame, by name.

        Raises:
            CaosError: If an image does not arrive in time; the message names the camera.
        """
        keys = [key for view in views for key in view.keys.values()] + [scanner.key for scanner in scanners]
        images = self._arrived(frame, keys, patience_s)
        frames = {view.name: _decoded(frame, view, images) for view in views}
        return frames, {one.name: decode_scan(images[one.key], one.pose) for one in scanners}

    def _arrived(self, frame: int, keys: Sequence[str], patience_s: float) -> dict[str, Any]:
        images: dict[str, Any] = {}
        until = time.monotonic() + patience_s
        for key in keys:
            image = self._cameras[key].image(frame, max(0.05, until - time.monotonic()))
            if image is None:
                received = ", ".join(images) or "none"
                raise LostError(
                    f"frame {frame}: no image from the {key!r} camera within {patience_s:g} s (received: {received})"
                )
            images[key] = image
        return images

    def rest(self) -> None:
        """Stop colour cameras and lidars, so that the server does not compute unused images at the next tick."""
        for key, camera in self._cameras.items():
            if key.endswith((*_COLOURED, "lidar")):
                camera.stop()

    def quiet(self) -> None:
        """Stop all cameras and wait for images in transit: with one in transit the client can crash at exit."""
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
        self._made.clear()

    def _remove(self, names: Sequence[str]) -> None:
        """Remove cameras of views, or lidars, that have changed."""
        own = {key for key in self._cameras if key in names or key.rpartition(" ")[0] in names}
        if not own:
            return
        others = {key: camera for key, camera in self._cameras.items() if key not in own}
        made = {name: how for name, how in self._made.items() if name not in names}
        self._cameras = {key: self._cameras[key] for key in own}
        self.dismantle()
        self._cameras, self._made = others, made

    def _spawn_camera(self, output: str, optics: Optics) -> Any:
        try:
            blueprint = self._library.find(BLUEPRINTS[output])
        except IndexError:
            raise CaosError(f"cannot make a {output} camera: this server has no {BLUEPRINTS[output]}") from None
        width, height, fov_deg = optics.width, optics.height, optics.fov_deg
        wanted = {"image_size_x": str(width), "image_size_y": str(height), "fov": repr(float(fov_deg))}
        what = f"a {output} camera of {width}x{height}, {fov_deg:g} degrees"
        if not optics.lens.is_pinhole:
            what += f", {optics.lens.model}"
            if not blueprint.has_attribute("lens_model"):
                raise CaosError(f"cannot make {what}: this server's cameras have no attribute 'lens_model'")
            wanted["lens_model"] = optics.lens.model
            wanted["lens_coefficients"] = ",".join(map(repr, optics.lens.coefficients))
        if output == CLEARED:
            if not blueprint.has_attribute(HIDING):
                raise CaosError(f"cannot make {what}: this server's cameras have no attribute {HIDING!r}")
            wanted[HIDING] = HAZARD_ROLE
        if output in _COLOURED:
            # A camera that is teleported must not blur the image.
            wanted["motion_blur_intensity"] = "0.0"
        return self._spawn(blueprint, wanted, what)

    def _spawn_lidar(self, beams: LidarBeams, delta_s: float) -> Any:
        what = f"a lidar of {beams.channels} channels"
        try:
            blueprint = self._library.find(LIDAR)
        except IndexError:
            raise CaosError(f"cannot make {what}: this server has no {LIDAR}") from None
        return self._spawn(blueprint, beams.attributes(delta_s), what)

    def _spawn(self, blueprint: Any, wanted: Mapping[str, str], what: str) -> Any:
        for name, value in wanted.items():
            if blueprint.has_attribute(name):
                blueprint.set_attribute(name, value)
        # Spawned by a command, whose answer distinguishes a refusal from a lost server.
        command = carla.command.SpawnActor(blueprint, carla.Transform())
        (answer,) = self._client.apply_batch_sync([command], False)
        if answer.error:
            raise CaosError(f"cannot make {what}: {answer.error}")
        actor = self._world.get_actor(answer.actor_id)
        if actor is None:
            raise CaosError(f"{what}, {answer.actor_id}, is gone; did another client remove it?")
        return actor


def _decoded(frame: int, view: CameraView, images: Mapping[str, Any]) -> Frame:
    decoded: dict[str, Any] = {}
    for output, key in view.keys.items():
        image = images[key]
        decoded[output] = _DECODERS[output](pixels(image.raw_data, image.width, image.height))
    return Frame(frame, view.pose, view.optics.fov_deg, lens=view.optics.lens, **decoded)
