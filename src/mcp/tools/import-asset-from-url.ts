import { importAssetFromUrl, importAssetFromUrlInput } from "#domain/assets/import-asset-from-url.ts";
import { maxConcurrentImports } from "#domain/assets/lifecycle/import-slots.ts";
import { storedAssetOutput } from "#domain/assets/upload-asset-inline.ts";
import { defineTool } from "../define-tool.ts";

export const importAssetFromUrlTool = defineTool({
  name: "import_asset_from_url",
  title: "Import a file from the web",
  description:
    "Fetches a file from a public https address and stores it; nothing passes through your context. Use the address of the file itself, not of a page that shows it. " +
    `The asset is ready when this answers and on no post: attach_asset puts it on one. Large files take a while; at most ${maxConcurrentImports.user} are fetched for a person at once. Give an idempotencyKey, so that repeating a call whose answer was lost does not fetch it twice.`,
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  uploadGuide: "on the web, at an https address that anyone can read: give the address, then attach_asset.",
  input: importAssetFromUrlInput,
  output: storedAssetOutput,
  run: importAssetFromUrl,
});
