import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { unapprovePublications } from "#domain/operator/unapprove-publications.ts";
import { minutes, seconds, toIsoTime } from "#lib/clock.ts";
import { forEachEngine, silentLog } from "../support/engines.ts";
import { runCommand } from "../support/operator-commands.ts";
import { oneSlot, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const operator = { operator: true } as const;

forEachEngine("publications of a restored database", (fixture) => {
  let publishing: PublishingFixture;
  before(async () => void (publishing = await startPublishing(fixture, ["harbour", "quay"], { clock: fixture.clock })));
  after(() => publishing.close());

  /** The database of the backup rejects the change, so that the restore ends while publications are still scheduled. */
  async function assertNoDatabaseAfterFailure(folder: string): Promise<void> {
    const { dataDir } = fixture.location;
    const database = new DatabaseSync(join(dataDir, "atelier.db"));
    try {
      database.exec(
        "CREATE TRIGGER fail BEFORE UPDATE ON publications BEGIN SELECT RAISE(ABORT, 'simulated failure'); END",
      );
      const backup = await runCommand(["backup", join(folder, "failing-backups")], { DATA_DIR: dataDir });
      const restoredDir = join(folder, "partly-restored");
      const restore = await runCommand(["restore", backup.stdout.split("\n", 1)[0] ?? ""], { DATA_DIR: restoredDir });
      assert.equal(restore.code, 1);
      assert.match(restore.output, /simulated failure/);
      assert.equal(existsSync(join(restoredDir, "atelier.db")), false);
      const start = openDatabase({ databaseUrl: undefined, dataDir: restoredDir, log: silentLog });
      await assert.rejects(start, /atelier\.db is missing, but .* contains/);
    } finally {
      database.exec("DROP TRIGGER IF EXISTS fail");
      database.close();
    }
  }

  test("wait for approval again, because they may have been published or canceled since the backup (B2, B3, L5)", async (t) => {
    const { api, connectionIds, newPost, requestPublication, service } = publishing;
    const [harbour = "", quay = ""] = connectionIds;
    const at = toIsoTime(fixture.clock() + minutes(10));
    const postId = await newPost("Spring");
    const scheduled = await requestPublication(postId, [harbour], { at });
    const started = await requestPublication(postId, [quay]);
    const claim = { now: fixture.clock(), leaseExpiresAt: fixture.clock() + seconds(30), slots: oneSlot };
    assert.equal((await service.deps.publicationRuns.claimDue(claim))?.id, started.id);

    if (fixture.engine === "sqlite") {
      const folder = createTempFolder();
      t.after(() => folder.remove());
      await assertNoDatabaseAfterFailure(folder.path);
      const backup = await runCommand(["backup", join(folder.path, "backups")], { DATA_DIR: fixture.location.dataDir });
      const restoredDir = join(folder.path, "restored");
      const restore = await runCommand(["restore", backup.stdout.split("\n", 1)[0] ?? ""], { DATA_DIR: restoredDir });
      assert.match(restore.stdout, /^2 scheduled publications wait for approval\.$/m);
      const restoredDatabase = new DatabaseSync(join(restoredDir, "atelier.db"));
      t.after(() => restoredDatabase.close());
      const states = restoredDatabase.prepare("SELECT DISTINCT state FROM publications").all();
      assert.deepEqual(
        states.map(({ state }) => state),
        ["proposed"],
      );
    }

    assert.deepEqual(await unapprovePublications(service.deps, operator), { unapproved: 2 });
    assert.deepEqual(await unapprovePublications(service.deps, operator), { unapproved: 0 });
    for (const { id } of [scheduled, started])
      assert.equal((await api("GET", `/publications/${id}`)).body["state"], "proposed");
    const [entry] = await service.deps.activity.list(publishing.owner.studio.id, { subjectId: started.id, limit: 1 });
    assert.deepEqual([entry?.action, entry?.detail["by"]], ["publication.unapproved", "operator"]);
    const { body } = await api("POST", `/publications/${scheduled.id}/approve`, { revision: scheduled.revision });
    assert.deepEqual([body["state"], body["scheduledFor"]], ["scheduled", at]);
  });
});
