import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { decodeInline } from "../steps/content/base64.ts";
import { choosePartBytesForToolCalls, getPartLength, isValidPart } from "../ports/file-store.ts";
import { getGrantId, type Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../model/text.ts";
import { cancelFile, completeFile, type FileView, getFile, toUploadInProgress } from "./files.ts";
import { createPartUrls, type PartUrls, partUrlsInput, reserveParts } from "./reserve-parts.ts";
import { createUploadLink } from "./create-upload-link.ts";
import { startFile, startFileInput, type StartedFile } from "./start-file.ts";
import { getLinkState, toLinkCredential, type UploadCaller } from "./upload-link.ts";

/**
 * Uploads by the in-chat app. Like those of the web app, they use an upload link. Calls pass the id of the link, and
 * only the user and grant that created it can use it.
 */

export const createAppUploadInput = z.strictObject({ postId: id });

export async function createAppUpload(
  deps: Deps,
  caller: Caller,
  { postId }: z.infer<typeof createAppUploadInput>,
): Promise<{ uploadId: string; expiresAt: string }> {
  const link = await createUploadLink(deps, caller, { postId, inPlace: true });
  return { uploadId: link.id, expiresAt: link.expiresAt };
}

/** Links of other users, grants and studios get the same error as links that don't exist. */
async function resolveAppUploader(
  deps: Pick<Deps, "uploads" | "clock">,
  caller: Caller,
  uploadId: string,
): Promise<UploadCaller> {
  authorize(caller, "assets.write");
  const link = isId("uploadLink", uploadId) ? await deps.uploads.findLink(uploadId) : undefined;
  const isOwnLink =
    link?.studioId === caller.studio.id && link.createdBy === caller.user.id && link.grantId === getGrantId(caller);
  if (!link || !isOwnLink) throw notFoundError("upload_link");
  const state = getLinkState(link, deps.clock());
  if (state === "withdrawn") throw new AppError("forbidden:upload_link_withdrawn");
  return { ...caller, credential: toLinkCredential(link), uploader: caller, link, state };
}

/** Turns work through an upload link into a verb that finds the link by the id in its input. */
function asAppVerb<Input extends { uploadId: string }, Output>(
  work: (deps: Deps, uploader: UploadCaller, input: Input) => Promise<Output>,
) {
  return async (deps: Deps, caller: Caller, input: Input): Promise<Output> =>
    work(deps, await resolveAppUploader(deps, caller, input.uploadId), input);
}

export const startAppFileInput = startFileInput.extend({ uploadId: id });

export const startAppFile = asAppVerb<z.infer<typeof startAppFileInput>, StartedFile>((deps, uploader, file) =>
  startFile(deps, uploader, file, choosePartBytesForToolCalls),
);

const appFileFields = { uploadId: id, fileId: id };

export const appFileInput = z.strictObject(appFileFields);
export const appPartUrlsInput = partUrlsInput.extend(appFileFields);
export const storeAppPartInput = z.strictObject({
  ...appFileFields,
  part: z.number().int().min(1),
  base64: z.string(),
});

export const createAppPartUrls = asAppVerb<z.infer<typeof appPartUrlsInput>, PartUrls>(createPartUrls);
export const completeAppFile = asAppVerb<z.infer<typeof appFileInput>, FileView>(completeFile);

/** Stores one part that arrived in the call, for hosts that don't let the app connect to the store. */
export const storeAppPart = asAppVerb<z.infer<typeof storeAppPartInput>, { part: number }>(
  async (deps, uploader, input) => {
    const { part } = input;
    const file = await getFile(deps, uploader, input.fileId);
    const upload = toUploadInProgress(deps, file);
    if (!upload) throw new AppError("already_attached:file");
    if (!isValidPart(upload.multipartFile, part)) throw new AppError("invalid_input:part");
    const content = decodeInline(input.base64);
    if (content.length !== getPartLength(upload.multipartFile, part)) throw new AppError("invalid_input:part_length");
    const reservedParts = await reserveParts(deps, uploader, file, upload, [part]);
    if (!reservedParts) throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
    await deps.files.parts.write(upload.multipartFile, part, content);
    return { part };
  },
);

export const cancelAppFile = asAppVerb<z.infer<typeof appFileInput>, { canceled: true }>(
  async (deps, uploader, input) => {
    await cancelFile(deps, uploader, input);
    return { canceled: true };
  },
);
