import { attachFile, attachFileInput } from "#domain/assets/import-file.ts";
import { storedAssetOutput } from "#domain/assets/upload-asset-inline.ts";
import { defineTool } from "../define-tool.ts";

export const attachFileTool = defineTool({
  name: "attach_file",
  title: "Attach a file from the chat",
  description:
    "Attach to a post a file that the user added to this chat. Works only in apps that fill in the file argument themselves, such as ChatGPT. Never write its URL yourself: for a URL, call import_asset_from_url.",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  uploadGuide: "added to the chat, in apps that hand over files, such as ChatGPT. Pass the file and the postId.",
  meta: { "openai/fileParams": ["file"] },
  input: attachFileInput,
  output: storedAssetOutput,
  run: attachFile,
});
