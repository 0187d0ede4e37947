import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import { AppError } from "#lib/errors.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { startFaultyProxy, type Fault, type FaultyProxy } from "../support/faulty-proxy.ts";
import {
  readBytes,
  toChunks,
  readDigest,
  createKeyPrefix,
  openTestS3,
  putBytes,
  sha256,
  listStoreNames,
  getTestS3Settings,
} from "../support/stores.ts";
import { measureOutcome } from "../support/measure-outcome.ts";

const mebibyte = 1024 * 1024;
const patienceMs = 3000; // a busy machine needs some of it for itself
const writing = { mimeType: "image/png", maxBytes: 64 * mebibyte };

describe("an S3 store that is slow, failing or gone", { skip: !listStoreNames().includes("s3") }, () => {
  let proxy: FaultyProxy;
  /** Through the proxy. */
  let store: S3Store;
  /** Past it: what is really there. */
  let direct: S3Store;
  const area = createKeyPrefix();
  let count = 0;
  const newKey = (name = "a") => `${area}/${name}${String(++count).padStart(4, "0")}`;

  before(async () => {
    proxy = await startFaultyProxy(getTestS3Settings().endpoint ?? "");
    const settings = { endpoint: proxy.endpoint, publicEndpoint: getTestS3Settings().endpoint };
    store = await openTestS3({ settings, timeoutMs: patienceMs });
    direct = await openTestS3();
  });
  after(async () => {
    store.close();
    direct.close();
    await proxy.close();
  });

  const always = (fault: Fault | undefined) => void (proxy.chooseFault = () => fault);
  /** Only the first request that fits. */
  function once(fault: Fault, fits: (req: IncomingMessage) => boolean = () => true): void {
    let done = false;
    proxy.chooseFault = (req) => {
      if (done || !fits(req)) return undefined;
      done = true;
      return fault;
    };
  }

  async function incoming(bytes: Uint8Array): Promise<{ key: string; version: string }> {
    const key = newKey("in");
    assert.equal(
      await putBytes(await direct.createUploadUrl(key, { maxBytes: 1, expiresAt: Date.now() + 600_000 }), bytes),
      200,
    );
    return { key, version: (await direct.stat(key))?.version ?? "" };
  }

  const small = randomBytes(1000);
  const large = randomBytes(9 * mebibyte);
  /** Everything the domain asks of a store, each on a key where it would succeed. */
  const asks: Record<string, () => Promise<() => Promise<unknown>>> = {
    async stat() {
      const { key } = await incoming(small);
      return () => store.stat(key);
    },
    async read() {
      const { key } = await incoming(small);
      return async () => readBytes(await store.read(key));
    },
    write: async () => () => store.write(newKey(), toChunks(small), writing),
    "write in parts": async () => () => store.write(newKey(), toChunks(large), writing),
    async promote() {
      const { key, version } = await incoming(small);
      const to = newKey("out");
      return () => store.promote(key, version, to, "image/png");
    },
    async remove() {
      const { key } = await incoming(small);
      return () => store.remove(key);
    },
    list: async () => () => store.list(area, { limit: 10 }),
    ping: async () => () => store.ping(),
  };

  for (const fault of [500, 503, "reset", "hang"] as const) {
    test(`${fault} on everything: storage_unavailable in time, and all works again after (S1)`, async () => {
      const ready = await Promise.all(Object.values(asks).map((prepare) => prepare()));
      always(fault);
      const results = await Promise.all(ready.map(measureOutcome));
      always(undefined);
      for (const [i, { outcome, ms }] of results.entries()) {
        const name = Object.keys(asks)[i];
        assert.equal(outcome, "storage_unavailable", name);
        assert.ok(ms < patienceMs * 2 + 500, `${name} took ${ms} ms`);
      }
      for (const [i, ask] of ready.entries())
        assert.equal((await measureOutcome(ask)).outcome, "ok", Object.keys(asks)[i]);
    });
  }

  for (const fault of [500, 503, "reset"] as const) {
    test(`one ${fault} is not noticed (S1)`, async () => {
      for (const [name, prepare] of Object.entries(asks)) {
        const ask = await prepare();
        once(fault);
        assert.equal((await measureOutcome(ask)).outcome, "ok", name);
      }
    });
  }

  test("done, but the answer was lost: one object, with the right bytes (S2)", async () => {
    const key = newKey();
    once("lost", ({ method }) => method === "PUT");
    assert.equal((await store.write(key, toChunks(small), writing)).sha256, sha256(small));
    assert.equal(await readDigest(direct, key), sha256(small));

    const parts = newKey();
    once("lost", ({ method, url }) => method === "POST" && /uploadId=/.test(url ?? "")); // the end of a multipart upload
    const stored = await store.write(parts, toChunks(large), writing);
    assert.deepEqual([stored.bytes, stored.sha256], [large.length, sha256(large)]);
    assert.equal((await direct.stat(parts))?.version, stored.version);

    for (const fits of [isCopy, ({ method }: IncomingMessage) => method === "DELETE"]) {
      const { key: from, version } = await incoming(small);
      const to = newKey("out");
      once("lost", fits);
      assert.equal((await store.promote(from, version, to, "image/png"))?.bytes, small.length);
      assert.equal(await readDigest(direct, to), sha256(small));
    }
  });

  test("a promote that failed at any request can be repeated, and leaves one object (S2)", async () => {
    const hasty = await openTestS3({ settings: { endpoint: proxy.endpoint }, timeoutMs: 400 });
    for (let nth = 1; nth <= 8; nth++) {
      for (const fault of nth % 2 === 0 ? (["hang", "lost"] as const) : (["hang"] as const)) {
        const { key, version } = await incoming(small);
        const to = newKey("out");
        let requests = 0;
        proxy.chooseFault = () => (++requests >= nth ? fault : undefined); // from the nth on, the store is gone
        await measureOutcome(() => hasty.promote(key, version, to, "image/png"));
        always(undefined);
        assert.equal((await store.promote(key, version, to, "image/png"))?.bytes, small.length, `${fault} ${nth}`);
        assert.equal(await readDigest(direct, to), sha256(small));
      }
    }
    hasty.close();
  });

  test("a store that hangs is given up within 15 s, all calls at once, while others go on (S3)", async () => {
    const patient = await openTestS3({ settings: { endpoint: proxy.endpoint } });
    const { key, version } = await incoming(small);
    always("hang");
    const calls = [
      () => patient.stat(key),
      () => patient.read(key),
      () => patient.write(newKey(), toChunks(small), writing),
      () => patient.promote(key, version, newKey(), "image/png"),
      () => patient.remove(key),
      () => patient.list(area, { limit: 1 }),
      () => patient.ping(),
    ];
    const waiting = Promise.all(calls.map(measureOutcome));
    assert.equal((await direct.stat(key))?.bytes, small.length);
    for (const { outcome, ms } of await waiting) {
      assert.equal(outcome, "storage_unavailable");
      assert.ok(ms > 10_000 && ms < 15_000, `${ms} ms`);
    }
    always(undefined);
    patient.close();
  });

  test("an answer that breaks off or stops is an error, not a shorter file (S4)", async () => {
    const { key } = await incoming(randomBytes(3 * mebibyte));
    for (const fault of ["cut", "stall"] as const) {
      always(fault);
      const { outcome, ms } = await measureOutcome(async () => readBytes(await store.read(key)));
      always(undefined);
      assert.equal(outcome, "storage_unavailable", fault);
      assert.ok(ms < patienceMs * 2 + 500, `${fault} took ${ms} ms`);
    }
  });

  test("a reader that takes its time is not taken for a silent store", async () => {
    const bytes = randomBytes(4 * mebibyte);
    const { key } = await incoming(bytes);
    const stream = await store.read(key);
    await new Promise((resolve) => setTimeout(resolve, patienceMs * 2));
    assert.equal(sha256(await readBytes(stream)), sha256(bytes));
  });

  test("wrong credentials are not an empty store, and no error tells a key, an address or a signature", async () => {
    const stranger = await openTestS3({
      settings: { accessKeyId: "NOBODY", secretAccessKey: "wrong" },
      timeoutMs: patienceMs,
    });
    const { key } = await incoming(small);
    for (const ask of [
      () => stranger.stat(key),
      () => stranger.read(key),
      () => stranger.remove(key),
      () => stranger.ping(),
    ]) {
      const error: unknown = await ask().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "storage_unavailable");
      assert.match(error.message, /rejected the server's credentials/);
    }
    stranger.close();
    always(500);
    const error: unknown = await store.read(key).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    always(undefined);
    assert.ok(error instanceof AppError && error.cause instanceof Error);
    const all = [error, error.cause].map((one) => JSON.stringify(one, Object.getOwnPropertyNames(one))).join();
    for (const secret of [
      key,
      area,
      getTestS3Settings().bucket,
      getTestS3Settings().accessKeyId,
      "127.0.0.1",
      "Signature",
      "X-Amz",
    ])
      assert.ok(!all.includes(secret), `${secret} in ${all}`);
  });

  describe("copies", () => {
    const limits = { wholeBytes: 6 * mebibyte, partBytes: 5 * mebibyte };

    test("past what one call copies go in parts", async () => {
      const parts = await openTestS3({ copyLimits: limits, settings: { endpoint: proxy.endpoint } });
      const bytes = randomBytes(12 * mebibyte + 1);
      const { key, version } = await incoming(bytes);
      const to = newKey("out");
      proxy.requests.length = 0;
      const stored = await parts.promote(key, version, to, "video/mp4");
      assert.equal(stored?.bytes, bytes.length);
      assert.ok(proxy.requests.some((line) => /partNumber=3/.test(line)));
      assert.equal(await readDigest(direct, to), sha256(bytes));
      assert.equal(await direct.stat(key), undefined);
      assert.deepEqual(await parts.promote(key, version, to, "video/mp4"), stored);
      parts.close();
    });

    test("a store that compares while it copies is asked once, and believed", async () => {
      const comparing = await openTestS3({ settings: { endpoint: proxy.endpoint } });
      proxy.chooseFault = comparesLikeAws;
      const { key, version } = await incoming(small);
      const to = newKey("out");
      await comparing.promote(key, version, to, "image/png");
      const second = await incoming(small);
      proxy.requests.length = 0;
      await comparing.promote(second.key, second.version, newKey("out"), "image/png");
      assert.deepEqual(
        proxy.requests.map((line) => line.split(" ")[0]),
        ["HEAD", "PUT", "HEAD", "DELETE"],
      );
      // Written over between the look and the copy: nothing is promoted.
      const third = await incoming(small);
      const address = await direct.createUploadUrl(third.key, { maxBytes: 1, expiresAt: Date.now() + 600_000 });
      proxy.chooseFault = async (req) => {
        if (isCopy(req)) await putBytes(address, Buffer.from("other"));
        return comparesLikeAws(req);
      };
      const goal = newKey("out");
      assert.equal(await comparing.promote(third.key, third.version, goal, "image/png"), undefined);
      assert.equal(await direct.stat(goal), undefined);
      always(undefined);
      comparing.close();
    });

    test("a store that does not compare never copies other bytes to where files are served from", async () => {
      for (const bytes of [small, randomBytes(12 * mebibyte)]) {
        const careful = await openTestS3({ copyLimits: limits, settings: { endpoint: proxy.endpoint } });
        const { key, version } = await incoming(bytes);
        const address = await direct.createUploadUrl(key, { maxBytes: 1, expiresAt: Date.now() + 600_000 });
        const other = randomBytes(bytes.length);
        proxy.chooseFault = async (req) => {
          if (isCopy(req)) await putBytes(address, other);
          return undefined;
        };
        const to = newKey("out");
        assert.equal(await careful.promote(key, version, to, "image/png"), undefined);
        always(undefined);
        assert.equal(await direct.stat(to), undefined);
        assert.equal(await readDigest(direct, key), sha256(other));
        assert.deepEqual(
          (await direct.list(key, { limit: 10 })).map((one) => one.key),
          [key],
          "and nothing is left beside it",
        );
        careful.close();
      }
    });

    async function comparesLikeAws(req: IncomingMessage): Promise<Fault | undefined> {
      if (!isCopy(req)) return undefined;
      const source = String(req.headers["x-amz-copy-source"]).split("/").slice(1).join("/");
      const wanted = String(req.headers["x-amz-copy-source-if-match"]).replaceAll('"', "");
      return (await direct.stat(source))?.version === wanted ? undefined : 412;
    }
  });
});

const isCopy = ({ headers }: IncomingMessage): boolean => headers["x-amz-copy-source"] !== undefined;
