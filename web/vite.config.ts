import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Nothing is inlined: the pages' Content Security Policy allows no inline scripts or styles. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: "index.html", upload: "upload.html", pages: "src/pages.css" },
      output: {
        // Server-rendered pages link to this style sheet by name, so its name has no hash.
        assetFileNames: ({ names }) => (names.includes("pages.css") ? "pages.css" : "assets/[name]-[hash][extname]"),
      },
    },
  },
  server: { proxy: { "/api": "http://localhost:3000" } },
});
