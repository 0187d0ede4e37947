import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { cancelFile } from "#domain/uploads/cancel-file.ts";
import { createPartUrls } from "#domain/uploads/create-part-urls.ts";
import { releaseIdleReservations } from "#domain/uploads/sweep-uploads.ts";
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
const video = Buffer.concat([mp4(), Buffer.alloc(20 * mebibyte, 7)]);
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const runReleaseJob = ({ deps }: LinkFixture) =>
  releaseIdleReservations(deps, { pause: async () => {}, shouldStop: () => false });

test("one link reserves at most the larger of 1 GB and a tenth of the quota (U19)", () => {
  const limitOf = (studioBytes?: number) =>
    reservationLimit({
      limits: { image: 1, video: 1, document: 1, assetsPerPost: 1, studiosPerUser: 1, studioBytes },
    });
  assert.equal(limitOf(5), gibibyte);
  assert.equal(limitOf(10 * gibibyte), gibibyte);
  assert.equal(limitOf(500 * gibibyte), 50 * gibibyte);
  assert.equal(limitOf(), Infinity, "there is no limit without a quota");
});

forEachEngine("quota reservations of upload links", (fixture) => {
  /** Advances the clock; the job that releases reservations runs every minute, as in the service. */
  async function passMinutes(scene: LinkFixture, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      fixture.clock.advance(minutes(1));
      await runReleaseJob(scene);
    }
  }

  test("one link reserves at most 1 GB of a 4 GB quota without sending bytes, also in parallel (U19)", async () => {
    const scene = await createLinkFixture(fixture, 4 * gibibyte);
    const files = await Promise.all(range(1, 16).map((i) => scene.start(`${i}.mp4`, 300 * mebibyte)));
    assert.equal(await scene.usedBytes(), 900 * mebibyte);
    const outcomes = await countOutcomes(
      files.flatMap((file) => [scene.reserve(file, range(1, 10)), scene.reserve(file, range(5, 30))]),
    );
    assert.ok((await scene.usedBytes()) <= gibibyte);
    assert.ok(
      (outcomes.rate_limited ?? 0) > 0 && Object.keys(outcomes).every((code) => ["ok", "rate_limited"].includes(code)),
    );
    const otherScene = await createLinkFixture({ ...fixture, deps: scene.deps }, 4 * gibibyte);
    assert.equal((await otherScene.start("a.mp4", gibibyte)).parts.length, 0);
  });

  test("a file larger than the link's reservation limit is reserved as its parts arrive (UPLOAD-10, U19)", async () => {
    const scene = await createLinkFixture(fixture, 4 * gibibyte);
    const largeFile = await scene.start("large.mp4", 3 * gibibyte);
    assert.equal(largeFile.partBytes, 32 * mebibyte);
    assert.equal(await scene.usedBytes(), 0);
    assert.deepEqual(await scene.reserve(largeFile, range(1, 96)), range(1, 32));
    assert.equal(await scene.usedBytes(), gibibyte);
    assert.deepEqual(
      await scene.reserve(largeFile, range(1, 96)),
      range(1, 32),
      "a repeated request reserves nothing more",
    );
    const error = await scene.reserve(largeFile, range(33, 60)).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.retryAfter], ["rate_limited", 5], "the page retries after this time");
    const content = Buffer.alloc(2 * largeFile.partBytes, 7);
    await scene.send(largeFile, content, [1, 2]);
    assert.deepEqual(await scene.reserve(largeFile, range(33, 60)), [33, 34], "as much as has arrived");
    assert.equal(await scene.usedBytes(), gibibyte + 64 * mebibyte);
  });

  test("a file that waits for other files of its link continues as their parts arrive (U19)", async () => {
    const scene = await createLinkFixture(fixture, 4 * gibibyte);
    const first = await scene.start("first.mp4", gibibyte);
    const second = await scene.start("second.mp4", 100 * mebibyte);
    assert.equal(await getOutcome(scene.reserve(second, [1, 2])), "rate_limited");
    await scene.send(first, Buffer.alloc(first.partBytes, 7), [1]);
    fixture.clock.advance(seconds(5));
    assert.deepEqual(
      await scene.reserve(second, range(1, 5)),
      range(1, 4),
      "32 MB arrived, so four parts of 8 MB are reserved",
    );
    assert.equal(await getOutcome(scene.reserve(second, [5])), "rate_limited");
    await cancelFile(scene.deps, await scene.resolveCaller(), { fileId: first.file.id });
    assert.deepEqual(await scene.reserve(second, [5]), [5]);
    assert.equal(await scene.usedBytes(), 100 * mebibyte, "the rest of the file is reserved");
  });

  test("a reservation is released after ten idle minutes; parts that arrived stay and count (U19)", async () => {
    const scene = await createLinkFixture(fixture, 24 * mebibyte);
    const startedFile = await scene.start("video.mp4", video.length);
    assert.equal(await scene.usedBytes(), video.length);
    assert.equal(await getOutcome(scene.start("other.mp4", video.length)), "quota_exceeded");
    await passMinutes(scene, 5);
    await scene.send(startedFile, video, [2]);
    await passMinutes(scene, 10);
    assert.equal(await scene.usedBytes(), video.length, "a part arrived less than ten minutes ago");
    await passMinutes(scene, 1);
    assert.equal(await scene.usedBytes(), partBytes);

    const otherFile = await scene.start("other.mp4", 10 * mebibyte);
    assert.equal(await scene.usedBytes(), 18 * mebibyte);
    const resumedFile = await scene.start("video.mp4", video.length);
    assert.deepEqual(
      [resumedFile.file.id, resumedFile.parts],
      [startedFile.file.id, [2]],
      "no part that arrived is lost",
    );
    const error = await scene.reserve(resumedFile, [1]).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "quota_exceeded");
    assert.match(hintFor(error, errorHints) ?? "", /ask the operator for more space/);
    await cancelFile(scene.deps, await scene.resolveCaller(), { fileId: otherFile.file.id });
    await scene.send(resumedFile, video, [1, 3]);
    assert.equal(await scene.usedBytes(), video.length, "reserved again");
    assert.equal((await scene.complete(resumedFile)).status, "ready");
    assert.equal(await scene.usedBytes(), video.length);
  });

  test("an upload that sends a part every nine minutes keeps its reservation (U19)", async () => {
    const scene = await createLinkFixture(fixture, 24 * mebibyte);
    const startedFile = await scene.start("video.mp4", video.length);
    for (const part of [1, 2, 3]) {
      await passMinutes(scene, 9);
      assert.equal(await scene.usedBytes(), video.length);
      await scene.send(startedFile, video, [part]);
    }
    assert.equal((await scene.complete(startedFile)).status, "ready");
  });

  test("requesting URLs does not extend a reservation (U19)", async () => {
    const scene = await createLinkFixture(fixture, 4 * gibibyte);
    const largeFile = await scene.start("large.mp4", 3 * gibibyte);
    for (const last of range(1, 10)) {
      await scene.reserve(largeFile, range(1, last));
      await passMinutes(scene, 1);
    }
    assert.equal(await scene.usedBytes(), 0);
  });

  test("parts that arrive after the release count, and the file completes only if it fits (U19)", async () => {
    const scene = await createLinkFixture(fixture, 25 * mebibyte);
    const startedFile = await scene.start("video.mp4", video.length);
    const uploadCaller = await scene.resolveCaller();
    const { addresses } = await createPartUrls(scene.deps, uploadCaller, {
      fileId: startedFile.file.id,
      parts: [1, 2, 3],
    });
    const sendPart = async (part: number) => {
      const url = addresses[part - 1]?.url ?? "";
      assert.ok(await scene.files.parts.send(url, video.subarray((part - 1) * partBytes, part * partBytes)));
    };
    await passMinutes(scene, 10);
    assert.equal(await scene.usedBytes(), 0);
    await sendPart(1);
    await passMinutes(scene, 1);
    assert.equal(await scene.usedBytes(), partBytes);
    const text = "x".repeat(4 * mebibyte);
    const inline = { kind: "document", mimeType: "text/plain", base64: Buffer.from(text).toString("base64") } as const;
    const { assetId } = await uploadAssetInline(scene.deps, scene.owner, inline);
    await uploadAssetInline(scene.deps, scene.owner, inline);
    await sendPart(2);
    await sendPart(3);
    await passMinutes(scene, 1);
    assert.equal(await scene.usedBytes(), 16 * mebibyte, "parts that do not fit are not charged");
    assert.equal(await getOutcome(scene.complete(startedFile)), "quota_exceeded");
    assert.equal((await getPost(scene.deps, scene.owner, { postId: scene.postId })).assets[0]?.status, "pending");
    await deleteAsset(scene.deps, scene.owner, { assetId });
    assert.equal((await scene.complete(startedFile)).status, "ready");
    assert.equal(await scene.usedBytes(), video.length + 4 * mebibyte);
  });

  test("with a lowered quota reserved files still complete and idle ones are still released (U19)", async () => {
    const scene = await createLinkFixture(fixture, 64 * mebibyte);
    const [sentFile, idleFile] = [
      await scene.start("video.mp4", video.length),
      await scene.start("idle.mp4", video.length),
    ];
    await scene.send(sentFile, video, [1, 2, 3]);
    const { deps } = scene;
    deps.limits.studioBytes = mebibyte;
    assert.equal((await scene.complete(sentFile)).status, "ready");
    await passMinutes(scene, 10);
    assert.equal(await scene.usedBytes(), video.length);
    assert.equal(await getOutcome(scene.reserve(idleFile, [1])), "quota_exceeded");
  });

  test("reserving, releasing, canceling and completing in parallel keep the studio's used bytes correct (U19)", async () => {
    const scene = await createLinkFixture(fixture, 4 * gibibyte);
    for (let round = 0; round < 5; round++) {
      const files = await Promise.all(range(1, 4).map((i) => scene.start(`${round}-${i}.mp4`, 600 * mebibyte)));
      const [a, b, c, d] = files as [(typeof files)[0], (typeof files)[0], (typeof files)[0], (typeof files)[0]];
      const smallFile = await scene.start(`${round}-small.mp4`, video.length);
      await scene.send(smallFile, video, [1, 2, 3]);
      fixture.clock.advance(minutes(11));
      const cancel = async (file: typeof a) =>
        cancelFile(scene.deps, await scene.resolveCaller(), { fileId: file.file.id });
      const results = await Promise.all([
        countOutcomes([a, b, c, d].flatMap((file) => [scene.reserve(file, [1, 2]), scene.reserve(file, range(1, 20))])),
        countOutcomes([cancel(a), cancel(b)]),
        countOutcomes([runReleaseJob(scene), runReleaseJob(scene)]),
        countOutcomes([scene.complete(smallFile), scene.complete(smallFile)]),
      ]);
      assert.deepEqual(results.slice(1), [{ ok: 2 }, { ok: 2 }, { ok: 2 }]);
      await scene.usedBytes();
      await countOutcomes([cancel(c), cancel(d)]);
      assert.equal(await scene.usedBytes(), video.length * (round + 1));
      fixture.clock.advance(-minutes(11));
    }
  });

  test("without a quota a file is charged in full at its start, and nothing is released (U19)", async () => {
    const scene = await createLinkFixture(fixture, undefined);
    const startedFile = await scene.start("large.mp4", 2 * gibibyte);
    await passMinutes(scene, 30 - 1);
    assert.equal(await scene.usedBytes(), 2 * gibibyte);
    assert.equal((await scene.reserve(startedFile, range(1, 64))).length, 64);
  });
});
