import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { days, minutes } from "#lib/clock.ts";
import { newMember, newStudio, newUser } from "../../test/support/users.ts";
import { createClientCaller, createShiftedClock, samplePostBody, uploadSampleImage } from "./studio.ts";

export interface HistoryStudio {
  owner: Caller;
  member: Caller;
  grantId: string;
  /** Marked ready, then changed by Claude. */
  readyPostId: string;
}

/** Creates a studio in which Claude made changes and deletions that the owner does not want. */
export async function createHistoryStudio(deps: Deps, user: SignedInUser): Promise<HistoryStudio> {
  const clock = createShiftedClock();
  const studioDeps = { ...deps, clock };
  clock.setBehindNow(days(13));
  const owner = await newStudio(studioDeps, user, "Blue Door Studio");
  const member = await newMember(studioDeps, owner, "member", await newUser(studioDeps, { name: "Ana Duarte" }));
  const claude = await createClientCaller(studioDeps, owner, "Claude", "claude.ai", true);

  clock.setBehindNow(days(9));
  const { id: readyPostId } = await createPost(studioDeps, owner, {
    title: "Spring catalogue: the cover",
    body: samplePostBody,
  });
  const assetIds: string[] = [];
  for (const imageName of ["poster", "door", "vase", "harbour"] as const) {
    const assetId = await uploadSampleImage(studioDeps, owner, imageName);
    await attachAsset(studioDeps, owner, { postId: readyPostId, assetId });
    assetIds.push(assetId);
  }
  const [poster = "", door = "", vase = "", harbour = ""] = assetIds;
  await updateAsset(studioDeps, owner, { assetId: poster, altText: "A green poster with a low sun" });
  clock.setBehindNow(days(8));
  const { id: vasesPostId } = await createPost(studioDeps, member, {
    title: "Three vases, one glaze",
    body: "The same glaze, fired at three temperatures.",
  });
  const { id: fairPostId } = await createPost(studioDeps, owner, {
    title: "Notes from the autumn fair",
    body: "Forty people asked about the blue one.",
  });
  const paper = await uploadSampleImage(studioDeps, owner, "paper");
  clock.setBehindNow(days(5));
  await updatePost(studioDeps, owner, { postId: readyPostId, status: "ready" });
  clock.setBehindNow(days(3));
  const { id: oldPostId } = await createPost(studioDeps, member, { title: "Opening times, old", body: "" });
  await deletePost(studioDeps, member, { postId: oldPostId });

  clock.setBehindNow(minutes(25));
  const updateAsClaude = async (postId: string, fields: { title?: string; body?: string }): Promise<void> => {
    const { revision } = await getPost(studioDeps, claude, { postId });
    await updatePost(studioDeps, claude, { postId, ...fields, revision });
  };
  await updateAsClaude(readyPostId, {
    title: "Spring catalogue: discover the stunning new cover",
    body: samplePostBody
      .replace("with a sun that is a little too low", "with a breathtaking sun")
      .replace("It goes out on the first of March.", "It launches on the first of April!"),
  });
  await detachAsset(studioDeps, claude, { postId: readyPostId, assetId: vase });
  await updatePost(studioDeps, claude, { postId: readyPostId, assetIds: [harbour, poster, door] });
  await updateAsset(studioDeps, claude, { assetId: poster, altText: "A stunning poster" });
  await updateAsClaude(vasesPostId, {
    title: "You won’t believe these vases",
    body: "Three vases that will change your life.",
  });
  await deletePost(studioDeps, claude, { postId: fairPostId });
  await deleteAsset(studioDeps, claude, { assetId: paper });
  await createPost(studioDeps, claude, { title: "Ten tips for your first kiln", body: "Number seven is a surprise." });
  clock.setBehindNow(minutes(8));
  await updatePost(studioDeps, member, { postId: vasesPostId, body: "Three vases, one glaze, three temperatures." });
  await deps.grants.touch(claude.grantId, Date.now());
  return { owner, member, grantId: claude.grantId, readyPostId };
}
