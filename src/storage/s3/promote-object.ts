import {
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  UploadPartCopyCommand,
  type CompletedPart,
  type HeadObjectCommandOutput,
} from "@aws-sdk/client-s3";
import type { StoredFile } from "#domain/assets/model/file-store.ts";
import { validateKey } from "../check-key.ts";
import { getErrorResponse, undefinedIfMissing } from "./s3-caller.ts";
import { fileNotStoredError, startMultipart, toContentHeaders, unquoteEtag, type S3Target } from "./write-object.ts";

export type Promote = (from: string, version: string, to: string, mimeType: string) => Promise<StoredFile | undefined>;

/** Under this name an object remembers which version of the incoming one it was made of. */
const sourceVersionKey = "source-version";
/** What there is to do after the bytes are safe may fail: the sweeper finds what is left. */
const cleanupTimeoutMs = 4000;
/** The ETag of nothing. */
const impossibleVersion = "0".repeat(32);

export function toStoredFile(headOutput: HeadObjectCommandOutput): StoredFile {
  return { bytes: headOutput.ContentLength ?? 0, version: unquoteEtag(headOutput.ETag), sha256: null };
}

/**
 * Copies exactly the bytes that `version` names from a key that strangers can still write to, to one they cannot.
 *
 * A store that compares the ETag while it copies (AWS, MinIO, R2) does that in one call. Others, Ceph among them, ignore
 * the condition and copy whatever lies there by then, and a late repetition would even copy it over bytes that are being
 * served. There a copy is made to a key of its own first, where it is compared and cannot change any more.
 */
export function createPromote(target: S3Target, limits: CopyLimits, newName: () => string): Promote {
  const { client, bucket, call } = target;
  const toObjectParams = (key: string) => ({ Bucket: bucket, Key: validateKey(key) });

  async function headObject(key: string): Promise<HeadObjectCommandOutput | undefined> {
    const command = new HeadObjectCommand(toObjectParams(key));
    return undefinedIfMissing(call((requestOptions) => client.send(command, requestOptions)));
  }

  async function deleteObject(key: string): Promise<void> {
    const command = new DeleteObjectCommand(toObjectParams(key));
    await call((requestOptions) => client.send(command, requestOptions), { patienceMs: cleanupTimeoutMs }).catch(
      () => {},
    );
  }

  /** Known after the first promote. */
  let supportsConditionalCopy: boolean | undefined;

  /** A copy with a condition that cannot hold: a store that makes it all the same does not compare. */
  async function checkConditionalCopy(source: CopySource): Promise<boolean> {
    if (supportsConditionalCopy !== undefined) return supportsConditionalCopy;
    if (source.bytes > limits.wholeBytes) return false; // not worth an attempt of that size
    const probeKey = `${source.key}.${newName()}`;
    const destination = { key: probeKey, mimeType: "application/octet-stream", metadata: {} };
    try {
      await copyObject(target, { ...source, ifVersion: impossibleVersion }, destination, limits);
      supportsConditionalCopy = false;
      await deleteObject(probeKey);
    } catch (error) {
      if (getErrorResponse(error)?.status !== 412) throw error;
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
      const copy = await headObject(stagingKey);
      if (!copy) throw fileNotStoredError();
      const version = unquoteEtag(copy.ETag);
      // Where a copy has an ETag of its own, that the source has not changed until after it says the same.
      const isSameVersion =
        version === source.ifVersion || unquoteEtag((await headObject(source.key))?.ETag) === source.ifVersion;
      const isValid = isSameVersion && copy.ContentLength === source.bytes;
      const stagedSource = { key: stagingKey, ifVersion: version, bytes: source.bytes };
      if (isValid) await copyObject(target, stagedSource, { key: to, mimeType, metadata }, limits);
      await deleteObject(stagingKey);
      return isValid;
    } catch (error) {
      void deleteObject(stagingKey); // whoever asked has waited long enough
      throw error;
    }
  }

  async function findPromoted(to: string, version: string): Promise<StoredFile | undefined> {
    const headOutput = await headObject(to);
    return headOutput?.Metadata?.[sourceVersionKey] === version ? toStoredFile(headOutput) : undefined;
  }

  return async (from, version, to, mimeType) => {
    validateKey(to);
    const headOutput = await headObject(from);
    if (!headOutput || unquoteEtag(headOutput.ETag) !== version) return findPromoted(to, version);
    const source = { key: from, ifVersion: version, bytes: headOutput.ContentLength ?? 0 };
    try {
      if (await checkConditionalCopy(source)) {
        await copyObject(target, source, { key: to, mimeType, metadata: { [sourceVersionKey]: version } }, limits);
      } else if (!(await copyViaStaging(`${from}.${newName()}`, source, to, mimeType))) {
        return await findPromoted(to, version);
      }
    } catch (error) {
      // 412: written over since the look above. 404: somebody else promoted it.
      if (![404, 412].includes(getErrorResponse(error)?.status ?? 0)) throw error;
      return findPromoted(to, version);
    }
    const promotedFile = await findPromoted(to, version);
    if (promotedFile?.bytes !== source.bytes) throw fileNotStoredError();
    await deleteObject(from);
    return promotedFile;
  };
}

export interface CopyLimits {
  /** The largest object that a store copies in one call. */
  wholeBytes: number;
  partBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultCopyLimits: CopyLimits = { wholeBytes: 5 * 1024 * mebibyte, partBytes: 512 * mebibyte };

export interface CopySource {
  key: string;
  /** The ETag that the store is to find there, or to refuse with 412. Not every store looks. */
  ifVersion: string;
  bytes: number;
}

export interface CopyDestination {
  key: string;
  mimeType: string;
  metadata: Record<string, string>;
}

/** Copies inside the store. An object past what one call copies goes in parts, each with its own time. */
async function copyObject(
  target: S3Target,
  source: CopySource,
  destination: CopyDestination,
  limits: CopyLimits,
): Promise<void> {
  const { client, bucket, call } = target;
  const location = { Bucket: bucket, Key: destination.key };
  const copySource = { CopySource: `${bucket}/${source.key}`, CopySourceIfMatch: `"${source.ifVersion}"` };
  const headers = { ...toContentHeaders(destination.mimeType), Metadata: destination.metadata };

  if (source.bytes <= limits.wholeBytes) {
    const command = new CopyObjectCommand({ ...location, ...copySource, ...headers, MetadataDirective: "REPLACE" });
    await call((requestOptions) => client.send(command, requestOptions), { workBytes: source.bytes });
    return;
  }

  const upload = await startMultipart(target, destination.key, headers, undefined);
  try {
    const parts: CompletedPart[] = [];
    for (let start = 0; start < source.bytes; start += limits.partBytes) {
      const end = Math.min(start + limits.partBytes, source.bytes) - 1;
      const PartNumber = parts.length + 1;
      const range = { CopySourceRange: `bytes=${start}-${end}` };
      const command = new UploadPartCopyCommand({
        ...location,
        ...copySource,
        ...range,
        UploadId: upload.id,
        PartNumber,
      });
      const { CopyPartResult } = await call((requestOptions) => client.send(command, requestOptions), {
        workBytes: end - start + 1,
      });
      parts.push({ PartNumber, ETag: CopyPartResult?.ETag ?? "" });
    }
    await upload.complete(source.bytes, parts);
  } catch (error) {
    void upload.abort(); // whoever asked has waited long enough
    throw error;
  }
}
