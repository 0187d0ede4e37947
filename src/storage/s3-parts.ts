import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
  type CompletedPart,
} from "@aws-sdk/client-s3";
import type { StoredFile } from "#domain/assets/file-store.ts";
import { isPart, lengthOfPart, partCount, type PartedFile, type PartStore } from "#domain/assets/part-store.ts";
import { AppError } from "#lib/errors.ts";
import { checkKey } from "./keys.ts";
import { ifThere, refusalOf } from "./s3-client.ts";
import { contentHeaders, plainTag, type Target } from "./s3-write.ts";

/** Uploads that a call of the sweeper looks at. */
const sweptAtOnce = 1000;

/**
 * S3's own multipart uploads. Browsers send the parts straight to the store; which ones are there, and their ETags, we
 * ask the store itself. An upload that is complete is unknown to the store, and its addresses take nothing more.
 */
export function createS3Parts(
  { client, bucket, ask }: Target,
  sign: (command: UploadPartCommand, expiresAt: number) => Promise<string>,
): PartStore {
  const at = ({ key, id }: Pick<PartedFile, "key" | "id">) => ({ Bucket: bucket, Key: checkKey(key), UploadId: id });
  const completing = new Map<string, Promise<StoredFile | undefined>>();

  /** The parts that have the length they should; one that has not counts as missing, and is sent again. */
  async function readParts(file: PartedFile): Promise<CompletedPart[] | undefined> {
    const found: CompletedPart[] = [];
    for (let marker: string | undefined; ;) {
      const page = new ListPartsCommand({ ...at(file), ...(marker === undefined ? {} : { PartNumberMarker: marker }) });
      const answer = await ifThere(ask((how) => client.send(page, how)));
      if (!answer) return undefined;
      for (const { PartNumber = 0, Size, ETag } of answer.Parts ?? []) {
        if (isPart(file, PartNumber) && Size === lengthOfPart(file, PartNumber)) found.push({ PartNumber, ETag });
      }
      if (!answer.IsTruncated || answer.NextPartNumberMarker === undefined) return found;
      marker = answer.NextPartNumberMarker;
    }
  }

  async function findComplete({ key, bytes }: PartedFile): Promise<StoredFile | undefined> {
    const found = await ifThere(
      ask((how) => client.send(new HeadObjectCommand({ Bucket: bucket, Key: checkKey(key) }), how)),
    );
    if (found?.ContentLength !== bytes) return undefined;
    return { bytes, version: plainTag(found.ETag), sha256: null };
  }

  async function makeFile(file: PartedFile): Promise<StoredFile | undefined> {
    const parts = await readParts(file);
    if (parts && parts.length < partCount(file)) return undefined;
    if (parts) {
      const command = new CompleteMultipartUploadCommand({ ...at(file), MultipartUpload: { Parts: parts } });
      try {
        await ask((how) => client.send(command, how), { workBytes: file.bytes });
      } catch (error) {
        // 404: another call was faster, or the answer of an earlier one was lost. 400: a part was sent anew meanwhile.
        const status = refusalOf(error)?.status;
        if (status === 400) return undefined;
        if (status !== 404) throw error;
      }
    }
    return findComplete(file);
  }

  return {
    async start(key, { mimeType }) {
      const command = new CreateMultipartUploadCommand({
        Bucket: bucket,
        Key: checkKey(key),
        ...contentHeaders(mimeType),
      });
      const { UploadId } = await ask((how) => client.send(command, how));
      if (UploadId === undefined) throw new AppError("storage_unavailable:store_response");
      return UploadId;
    },

    async list(file) {
      const parts = await readParts(file);
      if (parts) return parts.map(({ PartNumber = 0 }) => PartNumber);
      const whole = await findComplete(file);
      return whole && Array.from({ length: partCount(file) }, (_, i) => i + 1);
    },

    // The length is signed with it: nobody can put more into a part than was promised.
    address: (file, part, expiresAt) =>
      sign(
        new UploadPartCommand({ ...at(file), PartNumber: part, ContentLength: lengthOfPart(file, part) }),
        expiresAt,
      ),

    complete(file) {
      const running = completing.get(file.id) ?? makeFile(file).finally(() => completing.delete(file.id));
      completing.set(file.id, running);
      return running;
    },

    async abort(file) {
      await ifThere(ask((how) => client.send(new AbortMultipartUploadCommand(at(file)), how)));
    },

    async sweep(startedBefore) {
      const page = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: "files/", MaxUploads: sweptAtOnce });
      const { Uploads = [] } = await ask((how) => client.send(page, how));
      const old = Uploads.filter(({ Initiated }) => Initiated && Initiated.getTime() < startedBefore);
      for (const { Key = "", UploadId = "" } of old) {
        const given = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
        await ifThere(ask((how) => client.send(given, how)));
      }
      return old.length;
    },
  };
}
