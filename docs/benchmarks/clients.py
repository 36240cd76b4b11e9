"""Clients tried: runs programs of others, unmodified, against the embedded server and writes ``docs/benchmarks/clients.md``.

    python docs/benchmarks/clients.py --carla FOLDER --scenario-runner FOLDER --python FILE --scenic FOLDER --scenic-python FILE \\
        --all-scenarios --work FOLDER --serve=--maps --serve=FOLDER

``FOLDER``s are checkouts of CARLA 0.9.16 (its ``PythonAPI``), ScenarioRunner 0.9.16 and Scenic 3, outside this
repository, and OpenDRIVE files of CARLA's towns; ``FILE``s are the Pythons of environments with what they need (carla,
pygame, py-trees and so on). Every program is its own process with the genuine client. It *runs* if it ends by itself
without an error, or if it has called the server until its time was over; the page says how often.

What has been tried is kept in ``clients.json`` beside the page, and the page is made of it. Begun again, the script
goes on with what is missing, with what could not be tried, and with what ``--again WORDS`` finds in a name or reason: groups can be tried one
by one (``--groups scenic``), for some minutes each (``--most-minutes 45``) and with other words for the server.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE, RESULTS = HERE / "clients.md", HERE / "clients.json"
PORT, SMOKE_PORT = 2000, 3654
GROUPS = {
    "smoke": "CARLA's smoke tests",
    "examples": "CARLA's examples",
    "util": "CARLA's utilities",
    "scenarios": "ScenarioRunner: scenarios",
    "openscenario": "ScenarioRunner: OpenSCENARIO files",
    "routes": "ScenarioRunner: routes with its own agent",
    "scenic": "Scenic: examples for CARLA",
    "scenic_tests": "Scenic: tests with CARLA",
}
SCENARIO_GROUPS = {"scenarios", "openscenario", "routes"}
ROUTES = {"routes_devtest.xml": "0", "routes_town10.xml": "0"}
SILENT_SHARE = 0.3
"""A program that has not called for this share of its time hangs."""
ARGUMENTS = {
    "start_recording.py": ["-n", "5", "-t", "5", "-f", "clients.log"],
    "start_replaying.py": ["-f", "clients.log"],
    "show_recorder_file_info.py": ["-f", "clients.log"],
    "show_recorder_collisions.py": ["-f", "clients.log"],
    "show_recorder_actors_blocked.py": ["-f", "clients.log"],
    "generate_traffic.py": ["-n", "10", "-w", "5"],
    "automatic_control.py": ["--sync"],
    "lidar_to_camera.py": ["--frames", "3"],
    "config.py": ["--list"],
    "extract_spawn_points.py": ["-o", "."],
    "apply_texture.py": ["--list"],
    "environment.py": ["--sun", "sunset"],
}
NEEDS = {
    "manual_control_carsim.py": "needs CarSim",
    "manual_control_chrono.py": "needs Chrono",
    "manual_control_steeringwheel.py": "needs a steering wheel",
    "invertedai_traffic.py": "needs an account of Inverted AI",
    "test_addsecondvx.py": "sets up a second GPU",
    "open3d_lidar.py": "needs a screen for Open3D's window",
}
NOT_THE_SERVER = {
    "epsilon()": "a lane section of no length in this map",
    "Found no traffic lights": "this Town03 has no signals",
    "Couldn't find a spot to place the adversary": "no lane beside the road in this Town10HD",
    "discrete distribution over empty domain": "Scenic finds no such junction in this Town05",
    "tuple index out of range": "Scenic finds one lane too few in this Town03",
    "object of type 'NoneType' has no len()": "ScenarioRunner's parser gives no times",
    "ActorTransformSetter(self.other_actors[1]": "its file names no other actors",
    "'vehicle.audi.tt', second_actor_waypoint.transform": "no lane to the left there in this Town04",
}
"""Errors that a program makes of its own files alone, whatever the server: words of its traceback, and their reason."""
SETUP = re.compile(r"No module named|needs |not installed")


@dataclass
class Tried:
    """A program and what became of it."""

    group: str
    name: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class Program:
    """A program to try."""

    group: str
    name: str
    command: list[str]
    folder: Path
    seconds: float
    environment: dict[str, str] = field(default_factory=dict)


class Results:
    """What has been tried, in a file to which several runs may add, and the page beside it."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self) -> tuple[list[Tried], list[float]]:
        """What was tried, and the server's memory over the smoke tests, in MB."""
        if not self.file.exists():
            return [], []
        kept = json.loads(self.file.read_text())
        return [Tried(**row) for row in kept["tried"]], kept["memory"]

    def known(self, again: Collection[str] = ()) -> set[tuple[str, str]]:
        """Group and name of what need not be tried, unless ``again`` has a part of its name or of its reason."""
        tried = (one for one in self.read()[0] if one.verdict != "not tried" or one.name in NEEDS)
        return {
            (one.group, one.name) for one in tried if not any(word in f"{one.name}: {one.reason}" for word in again)
        }

    def add(self, more: list[Tried], megabytes: float | None = None, *, is_first: bool = False) -> None:
        """Put rows into the file, in place of earlier ones of the same programs, and write the page.

        Args:
            more: The rows.
            megabytes: The server's memory after them.
            is_first: Whether that is the first figure of a series.
        """
        tried, memory = self.read()
        new = {(one.group, one.name) for one in more}
        tried = sorted(
            [*more, *(one for one in tried if (one.group, one.name) not in new)], key=lambda one: (one.group, one.name)
        )
        memory = [*([] if is_first else memory), *([] if megabytes is None else [megabytes])]
        found = {"tried": [asdict(one) for one in tried], "memory": memory}
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(found, indent=1) + "\n")
        part.replace(self.file)
        write_page(tried, memory, self.file.with_suffix(".md"))


