import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin } from "vite";
import { loadLanguage } from "./src/upload/languages.ts";
import { english } from "./src/upload/strings.ts";

/** Hosts of in-chat apps load one document, and nothing else (MCP Apps, 2026-01-26). */
export default defineConfig(async () => ({
  root: import.meta.dirname,
  publicDir: false as const,
  plugins: [tailwindcss(), inlineAssets()],
  define: { __UPLOAD_STRINGS__: JSON.stringify(await collectUploadStrings()) },
  build: {
    outDir: "dist",
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    rolldownOptions: { input: "chat-app.html", output: { codeSplitting: false } },
  },
}));

const languages = ["de", "es", "fr", "it", "ja", "nl", "pt", "zh"];

/** Collects the strings that the uploader uses, in each language. Uppy's language packs contain many more. */
async function collectUploadStrings(): Promise<Record<string, Record<string, string>>> {
  const entries = languages.map(async (tag) => {
    const { strings } = await loadLanguage([tag]);
    return [
      tag,
      Object.fromEntries(
        Object.entries(strings).filter(([key, text]) => text !== english[key as keyof typeof english]),
      ),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Inlines scripts and styles. Omits the fonts, which are larger than everything else. */
function inlineAssets(): Plugin {
  return {
    name: "inline-assets",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["chat-app.html"];
      if (page?.type !== "asset") throw new Error("chat-app.html is missing");
      let html = String(page.source);
      for (const [fileName, file] of Object.entries(bundle)) {
        if (file === page) continue;
        delete bundle[fileName];
        if (file.type === "chunk") {
          const script = file.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
          html = replaceTag(html, /<script[^>]*\ssrc="[^"]*"[^>]*><\/script>/, "");
          html = replaceTag(html, /<\/body>/, `<script type="module">${script}</script></body>`);
        } else if (fileName.endsWith(".css")) {
          const styles = String(file.source).replace(/@font-face\s*\{[^}]*\}/g, "");
          html = replaceTag(html, /<link rel="stylesheet"[^>]*>/, `<style>${styles}</style>`);
        }
      }
      page.source = html;
    },
  };
}

function replaceTag(html: string, tag: RegExp, replacement: string): string {
  if (!tag.test(html)) throw new Error(`${tag.source} is missing in chat-app.html`);
  // A function, because `$` has a special meaning in a replacement string.
  return html.replace(tag, () => replacement);
}
