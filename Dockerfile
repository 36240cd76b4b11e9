# CAOS on a CPU: the simulator, training, scoring and pages.
#   docker build -t caos .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD":/work caos demo --out /work/demo
FROM python:3.11-slim
WORKDIR /opt/caos
COPY . .
# The libraries that wheels do not carry.
RUN sh .ci/system-libraries && rm -rf /var/lib/apt/lists/*
# For an image of a tenth of the size, let torch come without CUDA: --build-arg TORCH_OPTIONS="--index-url ..." with the
# address that torch's own instructions name for the CPU.
ARG TORCH_OPTIONS=""
RUN python -m pip install --no-cache-dir $TORCH_OPTIONS torch torchvision \
 && python -m pip install --no-cache-dir '.[simulator,meshes,learn]' \
 && caos doctor
# The cache is open to any user, so that --user can be the owner of the folder at /work.
RUN useradd --create-home caos && install -d -m 1777 /var/cache/caos
USER caos
ENV CAOS_CACHE=/var/cache/caos HOME=/tmp
WORKDIR /work
ENTRYPOINT ["caos"]
