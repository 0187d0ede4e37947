import {
  CopyObjectCommand,
  DeleteObjectCommand,
  UploadPartCopyCommand,
  type CompletedPart,
  type HeadObjectCommandOutput,
} from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import type { StoredFile } from "#domain/ports/file-store.ts";
import { validateKey } from "../validate-key.ts";
import { getStatus, type S3Target } from "./s3-target.ts";
import { fileNotStoredError, startMultipart, toContentHeaders, unquoteEtag } from "./write-object.ts";

export type Promote = (from: string, version: string, to: string, mimeType: string) => Promise<StoredFile | undefined>;

/** The metadata key that records which version of the incoming object was promoted. */
const sourceVersionKey = "source-version";
/** Short, because other calls with their own timeouts follow. If cleanup fails, the sweeper removes what is left. */
const cleanupTimeoutMs = 1000;
/** An ETag that no object has. */
const impossibleVersion = "0".repeat(32);

export function toStoredFile(headOutput: HeadObjectCommandOutput): StoredFile {
  return { bytes: headOutput.ContentLength ?? 0, version: unquoteEtag(headOutput.ETag), sha256: null };
}

/**
 * Copies exactly the bytes of `version` from an incoming key, which clients can still write to, to a file key.
 *
 * Stores that check the ETag while copying (AWS, MinIO, R2) do this in one call. Others, such as Ceph, ignore the
 * condition and copy the current bytes; a late retry of our copy could even overwrite a served file with other bytes.
 * On such stores, the object is first copied to a staging key, which clients can't write to, and checked at this key.
 */
export function createPromote(target: S3Target, limits: CopyLimits): Promote {
  const { bucket, send, head } = target;
  const newName = () => randomBytes(8).toString("hex");

  async function deleteObject(key: string): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: bucket, Key: validateKey(key) });
    await send(command, { timeoutMs: cleanupTimeoutMs }).catch(() => {});
  }

  /** Set by the first promote of an object that is small enough for a probe. */
  let supportsConditionalCopy: boolean | undefined;

  /** Tries a copy whose condition cannot hold. A store that copies anyway ignores conditions. */
  async function checkConditionalCopy(source: CopySource): Promise<boolean> {
    if (supportsConditionalCopy !== undefined) return supportsConditionalCopy;
    if (source.bytes > limits.maxSingleCopyBytes) return false; // too large for a probe
    const probeKey = `${source.key}.${newName()}`;
    const destination = { key: probeKey, mimeType: "application/octet-stream", metadata: {} };
    try {
      await copyObject(target, { ...source, ifVersion: impossibleVersion }, destination, limits);
      supportsConditionalCopy = false;
      await deleteObject(probeKey);
    } catch (error) {
      if (getStatus(error) !== 412) throw error;
      supportsConditionalCopy = true;
    }
    return supportsConditionalCopy;
  }

  async function copyViaStaging(
    stagingKey: string,
    source: CopySource,
    to: string,
    mimeType: string,
  ): Promise<boolean> {
    const metadata = { [sourceVersionKey]: source.ifVersion };
    try {
      await copyObject(target, source, { key: stagingKey, mimeType, metadata }, limits);
      const stagedObject = await head(stagingKey);
      if (!stagedObject) throw fileNotStoredError();
      const version = unquoteEtag(stagedObject.ETag);
      // Some stores give the copy a new ETag. Then an unchanged source ETag proves that the bytes are equal.
      const isSameVersion =
        version === source.ifVersion || unquoteEtag((await head(source.key))?.ETag) === source.ifVersion;
      const isValid = isSameVersion && stagedObject.ContentLength === source.bytes;
      const stagedSource = { key: stagingKey, ifVersion: version, bytes: source.bytes };
      if (isValid) await copyObject(target, stagedSource, { key: to, mimeType, metadata }, limits);
      await deleteObject(stagingKey);
      return isValid;
    } catch (error) {
      void deleteObject(stagingKey); // not awaited, so that the error is not delayed
      throw error;
    }
  }

  async function findPromoted(to: string, version: string): Promise<StoredFile | undefined> {
    const headOutput = await head(to);
    return headOutput?.Metadata?.[sourceVersionKey] === version ? toStoredFile(headOutput) : undefined;
  }

  return async (from, version, to, mimeType) => {
    validateKey(to);
    const headOutput = await head(from);
    if (!headOutput || unquoteEtag(headOutput.ETag) !== version) return findPromoted(to, version);
    const source = { key: from, ifVersion: version, bytes: headOutput.ContentLength ?? 0 };
    try {
      if (await checkConditionalCopy(source)) {
        await copyObject(target, source, { key: to, mimeType, metadata: { [sourceVersionKey]: version } }, limits);
      } else if (!(await copyViaStaging(`${from}.${newName()}`, source, to, mimeType))) {
        return await findPromoted(to, version);
      }
    } catch (error) {
      // 412: the object was overwritten since the HEAD request. 404: another call promoted it.
      if (![404, 412].includes(getStatus(error) ?? 0)) throw error;
      return findPromoted(to, version);
    }
    const promotedFile = await findPromoted(to, version);
    if (promotedFile?.bytes !== source.bytes) throw fileNotStoredError();
    await deleteObject(from);
    return promotedFile;
  };
}

export interface CopyLimits {
  /** The largest object that the store copies in one call. */
  maxSingleCopyBytes: number;
  partBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultCopyLimits: CopyLimits = { maxSingleCopyBytes: 5 * 1024 * mebibyte, partBytes: 512 * mebibyte };

interface CopySource {
  key: string;
  /** The ETag that the source must have; otherwise the store responds with 412. Some stores ignore it. */
  ifVersion: string;
  bytes: number;
}

interface CopyDestination {
  key: string;
  mimeType: string;
  metadata: Record<string, string>;
}

/** Copies an object inside the store. Above `maxSingleCopyBytes`, copies it in parts, each with its own timeout. */
async function copyObject(
  target: S3Target,
  source: CopySource,
  destination: CopyDestination,
  limits: CopyLimits,
): Promise<void> {
  const { bucket, send } = target;
  const location = { Bucket: bucket, Key: destination.key };
  const copySource = { CopySource: `${bucket}/${source.key}`, CopySourceIfMatch: `"${source.ifVersion}"` };
  const headers = { ...toContentHeaders(destination.mimeType), Metadata: destination.metadata };

  if (source.bytes <= limits.maxSingleCopyBytes) {
    const command = new CopyObjectCommand({ ...location, ...copySource, ...headers, MetadataDirective: "REPLACE" });
    await send(command, { workBytes: source.bytes });
    return;
  }

  const upload = await startMultipart(target, destination.key, headers, undefined);
  try {
    const parts: CompletedPart[] = [];
    for (let start = 0; start < source.bytes; start += limits.partBytes) {
      const end = Math.min(start + limits.partBytes, source.bytes) - 1;
      const PartNumber = parts.length + 1;
      const part = { UploadId: upload.id, PartNumber, CopySourceRange: `bytes=${start}-${end}` };
      const command = new UploadPartCopyCommand({ ...location, ...copySource, ...part });
      const { CopyPartResult } = await send(command, { workBytes: end - start + 1 });
      parts.push({ PartNumber, ETag: CopyPartResult?.ETag ?? "" });
    }
    await upload.complete(source.bytes, parts);
  } catch (error) {
    void upload.abort(); // not awaited, so that the error is not delayed
    throw error;
  }
}
