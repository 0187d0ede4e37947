import assert from "node:assert/strict";
import { test } from "node:test";
import { LostClaimError, updateClaimed } from "#domain/jobs/publishing/claim.ts";
import { toScheduleColumns } from "#domain/model/publish-time.ts";
import { minutes } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { newPublication, oneSlot } from "../support/publishing-fixture.ts";
import { newStudio } from "../support/users.ts";

forEachEngine("claims of publications", (fixture) => {
  test("a worker whose lease has ended writes nothing once another worker has the claim (PUB-7, B3)", async () => {
    const { deps } = fixture;
    const { publicationRuns, writes } = deps;
    const id = await newPublication(deps, await newStudio(deps), "proposed");
    const now = deps.clock();
    const scheduled = { state: "scheduled", ...toScheduleColumns(null, now) } as const;
    await writes.publications.update(id, scheduled, { states: ["proposed"] });
    const first = await publicationRuns.claimDue({ now, leaseExpiresAt: now + minutes(1), slots: oneSlot });
    assert.equal(first?.id, id);
    const later = now + minutes(2);
    assert.equal(await publicationRuns.claimDue({ now: later, leaseExpiresAt: later, slots: oneSlot }), undefined);
    const claim = { now: later, leaseExpiresAt: later + minutes(1), slots: oneSlot };
    const second = await publicationRuns.claimAbandoned(claim);
    assert.equal(second?.id, id);
    const platform = { mediaIds: {} };
    const change = { progress: { platform } };
    await assert.rejects(updateClaimed(deps, first, change), LostClaimError);
    assert.deepEqual((await updateClaimed(deps, second, change)).progress?.platform, platform);
    assert.equal(await publicationRuns.claimAbandoned(claim), undefined, "the new lease has not ended");
  });
});
