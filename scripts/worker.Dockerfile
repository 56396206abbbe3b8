# A worker for jobs from other machines:
# npm run package -- npm && docker build -f scripts/worker.Dockerfile -t troupe-worker .
FROM node:22-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends git openssh-client ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY dist/troupe-*.tgz /tmp/troupe.tgz
RUN npm install --global /tmp/troupe.tgz && rm /tmp/troupe.tgz
RUN mkdir /data && chown node:node /data
ENV TROUPE_HOME=/data
VOLUME /data
# Its id is 1000.
USER node
ENTRYPOINT ["troupe", "worker"]
