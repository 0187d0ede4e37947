import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { createGrant } from "#domain/access/clients.ts";
import { setActiveStudio } from "#domain/access/me.ts";
import { incomingKey } from "#domain/model/storage-keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import type { Caller } from "#domain/caller.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { acceptInvitation } from "#domain/studios/invitations.ts";
import { createStudio } from "#domain/studios/studios.ts";
import { cancelFile, completeFile, setAltText } from "#domain/uploads/files.ts";
import { createPartUrls } from "#domain/uploads/reserve-parts.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { describeReview } from "#domain/reviews/describe-review.ts";
import { addGuestComment, decide, type Guest, resolveGuest } from "#domain/reviews/guest.ts";
import { createReviewLink } from "#domain/reviews/review-links.ts";
import { startFile } from "#domain/uploads/start-file.ts";
import { resolveUploadCaller, type UploadCaller } from "#domain/uploads/upload-link.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { appTools } from "#mcp/chat-app/app-tools.ts";
import { tools } from "#mcp/tool-list.ts";
import { callRow, createScene, matrix } from "../support/api-matrix.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { accessEndings, createEndingAccess, type AccessEnding, type EndingAccess } from "../support/ending-access.ts";
import { forOneEngine, type TestDeps } from "../support/engines.ts";
import { actThroughClient, addFile, addPost } from "../support/history-fixture.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { newPublication } from "../support/publishing-fixture.ts";
import { pdf } from "../support/samples.ts";
import { createInvitationToken, newStudio, newUser } from "../support/users.ts";

/** The arguments of a call of each tool that changes data, with what it needs. A tool without an entry fails a test. */
type ToolExample = (deps: TestDeps, client: Caller) => Promise<object>;

const upload = { kind: "document", mimeType: "application/pdf" } as const;
const base64 = pdf.toString("base64");
const url = "https://files.example/report.pdf";
const file = { name: "report.pdf", size: pdf.length, lastModified: 1, type: "application/pdf" };

const findTool = (name: string) => [...tools, ...appTools].find((tool) => tool.name === name) ?? assert.fail(name);
const runTool = (deps: TestDeps, caller: Caller, name: string, input: object): Promise<object> =>
  findTool(name).run(deps, caller, input as never, { getSignal: () => new AbortController().signal });

const startAppFile = async (deps: TestDeps, caller: Caller): Promise<{ uploadId: string; fileId: string }> => {
  const { postId } = await addPost(deps, caller);
  const { uploadId } = (await runTool(deps, caller, "app_create_upload", { postId })) as { uploadId: string };
  const started = await runTool(deps, caller, "app_start_file", { uploadId, ...file });
  return { uploadId, fileId: (started as { file: { id: string } }).file.id };
};

const toolExamples: Record<string, ToolExample> = {
  create_review_link: async (deps, client) => ({ postId: (await addPost(deps, client)).postId }),
  create_upload_session: async (deps, client) => ({ postId: (await addPost(deps, client)).postId }),
  request_asset_upload: async () => upload,
  upload_asset_inline: async () => ({ ...upload, base64 }),
  import_asset_from_url: async (deps, client) => ({ url, postId: (await addPost(deps, client)).postId }),
  attach_file: async (deps, client) => ({
    postId: (await addPost(deps, client)).postId,
    file: { download_url: url, file_id: "file-1" },
  }),
  attach_asset: async (deps, client) => {
    const { assetId } = await requestAssetUpload(deps, client, upload);
    await (deps.files as HookedFiles).put(incomingKey(assetId), pdf);
    return { postId: (await addPost(deps, client)).postId, assetId };
  },
  detach_asset: async (deps, client) => {
    const { postId, assetIds } = await addPost(deps, client, { files: 1 });
    return { postId, assetId: assetIds[0] };
  },
  copy_asset: async (deps, client) => ({ assetId: await addFile(deps, client) }),
  update_asset: async (deps, client) => ({ assetId: await addFile(deps, client), altText: "A report" }),
  delete_asset: async (deps, client) => ({ assetId: await addFile(deps, client) }),
  create_post: async () => ({ title: "New", body: "" }),
  update_post: async (deps, client) => ({
    postId: (await addPost(deps, client)).postId,
    title: "Other",
    revision: 1,
  }),
  delete_post: async (deps, client) => ({ postId: (await addPost(deps, client)).postId }),
  restore_post: async (deps, client) => {
    const { postId } = await addPost(deps, client);
    await runTool(deps, client, "update_post", { postId, title: "Other", revision: 1 });
    return { postId, revision: 1 };
  },
  undo_changes: async (deps, client) => {
    await addPost(deps, client);
    return { since: toIsoTime(deps.clock() - hours(1)) };
  },
  add_comment: async (deps, client) => ({ postId: (await addPost(deps, client)).postId, body: "Good" }),
  connect_platform: async () => ({ platform: "sandbox" }),
  disconnect_platform: async (deps, client) => ({ connectionId: await newConnection(deps, client) }),
  publish_post: async (deps, client) => ({
    postId: (await addPost(deps, client)).postId,
    connectionIds: [await newConnection(deps, client, "studio", "sandbox")],
  }),
  reschedule_publication: async (deps, client) => ({
    publicationId: await newPublication(deps, client, "proposed", "sandbox"),
    at: toIsoTime(deps.clock() + hours(1)),
  }),
  cancel_publication: async (deps, client) => ({
    publicationId: await newPublication(deps, client, "proposed", "sandbox"),
  }),
  app_create_upload: async (deps, client) => ({ postId: (await addPost(deps, client)).postId }),
  app_start_file: async (deps, client) => {
    const { postId } = await addPost(deps, client);
    const { uploadId } = (await runTool(deps, client, "app_create_upload", { postId })) as { uploadId: string };
    return { uploadId, ...file };
  },
  app_create_part_urls: async (deps, client) => ({ ...(await startAppFile(deps, client)), parts: [1] }),
  app_send_part: async (deps, client) => ({ ...(await startAppFile(deps, client)), part: 1, base64 }),
  app_complete_file: async (deps, client) => {
    const ids = await startAppFile(deps, client);
    await runTool(deps, client, "app_send_part", { ...ids, part: 1, base64 });
    return ids;
  },
  app_cancel_file: startAppFile,
};

