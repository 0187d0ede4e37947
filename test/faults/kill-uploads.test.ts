import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { createAssetSweeper } from "#domain/jobs/sweep-files.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { hours, systemClock } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, createTemporaryDatabase, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { openLocalDiskStore } from "../support/local-disk-store.ts";
import { isLongRun } from "../support/long-run.ts";
import { newStudio } from "../support/users.ts";
import { buildStraceCommand } from "../support/strace.ts";
import { readDigest } from "../support/stores.ts";
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
    const files = await openLocalDiskStore(root, { clock });
    try {
      await work({ ...createDeps(database, clock), files });
    } finally {
      await database.close();
    }
  }

  /** Runs the child process until `wrapper` kills it or it exits; records what it acknowledged. Returns whether it was killed. */
  async function runChild(wrapper: readonly string[]): Promise<boolean> {
    const options = JSON.stringify({ ...temporaryDatabase, root, caller, count: 6 });
    const [command, ...args] = [...wrapper, process.execPath, childProgram, options];
    const env = { ...process.env, TMPDIR: temporaryDatabase.dataDir }; // a killed process leaves its temporary files behind
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => void (output += chunk.toString()));
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
        assert.equal(await readDigest(deps.files, asset?.storageKey ?? ""), digest, `${context}: the uploaded bytes`);
      }
    });
  }

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
    assert.equal(await runChild([]), false);
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
        await sweepTrash(deps, untilDone);
        for (let i = 0; i < 2; i++) await sweep(untilDone);
        const areas = ["files/", "incoming/", "thumbs/"].map((area) => deps.files.list(area, { limit: 10_000 }));
        const storedFiles = (await Promise.all(areas)).flat();
        const assets = await deps.assets.list(caller.studio.id, { withTrash: true, limit: 10_000 });
        assert.deepEqual(
          storedFiles.map(({ key }) => key).toSorted(),
          assets.map(({ storageKey }) => storageKey ?? "").toSorted(),
          "each file has a record, and each record has a file",
        );
        assert.ok(assets.every(({ status }) => status === "ready"));
      },
      () => systemClock() + hours(3),
    );
    await checkAssets("after the sweep");
  });
});
