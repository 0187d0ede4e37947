import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { cancelFile } from "#domain/uploads/cancel-file.ts";
import { createPartUrls } from "#domain/uploads/create-part-urls.ts";
import { releaseIdle } from "#domain/uploads/sweep-uploads.ts";
import { reservationLimit } from "#domain/uploads/reserve-parts.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { errorHints } from "#http/error-hints.ts";
import { AppError, hintFor } from "#lib/errors.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { mp4 } from "../support/samples.ts";
import { createLinkFixture, type LinkFixture } from "../support/link-fixture.ts";

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;
const partBytes = 8 * mebibyte;
const film = Buffer.concat([mp4(), Buffer.alloc(20 * mebibyte, 7)]);
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const release = ({ deps }: UploadScene) => releaseIdle(deps, { pause: async () => {}, shouldStop: () => false });

test("one link holds at most the larger of 1 GB and a tenth of the quota (U19)", () => {
  const limitOf = (studioBytes?: number) =>
    reservationLimit({
      limits: { image: 1, video: 1, document: 1, assetsPerPost: 1, studiosPerUser: 1, studioBytes },
    });
  assert.equal(limitOf(5), gibibyte);
  assert.equal(limitOf(10 * gibibyte), gibibyte);
  assert.equal(limitOf(500 * gibibyte), 50 * gibibyte);
  assert.equal(limitOf(), Infinity, "without a quota nothing is scarce");
});

