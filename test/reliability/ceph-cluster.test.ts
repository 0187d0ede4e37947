import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createCeph, hasCeph, type Ceph, type CephDaemon } from "../support/ceph.ts";
import { findFreePort } from "../support/free-ports.ts";
import { startHaproxy, type Haproxy } from "../support/haproxy.ts";
import { isLongRun } from "../support/long-run.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { isServing } from "../support/server-program.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { startStorageLoad, type StorageLoad } from "../support/storage-load.ts";
import { newStudioClient } from "../support/studio-client.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait-until.ts";
import { skipWithout } from "../support/find-program.ts";

const rounds = isLongRun ? 5 : 1;
/** Long runs use Ceph's default of 20 s. A paused daemon then blocks the store for longer than the service waits. */
const heartbeatGraceSeconds = isLongRun ? 20 : 6;
const maxErrorMs = 15_000;
const maxRecoveryMs = { kill: 30_000, pause: heartbeatGraceSeconds * 1000 + 30_000 };
const healthPath = "/swift/healthcheck";

describe(
  "a Ceph cluster that loses daemons under load",
  { skip: hasCeph() ? skipWithout("haproxy") : "not installed: Ceph" },
  () => {
    const folder = createTempFolder();
    let ceph: Ceph;
    let haproxy: Haproxy;
    let service: MainProcess;
    let load: StorageLoad;
    let hasExited = false;

    before(async () => {
      ceph = await createCeph({ osdCount: 3, gatewayCount: 2, heartbeatGraceSeconds });
      const storePort = await findFreePort();
      const gatewayPorts = ceph.gateways.map(({ port }) => port);
      haproxy = await startHaproxy("haproxy-ceph.cfg", storePort, gatewayPorts, healthPath);
      const base = await findFreeBaseUrl();
      service = await startMain({
        PORT: new URL(base).port,
        BASE_URL: base,
        DATA_DIR: folder.path,
        RATE_LIMITS: "off",
        STORAGE: "s3",
        S3_ENDPOINT: `http://127.0.0.1:${storePort}`,
        S3_REGION: "us-east-1",
        S3_BUCKET: ceph.bucket,
        S3_ACCESS_KEY_ID: ceph.accessKeyId,
        S3_SECRET_ACCESS_KEY: ceph.secretAccessKey,
        S3_FORCE_PATH_STYLE: "true",
      });
      void service.exited.then(() => (hasExited = true));
      load = startStorageLoad(await newStudioClient(base), base);
      await load.waitForEachMethod();
    });
    after(async () => {
      for (const daemon of ceph ? [...ceph.osds, ...ceph.gateways] : []) daemon.resume();
      await load?.stop();
      await service?.kill();
      await haproxy?.stop();
      await ceph?.remove();
      folder.remove();
    });

    function checkErrors(): void {
      assert.deepEqual(load.unexpectedErrors, [], "every error is storage_unavailable, or 503 with Retry-After");
      assert.deepEqual(
        load.unavailableErrors.filter(({ ms }) => ms > maxErrorMs),
        [],
        "every error arrived within 15 s",
      );
      assert.equal(hasExited, false, "the service was not restarted");
    }

    /** Resolves when every file has all its replicas again. */
    const waitForOsds = () => ceph.waitUntilClean();

    async function waitForGateways(): Promise<void> {
      for (const { name, port } of ceph.gateways)
        await waitUntil(() => isServing(`http://127.0.0.1:${port}${healthPath}`), {
          timeoutMs: 60_000,
          description: `${name} responds`,
        });
    }

    async function runRounds(
      t: TestContext,
      fault: keyof typeof maxRecoveryMs,
      daemons: readonly CephDaemon[],
      waitUntilHealthy: () => Promise<void>,
    ): Promise<void> {
      for (let round = 0; round < rounds; round++) {
        const daemon = daemons[round % daemons.length];
        if (!daemon) throw new Error("no daemon");
        await waitUntilHealthy();
        const [errorsBefore, storeErrorsBefore] = [load.unavailableErrors.length, load.storeErrors.length];
        await sleep(300 + Math.random() * 300);
        if (fault === "kill") await daemon.kill();
        else daemon.pause();
        const recoveryMs = await load.waitForEachMethod();
        if (fault === "kill") daemon.start();
        else daemon.resume();
        const errors = load.unavailableErrors.slice(errorsBefore);
        t.diagnostic(
          `${daemon.name}: uploads by each method succeeded after ${Math.round(recoveryMs)} ms; ${errors.length} errors ` +
            `of the service, the slowest after ${Math.round(Math.max(0, ...errors.map(({ ms }) => ms)))} ms; ` +
            `${load.storeErrors.length - storeErrorsBefore} requests to the store repeated`,
        );
        checkErrors();
        assert.ok(recoveryMs < maxRecoveryMs[fault], `uploads succeeded after ${recoveryMs} ms`);
        if (isLongRun) await load.checkFiles();
      }
    }

    test("kill -9 of a storage daemon, whose data is lost: no acknowledged file is lost, and uploads succeed again (RUN-8, ERR-storage_unavailable, S3)", (t) =>
      runRounds(t, "kill", ceph.osds, waitForOsds));

    test("kill -9 of a gateway: no acknowledged file is lost, and uploads succeed again (RUN-8, ERR-storage_unavailable, S3)", (t) =>
      runRounds(t, "kill", ceph.gateways, waitForGateways));

    test("a storage daemon that stops responding: errors arrive within 15 s, and uploads succeed again (RUN-8, ERR-storage_unavailable, S3)", (t) =>
      runRounds(t, "pause", ceph.osds.toReversed(), waitForOsds));

    test("a gateway that stops responding: errors arrive within 15 s, and uploads succeed again (RUN-8, ERR-storage_unavailable, S3)", (t) =>
      runRounds(t, "pause", ceph.gateways.toReversed(), waitForGateways));

    test("after all faults, every acknowledged file has the right digest, and the service needed no restart (RUN-8, S3)", async (t) => {
      await load.stop();
      await load.checkFiles({ all: true });
      checkErrors();
      t.diagnostic(
        `${load.fileCount} files, ${load.downloadCount} downloads, ${load.unavailableErrors.length} errors of the ` +
          `service, ${load.storeErrors.length} requests to the store repeated: ${summarize(load.storeErrors)}`,
      );
    });
  },
);

const summarize = (reasons: readonly string[]): string =>
  JSON.stringify([...Map.groupBy(reasons, (reason) => reason)].map(([reason, { length }]) => `${length} ${reason}`));