const allEndings = Object.keys(accessEndings) as AccessEnding[];

/** Tools whose transactions only reserve quota, which they do only if the studio has a limit that is nearly reached. */
const withoutTransaction = ["app_create_part_urls", "app_send_part"];

forOneEngine("authority", (fixture) => {
  let server: ApiServer;
  let access: EndingAccess;
  let deps: TestDeps;
  before(async () => {
    access = createEndingAccess(fixture);
    const openUrl: TestDeps["openUrl"] = async () => ({
      url: new URL(url),
      status: 200,
      headers: { "content-type": "application/pdf" },
      body: Readable.from([pdf]),
    });
    server = await startApiServer({ ...fixture.deps, transact: access.transact, openUrl });
    deps = server.deps;
  });
  after(() => server.close());

  /**
   * Ends the caller's access before the first transaction of a call, in the same call before its second, and so on.
   * Asserts that the call fails and changes nothing afterwards. Returns how many transactions the call makes.
   */
  async function endDuring(
    endings: readonly AccessEnding[],
    name: string,
    prepare: () => Promise<() => Promise<string>>,
  ): Promise<number> {
    let run = await prepare();
    for (let number = 1; ; number++) {
      for (const ending of endings) {
        const label = `${name}, ${ending} before transaction ${number}`;
        const outcome = await access.endDuring(ending, number, run, label);
        if (outcome === undefined) return number - 1;
        assert.match(outcome, /^(not_found|forbidden|unauthenticated|review_ended|40[134])$/, label);
        if (number > 1) run = await prepare(); // the transactions before have changed the data
      }
    }
  }

  const writeRows = matrix.filter(({ route, statuses }) => !route.startsWith("GET") && statuses[0] < 300);

  for (const row of writeRows)
    test(`${row.route} ${row.variant ?? ""} changes nothing after access ended (F1, F2)`, async () => {
      const count = await endDuring(allEndings, row.route, async () => {
        const scene = await createScene(deps, server, "owner");
        for (const part of row.route.split("/")) if (part.startsWith(":")) await scene.getId(part.slice(1));
        for (const name of row.needs ?? []) await scene.getId(name);
        if (typeof row.body === "function") await row.body(scene.getId);
        return async () => String((await callRow(server, scene, row)).status);
      });
      assert.ok(count > 0, "changes data in a transaction of its caller");
    });

  for (const [name, createInput] of Object.entries(toolExamples))
    test(`${name} changes nothing after access ended (F1, F2)`, async () => {
      const count = await endDuring(allEndings, name, async () => {
        const client = await actThroughClient(deps, await newStudio(deps));
        const input = findTool(name).input.parse(await createInput(deps, client));
        return () => getOutcome(runTool(deps, client, name, input));
      });
      assert.equal(count > 0, !withoutTransaction.includes(name), "changes data in a transaction of its caller");
    });

  test("every tool that changes data is covered", () => {
    const writeTools = [...tools, ...appTools].filter(({ scope }) => scope !== "studio:read");
    assert.deepEqual(Object.keys(toolExamples).toSorted(), writeTools.map(({ name }) => name).toSorted());
  });

  const uploads: Record<string, (caller: UploadCaller, fileId: string) => Promise<unknown>> = {
    "starting a file": (caller) => startFile(deps, caller, { ...file, name: "other.pdf" }),
    "completing a file": (caller, fileId) => completeFile(deps, caller, { fileId }),
    "setting an alt text": (caller, fileId) => setAltText(deps, caller, { fileId, altText: "A report" }),
    "canceling a file": (caller, fileId) => cancelFile(deps, caller, { fileId }),
  };
  for (const [name, run] of Object.entries(uploads))
    test(`${name} through an upload link changes nothing after the link ended (F2)`, async () => {
      const count = await endDuring(allEndings, name, async () => {
        const owner = await newStudio(deps);
        const client = await actThroughClient(deps, owner);
        const { postId } = await addPost(deps, owner);
        const { url: linkUrl } = await createUploadSession(deps, client, { postId });
        const caller = await resolveUploadCaller(deps, linkUrl.split("/u/")[1] ?? "");
        const { file: startedFile } = await startFile(deps, caller, file);
        const { urls } = await createPartUrls(deps, caller, { fileId: startedFile.id, parts: [1] });
        await (deps.files as HookedFiles).parts.send(urls[0]?.url ?? "", pdf);
        return () => getOutcome(run(caller, startedFile.id));
      });
      assert.ok(count > 0);
    });

  const reviews: Record<string, (guest: Guest, postId: string) => Promise<unknown>> = {
    "opening a review": (guest) => describeReview(deps, guest),
    "commenting on a review": (guest, postId) => addGuestComment(deps, guest, { postId, name: "Greta", body: "Good" }),
    "deciding about a review": async (guest, postId) => {
      const [post] = (await describeReview(deps, guest)).posts;
      const decision = { postId, digest: post?.digest ?? "", decision: "approved", name: "Greta" } as const;
      return decide(deps, guest, decision);
    },
  };
  for (const [name, run] of Object.entries(reviews))
    test(`${name} through a review link changes nothing after the link ended (F1, F10)`, async () => {
      const count = await endDuring(allEndings, name, async () => {
        const owner = await newStudio(deps);
        const { postId } = await addPost(deps, owner);
        const { url } = await createReviewLink(deps, await actThroughClient(deps, owner), { postId });
        const guest = await resolveGuest(deps, url.split("/r/")[1] ?? "");
        return () => getOutcome(run(guest, postId));
      });
      assert.ok(count > 0);
    });

  test("a user whose session ended creates no studio, grant or membership, and chooses no studio (F1)", async () => {
    const newGrant = { clientId: "c", clientName: "C", clientVerified: false, redirectHost: "h", scopes: [] };
    const calls: Record<string, (user: Caller) => Promise<() => Promise<unknown>>> = {
      createStudio: async (user) => () => createStudio(deps, toSignedInUser(user), { name: "New", timezone: "UTC" }),
      createGrant: async (user) => () => createGrant(deps, toSignedInUser(user), newGrant),
      setActiveStudio: async (user) => () => setActiveStudio(deps, toSignedInUser(user), { studioId: user.studio.id }),
      acceptInvitation: async (user) => {
        const token = await createInvitationToken(deps, await newStudio(deps), "member");
        return () => acceptInvitation(deps, toSignedInUser(user), { token });
      },
    };
    for (const [name, prepare] of Object.entries(calls)) {
      const count = await endDuring(["credential"], name, async () => {
        const run = await prepare(await newStudio(deps, await newUser(deps)));
        return () => getOutcome(run());
      });
      assert.equal(count, 1, name);
    }
  });

  test("a demotion during a call ends the authority that it had (F1)", async () => {
    const owner = await newStudio(deps);
    const { postId } = await addPost(deps, owner);
    const connectionIds = [await newConnection(deps, owner, "studio", "sandbox")];
    await fixture.database.q
      .updateTable("memberships")
      .set({ role: "member" })
      .where("userId", "=", owner.user.id)
      .execute();
    assert.equal(await getOutcome(publishPost(deps, owner, { postId, connectionIds })), "forbidden");
  });
});

const toSignedInUser = ({ user, credential }: Caller) => ({ user, credential });
