import { CopyObjectCommand, UploadPartCopyCommand, type CompletedPart } from "@aws-sdk/client-s3";
import { contentHeaders, startMultipart, type Target } from "./s3-write.ts";

export interface CopyLimits {
  /** The largest object that a store copies in one call. */
  wholeBytes: number;
  partBytes: number;
}

const mebibyte = 1024 * 1024;

export const usualCopyLimits: CopyLimits = { wholeBytes: 5 * 1024 * mebibyte, partBytes: 512 * mebibyte };

/** Under this name an object remembers which version of the incoming one it was made of. */
export const sourceVersion = "source-version";

/**
 * Copies inside the store exactly the bytes that `version` names: the store itself compares, so that bytes which
 * are written over the source meanwhile make it fail (412) instead of being copied.
 */
export async function copyObject(
  target: Target,
  source: { key: string; version: string; bytes: number },
  to: { key: string; mimeType: string },
  limits: CopyLimits,
): Promise<void> {
  const { client, bucket, ask } = target;
  const from = { CopySource: `${bucket}/${source.key}`, CopySourceIfMatch: `"${source.version}"` };
  const headers = { ...contentHeaders(to.mimeType), Metadata: { [sourceVersion]: source.version } };
  const at = { Bucket: bucket, Key: to.key };

  if (source.bytes <= limits.wholeBytes) {
    const command = new CopyObjectCommand({ ...at, ...from, ...headers, MetadataDirective: "REPLACE" });
    await ask((how) => client.send(command, how), { workBytes: source.bytes });
    return;
  }

  const upload = await startMultipart(target, to.key, headers, undefined);
  try {
    const parts: CompletedPart[] = [];
    for (let start = 0; start < source.bytes; start += limits.partBytes) {
      const end = Math.min(start + limits.partBytes, source.bytes) - 1;
      const PartNumber = parts.length + 1;
      const range = { CopySourceRange: `bytes=${start}-${end}` };
      const command = new UploadPartCopyCommand({ ...at, ...from, ...range, UploadId: upload.id, PartNumber });
      const { CopyPartResult } = await ask((how) => client.send(command, how), { workBytes: end - start + 1 });
      parts.push({ PartNumber, ETag: CopyPartResult?.ETag ?? "" });
    }
    await upload.complete(source.bytes, parts);
  } catch (error) {
    await upload.abort();
    throw error;
  }
}
