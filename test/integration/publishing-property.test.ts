import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { reschedulePublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { completeFile, setAltText } from "#domain/uploads/files.ts";
import { createPartUrls } from "#domain/uploads/reserve-parts.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { startFile } from "#domain/uploads/start-file.ts";
import { resolveUploadCaller } from "#domain/uploads/upload-link.ts";
import { hours, seconds, toIsoTime } from "#lib/clock.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import { forOneEngine } from "../support/engines.ts";
import { fc } from "../support/fuzz.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { isLongRun } from "../support/long-run.ts";
import { callModern } from "../support/mcp.ts";
import { startPublishing } from "../support/publishing-fixture.ts";
import { png } from "../support/samples.ts";
import { createTestGrant } from "../support/tokens.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const steps = [
  "client: propose now",
  "client: propose for later",
  "client: edit the body",
  "client: edit the variant",
  "client: choose all files but the first",
  "client: edit the title",
  "client: attach an image",
  "client: detach an image",
  "client: edit the alt text",
  "client: restore the first revision",
  "client: reschedule to now",
  "client: cancel",
  "client: undo",
  "bearer token: publish and approve through the web API",
  "upload link: add a file",
  "upload link: edit the alt text",
  "owner: approve",
  "owner: edit the body",
  "owner: schedule for later",
] as const;

type Step = (typeof steps)[number];

/** Sequences that end with an approval, which later steps may void. */
const starts: Step[][] = [
  ["client: propose for later", "owner: approve"],
  ["upload link: add a file", "client: propose for later", "owner: approve"],
  ["owner: schedule for later"],
  ["client: attach an image", "owner: schedule for later"],
];

