# Two commands do everything on a fresh machine with Python 3.10 to 3.12, make and pip:
#   make demo   the whole benchmark in small, ending in a table and a page
#   make test   the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# An older wheel rather than a newer source that needs a compiler.
INSTALL := $(BIN)/python -m pip install --quiet --prefer-binary
# Words for pytest; two processes, a file's tests in one of them so that what they share is made once.
PYTEST ?= -n 2 --dist loadfile
# Where .ci/system-libraries unpacks what an ordinary user cannot install.
export LD_LIBRARY_PATH := $(CURDIR)/$(VENV)/system/lib$(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))
ROOMS := caos $(patsubst caos/%,%,$(shell find caos -type l))

# Extras whose lower bounds `make lowest` tries.
LOWEST_EXTRAS ?= simulator,meshes,learn
LOWEST := .venv-lowest

.PHONY: install dev demo test lowest coverage lint bench faults reference docs pictures release-check clean

install: $(VENV)/.installed
dev: $(VENV)/.installed-dev

# Debian's python3 comes without ensurepip (package python3-venv); its pip can install into the environment instead.
$(VENV)/.created:
	$(PYTHON) -m venv $(VENV) >/dev/null || { \
	  $(PYTHON) -m venv --clear --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/.installed: pyproject.toml | $(VENV)/.created
	sh .ci/system-libraries
	$(INSTALL) -e '.[simulator,meshes,learn]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/.created
	sh .ci/system-libraries --browser
	$(INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.installed

demo: install
	$(BIN)/caos demo --out demo

test: dev
	$(BIN)/python -m pytest $(PYTEST)

# The quick tests with the lowest versions of the direct dependencies that pyproject.toml allows.
lowest:
	$(PYTHON) -m venv --clear $(LOWEST)
	sh .ci/system-libraries
	$(LOWEST)/bin/python -m pip install --quiet uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct -e '.[$(LOWEST_EXTRAS)]'
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python -e '.[$(LOWEST_EXTRAS),test]'
	$(LOWEST)/bin/python -m pytest -m 'not slow' $(PYTEST) tests/foundation tests/scenes tests/segmentation tests/ood_scores

coverage: dev
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered -m 'not slow' $(PYTEST)

lint: dev
	$(BIN)/ruff check $(ROOMS) tests examples
	$(BIN)/ruff format --check $(ROOMS) tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports

# Work that is killed, starved and crowded, and what is left of it: at most twenty minutes.
faults: dev
	$(BIN)/python -m tests.faults.storm --minutes 20

# Every metric beside scikit-learn, pytorch-ood, pycocotools and plain code, on thousands of generated cases.
reference: dev
	$(BIN)/python -m tests.reference

bench: dev
	$(BIN)/python -m tests.bench

pictures: dev
	$(BIN)/caos assets preview --out demo/hazards.png --columns 24
	$(BIN)/caos scenes generate approach --out demo/near --test 1 --size 640x360 --weather clear=1,cloudy=1 --set sequence.speed_kmh=50 --set hazards.motions=still=1 --set traffic.vehicles=0,3
	$(BIN)/caos score demo/near --run bundled --scorers outlier_head --stopping alarms=2000 --out demo/near-results --overwrite
	$(BIN)/caos scenes video demo/near --results demo/near-results --width 432 --out demo/noticed
	$(BIN)/caos scenes generate surround --out demo/around --test 1 --size 448x252 --weather clear --set parts.surround.towns=Town02
	$(BIN)/caos scenes sensors demo/around --boxes --out demo/surround.png
	$(BIN)/caos scenes generate lidar --out demo/scans --test 1 --size 960x540 --seed 3 --weather clear --set parts.lidar.towns=Town02 \
	  --set sequence.frames=2 --set hazards.range_m=6,14 --set hazards.motions=still=1 --set hazards.placements=road=1
	$(BIN)/caos scenes sensors demo/scans --boxes --out demo/lidar.png
	$(BIN)/caos assets preview fridge_02 suitcase_01 cardboard_boxes_01 --opening --columns 3 --out demo/opening.png
	$(BIN)/caos train demo/data --preset quick --augment cutout,mixup,cutmix,clahe,style,augmix --show-augmentations demo/augmentations.png
	$(BIN)/caos score demo/data --run bundled --scorers max_logit,outlier_head --out demo/bundled --overwrite
	$(BIN)/caos scenes streethazards --out demo/stock --hazards stock --train 0 --val 0 --test 6 --size 640x360
	$(BIN)/caos scenes streethazards --out demo/small2 --train 2 --val 0 --test 2 --size 320x180 --quality draft --workers 2
	$(BIN)/caos scenes describe demo/small2 --out demo/sheet.png
	$(BIN)/python docs/pictures.py demo demo/hazards.png demo/noticed

docs: dev
	$(BIN)/mkdocs build --strict

# Builds wheel and sdist, installs the wheel into a fresh environment, runs commands there, and unpacks the sdist.
release-check: dev
	$(BIN)/python -m pytest tests/packaging tests/docs/test_site.py
	$(BIN)/python -m build --no-isolation

clean:
	rm -rf $(VENV) $(LOWEST) demo site site-docs dist
