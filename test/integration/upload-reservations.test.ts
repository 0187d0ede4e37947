import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { emptyTrash } from "#domain/trash/trash.ts";
import { cancelFile } from "#domain/uploads/files.ts";
import { createPartUrls, getReservationLimit } from "#domain/uploads/reserve-parts.ts";
import { releaseIdleUploads } from "#domain/jobs/sweep-files.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { errorHints } from "#http/error-hints.ts";
import { AppError, hintFor } from "#lib/errors.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { mp4 } from "../support/samples.ts";
import { createLinkFixture, type LinkFixture } from "../support/link-fixture.ts";

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;
const partBytes = 8 * mebibyte;
const video = Buffer.concat([mp4(), Buffer.alloc(20 * mebibyte, 7)]);
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const runReleaseJob = ({ deps }: LinkFixture) => releaseIdleUploads(deps, untilDone);

test("one link reserves at most the larger of 1 GB and a tenth of the quota (U19)", () => {
  const getLimit = (studioBytes?: number) =>
    getReservationLimit({
      limits: { image: 1, video: 1, document: 1, assetsPerPost: 1, studiosPerUser: 1, studioBytes },
    });
  assert.equal(getLimit(5), gibibyte);
  assert.equal(getLimit(10 * gibibyte), gibibyte);
  assert.equal(getLimit(500 * gibibyte), 50 * gibibyte);
  assert.equal(getLimit(), Infinity, "there is no limit without a quota");
});

