# The application alone: PostgreSQL and S3 come from outside (compose.yaml), or PostgreSQL from the packages and files from /data.
# scripts/try-container.ts does these steps in a temporary folder, without Docker (docs/operations.md, Container).

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/bootstrap.mjs ./scripts/
COPY scripts/build ./scripts/build
# As npm start does it: the lock file's versions and checksums, without the tools of development.
RUN node scripts/bootstrap.mjs --production
COPY vite.config.ts vite.server.config.ts ./
COPY src ./src
RUN node scripts/bootstrap.mjs --production --build
# The embedded PostgreSQL makes its links beside its libraries, which the user that starts the server may not.
RUN node -e "import('./src/backend/database/launcher.ts').then((module) => module.findNativeFolder())"
# The image has its Node already.
RUN rm -rf node_modules/node-linux-*

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY package.json ./
COPY supabase ./supabase
COPY src ./src
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir -p /data && chown node:node /data
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=3000
ENV DATA_DIR=/data
ENV MALLOC_ARENA_MAX=1
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/health').then((answer)=>process.exit(answer.ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=1", "--import", "./src/server/compile-cache.mjs", "dist/server/main.js"]
