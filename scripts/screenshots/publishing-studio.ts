import type { TestDeps } from "../../test/support/engines.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { cancelPublication, reschedulePublication } from "#domain/publishing/change-publication.ts";
import type { PublicationChange } from "#domain/ports/publications.ts";
import { type PublicationAction, recordPublicationActivity, workerActor } from "#domain/changes/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { days, hours, minutes, toIsoTime } from "#lib/clock.ts";
import { newConnection } from "../../test/support/platform-fixture.ts";
import { newMember, newStudio, newUser } from "../../test/support/users.ts";
import { createClientCaller, createShiftedClock, samplePostBody, uploadSampleImage } from "./studio.ts";

export interface PublishingStudio {
  owner: Caller;
  member: Caller;
  /** Proposed by Claude, with files and a variant for one account. */
  proposedPostId: string;
  /** A post that was never published. */
  draftPostId: string;
  publicationIds: Record<
    "proposed" | "changedAfterApproval" | "published" | "failed" | "unconfirmed" | "missed",
    string
  >;
}

const runActions = ["publication.started", "publication.committed"] as const;

/** Creates a studio with publications in every state. No worker runs, so their states do not change. */
export async function createPublishingStudio(deps: TestDeps, user: SignedInUser): Promise<PublishingStudio> {
  const clock = createShiftedClock();
  const studioDeps = { ...deps, clock };
  clock.setBehindNow(days(9));
  const owner = await newStudio(studioDeps, user, "Blue Door Studio");
  await deps.studios.update(owner.studio.id, { timezone: "Europe/Lisbon" });
  const member = await newMember(studioDeps, owner, "member", await newUser(studioDeps, { name: "Ana Duarte" }));
  const claude = await createClientCaller(studioDeps, owner, "Claude", "claude.ai", true);
  const connectionId = await newConnection(studioDeps, owner, "bluedoor", "sandbox");
  const secondConnectionId = await newConnection(studioDeps, owner, "bluedoor-shop", "sandbox");
  for (const platform of ["linkedin", "mastodon"])
    await newConnection(studioDeps, owner, `bluedoor-${platform}`, platform);

  const publish = async (caller: Caller, title: string, body: string, at?: string): Promise<string> => {
    const { id: postId } = await createPost(studioDeps, caller, { title, body });
    const { publications } = await publishPost(studioDeps, caller, {
      postId,
      connectionIds: [connectionId],
      ...(at === undefined ? {} : { at }),
    });
    return publications[0]?.id ?? "";
  };
  /** Ends a publication as a worker does, and records the steps of its run. */
  const endPublication = async (
    id: string,
    change: PublicationChange,
    actions: readonly PublicationAction[],
  ): Promise<string> => {
    const withoutNextRun = { dueAt: null, nextRunAt: null };
    const publication = await deps.writes.publications.update(
      id,
      { ...withoutNextRun, ...change },
      { states: ["scheduled"] },
    );
    const detail = change.problem && change.state === "failed" ? { reason: change.problem.message } : {};
    for (const action of publication ? actions : [])
      await studioDeps.transact({ job: "screenshots" }, (tx) =>
        publication
          ? recordPublicationActivity(
              studioDeps,
              tx,
              workerActor,
              action,
              publication,
              action === actions.at(-1) ? detail : {},
            )
          : Promise.resolve(),
      );
    return id;
  };

  clock.setBehindNow(days(7));
  const publishedId = await endPublication(
    await publish(owner, "Fog over the harbour", "We opened the windows at six."),
    {
      state: "published",
      publishedAt: Date.now() - days(7),
      url: `${deps.baseUrl}/sandbox/posts`,
    },
    [...runActions, "publication.published"],
  );
  clock.setBehindNow(days(5));
  const failedId = await endPublication(
    await publish(member, "How we choose paper", "Touch first, then look."),
    {
      state: "failed",
      problem: {
        code: "blocked",
        message: "The platform has blocked the account or this server from publishing for a while.",
      },
    },
    [...runActions, "publication.failed"],
  );
  clock.setBehindNow(days(3));
  const missedTime = toIsoTime(Date.now() - days(2));
  const missedId = await publish(owner, "Opening times", "From March we open at nine.", missedTime);
  const canceledId = await publish(owner, "Notes from the autumn fair", "Forty people asked about the blue one.");
  await cancelPublication(studioDeps, owner, { publicationId: canceledId });
  clock.setBehindNow(hours(46));
  await endPublication(missedId, { state: "missed" }, ["publication.missed"]);
  clock.setBehindNow(hours(4));
  const unconfirmedId = await endPublication(
    await publish(owner, "Three vases, one glaze", "Fired at three temperatures."),
    {
      state: "unconfirmed",
      problem: {
        code: "unconfirmed",
        message: "The platform didn’t confirm the post. Check the account, then say whether it is there.",
      },
    },
    [...runActions, "publication.unconfirmed"],
  );
  await publish(owner, "The kiln is back", "Repaired, and louder than before.", toIsoTime(Date.now() + days(2)));

  clock.setBehindNow(minutes(12));
  const { id: proposedPostId } = await createPost(studioDeps, claude, {
    title: "Spring catalogue: the cover",
    body: "The cover is green this year, with a sun that is a little too low. It goes out on the first of March.",
  });
  for (const imageName of ["poster", "vase"] as const) {
    const assetId = await uploadSampleImage(studioDeps, owner, imageName);
    await attachAsset(studioDeps, owner, { postId: proposedPostId, assetId });
    if (imageName === "poster")
      await updateAsset(studioDeps, owner, { assetId, altText: "A green poster with a low sun" });
  }
  await updatePost(studioDeps, owner, {
    postId: proposedPostId,
    variants: [{ connectionId: secondConnectionId, body: "Order the spring catalogue from the first of March." }],
  });
  const { publications } = await publishPost(studioDeps, claude, {
    postId: proposedPostId,
    connectionIds: [connectionId, secondConnectionId],
    at: toIsoTime(Date.now() + days(1)),
    propose: true,
  });
  const changedPublicationId = await addChangedPublication(studioDeps, { owner, claude, connectionId });
  const { id: draftPostId } = await createPost(studioDeps, owner, {
    title: "A long letter from the workshop",
    body: samplePostBody,
    tags: ["letters", "workshop", "spring"],
  });
  return {
    owner,
    member,
    proposedPostId,
    draftPostId,
    publicationIds: {
      proposed: publications[0]?.id ?? "",
      changedAfterApproval: changedPublicationId,
      published: publishedId,
      failed: failedId,
      unconfirmed: unconfirmedId,
      missed: missedId,
    },
  };
}