forOneEngine("an AI client without studio:publish", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour"], { clock: fixture.clock }));
  let token: string;
  let image: Buffer;
  let textCount = 0;
  before(async () => {
    const scopes = ["studio:read", "studio:write"] as const;
    ({ token } = await createTestGrant(publishing.service.deps, publishing.owner, { scopes, client: "Claude" }));
    image = await png();
  });

  const callTool = async (name: string, input: Record<string, unknown>): Promise<Record<string, any>> => {
    const caller = { url: `${publishing.service.base}/mcp`, token };
    const { status, json, text } = await callModern(caller, "tools/call", { name, arguments: input });
    assert.equal(status, 200, text);
    const content = json.result.structuredContent as Record<string, any>;
    assert.notEqual(content["code"], "internal", text);
    return content;
  };

  /** Runs the steps on a new post, and asserts after each one that only approved content can become public. */
  async function runSteps(sequence: readonly Step[]): Promise<void> {
    const { owner, service, connectionIds } = publishing;
    const { deps } = service;
    const newText = () => `Text ${++textCount}`;
    fixture.clock.advance(seconds(1)); // so that an undo reverts only changes of this sequence
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: newText() });
    /** What a person approved, as the account would receive it. */
    const approvedContents = new Set<string>();
    const linkFileIds: string[] = [];
    const { url } = await createUploadSession(deps, owner, { postId });
    const resolveLink = () => resolveUploadCaller(deps, url.slice(`${deps.uploadPage}/u/`.length));

    const readPost = () => getPost(deps, owner, { postId });
    async function readContent(): Promise<string> {
      const { body, assets } = selectForAccount(await readPost(), connectionIds[0] ?? "");
      const media = assets.map(({ mimeType, bytes, altText }) => ({ mimeType, bytes, altText: altText ?? null }));
      return JSON.stringify({ text: body, media });
    }
    const listPublications = async () => (await readPost()).publications ?? [];
    const isScheduled = async () => (await listPublications()).some(({ state }) => state === "scheduled");
    const inOneHour = toIsoTime(fixture.clock() + hours(1));

    const run: Record<Step, () => Promise<unknown>> = {
      "client: propose now": async () => {
        const { publications } = await callTool("publish_post", { postId, connectionIds });
        for (const { state } of publications ?? []) assert.equal(state, "proposed");
      },
      "client: propose for later": () => callTool("publish_post", { postId, connectionIds, at: inOneHour }),
      "client: edit the body": async () =>
        callTool("update_post", { postId, body: newText(), revision: (await readPost()).revision }),
      "client: edit the variant": async () =>
        callTool("update_post", {
          postId,
          variants: [{ connectionId: connectionIds[0], body: newText() }],
          revision: (await readPost()).revision,
        }),
      "client: choose all files but the first": async () => {
        const { assets, revision } = await readPost();
        const assetIds = assets.slice(1).map(({ id }) => id);
        await callTool("update_post", { postId, variants: [{ connectionId: connectionIds[0], assetIds }], revision });
      },
      "client: edit the title": async () =>
        callTool("update_post", { postId, title: newText(), revision: (await readPost()).revision }),
      "client: attach an image": async () => {
        const file = { kind: "image", mimeType: "image/png", base64: image.toString("base64") };
        const { assetId } = await callTool("upload_asset_inline", file);
        await callTool("attach_asset", { postId, assetId });
      },
      "client: detach an image": async () => {
        const [asset] = (await readPost()).assets;
        if (asset) await callTool("detach_asset", { postId, assetId: asset.id });
      },
      "client: edit the alt text": async () => {
        const [asset] = (await readPost()).assets;
        if (asset) await callTool("update_asset", { assetId: asset.id, altText: newText() });
      },
      "client: restore the first revision": () => callTool("restore_post", { postId, revision: 1 }),
      "client: reschedule to now": async () => {
        for (const { id } of await listPublications())
          await callTool("reschedule_publication", { publicationId: id, at: toIsoTime(fixture.clock()) });
      },
      "client: cancel": async () => {
        for (const { id } of await listPublications()) await callTool("cancel_publication", { publicationId: id });
      },
      "client: undo": () => callTool("undo_changes", { since: toIsoTime(fixture.clock()) }),
      "bearer token: publish and approve through the web API": async () => {
        const root = `${service.base}/api/studios/${owner.studio.id}`;
        const [publication] = await listPublications();
        const requests: [string, object][] = [
          [`${root}/posts/${postId}/publications`, { connectionIds }],
          [`${root}/publications/${publication?.id}/approve`, { revision: (await readPost()).revision }],
          [`${root}/publications/${publication?.id}/resolve`, { outcome: "retry" }],
        ];
        for (const [requestUrl, body] of requests) {
          const headers = {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            origin: service.base,
          };
          const response = await fetch(requestUrl, { method: "POST", headers, body: JSON.stringify(body) });
          assert.equal(response.status, 401);
        }
      },
      "upload link: add a file": async () => {
        if ((await readPost()).assets.length >= 4) return;
        const name = `${newText()}.png`;
        const started = await startFile(deps, await resolveLink(), {
          name,
          size: image.length,
          lastModified: 1,
          type: "image/png",
        });
        const fileId = started.file.id;
        const { urls } = await createPartUrls(deps, await resolveLink(), { fileId, parts: [1] });
        for (const { url: partUrl } of urls) await (deps.files as HookedFiles).parts.send(partUrl, image);
        await completeFile(deps, await resolveLink(), { fileId });
        linkFileIds.push(fileId);
      },
      "upload link: edit the alt text": async () => {
        const fileId = linkFileIds.at(-1);
        if (fileId !== undefined)
          await setAltText(deps, await resolveLink(), { fileId, altText: newText() }).catch(() => {});
      },
      "owner: approve": async () => {
        for (const { id, state } of await listPublications()) {
          if (state !== "proposed") continue;
          const content = await readContent();
          const { revision } = await readPost();
          const { status } = await publishing.api("POST", `/publications/${id}/approve`, { revision });
          assert.ok([200, 409, 422, 400].includes(status), String(status));
          if (status === 200) approvedContents.add(content);
        }
      },
      "owner: edit the body": async () => {
        const hasApproval = await isScheduled();
        await updatePost(deps, owner, { postId, body: newText() });
        if (hasApproval) approvedContents.add(await readContent());
      },
      "owner: schedule for later": async () => {
        const content = await readContent();
        await publishPost(deps, owner, { postId, connectionIds, at: inOneHour }).then(
          () => approvedContents.add(content),
          () => {},
        );
      },
    };

    for (const step of sequence) {
      await run[step]();
      const content = await readContent();
      // A scheduled publication would send the post as it is now.
      if (await isScheduled()) assert.ok(approvedContents.has(content), `${step}: approval survived a change`);
    }
    for (const { id, state } of await listPublications()) {
      if (state !== "scheduled") continue;
      const change = { publicationId: id, at: toIsoTime(fixture.clock()) };
      const { state: newState } = await reschedulePublication(deps, owner, change);
      if (newState === "scheduled") await publishing.waitForState(id, "published", "failed", "proposed");
    }
    const posts = await publishing.listSandboxPosts();
    for (const { id, state, url: postUrl } of await listPublications()) {
      if (state !== "published") continue;
      const post = posts.find((candidate) => postUrl?.endsWith(candidate.id));
      const content = JSON.stringify({ text: post?.text, media: post?.media });
      assert.ok(approvedContents.has(content), `${id} published what was not approved: ${content}`);
    }
  }

  test("makes nothing public without an approval, and no approval survives a change of what is sent (PUB-11, B1)", async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...starts),
        fc.array(fc.constantFrom(...steps), { maxLength: 12 }),
        (start, rest) => runSteps([...start, ...rest]),
      ),
      { numRuns: isLongRun ? 300 : 12, endOnFailure: true },
    );
    const rows = await fixture.database.q
      .selectFrom("publications")
      .select(["state", "requestedClientId as clientId", "approvedBy as approvedBy", "remoteId as remoteId"])
      .execute();
    const published = rows.filter(({ state }) => state === "published");
    assert.ok(published.length > 0);
    assert.ok(published.every(({ clientId, approvedBy }) => clientId === null || approvedBy !== null));
    assert.equal((await publishing.listSandboxPosts()).length, new Set(published.map(({ remoteId }) => remoteId)).size);
    t.diagnostic(`${published.length} of ${rows.length} publications were published`);
  });
});
