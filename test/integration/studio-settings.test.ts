import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuthenticate } from "#auth/authenticate.ts";
import { approveClient } from "#domain/access/approve-client.ts";
import { describeMe } from "#domain/access/describe-me.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { SignedIn } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { enterStudio } from "#domain/studios/enter-studio.ts";
import { getStudio } from "#domain/studios/get-studio.ts";
import { updateStudio, updateStudioInput } from "#domain/studios/update-studio.ts";
import { forEachEngine, silent } from "../support/engines.ts";
import { outcome } from "../support/outcome.ts";
import { invite, newMember, newPerson, newStudio } from "../support/people.ts";
import { png } from "../support/samples.ts";
import { approve as approveWithToken } from "../support/tokens.ts";

forEachEngine("settings of a studio", (bed) => {
  test("[WORD-2] name and time zone change, each alone too; id and slug stay", async () => {
    const owner = await newStudio(bed.deps, undefined, "North");
    const before = await getStudio(bed.deps, owner);
    const renamed = await updateStudio(bed.deps, owner, updateStudioInput.parse({ name: " South " }));
    assert.deepEqual([renamed.name, renamed.timezone], ["South", "UTC"]);
    const moved = await updateStudio(bed.deps, owner, { timezone: "Asia/Tokyo" });
    assert.deepEqual([moved.name, moved.timezone], ["South", "Asia/Tokyo"]);
    const { id, slug } = await getStudio(bed.deps, owner);
    assert.deepEqual([id, slug], [before.id, before.slug]);
    const [last] = (await listActivity(bed.deps, owner, { limit: 1 })).activity;
    assert.deepEqual([last?.action, last?.detail], ["studio.updated", { timezone: "Asia/Tokyo" }]);
  });

  test("[ERR-invalid_input] nothing, no name, or no such time zone is refused", async () => {
    const owner = await newStudio(bed.deps);
    assert.equal(await outcome(updateStudio(bed.deps, owner, {})), "invalid_input");
    for (const bad of [{ name: "" }, { name: "a\nb" }, { timezone: "Moon/Base" }, { slug: "x" }])
      assert.equal(updateStudioInput.safeParse(bad).success, false, JSON.stringify(bad));
  });

  test("[T10] a deleted studio takes its posts, links, memberships and the tokens of clients in it along", async () => {
    const owner = await newStudio(bed.deps, undefined, "Doomed");
    const kept = await newStudio(bed.deps, owner, "Kept");
    const member = await newMember(bed.deps, owner, "member");
    const stranger = await newStudio(bed.deps);
    const post = await createPost(bed.deps, owner, { title: "Gone", body: "" });
    const base64 = (await png()).toString("base64");
    const picture = { kind: "image" as const, mimeType: "image/png", base64 };
    const [attached, loose] = [
      await uploadAssetInline(bed.deps, owner, picture),
      await uploadAssetInline(bed.deps, owner, picture),
    ];
    await attachAsset(bed.deps, owner, { postId: post.id, assetId: attached.assetId });
    const keys = await Promise.all(
      [attached, loose].map(async ({ assetId }) => (await bed.deps.assets.find(owner.studio.id, assetId))?.storageKey),
    );
    const link = await invite(bed.deps, owner, "member");
    const tokens = {
      elsewhere: await approveWithToken(bed.deps, owner), // the active studio is Kept
      inside: await approveWithToken(bed.deps, member),
      unrelated: await approveWithToken(bed.deps, stranger),
    };
    assert.equal(await outcome(deleteStudio(bed.deps, owner, { name: "doomed" })), "invalid_input");
    await deleteStudio(bed.deps, owner, { name: "Doomed" });

    const authenticate = createAuthenticate(bed.deps, silent);
    assert.equal(await authenticate(tokens.inside.token, undefined), undefined);
    assert.equal((await authenticate(tokens.elsewhere.token, undefined))?.seat?.studio.id, kept.studio.id);
    assert.ok(await authenticate(tokens.unrelated.token, undefined));
    assert.equal(await outcome(enterStudio(bed.deps, owner, owner.studio.id)), "not_found");
    assert.equal(await outcome(acceptInvitation(bed.deps, await newPerson(bed.deps), { token: link })), "not_found");
    assert.deepEqual((await describeMe(bed.deps, member)).memberships, []);
    assert.equal((await describeMe(bed.deps, owner)).activeStudioId, kept.studio.id);
    for (const key of keys) assert.equal(await bed.deps.files.stat(key ?? ""), undefined, "the bytes are gone");
    for (const table of ["assets", "posts", "activity", "memberships", "invitations"] as const) {
      const rows = await bed.database.q.selectFrom(table).select("studio_id").execute();
      assert.equal(rows.filter((row) => row.studio_id === owner.studio.id).length, 0, table);
    }
    assert.equal(await outcome(deleteStudio(bed.deps, owner, { name: "Doomed" })), "not_found");
  });

  test("[T10] an approval that fell back to its person's first studio ends with that studio too", async () => {
    const owner = await newStudio(bed.deps, undefined, "First");
    bed.clock.advance(1000);
    const second = await newStudio(bed.deps, owner, "Second");
    const person: SignedIn = { user: owner.user };
    const client = { clientId: "c", clientName: "C", clientVerified: false, redirectHost: "localhost" };
    const { id, studioId } = await approveClient(bed.deps, person, { ...client, scopes: ["studio:read"] });
    assert.equal(studioId, second.studio.id);
    await deleteStudio(bed.deps, second, { name: "Second" });
    assert.notEqual((await bed.deps.grants.find(id))?.revokedAt, null);
  });

  test("[R6] a studio deleted while someone joins leaves no membership behind", async () => {
    for (let round = 0; round < 5; round++) {
      const owner = await newStudio(bed.deps, undefined, "Short");
      const token = await invite(bed.deps, owner, "member");
      const person = await newPerson(bed.deps);
      await Promise.all([
        outcome(deleteStudio(bed.deps, owner, { name: "Short" })),
        outcome(acceptInvitation(bed.deps, person, { token })),
      ]);
      assert.deepEqual((await describeMe(bed.deps, person)).memberships, []);
    }
  });
});
