import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import { addComment, resolveComment } from "#domain/comments/comments.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { createInvitation } from "#domain/studios/invitations.ts";
import { days, hours, minutes, toIsoTime } from "#lib/clock.ts";
import { newConnection } from "../../test/support/platform-fixture.ts";
import { newMember, newStudio, newUser } from "../../test/support/users.ts";
import { encodeSampleImage, type SampleImageName } from "./sample-images.ts";
import { createClientCaller, createShiftedClock, samplePostBody } from "./studio.ts";

export interface FullStudio {
  owner: Caller;
  /** With 20 files, 12 tags, publications, comments and a long history. */
  fullPostId: string;
}

const imageNames: readonly SampleImageName[] = ["harbour", "fog", "door", "vase", "paper", "poster"];

const longName = "Maximiliana Konstantinopolitanska-Featherstonehaugh";
const longTitle =
  "Everything we learned about glaze, paper and print in the eleven months between the first sketch of the spring catalogue and the morning it arrived";
const subjects = [
  "The kiln is back",
  "Opening times in March",
  "Three vases, one glaze",
  "How we choose paper",
  "Fog over the harbour",
  "A visit to the press",
  "Notes from the autumn fair",
  "Donaudampfschifffahrtsgesellschaftskapitän",
  longTitle,
];
const tagNames = [
  "spring catalogue",
  "workshop",
  "behind the scenes",
  "glaze",
  "paper",
  "harbour",
  "a tag as long as a tag is allowed to be",
  "letters",
  "people",
  "prices",
  "events",
  "newsletter",
];

/** Short enough for every platform. */
const shortBody = samplePostBody.split("\n", 1).join("");

/** Creates a studio with as much of everything as a large team has, and with names as long as they can be. */
export async function createFullStudio(deps: Deps, user: SignedInUser): Promise<FullStudio> {
  const clock = createShiftedClock();
  const studioDeps = { ...deps, clock };
  clock.setBehindNow(days(30));
  const owner = await newStudio(studioDeps, user, "The Blue Door Studio for Ceramics, Paper and Printed Matter");
  for (let i = 0; i < 8; i++) await newStudio(studioDeps, user, `Blue Door ${tagNames[i]}`);
  const people = [
    "Jonas Lind",
    longName,
    "Theo Park",
    "Lena Weiss",
    "Ana Duarte",
    "Sofía Álvarez",
    "Bo Dahl",
    "李小龙",
  ];
  const members: Caller[] = [owner];
  for (const [i, name] of people.entries()) {
    const email = `${name.toLowerCase().replaceAll(/[^a-z]+/g, ".")}${i}@bluedoor.example`;
    const member = await newUser(studioDeps, { name, email });
    members.push(await newMember(studioDeps, owner, i === 0 ? "admin" : "member", member));
  }
  for (let i = 0; i < 6; i++)
    await createInvitation(studioDeps, owner, { role: "member", email: `guest.${i}@a-very-long-domain-name.example` });
  const clients: Caller[] = [];
  for (const [i, client] of ["Claude", "Cursor", "ChatGPT", "Visual Studio Code", "Inspector", longName].entries())
    clients.push(await createClientCaller(studioDeps, members[i] ?? owner, client, "claude.ai", i === 0));
  const connectionIds: string[] = [];
  for (const account of ["bluedoor", "bluedoor-shop", "the-blue-door-studio-for-ceramics-and-paper"])
    connectionIds.push(await newConnection(studioDeps, owner, account, "sandbox"));
  for (const platform of ["linkedin", "mastodon", "instagram", "threads", "facebook", "x", "bluesky"])
    await newConnection(studioDeps, owner, `bluedoor-${platform}`, platform);

  const callers = [...members, ...clients];
  for (let i = 0; i < 90; i++) {
    clock.setBehindNow(days(29) - i * hours(7));
    const caller = callers[i % callers.length] ?? owner;
    const { id: postId } = await createPost(studioDeps, caller, {
      title: `${subjects[i % subjects.length]} (${i + 1})`,
      body: i % 5 === 0 ? "" : shortBody,
      tags: tagNames.slice(i % 4, (i % 4) + (i % 7)),
    });
    if (i % 2 === 0) await addFiles(studioDeps, owner, postId, i, 1 + (i % 4));
    if (i % 4 === 1) await updatePost(studioDeps, owner, { postId, status: "ready" });
    if (i % 11 === 0) await addComment(studioDeps, owner, { postId, body: "Is the price right?" });
    if (i % 3 !== 0 || i % 5 === 0) continue;
    // Most of them within a few days, so that these days of the calendar overflow.
    clock.setBehindNow(0);
    const at = toIsoTime(Date.now() + hours(3 + (i % 30) * 3));
    await publishPost(studioDeps, caller, { postId, connectionIds: connectionIds.slice(0, 1 + (i % 3)), at });
  }
  for (let i = 0; i < 12; i++) {
    const { id: postId } = await createPost(studioDeps, owner, { title: `${subjects[i % 9]}`, body: "" });
    await deletePost(studioDeps, owner, { postId });
  }
  return { owner, fullPostId: await createFullPost(studioDeps, clock, members, clients, connectionIds) };
}

