# The image of the action: Python, git, and one virtual environment that holds pr-review.

FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build

# The environment has no pip of its own: the base's one installs into it, and a run installs nothing.
COPY requirements.txt requirements-build.txt ./
RUN python -m venv --without-pip /opt/pr-review \
 && pip --python /opt/pr-review/bin/python install --no-compile --only-binary :all: \
      --require-hashes -r requirements.txt \
 && python -m venv --without-pip /opt/build \
 && pip --python /opt/build/bin/python install --no-compile --only-binary :all: \
      --require-hashes -r requirements-build.txt

# Pages of LiteLLM's proxy server, and what a download from a model hub would use: never loaded.
RUN cd /opt/pr-review/lib/python3*/site-packages \
 && rm -rf litellm/proxy/_experimental/out litellm/proxy/swagger \
      litellm/proxy/_lazy_openapi_snapshot.json litellm/proxy/codex_bundled_models*.json hf_xet \
 && find botocore/data -mindepth 1 -maxdepth 1 -type d \
      ! -name 'bedrock*' ! -name 'sts' ! -name 'sso*' ! -name 'signin' ! -name 'sagemaker-runtime' -exec rm -rf {} +

COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY prompts prompts
RUN /opt/build/bin/python -m hatchling build -t wheel \
 && pip --python /opt/pr-review/bin/python install --no-compile --no-deps --no-index dist/*.whl

# A run that starts from .pyc takes half the CPU. They are never checked against their sources,
# so the times of files in a layer do not matter. Of LiteLLM's proxy a run loads a dozen modules:
# those are compiled where they are imported, below, the rest (21 MB) is not.
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash \
      -x 'litellm/proxy/' /opt/pr-review/lib/python3*/site-packages
ENV LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_MODE=PRODUCTION LITELLM_OFFLINE_MODE=true \
    HF_HUB_OFFLINE=1
RUN /opt/pr-review/bin/python -c 'import sys, litellm, py_compile as c; \
  import litellm.proxy.guardrails.exception_utils; \
  [c.compile(m.__file__, invalidation_mode=c.PycInvalidationMode.UNCHECKED_HASH) \
   for n, m in list(sys.modules.items()) if n.startswith("litellm.proxy") and m.__file__]'

# The scanner takes a cache only if it and all folders above belong to the user who runs, and
# nobody else may write there.
RUN KF_RULE_CACHE_DIR=/opt/pr-review/rules /opt/pr-review/bin/python -c \
      'from pr_review.adapters.secrets import Kingfisher; Kingfisher().scan(["warm"])' \
 && chown -R root:root /opt/pr-review \
 && chmod -R a+rX,go-w /opt/pr-review && chmod -R a-w /opt/pr-review/rules


FROM python:3.13-slim
LABEL org.opencontainers.image.title="pr-review" \
      org.opencontainers.image.description="Reviews pull requests with LLM agents and accounts for every line they saw" \
      org.opencontainers.image.licenses="MIT"

RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
# The base has no .pyc of the standard library at all.
RUN stdlib=$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))') \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash \
      -x '/(test|tests|idlelib|tkinter|turtledemo|ensurepip|lib2to3|pydoc_data|site-packages|dist-packages)/' \
      "$stdlib"
COPY --from=build /opt/pr-review /opt/pr-review

# PYTHONSAFEPATH: the working directory is a checkout, whose modules must never be imported.
# KF_RULE_CACHE_DIR: HOME in a run is shared with earlier steps, so no cache there is ours.
ENV PATH=/opt/pr-review/bin:$PATH \
    LANG=C.UTF-8 \
    PYTHONSAFEPATH=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    KF_RULE_CACHE_DIR=/opt/pr-review/rules \
    LITELLM_LOCAL_MODEL_COST_MAP=True \
    LITELLM_MODE=PRODUCTION \
    LITELLM_OFFLINE_MODE=true \
    HF_HUB_OFFLINE=1

# A container action has to run as root; the process that talks to a model drops to another user.
# https://docs.github.com/actions/reference/workflows-and-actions/dockerfile-support
ENTRYPOINT ["pr-review"]
