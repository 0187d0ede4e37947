import { CopyObjectCommand, UploadPartCopyCommand, type CompletedPart } from "@aws-sdk/client-s3";
import { contentHeaders, startMultipart, type Target } from "./s3-write.ts";

export interface CopyLimits {
  /** The largest object that a store copies in one call. */
  wholeBytes: number;
  partBytes: number;
}

const mebibyte = 1024 * 1024;

export const usualCopyLimits: CopyLimits = { wholeBytes: 5 * 1024 * mebibyte, partBytes: 512 * mebibyte };

export interface CopySource {
  key: string;
  /** The ETag that the store is to find there, or to refuse with 412. Not every store looks. */
  ifVersion: string;
  bytes: number;
}

export interface CopyGoal {
  key: string;
  mimeType: string;
  metadata: Record<string, string>;
}

/** Copies inside the store. An object past what one call copies goes in parts, each with its own time. */
export async function copyObject(
  target: Target,
  source: CopySource,
  goal: CopyGoal,
  limits: CopyLimits,
): Promise<void> {
  const { client, bucket, ask } = target;
  const at = { Bucket: bucket, Key: goal.key };
  const from = { CopySource: `${bucket}/${source.key}`, CopySourceIfMatch: `"${source.ifVersion}"` };
  const headers = { ...contentHeaders(goal.mimeType), Metadata: goal.metadata };

  if (source.bytes <= limits.wholeBytes) {
    const command = new CopyObjectCommand({ ...at, ...from, ...headers, MetadataDirective: "REPLACE" });
    await ask((how) => client.send(command, how), { workBytes: source.bytes });
    return;
  }

  const upload = await startMultipart(target, goal.key, headers, undefined);
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
    void upload.abort(); // whoever asked has waited long enough
    throw error;
  }
}
