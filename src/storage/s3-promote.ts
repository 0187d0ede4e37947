import { DeleteObjectCommand, HeadObjectCommand, type HeadObjectCommandOutput } from "@aws-sdk/client-s3";
import type { StoredFile } from "#domain/assets/file-store.ts";
import { checkKey } from "./keys.ts";
import { ifThere, refusalOf } from "./s3-client.ts";
import { copyObject, type CopyLimits, type CopySource } from "./s3-copy.ts";
import { notKept, plainTag, type Target } from "./s3-write.ts";

export type Promote = (from: string, version: string, to: string, mimeType: string) => Promise<StoredFile | undefined>;

/** Under this name an object remembers which version of the incoming one it was made of. */
const sourceVersion = "source-version";
/** What there is to do after the bytes are safe may fail: the sweeper finds what is left. */
const tidyPatienceMs = 4000;
/** The ETag of nothing. */
const noVersion = "0".repeat(32);

export function toStored(found: HeadObjectCommandOutput): StoredFile {
  return { bytes: found.ContentLength ?? 0, version: plainTag(found.ETag), sha256: null };
}

/**
 * Copies exactly the bytes that `version` names from a key that strangers can still write to, to one they cannot.
 *
 * A store that compares the ETag while it copies (AWS, MinIO, R2) does that in one call. Others, Ceph among them, ignore
 * the condition and copy whatever lies there by then, and a late repetition would even copy it over bytes that are being
 * served. There a copy is made to a key of its own first, where it is compared and cannot change any more.
 */
export function createPromote(target: Target, limits: CopyLimits, newName: () => string): Promote {
  const { client, bucket, ask } = target;
  const object = (key: string) => ({ Bucket: bucket, Key: checkKey(key) });

  async function head(key: string): Promise<HeadObjectCommandOutput | undefined> {
    const command = new HeadObjectCommand(object(key));
    return ifThere(ask((how) => client.send(command, how)));
  }

  async function discard(key: string): Promise<void> {
    const command = new DeleteObjectCommand(object(key));
    await ask((how) => client.send(command, how), { patienceMs: tidyPatienceMs }).catch(() => {});
  }

  /** Known after the first promote. */
  let compares: boolean | undefined;

  /** A copy with a condition that cannot hold: a store that makes it all the same does not compare. */
  async function storeCompares(source: CopySource): Promise<boolean> {
    if (compares !== undefined) return compares;
    if (source.bytes > limits.wholeBytes) return false; // not worth an attempt of that size
    const scrap = `${source.key}.${newName()}`;
    const goal = { key: scrap, mimeType: "application/octet-stream", metadata: {} };
    try {
      await copyObject(target, { ...source, ifVersion: noVersion }, goal, limits);
      compares = false;
      await discard(scrap);
    } catch (error) {
      if (refusalOf(error)?.status !== 412) throw error;
      compares = true;
    }
    return compares;
  }

  async function copyByWayOf(staged: string, source: CopySource, to: string, mimeType: string): Promise<boolean> {
    const metadata = { [sourceVersion]: source.ifVersion };
    try {
      await copyObject(target, source, { key: staged, mimeType, metadata }, limits);
      const copy = await head(staged);
      if (!copy) throw notKept();
      const version = plainTag(copy.ETag);
      // Where a copy has an ETag of its own, that the source has not changed until after it says the same.
      const same = version === source.ifVersion || plainTag((await head(source.key))?.ETag) === source.ifVersion;
      const good = same && copy.ContentLength === source.bytes;
      const checked = { key: staged, ifVersion: version, bytes: source.bytes };
      if (good) await copyObject(target, checked, { key: to, mimeType, metadata }, limits);
      await discard(staged);
      return good;
    } catch (error) {
      void discard(staged); // whoever asked has waited long enough
      throw error;
    }
  }

  async function findPromoted(to: string, version: string): Promise<StoredFile | undefined> {
    const found = await head(to);
    return found?.Metadata?.[sourceVersion] === version ? toStored(found) : undefined;
  }

  return async (from, version, to, mimeType) => {
    checkKey(to);
    const found = await head(from);
    if (!found || plainTag(found.ETag) !== version) return findPromoted(to, version);
    const source = { key: from, ifVersion: version, bytes: found.ContentLength ?? 0 };
    try {
      if (await storeCompares(source)) {
        await copyObject(target, source, { key: to, mimeType, metadata: { [sourceVersion]: version } }, limits);
      } else if (!(await copyByWayOf(`${from}.${newName()}`, source, to, mimeType))) {
        return await findPromoted(to, version);
      }
    } catch (error) {
      // 412: written over since the look above. 404: somebody else promoted it.
      if (![404, 412].includes(refusalOf(error)?.status ?? 0)) throw error;
      return findPromoted(to, version);
    }
    const made = await findPromoted(to, version);
    if (made?.bytes !== source.bytes) throw notKept();
    await discard(from);
    return made;
  };
}
