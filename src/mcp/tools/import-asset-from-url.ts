import { importAssetFromUrl, importAssetFromUrlInput } from "#domain/assets/import-file.ts";
import { storedAssetOutput } from "#domain/assets/upload-asset-inline.ts";
import { defineTool } from "../define-tool.ts";

export const importAssetFromUrlTool = defineTool({
  name: "import_asset_from_url",
  title: "Import a file from a URL",
  description:
    "Import a file from a public https URL, without using your context. Pass the URL of the file itself, not of a page that shows it, and a postId to attach it at once. Large files take a while.",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  uploadGuide: "on the web at a public https URL. Pass the URL and the postId.",
  input: importAssetFromUrlInput,
  output: storedAssetOutput,
  runsAsTask: true,
  run: importAssetFromUrl,
});
