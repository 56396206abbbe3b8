# A worker for jobs from other machines: docker build -f scripts/worker.Dockerfile -t troupe-worker .
FROM node:22-bookworm AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npm run build

FROM node:22-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends git openssh-client ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/troupe
COPY --from=build /src/out/cli.mjs /src/out/cli-main.cjs /src/out/documents.cjs /src/out/sandbox.mjs /src/out/shared-page.html out/
COPY --from=build /src/out/seccomp out/seccomp
COPY --from=build /src/agents agents
COPY --from=build /src/docs docs
COPY --from=build /src/package.json .
COPY --from=build /src/node_modules/@vscode node_modules/@vscode
RUN mkdir /data && chown node:node /data
ENV TROUPE_HOME=/data
VOLUME /data
# Its id is 1000.
USER node
ENTRYPOINT ["node", "/opt/troupe/out/cli.mjs", "worker"]
