# The app with what it needs, for a server: docs/deploy.md says how to build and run it.
#
#   docker build -t chunkscope .                               with all-MiniLM-L6-v2 and the CPU build of torch
#   docker build -t chunkscope --build-arg VARIANT=app .       with the encoder "static" alone, without torch

FROM python:3.11-slim-bookworm AS build
ARG VARIANT=minilm
ARG TORCH_INDEX=
WORKDIR /build
COPY pyproject.toml requirements-app.txt requirements-minilm.txt requirements-pins.txt requirements-lock.txt ./
COPY tools tools
# Every package is held to its hash in the lock.
RUN python -m venv /opt/app \
    && TORCH_INDEX="${TORCH_INDEX}" /opt/app/bin/python -m tools.install "requirements-${VARIANT}.txt" \
    && /opt/app/bin/python -m tools.slim

FROM python:3.11-slim-bookworm
# The user owns nothing but its data and its cache, so that the file system can be read-only.
RUN groupadd --gid 10001 chunkscope \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin chunkscope \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data /cache
COPY --from=build /opt/app /opt/app
WORKDIR /app
COPY app.py LICENSE SECURITY.md ./
COPY .streamlit/config.toml .streamlit/config.toml
COPY chunking chunking
COPY pages pages
COPY sample_docs sample_docs
# Bytecode is kept with the cache: compiling anew at each start would take seconds.
ENV PATH=/opt/app/bin:$PATH \
    HOME=/tmp \
    PYTHONUNBUFFERED=1 \
    PYTHONPYCACHEPREFIX=/cache/bytecode \
    MALLOC_ARENA_MAX=2 \
    CHUNKSCOPE_CACHE=/cache \
    CHUNKSCOPE_REVIEWS=/data/reviews.sqlite \
    CHUNKSCOPE_LIBRARY=/data/library \
    CHUNKSCOPE_LOG=json
USER 10001:10001
VOLUME ["/data", "/cache"]
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
STOPSIGNAL SIGINT
ENTRYPOINT ["python", "-P", "-m", "streamlit", "run", "app.py", "--server.headless=true", "--server.address=0.0.0.0", "--server.port=8501"]
