import { defineConfig } from "vite";

// The bundle goes where the daemon finds it; names carry a hash, so that browsers keep what has not changed.
export default defineConfig({
  base: "/static/",
  build: {
    outDir: "../workers/serve/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
