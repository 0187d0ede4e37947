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
import { hours, systemClock } from "#lib/clock.ts";
import { openDiskStore } from "#storage/disk/disk-store.ts";
import { createDeps, createTemporaryDatabase, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { isLongRun } from "../support/long-run.ts";
import { newStudio } from "../support/users.ts";
import { findProgram } from "../support/find-program.ts";
import { readBytes } from "../support/stores.ts";

const program = join(import.meta.dirname, "../support/children/upload-assets.ts");
const calls = ["fsync", "fdatasync", "rename", "pwrite64", "write", "writev", "unlink"] as const;
/** Of the first sixty of each call, every fifth, or in the long form each: where an upload can be cut. */
const moments = Array.from({ length: 60 }, (_, i) => 1 + i).filter((nth) => isLongRun || nth % 5 === 1);

describe("uploads that are killed", () => {
  let location: TemporaryDatabase;
  let root: string;
  let caller: Caller;
  /** What was answered ready and not deleted since: its digest. */
  const promised = new Map<string, string>();
  /** What was sent, and whose attach nobody answered. */
  const open = new Map<string, string>();

  before(async () => {
    location = await createTemporaryDatabase("sqlite");
    root = join(location.dataDir, "files");
    await withDeps(async (deps) => {
      caller = await newStudio(deps);
    });
  });
  after(() => location.remove());

  async function withDeps(work: (deps: Deps) => Promise<void>, clock = systemClock): Promise<void> {
    const database = await openDatabase({ ...location, log: silentLog });
    const nowhere = async () => "http://localhost/nowhere";
    const addresses = { origin: "http://localhost", forUpload: nowhere, forDownload: nowhere, forPart: nowhere };
    const files = await openDiskStore({ root, urls: addresses, clock, minFreeBytes: 0 });
    try {
      await work({ ...createDeps(database, clock), files });
    } finally {
      await database.close();
    }
  }

  /** Runs the program to its end, whichever that is, and takes down what it promised. */
  async function run(prefix: readonly string[], end?: (child: ReturnType<typeof spawn>) => void): Promise<string[]> {
    const options = JSON.stringify({ ...location, root, caller, count: 6 });
    const [command, ...args] = [...prefix, process.execPath, program, options];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    end?.(child);
    await once(child, "close");
    const lines = said.split("\n");
    for (const [word, assetId = "", digest = ""] of lines.map((line) => line.split(" "))) {
      if (word === "sent") open.set(assetId, digest);
      if (word === "ready") {
        open.delete(assetId);
        promised.set(assetId, digest);
      }
      if (word === "deleting") promised.delete(assetId); // from here on it may be there or not
    }
    return lines;
  }

  /** Every promise is kept, and database and store agree. */
  async function check(when: string): Promise<void> {
    await withDeps(async (deps) => {
      for (const [assetId, digest] of promised) {
        const asset = await deps.assets.find(caller.studio.id, assetId);
        assert.equal(asset?.status, "ready", `${when}: ${assetId} was answered ready`);
        const content = await readBytes(await deps.files.read(asset?.storageKey ?? ""));
        assert.equal(
          createHash("sha256").update(content).digest("hex"),
          digest,
          `${when}: its bytes are what was sent`,
        );
      }
    });
  }

  test("killed at any moment of many runs: nothing answered is lost (ASSET-20, C2)", async () => {
    for (let round = 0; round < 8; round++) {
      await run([], (child) => void sleep(300 + Math.random() * 700).then(() => child.kill("SIGKILL")));
      await check(`round ${round}`);
    }
  });

  const strace = findProgram("strace");
  for (const call of strace ? calls : []) {
    test(`killed at the Nth ${call}: nothing answered is lost (ASSET-20, C2)`, async () => {
      for (const nth of moments) {
        const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${nth}`];
        const lines = await run([strace ?? "", "-f", "-qq", "-o", "/dev/null", ...inject]);
        if (lines.includes("finished")) break; // it makes fewer of them than that
      }
      await check(call);
    });
  }

  test("what was sent can still be attached; then the sweeper clears the rest, and never a live file (ASSET-20)", async () => {
    await withDeps(async (deps) => {
      const { id: postId } = await createPost(deps, caller, { title: "After", body: "" });
      const roomy: Deps = { ...deps, limits: { ...deps.limits, assetsPerPost: 1000 } };
      for (const [assetId, digest] of open) {
        const asset = await deps.assets.find(caller.studio.id, assetId);
        if (asset?.status === "ready") continue; // only its answer was lost
        await attachAsset(roomy, caller, { postId, assetId });
        promised.set(assetId, digest);
      }
    });
    await check("after attaching what was left");
    await withDeps(
      async (deps) => {
        const sweep = createAssetSweeper(deps);
        for (let i = 0; i < 2; i++) await sweep({ pause: async () => {}, isOver: () => false });
        const listed = (
          await Promise.all(["files/", "incoming/", "thumbs/"].map((area) => deps.files.list(area, { limit: 10_000 })))
        ).flat();
        const assets = await deps.assets.list(caller.studio.id, { limit: 10_000 });
        assert.deepEqual(
          listed.map(({ key }) => key).toSorted(),
          assets.map(({ storageKey }) => storageKey ?? "").toSorted(),
          "one file for each record, and one record for each file",
        );
        assert.ok(assets.every(({ status }) => status === "ready"));
      },
      () => Date.now() + hours(3),
    );
    await check("after the sweep");
  });
});
