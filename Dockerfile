# Steadyhand as a command: an MCP server, or edits of a tree that is mounted at /work.
#
#   docker build --tag steadyhand .
#   docker run --rm --interactive --user "$(id -u):$(id -g)" --volume "$PWD:/work" steadyhand mcp
#
# --user makes the files that it writes yours. The journal stays in the tree, in .steadyhand.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --wheel-dir /wheels '.[languages,mcp]'

FROM python:3.13-slim
# git is what `steadyhand impact` asks for changes.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'steadyhand[languages,mcp]'
ENV HOME=/tmp
WORKDIR /work
USER 1000:1000
ENTRYPOINT ["steadyhand"]
CMD ["--help"]
