# The sandbox server and the conformance runner in one image.
#
#   docker build --tag partner-sandbox .
#   docker run --init --rm --publish 127.0.0.1:4600:4600 --publish 127.0.0.1:4601:4601 partner-sandbox
#   docker run --rm --env PARTNER_SECRET partner-sandbox conform https://staging.example.test --key-id pk_test_...

ARG NODE_VERSION=22

FROM node:${NODE_VERSION}-bookworm-slim AS build
# For machines that find no prebuilt better-sqlite3 and have to compile it.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# Alone first: as long as no dependency changes, this layer is taken from the cache.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json README.md LICENSE CHANGELOG.md ./
COPY bin bin
COPY docs docs
COPY examples examples
COPY fixtures fixtures
COPY scenarios scenarios
COPY skills skills
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:${NODE_VERSION}-bookworm-slim AS run
ENV NODE_ENV=production
# --data /data keeps worlds there; a volume made from this folder belongs to the user the server runs as.
RUN mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE /app/CHANGELOG.md ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bin bin
COPY --from=build /app/docs docs
COPY --from=build /app/fixtures fixtures
COPY --from=build /app/scenarios scenarios
COPY --from=build /app/skills skills
COPY --from=build /app/dist dist
USER node
VOLUME /data
EXPOSE 4600 4601
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4600/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/partner-sandbox.js"]
# Beyond loopback the operator port takes a token: PARTNER_SANDBOX_OPERATOR_TOKEN, or one that is made up and printed.
CMD ["serve", "--host", "0.0.0.0", "--public-url", "http://localhost:4600"]
