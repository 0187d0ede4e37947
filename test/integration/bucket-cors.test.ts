import assert from "node:assert/strict";
import { test } from "node:test";
import { openFileStorage } from "#app/open-file-storage.ts";
import { readConfig } from "#config/config.ts";
import { createLog } from "#lib/log.ts";
import { createSigner } from "#lib/signed-token.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { forOneEngine } from "../support/engines.ts";
import { createTestBucket, getTestS3Settings, listStoreNames } from "../support/stores.ts";
import { waitUntil } from "../support/wait-until.ts";

const skip = !listStoreNames().includes("s3");

forOneEngine("CORS rules of the bucket", (fixture) => {
  test("the log names each allowed origin once", { skip }, async () => {
    const settings = getTestS3Settings();
    const config = readConfig({
      STORAGE: "s3",
      S3_ENDPOINT: settings.endpoint,
      S3_REGION: settings.region,
      S3_BUCKET: await createTestBucket(),
      S3_ACCESS_KEY_ID: settings.accessKeyId,
      S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
      S3_FORCE_PATH_STYLE: String(settings.forcePathStyle),
    });
    assert.equal(config.uploadPage, config.base);
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    const signer = createSigner(["a test secret that is long enough"], Date.now);
    const { files, startJobs } = await openFileStorage(config, fixture.deps, signer);
    const jobs = startJobs(log);
    await waitUntil(() => lines.length > 0, { description: "the log line about the CORS rules" });
    assert.deepEqual((JSON.parse(lines[0] ?? "") as { origins: unknown }).origins, [config.base]);
    for (const job of jobs) await job.stop();
    (files as S3Store).close();
  });
});