forEachEngine("quota reservations of upload links", (fixture) => {
  /** Advances the clock, and runs the job that releases reservations every minute, as the service does. */
  async function advanceMinutes(link: LinkFixture, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      fixture.clock.advance(minutes(1));
      await runReleaseJob(link);
    }
  }

  test("one link reserves at most 1 GB of a 4 GB quota before it sends bytes, even in parallel (U19)", async () => {
    const link = await createLinkFixture(fixture, 4 * gibibyte);
    const files = await Promise.all(range(1, 16).map((i) => link.start(`${i}.mp4`, 300 * mebibyte)));
    assert.equal(await link.getUsedBytes(), 900 * mebibyte);
    const outcomes = await countOutcomes(
      files.flatMap((file) => [link.reserve(file, range(1, 10)), link.reserve(file, range(5, 30))]),
    );
    assert.ok((await link.getUsedBytes()) <= gibibyte);
    assert.ok(
      (outcomes.rate_limited ?? 0) > 0 && Object.keys(outcomes).every((code) => ["ok", "rate_limited"].includes(code)),
    );
    const otherLink = await createLinkFixture({ ...fixture, deps: link.deps }, 4 * gibibyte);
    assert.equal((await otherLink.start("a.mp4", gibibyte)).parts.length, 0);
  });

  test("a file larger than the link's reservation limit is reserved as its parts arrive (UPLOAD-10, U19)", async () => {
    const link = await createLinkFixture(fixture, 4 * gibibyte);
    const largeFile = await link.start("large.mp4", 3 * gibibyte);
    assert.equal(largeFile.partBytes, 32 * mebibyte);
    assert.equal(await link.getUsedBytes(), 0);
    assert.deepEqual(await link.reserve(largeFile, range(1, 96)), range(1, 32));
    assert.equal(await link.getUsedBytes(), gibibyte);
    assert.deepEqual(
      await link.reserve(largeFile, range(1, 96)),
      range(1, 32),
      "a repeated request reserves nothing more",
    );
    const error = await link.reserve(largeFile, range(33, 60)).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.retryAfter], ["rate_limited", 5], "the page retries after this time");
    const content = Buffer.alloc(2 * largeFile.partBytes, 7);
    await link.send(largeFile, content, [1, 2]);
    assert.deepEqual(await link.reserve(largeFile, range(33, 60)), [33, 34], "reserves as many bytes as have arrived");
    assert.equal(await link.getUsedBytes(), gibibyte + 64 * mebibyte);
  });

  test("a file that waits for other files of its link continues as their parts arrive (U19)", async () => {
    const link = await createLinkFixture(fixture, 4 * gibibyte);
    const first = await link.start("first.mp4", gibibyte);
    const second = await link.start("second.mp4", 100 * mebibyte);
    assert.equal(await getOutcome(link.reserve(second, [1, 2])), "rate_limited");
    await link.send(first, Buffer.alloc(first.partBytes, 7), [1]);
    fixture.clock.advance(seconds(5));
    assert.deepEqual(
      await link.reserve(second, range(1, 5)),
      range(1, 4),
      "32 MB arrived, so four parts of 8 MB are reserved",
    );
    assert.equal(await getOutcome(link.reserve(second, [5])), "rate_limited");
    await cancelFile(link.deps, await link.resolveCaller(), { fileId: first.file.id });
    assert.deepEqual(await link.reserve(second, [5]), [5]);
    assert.equal(await link.getUsedBytes(), 100 * mebibyte, "the rest of the file is reserved");
  });

  test("a reservation is released after ten idle minutes; parts that arrived stay and count (U19)", async () => {
    const link = await createLinkFixture(fixture, 24 * mebibyte);
    const startedFile = await link.start("video.mp4", video.length);
    assert.equal(await link.getUsedBytes(), video.length);
    assert.equal(await getOutcome(link.start("other.mp4", video.length)), "quota_exceeded");
    await advanceMinutes(link, 5);
    await link.send(startedFile, video, [2]);
    await advanceMinutes(link, 10);
    assert.equal(await link.getUsedBytes(), video.length, "a part arrived less than ten minutes ago");
    await advanceMinutes(link, 1);
    assert.equal(await link.getUsedBytes(), partBytes);

    const otherFile = await link.start("other.mp4", 10 * mebibyte);
    assert.equal(await link.getUsedBytes(), 18 * mebibyte);
    const resumedFile = await link.start("video.mp4", video.length);
    assert.deepEqual(
      [resumedFile.file.id, resumedFile.parts],
      [startedFile.file.id, [2]],
      "no part that arrived is lost",
    );
    const error = await link.reserve(resumedFile, [1]).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "quota_exceeded");
    assert.match(hintFor(error, errorHints) ?? "", /ask the operator for more space/);
    await cancelFile(link.deps, await link.resolveCaller(), { fileId: otherFile.file.id });
    await link.send(resumedFile, video, [1, 3]);
    assert.equal(await link.getUsedBytes(), video.length, "the rest is reserved again");
    assert.equal((await link.complete(resumedFile)).status, "ready");
    assert.equal(await link.getUsedBytes(), video.length);
  });

  test("an upload that sends a part every nine minutes keeps its reservation (U19)", async () => {
    const link = await createLinkFixture(fixture, 24 * mebibyte);
    const startedFile = await link.start("video.mp4", video.length);
    for (const part of [1, 2, 3]) {
      await advanceMinutes(link, 9);
      assert.equal(await link.getUsedBytes(), video.length);
      await link.send(startedFile, video, [part]);
    }
    assert.equal((await link.complete(startedFile)).status, "ready");
  });

  test("requesting URLs does not extend a reservation (U19)", async () => {
    const link = await createLinkFixture(fixture, 4 * gibibyte);
    const largeFile = await link.start("large.mp4", 3 * gibibyte);
    for (const last of range(1, 10)) {
      await link.reserve(largeFile, range(1, last));
      await advanceMinutes(link, 1);
    }
    assert.equal(await link.getUsedBytes(), 0);
  });

  test("parts that arrive after the release count, and the file completes only if it fits (U19)", async () => {
    const link = await createLinkFixture(fixture, 25 * mebibyte);
    const startedFile = await link.start("video.mp4", video.length);
    const uploadCaller = await link.resolveCaller();
    const { urls } = await createPartUrls(link.deps, uploadCaller, {
      fileId: startedFile.file.id,
      parts: [1, 2, 3],
    });
    const sendPart = async (part: number) => {
      const url = urls[part - 1]?.url ?? "";
      assert.ok(await link.files.parts.send(url, video.subarray((part - 1) * partBytes, part * partBytes)));
    };
    await advanceMinutes(link, 10);
    assert.equal(await link.getUsedBytes(), 0);
    await sendPart(1);
    await advanceMinutes(link, 1);
    assert.equal(await link.getUsedBytes(), partBytes);
    const base64 = Buffer.alloc(4 * mebibyte, "x").toString("base64");
    const inlineUpload = { kind: "document", mimeType: "text/plain", base64 } as const;
    const { assetId } = await uploadAssetInline(link.deps, link.owner, inlineUpload);
    await uploadAssetInline(link.deps, link.owner, inlineUpload);
    await sendPart(2);
    await sendPart(3);
    await advanceMinutes(link, 1);
    assert.equal(await link.getUsedBytes(), 16 * mebibyte, "parts that do not fit are not charged");
    assert.equal(await getOutcome(link.complete(startedFile)), "quota_exceeded");
    const { assets } = await getPost(link.deps, link.owner, { postId: link.postId });
    assert.equal(assets[0]?.status, "pending");
    await deleteAsset(link.deps, link.owner, { assetId });
    assert.equal(await getOutcome(link.complete(startedFile)), "quota_exceeded", "the trash counts");
    await emptyTrash(link.deps, link.owner);
    assert.equal((await link.complete(startedFile)).status, "ready");
    assert.equal(await link.getUsedBytes(), video.length + 4 * mebibyte);
  });

  test("after the quota is lowered, reserved files still complete and idle ones are still released (U19)", async () => {
    const link = await createLinkFixture(fixture, 64 * mebibyte);
    const [sentFile, idleFile] = [
      await link.start("video.mp4", video.length),
      await link.start("idle.mp4", video.length),
    ];
    await link.send(sentFile, video, [1, 2, 3]);
    const { deps } = link;
    deps.limits.studioBytes = mebibyte;
    assert.equal((await link.complete(sentFile)).status, "ready");
    await advanceMinutes(link, 10);
    assert.equal(await link.getUsedBytes(), video.length);
    assert.equal(await getOutcome(link.reserve(idleFile, [1])), "quota_exceeded");
  });

  test("reserving, releasing, canceling and completing in parallel keep the studio's used bytes correct (U19)", async () => {
    const link = await createLinkFixture(fixture, 4 * gibibyte);
    for (let round = 0; round < 2; round++) {
      const files = await Promise.all(range(1, 4).map((i) => link.start(`${round}-${i}.mp4`, 600 * mebibyte)));
      const [a, b, c, d] = files as [(typeof files)[0], (typeof files)[0], (typeof files)[0], (typeof files)[0]];
      const smallFile = await link.start(`${round}-small.mp4`, video.length);
      await link.send(smallFile, video, [1, 2, 3]);
      fixture.clock.advance(minutes(11));
      const cancel = async (file: typeof a) =>
        cancelFile(link.deps, await link.resolveCaller(), { fileId: file.file.id });
      const results = await Promise.all([
        countOutcomes([a, b, c, d].flatMap((file) => [link.reserve(file, [1, 2]), link.reserve(file, range(1, 20))])),
        countOutcomes([cancel(a), cancel(b)]),
        countOutcomes([runReleaseJob(link), runReleaseJob(link)]),
        countOutcomes([link.complete(smallFile), link.complete(smallFile)]),
      ]);
      assert.deepEqual(results.slice(1), [{ ok: 2 }, { ok: 2 }, { ok: 2 }]);
      await link.getUsedBytes();
      await countOutcomes([cancel(c), cancel(d)]);
      assert.equal(await link.getUsedBytes(), video.length * (round + 1));
      fixture.clock.advance(-minutes(11));
    }
  });

  test("without a quota, a file is charged in full when it starts, and nothing is released (U19)", async () => {
    const link = await createLinkFixture(fixture, undefined);
    const startedFile = await link.start("large.mp4", 2 * gibibyte);
    await advanceMinutes(link, 29);
    assert.equal(await link.getUsedBytes(), 2 * gibibyte);
    assert.equal((await link.reserve(startedFile, range(1, 64))).length, 64);
  });
});
