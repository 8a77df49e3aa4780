import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA, type VitePWAOptions } from 'vite-plugin-pwa';
import { compressedFiles } from './scripts/build/compressed-files.ts';
import { firstFiles } from './scripts/build/first-files.ts';

/** The server answers these; `npm run dev` hands them on to it. */
export const SERVER_PATHS: readonly RegExp[] = [
  /^\/(?:auth|rest|storage|realtime|functions|graphql|v1)(?:\/|$)/,
  /^\/(?:health|config\.json)$/,
  /^\/\.well-known\//,
];

export function isServerPath(path: string): boolean {
  return SERVER_PATHS.some((form) => form.test(path));
}

/** The service worker never answers these with the application's page. */
const API_PATHS = [/^\/(auth|rest|storage|v1)(\/|$)/, /^\/health$/, /^\/config\.json$/, /^\/captcha\.html$/];

/** The application starts without a network. When an update is applied is decided in src/web/app/update-notice.tsx. */
const offline: Partial<VitePWAOptions> = {
  registerType: 'prompt',
  injectRegister: false,
  manifest: {
    id: '/',
    name: 'Social-Media-Content-Assistent',
    short_name: 'Content',
    description: 'Sprachnachrichten, Bilder und Videos für Social-Media-Beiträge einreichen.',
    lang: 'de',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: '#2460c4',
    background_color: '#f8fafc',
    icons: [
      { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icons/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
    ],
  },
  includeManifestIcons: false,
  workbox: {
    globPatterns: ['index.html', 'favicon.svg', 'assets/*.{js,css}', 'assets/inter-*.woff2'],
    navigateFallback: '/index.html',
    navigateFallbackDenylist: API_PATHS,
    // The names of everything in assets carry their content already.
    dontCacheBustURLsMatching: /^assets\//,
    clientsClaim: true,
    cleanupOutdatedCaches: true,
    inlineWorkboxRuntime: true,
  },
};

/**
 * Few files: each costs a slow line its headers, and more than six at once wait. `start` is what every page of the
 * application begins with; the page of the captcha has nothing of it.
 */
const SENDING =
  'sending|content-id|contribution-client|late-words|new-key|saving|uploads|save-image-rights|file-name|image-rights-texts|' +
  'outbox/(?:keeping|store|entry-life|worker)';
const FLOW = new RegExp(
  `src/web/(?:submission/(?!(?:${SENDING})\\.ts)|app/flow-route|ui/(?:flow-screen|dropzone|keep-on))`,
);
/** Small pieces that screens share (decision 0361): those of the review page, and those of people with a session. */
const SHOWN = new RegExp(
  'src/(?:contract/(?:review|channels)|web/features/review/drafts|' +
    'web/ui/(?:text-area|badge|format|empty-state|post-preview|preview-texts|use-focus-handover))\\.tsx?$',
);
const PARTS = new RegExp(
  'src/(?:contract/(?:retention|labels|transcript)|web/(?:speech/browser-recognition|app/later-texts|submission/file-name)|' +
    'web/ui/(?:skeleton|timer|card|copy-button|option-card|late-section|use-in-view|screen-icons))\\.(?:tsx?|json)$',
);
/** What asks the server and keeps its answers, for the desk, the administration, the account and own contributions. */
const SERVER_STATE =
  /tanstack|src\/(?:contract\/desk|web\/backend\/(?:own-server|server-state|new-contributions))\.tsx?$/;
/** The toasts and the desk have the collection, dialogs everything else of it. */
const PRIMITIVES = new RegExp(
  '@radix-ui/react-(?:collection|primitive|presence|portal|dismissable-layer|use-controllable-state)/|' +
    'web/ui/presses\\.ts',
);
const CHUNKS = [
  { name: 'start', tags: ['$initial' as const], test: /^(?!.*captcha)/, priority: 4 },
  {
    name: 'common',
    test: /src\/web\/(?:ui\/(?:notice|field|keep-clear|use-focus)|backend\/time-limits)\.tsx?$/,
    minShareCount: 2,
    priority: 4,
  },
  // All that checks an address has the client already.
  { name: 'client', test: /src\/(?:web\/backend\/connect|contract\/addresses)\.ts/, priority: 3 },
  // A recorder keeps its parts with it, long before anything is sent.
  { name: 'idb', test: /node_modules\/idb\//, minShareCount: 2, priority: 3 },
  { name: 'schemas', test: /node_modules\/zod\/|backend\/jitless-zod\.ts/, minShareCount: 2, priority: 3 },
  { name: 'flow', test: FLOW, priority: 2 },
  { name: 'shown', test: SHOWN, priority: 2 },
  { name: 'parts', test: PARTS, priority: 2 },
  { name: 'server-state', test: SERVER_STATE, priority: 2 },
  { name: 'primitives', test: PRIMITIVES, priority: 2 },
  // Loaded after the first screen: src/web/submission/load-sending.ts.
  {
    name: 'sending',
    test: /src\/web\/submission\/(?:sending|late-words|outbox\/(?:keeping|entry-life))\.ts/,
    priority: 1,
  },
  // After `sending`, which takes what both need.
  { name: 'outbox-sender', test: /(?:app\/outbox-sender|outbox\/other-accounts-notice)\.tsx$/, priority: 0 },
];

/** What Tailwind adds for browsers without `@property`: those that it supports have it (docs/architecture.md). */
const PROPERTY_FALLBACK = /@layer properties\{@supports [^{]+\{[^{]+\{[^}]*\}{3}/;

const withoutPropertyFallback: Plugin = {
  name: 'without-property-fallback',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'asset' && file.fileName.endsWith('.css'))
        file.source = String(file.source).replace(PROPERTY_FALLBACK, '');
  },
};

/** The browser application: `src/web` → `dist/web`, one build for every installation (/config.json has the rest). */
export default defineConfig({
  root: 'src/web',
  publicDir: 'public',
  plugins: [react(), tailwindcss(), withoutPropertyFallback, VitePWA(offline), firstFiles(), compressedFiles()],
  resolve: {
    alias: {
      '@supabase/realtime-js': fileURLToPath(new URL('./src/web/backend/no-realtime.ts', import.meta.url)),
      'zod/mini': fileURLToPath(new URL('./src/web/backend/jitless-zod.ts', import.meta.url)),
      'livekit-client': fileURLToPath(new URL('./src/web/features/interview/voice/livekit-stub.ts', import.meta.url)),
    },
  },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['safari16.4', 'chrome111', 'firefox128'],
    sourcemap: false,
    // The few browsers without it fetch the same files a little later.
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: ['index.html', 'captcha.html'].map((page) => fileURLToPath(new URL(`./src/web/${page}`, import.meta.url))),
      output: {
        // The entry has the names of all of them: a character less of each is 100 bytes less of every first screen.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        codeSplitting: { groups: CHUNKS },
      },
    },
  },
});
