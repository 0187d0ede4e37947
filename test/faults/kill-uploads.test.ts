import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { createAssetSweeper } from "#domain/assets/lifecycle/sweep-assets.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { sweepTrash } from "#domain/trash/sweep-trash.ts";
import { hours, systemClock } from "#lib/clock.ts";
import { openDiskStore } from "#storage/disk/disk-store.ts";
import { createDeps, createTemporaryDatabase, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { isLongRun } from "../support/long-run.ts";
import { newStudio } from "../support/users.ts";
import { buildStraceCommand } from "../support/strace.ts";
import { readBytes } from "../support/stores.ts";
import { skipWithout } from "../support/find-program.ts";

const childProgram = join(import.meta.dirname, "../support/children/upload-assets.ts");
const systemCalls = ["fsync", "rename", "pwrite64", "write", "unlink"] as const;
/** Kills at two of the first sixty calls, or at each of them in a long run. */
const callNumbers = Array.from({ length: 60 }, (_, i) => 1 + i).filter((nth) => isLongRun || nth % 30 === 1);

describe("kill -9 during uploads", () => {
  let temporaryDatabase: TemporaryDatabase;
  let root: string;
  let caller: Caller;
  /** Digests of assets that were acknowledged as ready and not deleted since. */
  const acknowledgedDigests = new Map<string, string>();
  /** Digests of files that were uploaded but whose attach was not acknowledged. */
  const unattachedDigests = new Map<string, string>();

  before(async () => {
    temporaryDatabase = await createTemporaryDatabase("sqlite");
    root = join(temporaryDatabase.dataDir, "files");
    await withDeps(async (deps) => {
      caller = await newStudio(deps);
    });
  });
  after(() => temporaryDatabase.remove());

  async function withDeps(work: (deps: Deps) => Promise<void>, clock = systemClock): Promise<void> {
    const database = await openDatabase({ ...temporaryDatabase, log: silentLog });
    const createUrl = async () => "http://localhost/unused";
    const urls = {
      origin: "http://localhost",
      createUploadUrl: createUrl,
      createDownloadUrl: createUrl,
      createPartUrl: createUrl,
    };
    const files = await openDiskStore({ root, urls, clock, minFreeBytes: 0 });
    try {
      await work({ ...createDeps(database, clock), files });
    } finally {
      await database.close();
    }
  }

  /**
   * Runs the child process until it exits or is killed, by `wrapper` or `killAfterMs` after its first acknowledged
   * upload. Records what it acknowledged, and returns whether it was killed.
   */
  async function runChild(wrapper: readonly string[], killAfterMs?: number): Promise<boolean> {
    const count = killAfterMs === undefined ? 6 : 10_000; // enough to be killed before the end
    const options = JSON.stringify({ ...temporaryDatabase, root, caller, count });
    const [command, ...args] = [...wrapper, process.execPath, childProgram, options];
    const env = { ...process.env, TMPDIR: temporaryDatabase.dataDir }; // a killed process leaves its temporary files behind
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    const firstUpload = Promise.withResolvers<void>();
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("ready ")) firstUpload.resolve();
    });
    if (killAfterMs !== undefined)
      void firstUpload.promise.then(() => sleep(killAfterMs)).then(() => child.kill("SIGKILL"));
    const [code, signal] = await once(child, "close");
    assert.ok(code === 0 || signal === "SIGKILL", `the child exited with ${code ?? signal}`);
    const lines = output.split("\n");
    for (const [step, assetId = "", digest = ""] of lines.map((line) => line.split(" "))) {
      if (step === "sent") unattachedDigests.set(assetId, digest);
      if (step === "ready") {
        unattachedDigests.delete(assetId);
        acknowledgedDigests.set(assetId, digest);
      }
      if (step === "deleting") acknowledgedDigests.delete(assetId); // from now on it may or may not exist
    }
    return code !== 0;
  }

  /** Asserts that every acknowledged asset is ready and has its bytes. */
  async function checkAssets(context: string): Promise<void> {
    await withDeps(async (deps) => {
      for (const [assetId, digest] of acknowledgedDigests) {
        const asset = await deps.assets.find(caller.studio.id, assetId);
        assert.equal(asset?.status, "ready", `${context}: ${assetId} was acknowledged as ready`);
        const content = await readBytes(await deps.files.read(asset?.storageKey ?? ""));
        assert.equal(
          createHash("sha256").update(content).digest("hex"),
          digest,
          `${context}: the stored bytes are those that were uploaded`,
        );
      }
    });
  }

  test("loses no acknowledged asset when killed at a random moment (ASSET-20, C2)", async () => {
    for (let round = 0; round < (isLongRun ? 8 : 3); round++) {
      await runChild([], Math.random() * 300);
      await checkAssets(`round ${round}`);
    }
  });

  for (const call of systemCalls) {
    test(
      `loses no acknowledged asset when killed at the Nth ${call} (ASSET-20, C2)`,
      { skip: skipWithout("strace") },
      async () => {
        let killCount = 0;
        for (const nth of callNumbers) {
          const isKilled = await runChild(buildStraceCommand(call, `signal=SIGKILL:when=${nth}`));
          if (!isKilled) break; // the child makes fewer such calls
          killCount++;
        }
        assert.ok(killCount > 0, "no child was killed");
        await checkAssets(call);
      },
    );
  }

  test("attaches the uploaded files after the crashes; the sweeper deletes only orphaned files (ASSET-20)", async () => {
    assert.ok(acknowledgedDigests.size > 0);
    await withDeps(async (deps) => {
      const { id: postId } = await createPost(deps, caller, { title: "After", body: "" });
      const depsWithHigherLimit: Deps = { ...deps, limits: { ...deps.limits, assetsPerPost: 1000 } };
      for (const [assetId, digest] of unattachedDigests) {
        const asset = await deps.assets.find(caller.studio.id, assetId);
        if (asset?.status === "ready") continue; // only the response was lost
        await attachAsset(depsWithHigherLimit, caller, { postId, assetId });
        acknowledgedDigests.set(assetId, digest);
      }
    });
    await checkAssets("after attaching the uploaded files");
    await withDeps(
      async (deps) => {
        const sweep = createAssetSweeper(deps);
        await sweepTrash(deps, { pause: async () => {}, shouldStop: () => false });
        for (let i = 0; i < 2; i++) await sweep({ pause: async () => {}, shouldStop: () => false });
        const storedFiles = (
          await Promise.all(
            ["files/", "incoming/", "thumbs/"].map((prefix) => deps.files.list(prefix, { limit: 10_000 })),
          )
        ).flat();
        const assets = await deps.assets.list(caller.studio.id, { withTrash: true, limit: 10_000 });
        assert.deepEqual(
          storedFiles.map(({ key }) => key).toSorted(),
          assets.map(({ storageKey }) => storageKey ?? "").toSorted(),
          "each file has a record, and each record has a file",
        );
        assert.ok(assets.every(({ status }) => status === "ready"));
      },
      () => Date.now() + hours(3),
    );
    await checkAssets("after the sweep");
  });
});
