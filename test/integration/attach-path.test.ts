import assert from "node:assert/strict";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { connectToolClient, startAssetService, type ToolClient } from "../support/asset-fixture.ts";
import { forEachEngine } from "../support/engines.ts";
import { jpeg } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import { putBytes } from "../support/stores.ts";
import { newStudio } from "../support/users.ts";

/** The maximum number of source files from the HTTP entry point to the disk. */
const maxFiles = 31;
/** This file is on the path, but never on the stack, because the tool's `run` is the verb itself. */
const declarationFile = "src/mcp/tools/attach-asset.ts";

forEachEngine(
  "path of attach_asset",
  (fixture) => {
    let service: RunningService;
    let client: ToolClient;
    before(async () => {
      service = await startAssetService(fixture, "disk");
      client = await connectToolClient(service, await newStudio(service.deps));
    });
    after(async () => {
      await client.close();
      await service.close();
    });

    async function prepareUpload(): Promise<{ postId: string; assetId: string }> {
      const { id: postId } = await client.callOk("create_post", { title: "A post" });
      const file = { kind: "image", mimeType: "image/jpeg", filename: "vase.jpg" };
      const { assetId, uploadUrl } = await client.callOk("request_asset_upload", file);
      await putBytes(uploadUrl, await jpeg());
      return { postId, assetId };
    }

    test("passes through exactly the files that ARCHITECTURE.md lists", async () => {
      await client.callOk("attach_asset", await prepareUpload()); // fills the caches, which the recorded call then uses
      const upload = await prepareUpload();
      const recorder = recordStackFiles();
      try {
        await client.callOk("attach_asset", upload);
      } finally {
        recorder.stop();
      }
      const files = [...recorder.files, declarationFile].toSorted();
      assert.deepEqual(files, await readListedFiles());
      assert.ok(files.length <= maxFiles, `${files.length} files`);
    });
  },
  ["sqlite"],
);

/** The source files in the numbered steps of the section about attach_asset. */
async function readListedFiles(): Promise<string[]> {
  const text = await fs.readFile(join(import.meta.dirname, "../../ARCHITECTURE.md"), "utf8");
  const section =
    text.split("## The path of a call: attach_asset")[1] ??
    assert.fail("ARCHITECTURE.md has no section about attach_asset");
  const steps = section.split("\n").filter((line) => /^\d+\. /.test(line));
  return [...new Set(steps.join("\n").match(/src\/[\w/-]+\.ts/g))].toSorted();
}

/** Records the source files on the call stack, across `await`, of each SQL statement and file operation. */
function recordStackFiles(): { files: Set<string>; stop(): void } {
  const files = new Set<string>();
  const originalLimit = Error.stackTraceLimit;
  Error.stackTraceLimit = Infinity;
  const restorers = [
    ...wrapMethods(StatementSync.prototype, ["run", "get", "all", "iterate"]),
    ...wrapMethods(DatabaseSync.prototype, ["exec"]),
    ...wrapMethods(fs, ["mkdir", "open", "readdir", "rename", "rm", "stat", "unlink"]),
  ];
  syncBuiltinESMExports();
  return {
    files,
    stop() {
      for (const restore of restorers) restore();
      syncBuiltinESMExports();
      Error.stackTraceLimit = originalLimit;
    },
  };

  function wrapMethods<Target extends object>(target: Target, names: readonly (keyof Target)[]): (() => void)[] {
    return names.map((name) => {
      const original = target[name] as (...args: unknown[]) => unknown;
      const wrapped = function (this: unknown, ...args: unknown[]): unknown {
        for (const [file] of (new Error("stack trace").stack ?? "").matchAll(/(?<=\/)src\/[\w/-]+\.ts(?=:\d)/g))
          files.add(file);
        return original.apply(this, args);
      };
      Object.assign(target, { [name]: wrapped });
      return () => Object.assign(target, { [name]: original });
    });
  }
}
