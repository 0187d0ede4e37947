import { CopyObjectCommand, UploadPartCopyCommand, type CompletedPart } from "@aws-sdk/client-s3";
import { toContentHeaders, startMultipart, type S3Target } from "./s3-write.ts";

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
export async function copyObject(
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
