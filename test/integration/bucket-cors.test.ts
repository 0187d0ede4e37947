import assert from "node:assert/strict";
import { test } from "node:test";
import { openFileStorage } from "#app/open-file-storage.ts";
import { readConfig } from "#config/config.ts";
import { systemClock } from "#lib/clock.ts";
import { createLog } from "#lib/log.ts";
import { createSigner } from "#lib/signed-token.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { forOneEngine } from "../support/engines.ts";
import { createTestBucket, getTestS3Environment, skipWithoutS3 } from "../support/stores.ts";
import { waitUntil } from "../support/wait-until.ts";

const skip = skipWithoutS3;

forOneEngine("CORS rules of the bucket", (fixture) => {
  test("the log names each allowed origin once", { skip }, async () => {
    const config = readConfig({ ...getTestS3Environment(), S3_BUCKET: await createTestBucket() });
    assert.equal(config.uploadPage, config.base);
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    const signer = createSigner(["a test secret that is long enough"], systemClock);
    const { files, startJobs } = await openFileStorage(config, fixture.deps, signer);
    const jobs = startJobs(log);
    await waitUntil(() => lines.length > 0, { description: "the log line about the CORS rules" });
    assert.deepEqual((JSON.parse(lines[0] ?? "") as { origins: unknown }).origins, [config.base]);
    for (const job of jobs) await job.stop();
    (files as S3Store).close();
  });
});
