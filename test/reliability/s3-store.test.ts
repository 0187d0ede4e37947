import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { after, afterEach, before, describe, test } from "node:test";
import { minutes, systemClock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { startFaultyProxy, type Fault, type FaultyProxy } from "../support/faulty-proxy.ts";
import {
  readBytes,
  toChunks,
  readDigest,
  createUniqueName,
  openTestS3,
  sha256,
  getTestS3Settings,
  putBytes,
  skipWithoutS3,
} from "../support/stores.ts";
import { measureOutcome } from "../support/measure-outcome.ts";

const mebibyte = 1024 * 1024;
const timeoutMs = 3000; // long enough for a busy machine
const writeOptions = { mimeType: "image/png", maxBytes: 64 * mebibyte };

describe("an S3 store that hangs or fails", { skip: skipWithoutS3 }, () => {
  let proxy: FaultyProxy;
  /** Goes through the proxy. */
  let store: S3Store;
  /** Bypasses the proxy, to see what is stored. */
  let directStore: S3Store;
  const keyPrefix = createUniqueName();
  let keyCount = 0;
  const newKey = (name = "a") => `${keyPrefix}/${name}${String(++keyCount).padStart(4, "0")}`;

  before(async () => {
    proxy = await startFaultyProxy(getTestS3Settings().endpoint ?? "");
    const settings = { endpoint: proxy.endpoint, publicEndpoint: getTestS3Settings().endpoint };
    store = await openTestS3({ settings, timeoutMs });
    directStore = await openTestS3();
  });
  after(async () => {
    store.close();
    directStore.close();
    await proxy.close();
  });

  const setFault = (fault: Fault | undefined) => void (proxy.chooseFault = () => fault);
  /** Injects the fault into the first matching request only. */
  function setFaultOnce(fault: Fault, matches: (req: IncomingMessage) => boolean = () => true): void {
    let hasInjected = false;
    proxy.chooseFault = (req) => {
      if (hasInjected || !matches(req)) return undefined;
      hasInjected = true;
      return fault;
    };
  }

  const stores: S3Store[] = [];
  /** Opens another store that goes through the proxy. */
  async function openStore(options: Parameters<typeof openTestS3>[0] = {}): Promise<S3Store> {
    const opened = await openTestS3({ settings: { endpoint: proxy.endpoint }, ...options });
    stores.push(opened);
    return opened;
  }
  afterEach(() => {
    setFault(undefined);
    for (const opened of stores.splice(0)) opened.close();
  });

  const createUploadUrl = (key: string) =>
    directStore.createUploadUrl(key, { maxBytes: 1, expiresAt: systemClock() + minutes(10) });

  async function uploadFile(bytes: Uint8Array): Promise<{ key: string; version: string }> {
    const key = newKey("in");
    assert.equal(await putBytes(await createUploadUrl(key), bytes), 200);
    return { key, version: (await directStore.stat(key))?.version ?? "" };
  }

  const smallFile = randomBytes(1000);
  const largeFile = randomBytes(9 * mebibyte);
  /** Prepares every operation of a store, each with a key for which it succeeds without faults. */
  const operations: Record<string, () => Promise<() => Promise<unknown>>> = {
    async stat() {
      const { key } = await uploadFile(smallFile);
      return () => store.stat(key);
    },
    async read() {
      const { key } = await uploadFile(smallFile);
      return async () => readBytes(await store.read(key));
    },
    write: async () => () => store.write(newKey(), toChunks(smallFile), writeOptions),
    "write in parts": async () => () => store.write(newKey(), toChunks(largeFile), writeOptions),
    async promote() {
      const { key, version } = await uploadFile(smallFile);
      const to = newKey("out");
      return () => store.promote(key, version, to, "image/png");
    },
    async remove() {
      const { key } = await uploadFile(smallFile);
      return () => store.remove(key);
    },
    list: async () => () => store.list(keyPrefix, { limit: 10 }),
    ping: async () => () => store.ping(),
  };

  for (const fault of [500, 503, "reset", "hang"] as const) {
    test(`${fault} on every request: each operation fails with storage_unavailable in time, and succeeds afterwards (S1)`, async () => {
      const preparedOperations = await Promise.all(Object.values(operations).map((prepare) => prepare()));
      setFault(fault);
      const results = await Promise.all(preparedOperations.map(measureOutcome));
      setFault(undefined);
      for (const [i, { outcome, ms }] of results.entries()) {
        const name = Object.keys(operations)[i];
        assert.equal(outcome, "storage_unavailable", name);
        assert.ok(ms < timeoutMs * 2 + 500, `${name} took ${ms} ms`);
      }
      for (const [i, operation] of preparedOperations.entries())
        assert.equal((await measureOutcome(operation)).outcome, "ok", Object.keys(operations)[i]);
    });
  }

  for (const fault of [500, 503, "reset"] as const) {
    test(`${fault} on one request: a retry succeeds (S1)`, async () => {
      for (const [name, prepare] of Object.entries(operations)) {
        const operation = await prepare();
        setFaultOnce(fault);
        assert.equal((await measureOutcome(operation)).outcome, "ok", name);
      }
    });
  }

  test("a lost response to a completed request: a retry leaves one object with the right bytes (S2)", async () => {
    const key = newKey();
    setFaultOnce("lost", ({ method }) => method === "PUT");
    assert.equal((await store.write(key, toChunks(smallFile), writeOptions)).sha256, sha256(smallFile));
    assert.equal(await readDigest(directStore, key), sha256(smallFile));

    const partsKey = newKey();
    setFaultOnce("lost", ({ method, url }) => method === "POST" && /uploadId=/.test(url ?? "")); // completes a multipart upload
    const storedFile = await store.write(partsKey, toChunks(largeFile), writeOptions);
    assert.deepEqual([storedFile.bytes, storedFile.sha256], [largeFile.length, sha256(largeFile)]);
    assert.equal((await directStore.stat(partsKey))?.version, storedFile.version);

    for (const matches of [isCopy, ({ method }: IncomingMessage) => method === "DELETE"]) {
      const { key: from, version } = await uploadFile(smallFile);
      const to = newKey("out");
      setFaultOnce("lost", matches);
      assert.equal((await store.promote(from, version, to, "image/png"))?.bytes, smallFile.length);
      assert.equal(await readDigest(directStore, to), sha256(smallFile));
    }
  });

  test("a promote that failed at any request can be retried, and leaves one object (S2)", async () => {
    const shortTimeoutStore = await openStore({ timeoutMs: 400 });
    for (let nth = 1; nth <= 8; nth++) {
      for (const fault of nth % 2 === 0 ? (["hang", "lost"] as const) : (["hang"] as const)) {
        const { key, version } = await uploadFile(smallFile);
        const to = newKey("out");
        let requests = 0;
        proxy.chooseFault = () => (++requests >= nth ? fault : undefined); // fails every request from the nth on
        await measureOutcome(() => shortTimeoutStore.promote(key, version, to, "image/png"));
        setFault(undefined);
        assert.equal((await store.promote(key, version, to, "image/png"))?.bytes, smallFile.length, `${fault} ${nth}`);
        assert.equal(await readDigest(directStore, to), sha256(smallFile));
      }
    }
  });

  test("concurrent calls to a store that hangs fail within 15 s, and do not block other stores (S3)", async () => {
    const defaultStore = await openStore();
    const { key, version } = await uploadFile(smallFile);
    setFault("hang");
    const calls = [
      () => defaultStore.stat(key),
      () => defaultStore.read(key),
      () => defaultStore.write(newKey(), toChunks(smallFile), writeOptions),
      () => defaultStore.promote(key, version, newKey(), "image/png"),
      () => defaultStore.remove(key),
      () => defaultStore.list(keyPrefix, { limit: 1 }),
      () => defaultStore.ping(),
    ];
    const pendingResults = Promise.all(calls.map(measureOutcome));
    assert.equal((await directStore.stat(key))?.bytes, smallFile.length);
    for (const { outcome, ms } of await pendingResults) {
      assert.equal(outcome, "storage_unavailable");
      assert.ok(ms > 10_000 && ms < 15_000, `${ms} ms`);
    }
  });

  test("a response that is interrupted or stalls is an error, not a shorter file (S4)", async () => {
    const { key } = await uploadFile(randomBytes(3 * mebibyte));
    for (const fault of ["cut", "stall"] as const) {
      setFault(fault);
      const { outcome, ms } = await measureOutcome(async () => readBytes(await store.read(key)));
      setFault(undefined);
      assert.equal(outcome, "storage_unavailable", fault);
      assert.ok(ms < timeoutMs * 2 + 500, `${fault} took ${ms} ms`);
    }
  });

  test("a slow reader does not cause a store timeout", async () => {
    const bytes = randomBytes(4 * mebibyte);
    const { key } = await uploadFile(bytes);
    const stream = await store.read(key);
    await new Promise((resolve) => setTimeout(resolve, timeoutMs * 2));
    assert.equal(sha256(await readBytes(stream)), sha256(bytes));
  });

  test("wrong credentials cause an error instead of an empty result, and errors contain no key, IP address or signature", async () => {
    const unauthorizedStore = await openStore({
      settings: { accessKeyId: "UNKNOWN", secretAccessKey: "wrong" },
      timeoutMs,
    });
    const { key } = await uploadFile(smallFile);
    for (const operation of [
      () => unauthorizedStore.stat(key),
      () => unauthorizedStore.read(key),
      () => unauthorizedStore.remove(key),
      () => unauthorizedStore.ping(),
    ]) {
      const error = await getError(operation());
      assert.equal(error.code, "storage_unavailable");
      assert.match(error.message, /rejected the server’s credentials/);
    }
    setFault(500);
    const error = await getError(store.read(key));
    const errorText = [error, error.cause]
      .map((value) => JSON.stringify(value, Object.getOwnPropertyNames(value)))
      .join();
    const { bucket, accessKeyId } = getTestS3Settings();
    for (const secret of [key, keyPrefix, bucket, accessKeyId, "127.0.0.1", "Signature", "X-Amz"])
      assert.ok(!errorText.includes(secret), `${secret} in ${errorText}`);
  });

  test("reports that an upload was aborted, even if the store closes the connection on its part (UPLOAD-10)", async () => {
    const content = randomBytes(5 * mebibyte);
    const key = newKey("part");
    const declaredSizes = { bytes: content.length, partBytes: content.length };
    const id = await directStore.parts.start(key, { ...declaredSizes, mimeType: "video/mp4" });
    const writePart = () => store.parts.write({ key, id, ...declaredSizes }, 1, content);
    proxy.chooseFault = (req) => (req.method === "PUT" ? "reset" : undefined);
    await assert.rejects(writePart, { name: "AppError", key: "storage_unavailable:store" });
    await directStore.parts.abort({ key, id, ...declaredSizes });
    await assert.rejects(writePart, { name: "AppError", key: "not_found:upload" });
  });

  test("a part that times out is reported without another request to the store (S3)", async () => {
    const shortTimeoutStore = await openStore({ timeoutMs });
    const key = newKey("part");
    const declaredSizes = { bytes: smallFile.length, partBytes: smallFile.length };
    const id = await directStore.parts.start(key, { ...declaredSizes, mimeType: "video/mp4" });
    setFault("hang");
    proxy.requests.length = 0;
    const writePart = () => shortTimeoutStore.parts.write({ key, id, ...declaredSizes }, 1, smallFile);
    await assert.rejects(writePart, { name: "AppError", key: "storage_unavailable:store" });
    assert.deepEqual(
      proxy.requests.map((line) => line.split(" ")[0]),
      ["PUT"],
    );
    setFault(undefined);
    await directStore.parts.abort({ key, id });
  });

  describe("promote", () => {
    const copyLimits = { maxSingleCopyBytes: 6 * mebibyte, partBytes: 5 * mebibyte };

    test("copies an object above the limit of a single copy request in parts", async () => {
      const partsStore = await openStore({ copyLimits });
      const bytes = randomBytes(12 * mebibyte + 1);
      const { key, version } = await uploadFile(bytes);
      const to = newKey("out");
      proxy.requests.length = 0;
      const storedFile = await partsStore.promote(key, version, to, "video/mp4");
      assert.equal(storedFile?.bytes, bytes.length);
      assert.ok(proxy.requests.some((line) => /partNumber=3/.test(line)));
      assert.equal(await readDigest(directStore, to), sha256(bytes));
      assert.equal(await directStore.stat(key), undefined);
      assert.deepEqual(await partsStore.promote(key, version, to, "video/mp4"), storedFile);
    });

    test("checks only once whether the store supports conditional copies", async () => {
      const conditionalStore = await openStore();
      proxy.chooseFault = emulateConditionalCopy;
      const { key, version } = await uploadFile(smallFile);
      await conditionalStore.promote(key, version, newKey("out"), "image/png");
      const secondUpload = await uploadFile(smallFile);
      proxy.requests.length = 0;
      await conditionalStore.promote(secondUpload.key, secondUpload.version, newKey("out"), "image/png");
      assert.deepEqual(
        proxy.requests.map((line) => line.split(" ")[0]),
        ["HEAD", "PUT", "HEAD", "DELETE"],
      );
      // A file that is overwritten between the check and the copy is not promoted.
      const thirdUpload = await uploadFile(smallFile);
      const uploadUrl = await createUploadUrl(thirdUpload.key);
      proxy.chooseFault = async (req) => {
        if (isCopy(req)) await putBytes(uploadUrl, Buffer.from("other"));
        return emulateConditionalCopy(req);
      };
      const to = newKey("out");
      assert.equal(await conditionalStore.promote(thirdUpload.key, thirdUpload.version, to, "image/png"), undefined);
      assert.equal(await directStore.stat(to), undefined);
    });

    test("never promotes changed bytes on a store without conditional copies", async () => {
      for (const bytes of [smallFile, randomBytes(12 * mebibyte)]) {
        const unconditionalStore = await openStore({ copyLimits });
        const { key, version } = await uploadFile(bytes);
        const uploadUrl = await createUploadUrl(key);
        const otherBytes = randomBytes(bytes.length);
        proxy.chooseFault = async (req) => {
          if (isCopy(req)) await putBytes(uploadUrl, otherBytes);
          return undefined;
        };
        const to = newKey("out");
        assert.equal(await unconditionalStore.promote(key, version, to, "image/png"), undefined);
        setFault(undefined);
        assert.equal(await directStore.stat(to), undefined);
        assert.equal(await readDigest(directStore, key), sha256(otherBytes));
        assert.deepEqual(
          (await directStore.list(key, { limit: 10 })).map((entry) => entry.key),
          [key],
          "no other object is left",
        );
      }
    });

    /** Rejects a copy with 412 if its source has changed, as AWS does. */
    async function emulateConditionalCopy(req: IncomingMessage): Promise<Fault | undefined> {
      if (!isCopy(req)) return undefined;
      const source = String(req.headers["x-amz-copy-source"]).split("/").slice(1).join("/");
      const expectedVersion = String(req.headers["x-amz-copy-source-if-match"]).replaceAll('"', "");
      return (await directStore.stat(source))?.version === expectedVersion ? undefined : 412;
    }
  });
});

async function getError(operation: Promise<unknown>): Promise<AppError> {
  const error: unknown = await operation.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError);
  return error;
}

const isCopy = ({ headers }: IncomingMessage): boolean => headers["x-amz-copy-source"] !== undefined;