class Served:
    """The embedded server as a child, with what it says kept in a file."""

    def __init__(self, port: int, work: Path, words: list[str]) -> None:
        self.log = work / f"server-{port}-{os.getpid()}.log"  # one before may still be ending
        command = [sys.executable, "-m", "caos", "serve", "--port", str(port), "--quality", "preview", *words]
        talkative = os.environ | {"CAOS_SERVER_LOG": "DEBUG"}
        self.child = subprocess.Popen(command, stderr=self.log.open("w"), cwd=work, env=talkative)
        while "warmed up" not in self.said():
            if self.child.poll() is not None:
                raise SystemExit(f"the server did not start: {self.said()}")
            time.sleep(0.5)

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def memory_mb(self) -> float:
        pages = int(Path(f"/proc/{self.child.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self) -> None:
        self.child.send_signal(signal.SIGINT)
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            self.child.kill()


def programs(options: argparse.Namespace) -> list[Program]:
    """Everything there is to try, but the smoke tests."""
    found = [*carla_programs(options), *scenario_runner_programs(options), *scenic_programs(options)]
    return [program for program in found if program.group in options.groups]


def carla_programs(options: argparse.Namespace) -> Iterator[Program]:
    """CARLA's examples and utilities."""
    if options.carla is None:
        return
    for group in ("examples", "util"):
        for file in sorted((options.carla / "PythonAPI" / group).glob("*.py")):
            command = [str(options.python), file.name, *ARGUMENTS.get(file.name, [])]
            yield Program(group, file.name, command, file.parent, options.seconds)


def scenario_runner_programs(options: argparse.Namespace) -> Iterator[Program]:
    """ScenarioRunner's scenarios (of each file the first, or all), OpenSCENARIO files and some routes."""
    runner = options.scenario_runner
    if runner is None:
        return
    towns = options.towns.split(",") if options.towns else None
    base = [str(options.python), "scenario_runner.py", "--sync", "--timeout", "120", "--output", "--reloadWorld"]
    for name in scenario_names(runner / "srunner" / "examples", towns, every=options.all_scenarios):
        yield Program("scenarios", name, [*base, "--scenario", name], runner, options.scenario_seconds)
    for file in sorted((runner / "srunner" / "examples").glob("*.xosc")):
        yield Program("openscenario", file.name, [*base, "--openscenario", str(file)], runner, options.scenario_seconds)
    agent = runner / "srunner" / "autoagents" / "npc_agent.py"
    for name, number in ROUTES.items():
        words = ["--route", str(runner / "srunner" / "data" / name), "--route-id", number, "--agent", str(agent)]
        yield Program("routes", f"{name} {number}", [*base, *words], runner, options.scenario_seconds)


def scenario_names(folder: Path, towns: Collection[str] | None = None, *, every: bool) -> Iterator[str]:
    """The first scenario of each file, then the second of each, and so on: each has its share whenever that is ended."""
    files = []
    for file in sorted(folder.glob("*.xml")):
        found = re.findall(r'<scenario name="([^"]+)".*?town="([^"]+)"', file.read_text())
        files.append([name for name, town in found if towns is None or town in towns])
    for names in list(zip_longest(*files))[: None if every else 1]:
        yield from (name for name in names if name is not None)


def scenic_programs(options: argparse.Namespace) -> Iterator[Program]:
    """Scenic's examples, one simulation of 100 steps each, and its tests, a file each."""
    folder, python = options.scenic, str(options.scenic_python)
    if folder is None:
        return
    words = [
        "--2d",
        "--simulate",
        "--count",
        "1",
        "--time",
        "100",
        "--param",
        "render",
        "0",
        "--param",
        "timeout",
        "120",
    ]
    for file in sorted((folder / "examples" / "carla").rglob("*.scenic")):
        name = str(file.relative_to(folder / "examples" / "carla"))
        # some are for any simulator, and say in their first lines how to run them with this one
        model = (
            ["--model", "scenic.simulators.carla.model"]
            if "--model scenic.simulators.carla" in file.read_text()
            else []
        )
        command = [python, "-m", "scenic", str(file), *words, *model]
        yield Program("scenic", name, command, folder, options.scenario_seconds)
    for file in sorted((folder / "tests" / "simulators" / "carla").glob("test_*.py")):
        command = [python, "-m", "pytest", "-q", "--no-cov", "-p", "no:cacheprovider", str(file)]
        yield Program("scenic_tests", file.name, command, folder, options.test_seconds)


def attempt(program: Program, served: Served, paths: list[Path]) -> Tried:
    """Run a program for its time and judge it."""
    if program.name in NEEDS:
        return Tried(program.group, program.name, "not tried", NEEDS[program.name])
    before = len(served.said())
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "SDL_VIDEODRIVER": "dummy",
        "SDL_AUDIODRIVER": "dummy",
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
        "PYTHONUNBUFFERED": "1",
        "MPLBACKEND": "agg",
    }
    words = served.log.parent / f"{program.group}-{program.name.replace('/', '-')}.log"
    with words.open("w") as stream:
        child = subprocess.Popen(
            program.command,
            cwd=program.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        is_over = wait_for(child, program.seconds)
        said = words.read_text(errors="replace")  # what it says of being stopped means nothing
    finally:
        stopped = time.monotonic()
        stop(child)
    lingered_s = time.monotonic() - stopped
    told = told_by(served, before)
    return judge(program, said, child.returncode, told, lingered_s, is_over=is_over)


def stop(child: subprocess.Popen[bytes]) -> None:
    """End a program that has not ended, gently if it lets itself."""
    if child.poll() is not None:
        return
    os.killpg(child.pid, signal.SIGINT)
    if not wait_for(child, 15):
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def told_by(served: Served, before: int) -> str:
    """What the server has said since, once it has noticed that everybody who joined has left."""
    for _ in range(20):
        told = served.said()[before:]
        if "a client left after" in told or "a client joins" not in told:
            break
        time.sleep(0.5)
    return told


def wait_for(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a program ends in time."""
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def judge(program: Program, said: str, code: int, server_said: str, lingered_s: float, *, is_over: bool) -> Tried:
    """What a program's words and its end mean."""
    refusals = re.findall(r"refused \w+: (.+)", server_said)
    lines = [line for line in said.splitlines() if line.strip()]
    error = next((line for line in reversed(lines) if re.match(r"(\w+\.)*\w*(Error|Exception)\b", line)), "")
    if program.group == "scenic_tests":
        return judge_tests(program, lines, is_over=is_over)
    if program.group in SCENARIO_GROUPS:
        outcome = re.search(r"Results of Scenario: .* ---- (\w+)", said)
        if outcome and not error:
            return Tried(program.group, program.name, "runs", f"the scenario ends with {outcome.group(1)}")
    if "Map '" in error and "not found" in error:
        return Tried(program.group, program.name, "refused", error.partition(": ")[2].partition(";")[0])
    unknown = re.search(r"blueprint '([^']+)' not found", error)
    if unknown:
        return Tried(program.group, program.name, "refused", f"{unknown.group(1)} is not in the library of blueprints")
    if error:
        if SETUP.search(error):
            return Tried(program.group, program.name, "not tried", error[:120])
        if refusals or "not supported by the embedded server" in error:
            return Tried(program.group, program.name, "refused", (refusals or [error])[-1][:120])
        why = next((f" ({reason})" for words, reason in NOT_THE_SERVER.items() if words in said), "")
        return Tried(program.group, program.name, "fails", error[:120] + why)
    if is_over and code != 0:
        reason = f"ends with {code}" + (f": {lines[-1][:100]}" if lines else "")
        return Tried(program.group, program.name, "refused" if refusals else "fails", (refusals or [reason])[-1][:120])
    if refusals:
        return Tried(program.group, program.name, "refused", refusals[-1][:120])
    calls, silent_s, pictures = activity(server_said)
    silent_s = max(0.0, silent_s - lingered_s)
    done = f"{calls:,} calls" + (f", {pictures:,} pictures" if pictures else "")
    if is_over:
        return Tried(program.group, program.name, "runs", f"to its end: {done}")
    if not calls or silent_s > SILENT_SHARE * program.seconds:
        return Tried(
            program.group,
            program.name,
            "fails",
            f"silent for {silent_s if calls else program.seconds:.0f} of {program.seconds:.0f} s after {done}",
        )
    return Tried(program.group, program.name, "runs", f"until it is stopped: {done} in {program.seconds:.0f} s")


def activity(server_said: str) -> tuple[int, float, int]:
    """Calls answered, seconds from the last one to the end of its connection, and pictures drawn."""
    left = re.findall(r"a client left after (\d+) calls, the last ([\d.]+) s before", server_said)
    silent_s = min((float(seconds) for calls, seconds in left if int(calls) > 1), default=0.0)
    return sum(int(calls) for calls, _ in left), silent_s, len(re.findall(r"^rendered ", server_said, re.M))


def judge_tests(program: Program, lines: list[str], *, is_over: bool) -> Tried:
    """What the last line of pytest means."""
    last = re.sub(r"^=+ | =+$| in [\d.]+s.*", "", lines[-1]) if lines else "says nothing"
    if not is_over:
        return Tried(program.group, program.name, "not tried", unfinished(lines, program.seconds))
    is_good = re.search(r"\d+ passed", last) and not re.search(r"\d+ (failed|error)", last)
    return Tried(program.group, program.name, "runs" if is_good else "fails", last[:120])


def unfinished(lines: list[str], seconds: float) -> str:
    """How far pytest has come, by the marks in its lines of progress."""
    marks = "".join(found.group(1) for line in lines if (found := re.match(r"([.FEsx]+)(?:\s+\[ *\d+%\])?$", line)))
    counts = {word: marks.count(mark) for word, mark in {"passed": ".", "failed": "F", "errors": "E"}.items()}
    so_far = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "no test is over"
    return f"{so_far}, not over after {seconds:.0f} s"


def smoke_tests(options: argparse.Namespace, paths: list[Path], known: set[str]) -> Iterator[tuple[list[Tried], float]]:
    """The tests of each module that is not known yet, and the server's memory after them, in MB."""
    folder = options.carla / "PythonAPI" / "test"
    modules = [m for m in sorted(p.stem for p in (folder / "smoke").glob("test_*.py")) if m not in known]
    if not modules:
        return
    served = Served(SMOKE_PORT, options.work, ["--town", "Town03"])  # on our own roads, whatever the others have
    yield [], served.memory_mb()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    try:
        for module in modules:
            command = [str(options.python), "-m", "unittest", "-v", f"smoke.{module}"]
            try:
                done = subprocess.run(
                    command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False
                )
                said = done.stderr + done.stdout
            except subprocess.TimeoutExpired as late:
                said = (late.stderr or b"").decode(errors="replace") + "\nTimeoutError: not over after 900 s"
            yield read_unittest(module, said), served.memory_mb()
    finally:
        served.stop()


def read_unittest(module: str, said: str) -> list[Tried]:
    """The verdicts of a run of unittest."""
    tried = []
    pattern = r"^(test_\w+) \(([\w.]*)\)(.*?)(?=^test_\w+ \(|^=====|^-----|\Z)"
    for test, place, rest in re.findall(pattern, said, re.M | re.S):
        kind = place.removesuffix(f".{test}").rpartition(".")[2]
        name = f"{kind}.{test}"
        good = re.search(r"\bok\s*$", rest, re.M) is not None
        where = rf"{test} \({re.escape(place)}\)"
        told = re.search(rf"^(?:FAIL|ERROR): {where}.*?^(\w*(?:Error|Exception)[^\n]*)", said, re.M | re.S)
        reason = "" if good else (told.group(1)[:120] if told else said.strip().splitlines()[-1][:120])
        tried.append(Tried("smoke", f"{module}: {name}", "runs" if good else "fails", reason))
    return tried or [
        Tried("smoke", f"{module}: (all)", "fails", (said.strip().splitlines() or ["says nothing"])[-1][:120])
    ]


def write_page(tried: list[Tried], memory: list[float], page: Path = PAGE) -> None:
    """The page from what was tried."""
    lines = [
        "# Clients that nobody here wrote",
        "",
        "Programs of others, unmodified, with the genuine client, against the embedded server at preview quality: what",
        "runs, what is refused and why, what fails. Made by `python docs/benchmarks/clients.py`, which runs them; *not tried* are those",
        "that need something else than a server. A program runs if it ends by itself without an error, or calls the server",
        "until it is stopped. The smoke tests are those that CARLA lists at the release of 0.9.16, on this project's own roads;",
        "all others had OpenDRIVE files of CARLA (`caos serve --maps`), of Town03 and Town05 the editions of April 2019, as",
        "`docs/benchmarks/lengthen_map.py` copies them: some of their lane sections have no length, at which CARLA's route planner ends with",
        "an error. A reason in brackets is one that needs no server.",
        "Nobody drives the ego vehicle of ScenarioRunner: a scenario that ends with TIMEOUT or FAILURE has run. A program that",
        "does not end by itself is stopped, after the time that its row names, on two busy cores. What is not listed has not",
        "been tried.",
        "",
        "| group | runs | refused | fails | not tried |",
        "|---|---|---|---|---|",
    ]
    for group, title in GROUPS.items():
        of = [one.verdict for one in tried if one.group == group]
        if of:
            lines.append(
                f"| {title} | " + " | ".join(str(of.count(v)) for v in ("runs", "refused", "fails", "not tried")) + " |"
            )
    if len(memory) > 1:
        lines += [
            "",
            f"The server's memory over the smoke tests: {memory[0]:.0f} MB when it has drawn a first picture and made every",
            f"vehicle, {memory[-1]:.0f} MB after the last module, {max(memory):.0f} MB at most, as measured after each. Most of it is the",
            "town, as it is mapped from its file and as the ray caster holds it; another town takes its place.",
        ]
    for group, title in GROUPS.items():
        of_group = sorted((one for one in tried if one.group == group), key=lambda one: one.name)
        if of_group:
            lines += ["", f"## {title}", "", "| program | verdict | reason |", "|---|---|---|"]
            lines += [f"| `{one.name}` | {one.verdict} | {one.reason.replace('|', ' ')} |" for one in of_group]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_options() -> argparse.Namespace:
    """The words of the command line, checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carla", type=Path, help="for its own groups, and for ScenarioRunner, which needs its agents")
    parser.add_argument("--scenario-runner", type=Path)
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="for CARLA's and ScenarioRunner's programs"
    )
    parser.add_argument("--scenic", type=Path)
    parser.add_argument("--scenic-python", type=Path, default=Path(sys.executable))
    parser.add_argument("--all-scenarios", action="store_true", help="not only the first of each file")
    parser.add_argument("--towns", default="", help="only scenarios in these, with commas between")
    parser.add_argument("--test-seconds", type=float, default=1800.0, help="time of a file of tests")
    parser.add_argument("--work", type=Path, required=True, help="folder for logs")
    parser.add_argument("--seconds", type=float, default=30.0, help="time of an example")
    parser.add_argument("--scenario-seconds", type=float, default=180.0)
    parser.add_argument("--groups", default=",".join(GROUPS), help="only these, with commas between")
    parser.add_argument("--again", action="append", default=[])
    parser.add_argument("--most-minutes", type=float, default=600.0)
    parser.add_argument("--results", type=Path, default=RESULTS, help="what has been tried")
    parser.add_argument("--serve", action="append", default=[], help="a word for caos serve, but for the smoke tests")
    options = parser.parse_args()
    options.groups = options.groups.split(",")
    unknown = [group for group in options.groups if group not in GROUPS]
    if unknown:
        parser.error(f"there is no group {unknown[0]!r} (known: {', '.join(GROUPS)})")
    for folder in (options.carla, options.scenario_runner, options.scenic):
        if folder is not None and not folder.is_dir():
            parser.error(f"there is no folder {folder}")
    if options.scenario_runner and not options.carla and SCENARIO_GROUPS & set(options.groups):
        parser.error("ScenarioRunner needs CARLA's agents: give --carla, too")
    return options


def try_programs(todo: list[Program], options: argparse.Namespace, paths: list[Path], until: float) -> Iterator[Tried]:
    """What becomes of each program, with one server for all."""
    served = Served(PORT, options.work, ["--town", "Town03", *options.serve])
    try:
        for program in todo:
            if time.monotonic() > until:
                return
            yield attempt(program, served, paths)
            if served.child.poll() is not None:
                raise SystemExit(f"the server has ended: {served.said()[-2000:]}")
    finally:
        served.stop()


def main() -> None:
    """Try what has not been tried, and write the page."""
    options = read_options()
    options.work.mkdir(parents=True, exist_ok=True)
    # a shell lets what it runs in the background ignore this, and whatever that starts, too
    signal.signal(signal.SIGINT, signal.default_int_handler)
    results, until = Results(options.results), time.monotonic() + 60 * options.most_minutes
    results.add([])  # the page of what is known, also where nothing is missing
    known = results.known(options.again)
    agents = options.carla and options.carla / "PythonAPI" / "carla"
    paths = [path.resolve() for path in (agents, options.scenario_runner) if path]
    todo = [program for program in programs(options) if (program.group, program.name) not in known]
    for one in try_programs(todo, options, paths, until) if todo else ():
        print(*asdict(one).values(), flush=True)
        results.add([one])
    if "smoke" not in options.groups or options.carla is None:
        return
    modules = {name.partition(":")[0] for group, name in known if group == "smoke"}
    for more, megabytes in smoke_tests(options, paths, modules):
        print(*(f"{one.name}: {one.verdict} {one.reason}" for one in more), f"{megabytes:.0f} MB", sep="\n", flush=True)
        results.add(more, megabytes, is_first=not more and not modules)
        if time.monotonic() > until:
            break


if __name__ == "__main__":
    main()
