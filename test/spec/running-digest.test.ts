import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "#lib/digest.ts";
import { createRunningDigest } from "#storage/disk/running-digest.ts";
import { createTempFolder } from "../support/temp-folder.ts";

test("finish returns the same digest again, for a retry after the file could not be stored (UPLOAD-10)", async () => {
  const path = join(createTempFolder().path, "data");
  writeFileSync(path, "harbour");
  const digest = createRunningDigest(path);
  digest.advanceTo(3);
  assert.equal(await digest.finish(7), sha256("harbour"));
  assert.equal(await digest.finish(7), sha256("harbour"));
});
