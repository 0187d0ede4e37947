import { z } from "zod";
import { previewAsset } from "#domain/assets/thumbnails.ts";
import {
  appFileInput,
  appPartUrlsInput,
  cancelAppFile,
  completeAppFile,
  createAppPartUrls,
  createAppUpload,
  createAppUploadInput,
  startAppFile,
  startAppFileInput,
  storeAppPart,
  storeAppPartInput,
} from "#domain/uploads/app-uploads.ts";
import { id } from "#domain/model/text.ts";
import { defineTool, type Tool } from "../define-tool.ts";

const fileView = z.object({
  id: z.string(),
  filename: z.string(),
  kind: z.string(),
  mimeType: z.string(),
  bytes: z.number().int(),
  status: z.enum(["pending", "ready"]),
  altText: z.string(),
  thumbnailUrl: z.string().optional(),
});

const writeToolDefaults = {
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  isAppOnly: true,
} as const;

/**
 * The tools that only the in-chat app calls. A host that supports apps hides them from the model. The server cannot
 * tell an app from a model, so they allow nothing that the other tools of the same scope don't.
 */
export const appTools: readonly Tool[] = [
  defineTool({
    name: "app_get_thumbnail",
    title: "Get a thumbnail",
    description: "For the in-chat app: get the thumbnail of an image as an image block.",
    action: "assets.read",
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    isAppOnly: true,
    input: z.strictObject({ assetId: id }),
    output: z.object({ assetId: z.string() }),
    run: async (_deps, _caller, { assetId }) => ({ assetId }),
    async getPreviews(deps, caller, input) {
      const preview = await previewAsset(deps, caller, input);
      return preview ? [preview] : [];
    },
  }),
  defineTool({
    ...writeToolDefaults,
    name: "app_create_upload",
    title: "Start uploading to a post",
    description: "For the in-chat app: prepare uploads to a post.",
    hints: { ...writeToolDefaults.hints, idempotent: false },
    input: createAppUploadInput,
    output: z.object({ uploadId: z.string(), expiresAt: z.string() }),
    run: createAppUpload,
  }),
  defineTool({
    ...writeToolDefaults,
    name: "app_start_file",
    title: "Start or resume a file",
    description: "For the in-chat app: start or resume the upload of a file.",
    input: startAppFileInput,
    output: z.object({ file: fileView, partBytes: z.number().int(), parts: z.array(z.number().int()) }),
    run: startAppFile,
  }),
  defineTool({
    ...writeToolDefaults,
    name: "app_create_part_urls",
    title: "Get URLs of parts",
    description: "For the in-chat app: get URLs to send parts of a file to.",
    input: appPartUrlsInput,
    output: z.object({
      urls: z.array(z.object({ part: z.number().int(), url: z.string() })),
      expiresAt: z.string(),
    }),
    run: createAppPartUrls,
  }),
  defineTool({
    ...writeToolDefaults,
    name: "app_send_part",
    title: "Send a part",
    description: "For the in-chat app: send one part of a file as base64.",
    acceptsFile: true,
    input: storeAppPartInput,
    output: z.object({ part: z.number().int() }),
    run: storeAppPart,
  }),
  defineTool({
    ...writeToolDefaults,
    name: "app_complete_file",
    title: "Complete a file",
    description: "For the in-chat app: check a file whose parts have arrived, and attach it.",
    input: appFileInput,
    output: fileView,
    run: completeAppFile,
  }),
  defineTool({
    ...writeToolDefaults,
    name: "app_cancel_file",
    title: "Cancel an upload",
    description: "For the in-chat app: cancel the upload of a file.",
    hints: { ...writeToolDefaults.hints, destructive: true },
    input: appFileInput,
    output: z.object({ canceled: z.boolean() }),
    run: cancelAppFile,
  }),
];
