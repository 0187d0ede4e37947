import { importAssetFromUrl, importAssetFromUrlInput } from "#domain/assets/import-asset-from-url.ts";
import { maxConcurrentImports } from "#domain/assets/lifecycle/import-slots.ts";
import { storedAssetOutput } from "#domain/assets/upload-asset-inline.ts";
import { defineTool } from "../define-tool.ts";

export const importAssetFromUrlTool = defineTool({
  name: "import_asset_from_url",
  title: "Import a file from a URL",
  description:
    "Import a file from a public https URL; its content does not pass through your context. Use the URL of the file itself, not of a page that shows it. " +
    `Pass an idempotencyKey so that a retry does not import the file twice. Large files take a while; a user can run up to ${maxConcurrentImports.user} imports at once. ` +
    "The returned asset is ready; call attach_asset to add it to a post.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  uploadGuide: "on the web at a public https URL. Pass the URL, then call attach_asset.",
  input: importAssetFromUrlInput,
  output: storedAssetOutput,
  run: importAssetFromUrl,
});