/** A post with as many files as a post can have, and with long threads of comments. */
async function createFullPost(
  deps: Deps,
  clock: ReturnType<typeof createShiftedClock>,
  [owner, ...members]: readonly Caller[],
  clients: readonly Caller[],
  connectionIds: readonly string[],
): Promise<string> {
  if (!owner) throw new Error("the studio has no owner");
  clock.setBehindNow(days(4));
  const { id: postId } = await createPost(deps, clients[0] ?? owner, {
    title: longTitle,
    body: `${samplePostBody}\n\n`.repeat(6),
    tags: tagNames,
  });
  const fileIds = await addFiles(deps, owner, postId, 0, 20);
  for (const [i, member] of [...members, ...clients].entries()) {
    clock.setBehindNow(days(3) - i * hours(3));
    const { revision } = await getPost(deps, member, { postId });
    await updatePost(deps, member, { postId, revision, body: `${samplePostBody}\n\n`.repeat(6 + (i % 2)) });
    const { id: parentId } = await addComment(deps, member, { postId, body: samplePostBody.slice(0, 40 * (i + 1)) });
    clock.setBehindNow(days(3) - i * hours(3) - minutes(20));
    for (let reply = 0; reply < i % 4; reply++)
      await addComment(deps, owner, {
        postId,
        parentId,
        body: `${longName}, see https://example.com/${"a".repeat(90)}`,
      });
    if (i % 3 === 0) await resolveComment(deps, owner, { postId, commentId: parentId, resolved: true });
  }
  clock.setBehindNow(minutes(30));
  const at = toIsoTime(Date.now() + days(2));
  const assetIds = fileIds.slice(0, 4);
  await updatePost(deps, owner, {
    postId,
    variants: connectionIds.map((connectionId) => ({ connectionId, body: shortBody, assetIds })),
  });
  await publishPost(deps, clients[0] ?? owner, { postId, connectionIds: [...connectionIds], at, propose: true });
  return postId;
}

async function addFiles(deps: Deps, caller: Caller, postId: string, start: number, count: number): Promise<string[]> {
  const assetIds: string[] = [];
  for (let i = start; i < start + count; i++) {
    const imageName = imageNames[i % imageNames.length] ?? "fog";
    const base64 = (await encodeSampleImage(imageName)).toString("base64");
    const filename =
      i % 3 === 0 ? `${imageName}_final_FINAL_approved-by-everyone_2026-11-${i}_v12.jpg` : `${imageName}.jpg`;
    const file = { kind: "image", mimeType: "image/jpeg", base64, filename } as const;
    const { assetId } = await uploadAssetInline(deps, caller, file);
    await attachAsset(deps, caller, { postId, assetId });
    assetIds.push(assetId);
  }
  return assetIds;
}
