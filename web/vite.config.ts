import tailwindcss from "@tailwindcss/vite";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Nothing is inlined: the pages' Content Security Policy allows no inline scripts or styles. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "react-remove-scroll": join(import.meta.dirname, "src/ui/remove-scroll.ts") } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: "index.html", upload: "upload.html", review: "review.html", pages: "src/pages.css" },
      output: {
        // Without groups, pages load dozens of small files. `preload-helper` and `button-classes` are separate, because
        // they are all that the upload page shares with the web app.
        codeSplitting: {
          groups: [
            { name: "preload-helper", test: /vite\/preload-helper/, priority: 2 },
            { name: "button-classes", test: /web\/src\/ui\/button-classes/, priority: 2 },
            { name: "common", test: /web\/src\/(api|layout|ui)\/|lucide-react/, minShareCount: 3, priority: 1 },
          ],
        },
        // Server-rendered pages link to this style sheet by name, so its name has no hash.
        assetFileNames: ({ names }) => (names.includes("pages.css") ? "pages.css" : "assets/[name]-[hash][extname]"),
      },
    },
  },
  server: { proxy: { "/api": "http://localhost:3000" } },
});
