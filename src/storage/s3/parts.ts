import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
  type CompletedPart,
} from "@aws-sdk/client-s3";
import {
  countParts,
  getPartLength,
  isValidPart,
  type MultipartFile,
  type PartStore,
  type StoredFile,
} from "#domain/ports/file-store.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { validateKey } from "../validate-key.ts";
import { toStoredFile } from "./promote-object.ts";
import { undefinedIfMissing, getStatus, isTimeout, type S3Target } from "./s3-target.ts";
import { toContentHeaders } from "./write-object.ts";

/** How many uploads one sweep checks. */
const maxSweptUploads = 1000;
/** Short, so that the client still gets the error of the failed part in time. */
const missingUploadTimeoutMs = 1500;

/**
 * S3 multipart uploads. Browsers send the parts straight to the store, and the server reads the list of parts and their
 * ETags from it. After completion, the upload no longer exists and its part URLs stop working.
 */
export function createS3Parts(
  { bucket, send, head }: S3Target,
  sign: (command: UploadPartCommand, expiresAt: number) => Promise<string>,
): PartStore {
  const toUploadParams = ({ key, id }: Pick<MultipartFile, "key" | "id">) => ({
    Bucket: bucket,
    Key: validateKey(key),
    UploadId: id,
  });
  /** Parallel calls of one process wait for the same assembly instead of each reading all parts. */
  const pendingCompletions = new Map<string, Promise<StoredFile | undefined>>();

  /**
   * The parts with the expected length; undefined if the upload does not exist. A part with another length counts as
   * missing, and the client resends it.
   */
  async function readParts(file: MultipartFile): Promise<CompletedPart[] | undefined> {
    const validParts: CompletedPart[] = [];
    for (let marker: string | undefined; ;) {
      const command = new ListPartsCommand({
        ...toUploadParams(file),
        ...(marker === undefined ? {} : { PartNumberMarker: marker }),
      });
      const response = await undefinedIfMissing(send(command));
      if (!response) return undefined;
      for (const { PartNumber = 0, Size, ETag } of response.Parts ?? []) {
        if (isValidPart(file, PartNumber) && Size === getPartLength(file, PartNumber))
          validParts.push({ PartNumber, ETag });
      }
      if (!response.IsTruncated || response.NextPartNumberMarker === undefined) return validParts;
      marker = response.NextPartNumberMarker;
    }
  }

  /**
   * Whether a part failed because its upload no longer exists. A store that rejects a part may close the connection
   * before it has read all of it, and then its 404 can be lost.
   */
  async function isMissingUpload(file: MultipartFile, partError: unknown): Promise<boolean> {
    const status = getStatus(partError);
    if (status !== undefined) return status === 404;
    if (isTimeout(partError)) return false;
    const command = new ListPartsCommand({ ...toUploadParams(file), MaxParts: 1 });
    return send(command, { timeoutMs: missingUploadTimeoutMs }).then(
      () => false,
      (error: unknown) => getStatus(error) === 404,
    );
  }

  async function findCompleteFile({ key, bytes }: MultipartFile): Promise<StoredFile | undefined> {
    const headOutput = await head(key);
    return headOutput?.ContentLength === bytes ? toStoredFile(headOutput) : undefined;
  }

  async function assembleFile(file: MultipartFile): Promise<StoredFile | undefined> {
    const parts = await readParts(file);
    if (parts && parts.length < countParts(file)) return undefined;
    if (parts) {
      const upload = { ...toUploadParams(file), MultipartUpload: { Parts: parts } };
      try {
        await send(new CompleteMultipartUploadCommand(upload), { workBytes: file.bytes });
      } catch (error) {
        // 404: another call, or an earlier one whose response was lost, completed the file. 400: a part was replaced.
        const status = getStatus(error);
        if (status === 400) return undefined;
        if (status !== 404) throw error;
      }
    }
    return findCompleteFile(file);
  }

  return {
    async start(key, { mimeType }) {
      const object = { Bucket: bucket, Key: validateKey(key), ...toContentHeaders(mimeType) };
      const { UploadId } = await send(new CreateMultipartUploadCommand(object));
      if (UploadId === undefined) throw new AppError("storage_unavailable:store_response");
      return UploadId;
    },

    async list(file) {
      const parts = await readParts(file);
      if (parts) return parts.map(({ PartNumber = 0 }) => PartNumber);
      const completeFile = await findCompleteFile(file);
      return completeFile && Array.from({ length: countParts(file) }, (_, i) => i + 1);
    },

    // The signed Content-Length prevents clients from sending larger parts than declared.
    createPartUrl: (file, part, expiresAt) =>
      sign(
        new UploadPartCommand({ ...toUploadParams(file), PartNumber: part, ContentLength: getPartLength(file, part) }),
        expiresAt,
      ),

    async write(file, part, content) {
      const body = { PartNumber: part, Body: content, ContentLength: content.length };
      const command = new UploadPartCommand({ ...toUploadParams(file), ...body });
      try {
        await send(command, { workBytes: content.length });
      } catch (error) {
        throw (await isMissingUpload(file, error)) ? notFoundError("upload") : error;
      }
    },

    complete(file) {
      const completion =
        pendingCompletions.get(file.id) ?? assembleFile(file).finally(() => pendingCompletions.delete(file.id));
      pendingCompletions.set(file.id, completion);
      return completion;
    },

    async abort(file) {
      await undefinedIfMissing(send(new AbortMultipartUploadCommand(toUploadParams(file))));
    },

    async sweep(startedBefore) {
      const listParams = { Bucket: bucket, Prefix: "files/", MaxUploads: maxSweptUploads };
      const { Uploads = [] } = await send(new ListMultipartUploadsCommand(listParams));
      const staleUploads = Uploads.filter(({ Initiated }) => Initiated && Initiated.getTime() < startedBefore);
      for (const { Key = "", UploadId = "" } of staleUploads)
        await undefinedIfMissing(send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })));
      return staleUploads.length;
    },
  };
}
