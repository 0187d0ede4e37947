import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { unapprovePublications } from "#domain/operator/unapprove-publications.ts";
import { minutes, seconds, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { runCommand } from "../support/operator-commands.ts";
import { oneSlot, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const operator = { operator: true } as const;

forEachEngine("publications of a restored database", (fixture) => {
  let publishing: PublishingFixture;
  before(async () => void (publishing = await startPublishing(fixture, ["harbour", "quay"], { clock: fixture.clock })));
  after(() => publishing.close());

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
