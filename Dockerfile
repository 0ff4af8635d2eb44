# The image of the action: Python, git, and one virtual environment that holds pr-review.

FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build

# strip, for image/slim.py
RUN apt-get update && apt-get install -y --no-install-recommends binutils

# The environment has no pip of its own: the base's one installs into it, and a run installs nothing.
COPY requirements.txt requirements-build.txt ./
RUN python -m venv --without-pip /opt/pr-review \
 && pip --python /opt/pr-review/bin/python install --no-compile --only-binary :all: \
      --require-hashes -r requirements.txt \
 && python -m venv --without-pip /opt/build \
 && pip --python /opt/build/bin/python install --no-compile --only-binary :all: \
      --require-hashes -r requirements-build.txt

# A run that starts from .pyc takes half the CPU. They are never checked against their sources,
# so the times of files in a layer do not matter. Of three folders a run loads a small part alone,
# which image/compile.py finds.
ENV LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_MODE=PRODUCTION LITELLM_OFFLINE_MODE=true \
    HF_HUB_OFFLINE=1
COPY image image
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash \
      -x '/(litellm/proxy|openai/resources|openai/types)/' \
      /opt/pr-review/lib/python3*/site-packages \
 && /opt/pr-review/bin/python -B image/slim.py \
 && /opt/pr-review/bin/python -B image/compile.py

COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY prompts prompts
RUN /opt/build/bin/python -m hatchling build -t wheel \
 && pip --python /opt/pr-review/bin/python install --no-compile --no-deps --no-index dist/*.whl \
 && python -m compileall -q --invalidation-mode unchecked-hash \
      /opt/pr-review/lib/python3*/site-packages/pr_review

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

# git is its own program and the one that speaks HTTP: what is removed stands in docs/image.md
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && dpkg --purge --force-depends $(dpkg-query --show --showformat '${Package} ' \
      perl 'perl-modules-*' 'libperl5*' liberror-perl git-man) \
 && cd /usr/lib/git-core \
 && rm git-daemon git-http-backend git-http-fetch git-http-push git-imap-send git-shell \
      git-sh-i18n--envsubst scalar /usr/bin/git-shell /usr/bin/scalar \
 && ln -sf ../../bin/git git \
 && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log
# The base has no .pyc of the standard library at all.
RUN stdlib=$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))') \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash \
      -x '/(test|tests|idlelib|tkinter|turtledemo|ensurepip|lib2to3|pydoc_data|site-packages|dist-packages|_pyrepl|curses|sqlite3|unittest|venv|wsgiref|xmlrpc)/' \
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