forEachEngine("what a link reserves of the quota", (bed) => {
  /** Time as the service spends it: its job runs every minute. */
  async function pass(at: LinkFixture, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      bed.clock.advance(minutes(1));
      await release(at);
    }
  }

  test("a link holder reserves at most 1 GB of a quota of 4 GB without sending a byte, in parallel too (U19)", async () => {
    const at = await createLinkFixture(bed, 4 * gibibyte);
    const files = await Promise.all(range(1, 16).map((i) => at.start(`${i}.mp4`, 300 * mebibyte)));
    assert.equal(await at.usedBytes(), 900 * mebibyte);
    const asked = await countOutcomes(
      files.flatMap((file) => [at.reserve(file, range(1, 10)), at.reserve(file, range(5, 30))]),
    );
    assert.ok((await at.usedBytes()) <= gibibyte);
    assert.ok(
      (asked.rate_limited ?? 0) > 0 && Object.keys(asked).every((code) => ["ok", "rate_limited"].includes(code)),
    );
    const other = await createLinkFixture({ ...bed, deps: at.deps }, 4 * gibibyte);
    assert.equal((await other.start("a.mp4", gibibyte)).parts.length, 0);
  });

  test("a file that is larger than the link may hold is reserved as it is sent (UPLOAD-10, U19)", async () => {
    const at = await createLinkFixture(bed, 4 * gibibyte);
    const large = await at.start("large.mp4", 3 * gibibyte);
    assert.equal(large.partBytes, 32 * mebibyte);
    assert.equal(await at.usedBytes(), 0);
    assert.deepEqual(await at.reserve(large, range(1, 96)), range(1, 32));
    assert.equal(await at.usedBytes(), gibibyte);
    assert.deepEqual(await at.reserve(large, range(1, 96)), range(1, 32), "asking again reserves nothing more");
    const error = await at.reserve(large, range(33, 60)).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.retryAfter], ["rate_limited", 5], "the page waits and asks again");
    const content = Buffer.alloc(2 * large.partBytes, 7);
    await at.send(large, content, [1, 2]);
    assert.deepEqual(await at.reserve(large, range(33, 60)), [33, 34], "as much as has arrived");
    assert.equal(await at.usedBytes(), gibibyte + 64 * mebibyte);
  });

  test("a file that waits for others of its link goes on as their parts arrive (U19)", async () => {
    const at = await createLinkFixture(bed, 4 * gibibyte);
    const first = await at.start("first.mp4", gibibyte);
    const second = await at.start("second.mp4", 100 * mebibyte);
    assert.equal(await getOutcome(at.reserve(second, [1, 2])), "rate_limited");
    await at.send(first, Buffer.alloc(first.partBytes, 7), [1]);
    bed.clock.advance(seconds(5));
    assert.deepEqual(await at.reserve(second, range(1, 5)), range(1, 4), "32 MB arrived, four parts of 8 MB may go");
    assert.equal(await getOutcome(at.reserve(second, [5])), "rate_limited");
    await cancelFile(at.deps, await at.resolveCaller(), { fileId: first.file.id });
    assert.deepEqual(await at.reserve(second, [5]), [5]);
    assert.equal(await at.usedBytes(), 100 * mebibyte, "the rest of the file is reserved");
  });

  test("a reservation is released after ten idle minutes; what has arrived counts and stays (U19)", async () => {
    const at = await createLinkFixture(bed, 24 * mebibyte);
    const started = await at.start("film.mp4", film.length);
    assert.equal(await at.usedBytes(), film.length);
    assert.equal(await getOutcome(at.start("other.mp4", film.length)), "quota_exceeded");
    await pass(at, 5);
    await at.send(started, film, [2]);
    await pass(at, 10);
    assert.equal(await at.usedBytes(), film.length, "a part arrived less than ten minutes ago");
    await pass(at, 1);
    assert.equal(await at.usedBytes(), partBytes);

    const other = await at.start("other.mp4", 10 * mebibyte);
    assert.equal(await at.usedBytes(), 18 * mebibyte);
    const resumed = await at.start("film.mp4", film.length);
    assert.deepEqual([resumed.file.id, resumed.parts], [started.file.id, [2]], "nothing that arrived is lost");
    const error = await at.reserve(resumed, [1]).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "quota_exceeded");
    assert.match(hintFor(error, errorHints) ?? "", /ask the operator for more space/);
    await cancelFile(at.deps, await at.resolveCaller(), { fileId: other.file.id });
    await at.send(resumed, film, [1, 3]);
    assert.equal(await at.usedBytes(), film.length, "reserved again");
    assert.equal((await at.complete(resumed)).status, "ready");
    assert.equal(await at.usedBytes(), film.length);
  });

  test("an upload that sends a part every nine minutes keeps its reservation (U19)", async () => {
    const at = await createLinkFixture(bed, 24 * mebibyte);
    const started = await at.start("film.mp4", film.length);
    for (const part of [1, 2, 3]) {
      await pass(at, 9);
      assert.equal(await at.usedBytes(), film.length);
      await at.send(started, film, [part]);
    }
    assert.equal((await at.complete(started)).status, "ready");
  });

  test("asking for URLs keeps no reservation alive (U19)", async () => {
    const at = await createLinkFixture(bed, 4 * gibibyte);
    const large = await at.start("large.mp4", 3 * gibibyte);
    for (const last of range(1, 10)) {
      await at.reserve(large, range(1, last));
      await pass(at, 1);
    }
    assert.equal(await at.usedBytes(), 0);
  });

  test("parts that arrive after the release are counted, and the file completes only where it fits (U19)", async () => {
    const at = await createLinkFixture(bed, 25 * mebibyte);
    const started = await at.start("film.mp4", film.length);
    const visitor = await at.resolveCaller();
    const { addresses } = await createPartUrls(at.deps, visitor, { fileId: started.file.id, parts: [1, 2, 3] });
    const sendPart = async (part: number) => {
      const url = addresses[part - 1]?.url ?? "";
      assert.ok(await at.files.parts.send(url, film.subarray((part - 1) * partBytes, part * partBytes)));
    };
    await pass(at, 10);
    assert.equal(await at.usedBytes(), 0);
    await sendPart(1);
    await pass(at, 1);
    assert.equal(await at.usedBytes(), partBytes);
    const text = "x".repeat(4 * mebibyte);
    const inline = { kind: "document", mimeType: "text/plain", base64: Buffer.from(text).toString("base64") } as const;
    const { assetId } = await uploadAssetInline(at.deps, at.owner, inline);
    await uploadAssetInline(at.deps, at.owner, inline);
    await sendPart(2);
    await sendPart(3);
    await pass(at, 1);
    assert.equal(await at.usedBytes(), 16 * mebibyte, "what does not fit is not charged");
    assert.equal(await getOutcome(at.complete(started)), "quota_exceeded");
    assert.equal((await getPost(at.deps, at.owner, { postId: at.postId })).assets[0]?.status, "pending");
    await deleteAsset(at.deps, at.owner, { assetId });
    assert.equal((await at.complete(started)).status, "ready");
    assert.equal(await at.usedBytes(), film.length + 4 * mebibyte);
  });

  test("a lowered quota does not keep reserved files from completing, nor idle ones from being released (U19)", async () => {
    const at = await createLinkFixture(bed, 64 * mebibyte);
    const [sent, idle] = [await at.start("film.mp4", film.length), await at.start("idle.mp4", film.length)];
    await at.send(sent, film, [1, 2, 3]);
    const { deps } = at;
    deps.limits.studioBytes = mebibyte;
    assert.equal((await at.complete(sent)).status, "ready");
    await pass(at, 10);
    assert.equal(await at.usedBytes(), film.length);
    assert.equal(await getOutcome(at.reserve(idle, [1])), "quota_exceeded");
  });

  test("reserving, releasing, cancelling and completing in parallel keep the studio's count true (U19)", async () => {
    const at = await createLinkFixture(bed, 4 * gibibyte);
    for (let round = 0; round < 5; round++) {
      const files = await Promise.all(range(1, 4).map((i) => at.start(`${round}-${i}.mp4`, 600 * mebibyte)));
      const [a, b, c, d] = files as [(typeof files)[0], (typeof files)[0], (typeof files)[0], (typeof files)[0]];
      const small = await at.start(`${round}-small.mp4`, film.length);
      await at.send(small, film, [1, 2, 3]);
      bed.clock.advance(minutes(11));
      const cancel = async (file: typeof a) => cancelFile(at.deps, await at.resolveCaller(), { fileId: file.file.id });
      const results = await Promise.all([
        countOutcomes([a, b, c, d].flatMap((file) => [at.reserve(file, [1, 2]), at.reserve(file, range(1, 20))])),
        countOutcomes([cancel(a), cancel(b)]),
        countOutcomes([release(at), release(at)]),
        countOutcomes([at.complete(small), at.complete(small)]),
      ]);
      assert.deepEqual(results.slice(1), [{ ok: 2 }, { ok: 2 }, { ok: 2 }]);
      await at.usedBytes();
      await countOutcomes([cancel(c), cancel(d)]);
      assert.equal(await at.usedBytes(), film.length * (round + 1));
      bed.clock.advance(-minutes(11));
    }
  });

  test("without a quota a file is charged whole from its start, and nothing is released (U19)", async () => {
    const at = await createLinkFixture(bed, undefined);
    const started = await at.start("large.mp4", 2 * gibibyte);
    await pass(at, 30 - 1);
    assert.equal(await at.usedBytes(), 2 * gibibyte);
    assert.equal((await at.reserve(started, range(1, 64))).length, 64);
  });
});
