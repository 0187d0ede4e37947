import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Everything is a file of its own: the page's policy allows nothing inline. */
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
        // The pages that the server renders itself name their style sheet, so it keeps its name.
        assetFileNames: ({ names }) => (names.includes("pages.css") ? "pages.css" : "assets/[name]-[hash][extname]"),
      },
    },
  },
  server: { proxy: { "/api": "http://localhost:3000" } },
});
