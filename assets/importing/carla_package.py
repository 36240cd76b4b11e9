"""Export of objects as a CARLA package: the folder and JSON that the asset import of a CARLA source build reads.

See "Add new props" in CARLA's documentation. CARLA reads FBX; Blender's ``bpy`` (the extra ``fbx``) writes it. Without
it the package holds OBJ files, which Blender or the Unreal editor can turn into FBX. A prop named ``sofa_01`` becomes
the blueprint ``static.prop.sofa_01``, as in the embedded server.
"""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.object_file import HazardObject
from caos.assets.mesh import Material, Mesh, Part, vertex_normals
from caos.assets.modelling.colours import screen_image
from caos.foundation.errors import CaosError
from caos.foundation.execution.children import code_command
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.files import whole_file, write_json, write_text

TAGS = ("Dynamic", "Static", "Other")
SIZES = ((0.25, "tiny"), (0.8, "small"), (1.6, "medium"), (3.0, "big"))
_TO_FBX = """
import sys, bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.obj_import(filepath=sys.argv[1], forward_axis="Y", up_axis="Z")
bpy.ops.export_scene.fbx(filepath=sys.argv[2], path_mode="COPY", embed_textures=True, mesh_smooth_type="FACE")
"""


@dataclass(frozen=True)
class Packaged:
    """Result of :func:`write_package`: the package folder, the number of props, and whether the meshes are FBX."""

    folder: Path
    props: int
    fbx: bool


def has_fbx_writer() -> bool:
    """Whether Blender's ``bpy`` is installed."""
    return importlib.util.find_spec("bpy") is not None


def write_package(
    library: Library,
    names: Iterable[str],
    out: Path,
    *,
    package: str = "caos_hazards",
    tag: str = "Dynamic",
    progress: Progress = SILENT,
) -> Packaged:
    """Write ``OUT/<package>/<package>.json`` and ``OUT/<package>/Props/<name>/<name>.fbx`` (or ``.obj``).

    Raises:
        CaosError: If the tag is not one of ``TAGS``, or a conversion to FBX fails.
    """
    if tag not in TAGS:
        raise CaosError(f"tag is {tag!r}; allowed for a hazard: {', '.join(TAGS)}")
    folder, fbx, chosen = out / package, has_fbx_writer(), list(names)
    props = []
    with progress.task("packaging", len(chosen)) as task:
        for name in chosen:
            file = folder / "Props" / name / f"{name}.obj"
            write_obj(library.mesh(name), file)
            if fbx:
                _convert(file)
            source = f"./Props/{name}/{name}.{'fbx' if fbx else 'obj'}"
            props.append({"name": name, "size": size_word(library.info(name)), "source": source, "tag": tag})
            task.advance(note=name)
    write_json(folder / f"{package}.json", {"maps": [], "props": props})
    rows = [f"{o.name}\t{o.kind}\t{o.source}\t{o.licence}" for o in library.objects(chosen)]
    write_text(folder / "LICENCES.tsv", "\n".join(["name\tkind\tsource\tlicence", *rows]) + "\n")
    return Packaged(folder, len(props), fbx)


def size_word(info: HazardObject) -> str:
    """CARLA's size class of an object: tiny, small, medium, big or huge."""
    longest = max(info.size_m)
    return next((word for limit, word in SIZES if longest < limit), "huge")


def _convert(file: Path) -> None:
    result = subprocess.run(
        code_command(_TO_FBX, str(file), str(file.with_suffix(".fbx"))),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode or not file.with_suffix(".fbx").exists():
        last = (result.stderr or result.stdout).strip().splitlines()[-1:] or ["no output"]
        raise CaosError(f"Blender could not convert {file} to FBX: {last[0]}")


def write_obj(mesh: Mesh, file: Path) -> None:
    """Write OBJ, MTL and PNG textures, right-handed with z up, in metres (as Blender and Unreal expect)."""
    flipped = mesh.transformed(np.diag([1.0, -1.0, 1.0, 1.0]))
    lines = [f"mtllib {file.stem}.mtl"]
    materials: dict[int, tuple[str, Material]] = {}
    base = 0
    for part in flipped.parts:
        name = materials.setdefault(id(part.material), (f"m{len(materials)}", part.material))[0]
        lines += _obj_lines(part, name, base)
        base += len(part.vertices)
    write_text(file, "\n".join(lines) + "\n")
    entries = [_mtl_entry(name, material, file) for name, material in materials.values()]
    write_text(file.with_suffix(".mtl"), "\n".join(entries) + "\n")


def _obj_lines(part: Part, material: str, base: int) -> list[str]:
    uv = part.uv if part.uv is not None else np.zeros((len(part.vertices), 2), np.float32)
    lines = [f"v {x:.5f} {y:.5f} {z:.5f}" for x, y, z in part.vertices]
    lines += [f"vt {u:.5f} {v:.5f}" for u, v in uv]
    lines += [f"vn {x:.4f} {y:.4f} {z:.4f}" for x, y, z in vertex_normals(part)]
    lines += [f"usemtl {material}", f"s {'1' if part.smooth else 'off'}"]
    return lines + ["f " + " ".join(f"{i}/{i}/{i}" for i in face) for face in (part.faces + base + 1)]


def _mtl_entry(name: str, material: Material, file: Path) -> str:
    r, g, b = screen_image(material.color) / 255
    lines = [f"newmtl {name}", f"Kd {r:.4f} {g:.4f} {b:.4f}", f"Pr {material.roughness:.3f}"]
    lines.append(f"Pm {1 if material.surface == 'metal' else 0}")
    if material.texture is not None:
        from PIL import Image

        texture = file.with_name(f"{file.stem}_{name}_Diff.png")
        with whole_file(texture) as temporary:
            Image.fromarray(screen_image(material.texture)).save(temporary, format="PNG")
        lines.append(f"map_Kd {texture.name}")
    return "\n".join(lines)
