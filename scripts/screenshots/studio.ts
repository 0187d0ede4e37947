import { toDayNumber } from "#domain/model/grant.ts";
import { createGrant, revokeClient } from "#domain/access/clients.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { newConnection } from "../../test/support/platform-fixture.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { createInvitation } from "#domain/studios/invitations.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { days, hours, minutes } from "#lib/clock.ts";
import { newMember, newUser, newStudio } from "../../test/support/users.ts";
import { encodeSampleImage, type SampleImageName } from "./sample-images.ts";

export interface SampleStudio {
  owner: Caller;
  member: Caller;
  postId: string;
  archivedPostId: string;
}

/** A running clock that can be set to an earlier time, so that the sample data has a history. */
export interface ShiftedClock {
  (): number;
  /** Sets the clock this far behind the current time, or ahead of it if negative. */
  setBehindNow(ms: number): void;
}

export function createShiftedClock(): ShiftedClock {
  let offsetMs = 0;
  return Object.assign(() => Date.now() - offsetMs, { setBehindNow: (ms: number) => void (offsetMs = ms) });
}

/** Creates a studio with two weeks of activity by users and their AI clients. */
export async function createSampleStudio(deps: Deps, clock: ShiftedClock): Promise<SampleStudio> {
  clock.setBehindNow(days(13));
  const createUser = (name: string) =>
    newUser(deps, { name, email: `${name.toLowerCase().replace(" ", ".")}@bluedoor.example` });
  const owner = await newStudio(deps, await createUser("Mira Okafor"), "Blue Door Studio");
  clock.setBehindNow(days(12));
  const admin = await newMember(deps, owner, "admin", await createUser("Jonas Lind"));
  const member = await newMember(deps, owner, "member", await createUser("Ana Duarte"));
  await newMember(deps, owner, "member", await createUser("Theo Park"));

  const claude = await createClientCaller(deps, owner, "Claude", "claude.ai", true);
  const cursor = await createClientCaller(deps, admin, "Cursor", "localhost", false);
  const chatGpt = await createClientCaller(deps, member, "ChatGPT", "chatgpt.com", true);
  for (const [account, platform] of [
    ["bluedoor", "sandbox"],
    ["blue-door-studio", "linkedin"],
  ] as const)
    await newConnection(deps, owner, account, platform);
  const revokedClient = await createClientCaller(deps, owner, "Inspector", "localhost", false, ["studio:read"]);

  const postIds: string[] = [];
  for (const [i, [author, title, body, status, files]] of createSamplePosts(
    claude,
    cursor,
    chatGpt,
    owner,
    admin,
  ).entries()) {
    clock.setBehindNow(days(11) - i * hours(29));
    const post = await createPost(deps, author, { title, body });
    postIds.push(post.id);
    for (const [imageName, altText] of files) {
      const assetId = await uploadSampleImage(deps, author, imageName);
      if (altText !== "") await updateAsset(deps, author, { assetId, altText });
      clock.setBehindNow(days(11) - i * hours(29) - minutes(4));
      await attachAsset(deps, author, { postId: post.id, assetId });
    }
    clock.setBehindNow(days(11) - i * hours(29) - hours(2));
    if (status !== "draft") await updatePost(deps, author, { postId: post.id, status });
  }
  clock.setBehindNow(days(1));
  const paperAssetId = await uploadSampleImage(deps, chatGpt, "paper");
  await updateAsset(deps, chatGpt, {
    assetId: paperAssetId,
    tags: ["paper", "spring catalogue", "colours", "samples"],
  });
  const notesBase64 = Buffer.from("Paper list for the spring catalogue\n".repeat(40)).toString("base64");
  await uploadAssetInline(deps, owner, {
    kind: "document",
    mimeType: "text/plain",
    base64: notesBase64,
    filename: "paper-list-spring.txt",
  });
  await revokeClient(deps, owner, { grantId: revokedClient.grantId });

  clock.setBehindNow(hours(20));
  await createInvitation(deps, owner, { role: "member", email: "lena.weiss@bluedoor.example" });
  await createInvitation(deps, admin, { role: "admin" });
  for (const [{ grantId }, agoMs, calls] of [
    [claude, minutes(3), 1284],
    [cursor, hours(5), 212],
    [chatGpt, days(2), 47],
  ] as const) {
    await deps.grants.touch(grantId, Date.now() - agoMs);
    await deps.grants.addCalls(grantId, toDayNumber(Date.now() - agoMs), calls);
  }
  clock.setBehindNow(minutes(9));
  const postId = postIds.at(-1) ?? "";
  await createUploadSession(deps, claude, { postId });
  clock.setBehindNow(0);
  const { revision } = await getPost(deps, claude, { postId });
  await updatePost(deps, claude, { postId, body: samplePostBody, revision });
  return { owner, member, postId, archivedPostId: postIds[0] ?? "" };
}

/** Creates a grant and returns a caller that acts through its client. */
export async function createClientCaller(
  deps: Deps,
  user: Caller,
  clientName: string,
  redirectHost: string,
  clientVerified: boolean,
  scopes: Caller["scopes"] = ["studio:read", "studio:write"],
): Promise<Caller & { grantId: string }> {
  const clientId = `https://${clientName.toLowerCase()}.example/client`;
  const { id } = await createGrant(deps, user, { clientId, clientName, clientVerified, redirectHost, scopes });
  return {
    ...user,
    client: { id: clientId, name: clientName },
    grantId: id,
    credential: { kind: "grant", grantId: id },
  };
}

export async function uploadSampleImage(deps: Deps, caller: Caller, imageName: SampleImageName): Promise<string> {
  const base64 = (await encodeSampleImage(imageName)).toString("base64");
  const filename = `${imageName}.jpg`;
  return (await uploadAssetInline(deps, caller, { kind: "image", mimeType: "image/jpeg", base64, filename })).assetId;
}

type SamplePost = [
  author: Caller,
  title: string,
  body: string,
  status: "draft" | "ready" | "archived",
  files: [SampleImageName, altText: string][],
];

const createSamplePosts = (
  claude: Caller,
  cursor: Caller,
  chatGpt: Caller,
  owner: Caller,
  admin: Caller,
): SamplePost[] => [
  [owner, "Winter hours", "We are closed from 20 December to 6 January.", "archived", [["fog", "Hills in fog"]]],
  [admin, "How we choose paper", "Weight first, then colour, then how it folds.", "ready", [["paper", ""]]],
  [claude, "A visit to the harbour press", "They still set the headlines by hand.", "ready", [["harbour", ""]]],
  [chatGpt, "Three vases, one glaze", "The same glaze, fired at three temperatures.", "draft", [["vase", ""]]],
  [owner, "Notes from the autumn fair", "Forty people asked about the blue one.", "ready", []],
  [cursor, "Opening times on the website", "Moved to the footer, with the map beside them.", "draft", []],
  [
    claude,
    "Spring catalogue: the cover",
    "",
    "draft",
    [
      ["poster", "A green poster with a low sun: Spring catalogue"],
      ["door", "The blue door of the studio"],
      ["vase", ""],
      ["harbour", "A sailing boat in the harbour at sunset"],
    ],
  ],
];

export const samplePostBody = `The cover is green this year, with a sun that is a little too low.

We printed it on the new uncoated stock, 300 g, and left the shop door on the back: people who have been here look for it. Inside are forty-eight pages, twelve pieces and one long conversation about glaze.

It goes out on the first of March. Subscribers get theirs by post; everyone else finds it at the counter.`;
