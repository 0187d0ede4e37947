import { createGrant } from "#domain/access/clients.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment, resolveComment } from "#domain/comments/comments.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { createInvitation } from "#domain/studios/invitations.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { newMember, newUser, newStudio } from "./users.ts";
import { newConnection } from "./platform-fixture.ts";
import { png } from "./samples.ts";
import { testWebhook } from "#domain/webhooks/deliveries.ts";
import { createWebhook } from "#domain/webhooks/webhooks.ts";

export interface SampleStudio {
  owner: Caller;
  admin: Caller;
  member: Caller;
  postId: string;
  grantId: string;
}

/**
 * Creates a studio with content on every page, or adds it to this owner's studio. Every name and text that users can
 * choose contains `text`.
 */
export async function createSampleStudio(deps: Deps, text: string, formerOwner?: Caller): Promise<SampleStudio> {
  const name = text.slice(0, 100);
  const owner = formerOwner ?? (await newStudio(deps, await newUser(deps, { name }), name));
  const admin = await newMember(deps, owner, "admin", await newUser(deps, { name: `A ${name}`.slice(0, 100) }));
  const member = await newMember(deps, owner, "member", await newUser(deps, { name: `M ${name}`.slice(0, 100) }));
  const clientCaller: Caller = { ...owner, client: { id: "client", name } };
  const { id: postId } = await createPost(deps, clientCaller, {
    title: text.slice(0, 300),
    body: `${text}\n\n${text}`,
    tags: [text.slice(0, 40), "launch"],
  });
  await updatePost(deps, clientCaller, { postId, status: "ready" });
  await updateStudio(deps, owner, { name });
  const base64 = (await png()).toString("base64");
  const image = { kind: "image", mimeType: "image/png", base64, filename: `${name}.png` } as const;
  for (const shouldAttach of [true, false]) {
    const { assetId } = await uploadAssetInline(deps, clientCaller, image);
    await updateAsset(deps, owner, { assetId, altText: text, tags: [text.slice(0, 40), "logo"] });
    if (shouldAttach) await attachAsset(deps, owner, { postId, assetId });
  }
  const { id: commentId } = await addComment(deps, clientCaller, { postId, body: text });
  await addComment(deps, member, { postId, body: text, parentId: commentId });
  const resolvedComment = await addComment(deps, owner, { postId, body: text });
  await resolveComment(deps, member, { commentId: resolvedComment.id, resolved: true });
  const grantIds: string[] = [];
  for (const caller of [owner, member]) {
    const { id } = await createGrant(deps, caller, {
      clientId: `id of ${name}`,
      clientName: name,
      clientVerified: false,
      redirectHost: "localhost",
      scopes: ["studio:read", "studio:write"],
    });
    grantIds.push(id);
  }
  for (const state of ["needs_reconnect", "disconnected", undefined] as const) {
    const id = await newConnection(deps, owner, `${name} ${state ?? ""}`, "sandbox");
    if (state) await deps.platformStore.deleteCredential(id, state, 2);
  }
  const webhook = { url: `https://example.com/?${encodeURIComponent(name)}`, events: ["post.*"] };
  const { id: webhookId } = await createWebhook(deps, owner, webhook);
  await testWebhook(deps, owner, { webhookId });
  await deps.webhooks.update(webhookId, { disabledAt: deps.clock(), disabledReason: "failing" });
  await createInvitation(deps, owner, { role: "member", email: "someone@example.com" });
  const { id: deletedPostId } = await createPost(deps, clientCaller, { title: text.slice(0, 300), body: text });
  await deletePost(deps, clientCaller, { postId: deletedPostId });
  return { owner, admin, member, postId, grantId: grantIds[0] ?? "" };
}

/** The paths of all pages of the web app that an owner can open. */
export function listPagePaths({ owner, postId, grantId }: SampleStudio): string[] {
  const studio = `/studios/${owner.studio.id}`;
  const pages = [
    "posts",
    `posts/${postId}`,
    "posts/new",
    "assets",
    "platforms",
    "clients",
    `clients/${grantId}/undo`,
    "connect",
    "members",
    "activity",
    "trash",
    "settings",
    "settings/webhooks",
  ];
  return [...pages.map((page) => `${studio}/${page}`), "/studios/new", "/nowhere"];
}