/** Adds a publication that was approved, then changed and rescheduled by an AI client, so it needs approval again. */
async function addChangedPublication(
  deps: TestDeps,
  { owner, claude, connectionId }: { owner: Caller; claude: Caller; connectionId: string },
): Promise<string> {
  const { id: postId } = await createPost(deps, owner, {
    title: "Workshop on Saturday",
    body: "We open the workshop on Saturday at ten. Bring an apron, and something to drink.",
  });
  const assetId = await uploadSampleImage(deps, owner, "vase");
  await attachAsset(deps, owner, { postId, assetId });
  const { publications } = await publishPost(deps, owner, {
    postId,
    connectionIds: [connectionId],
    at: toIsoTime(Date.now() + days(2)),
  });
  const publicationId = publications[0]?.id ?? "";
  const client = { ...claude, scopes: ["studio:read", "studio:write"] as const };
  const secondAssetId = await uploadSampleImage(deps, owner, "poster");
  await attachAsset(deps, client, { postId, assetId: secondAssetId });
  await updateAsset(deps, client, { assetId, altText: "A blue vase on a wooden table" });
  const { revision } = await getPost(deps, owner, { postId });
  await updatePost(deps, client, {
    postId,
    body: "We open the workshop on Saturday at eleven. Bring an apron, and good shoes.",
    revision,
  });
  await reschedulePublication(deps, client, { publicationId, at: toIsoTime(Date.now() + days(3)) });
  return publicationId;
}
