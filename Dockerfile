# The daemon in a container. The graph, its index and the model's weights live in the volume /data.
#   docker compose up        or: docker build -t graphvine . && docker run -p 127.0.0.1:8420:8420 -v graphs:/data graphvine
FROM node:22-slim AS ui
WORKDIR /source
COPY . .
RUN cd ui && npm install --no-save && npx vite build

FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
COPY --from=ui /source/workers/serve/static workers/serve/static
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /dist .

FROM python:3.13-slim
COPY --from=build /dist /dist
RUN pip install --no-cache-dir "$(echo /dist/*.whl)[mcp,news,neo4j]" && rm -r /dist \
    && useradd --create-home --uid 1000 graphvine && install -d -o graphvine /data
USER graphvine
WORKDIR /data
ENV GRAPHVINE_GRAPH=/data/graphvine.kuzu XDG_CACHE_HOME=/data/cache PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8420
STOPSIGNAL SIGTERM
# It fails for a daemon that lives but can't read or write its graph, too.
HEALTHCHECK --start-period=120s CMD python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8420/readyz', timeout=5)"
ENTRYPOINT ["graphvine"]
# Inside its container the daemon listens on every address; everything asks for the token then.
CMD ["serve", "--host", "0.0.0.0"]
