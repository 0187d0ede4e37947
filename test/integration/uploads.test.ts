import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { createAssetSweeper, sweepUploads } from "#domain/jobs/sweep-files.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { getGrantId, type Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { removeMember } from "#domain/studios/members.ts";
import {
  cancelFile,
  completeFile,
  describeUploadPage,
  type FileView,
  maxFileChanges,
  setAltText,
} from "#domain/uploads/files.ts";
import { createUploadLink, createUploadSession } from "#domain/uploads/create-upload-link.ts";
import {
  findUploadLink,
  listUploadLinks,
  resolveUploadCaller,
  withdrawUploadLink,
} from "#domain/uploads/upload-link.ts";
import { startFile, type StartedFile } from "#domain/uploads/start-file.ts";
import { hours, minutes } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine } from "../support/engines.ts";
import { createLinkFixture, type LinkFixture } from "../support/link-fixture.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";
import { encodeHead } from "../support/content-check.ts";
import { ooxml, executables } from "../support/sample-files.ts";
import { jpeg, mp4, office } from "../support/samples.ts";
import { createTestGrant } from "../support/tokens.ts";

const image = await jpeg();
const [executable = image] = Object.values(executables);
const video = Buffer.concat([mp4(), Buffer.alloc(20 * 1024 * 1024, 7)]);

const start = (link: LinkFixture, name = "a.jpg", content = image) => link.start(name, content.length);

/** Starts a file with its first bytes, as the upload page does. */
const startWithHead = async (link: LinkFixture, name: string, content: Buffer): Promise<StartedFile> => {
  const input = { name, size: content.length, lastModified: 1, type: "", head: encodeHead(content) };
  return startFile(link.deps, await link.resolveCaller(), input);
};

async function sendAndComplete(link: LinkFixture, startedFile: StartedFile, content = image): Promise<FileView> {
  const partCount = Math.ceil(content.length / startedFile.partBytes);
  await link.send(
    startedFile,
    content,
    Array.from({ length: partCount }, (_, i) => i + 1),
  );
  return link.complete(startedFile);
}

const describePage = async (link: LinkFixture) => describeUploadPage(link.deps, await link.resolveCaller());
const readPost = ({ deps, owner, postId }: LinkFixture) => getPost(deps, owner, { postId });
const listPostAssets = async (link: LinkFixture) => (await readPost(link)).assets;
const listLinks = async ({ deps, owner, postId }: LinkFixture) =>
  (await listUploadLinks(deps, owner, { postId })).links;
const readState = async ({ deps, token }: LinkFixture) => (await findUploadLink(deps, token))?.state;
const sweepAll = async ({ deps }: LinkFixture) => {
  const { expired } = await createAssetSweeper(deps)(untilDone);
  await sweepUploads(deps, untilDone);
  return expired;
};

forEachEngine("uploads through a link", (fixture) => {
  const createLink = (studioBytes?: number, chooseCreator?: (deps: Deps, owner: Caller) => Promise<Caller>) =>
    createLinkFixture(fixture, studioBytes, chooseCreator);

  /** Creates a second link of the same post. */
  async function createOtherLink(link: LinkFixture): Promise<LinkFixture> {
    const { deps, owner, postId } = link;
    const { url } = await createUploadSession(deps, owner, { postId });
    const token = url.slice(`${deps.uploadPage}/u/`.length);
    const resolveCaller = () => resolveUploadCaller(deps, token);
    return { ...link, token, resolveCaller };
  }

  test("a link has the form {uploadPage}/u/<token>, is valid for 30 minutes, and belongs to one post that is not archived (UPLOAD-1)", async () => {
    const { deps, owner, postId } = await createLink();
    const session = await createUploadSession({ ...deps, uploadPage: "https://send.example" }, owner, { postId });
    assert.deepEqual(Object.keys(session), ["url", "expiresInMinutes"]);
    assert.equal(session.expiresInMinutes, 30);
    assert.match(session.url, /^https:\/\/send\.example\/u\/[\w-]+\.[\w-]+$/);
    assert.equal(await getOutcome(createUploadSession(deps, await newStudio(deps), { postId })), "not_found");
    await updatePost(deps, owner, { postId, status: "archived" });
    assert.equal(await getOutcome(createUploadSession(deps, owner, { postId })), "invalid_input");
  });

  test("a file is uploaded in parts and attached on completion (UPLOAD-2)", async () => {
    const link = await createLink();
    const { revision } = await readPost(link);
    const startedFile = await start(link, "video.mp4", video);
    assert.deepEqual([startedFile.partBytes, startedFile.parts], [8 * 1024 * 1024, []]);
    const { id } = startedFile.file;
    assert.deepEqual(
      (await listPostAssets(link)).map((asset) => [asset.id, asset.postId, asset.status, asset.bytes]),
      [[id, link.postId, "pending", null]],
    );
    assert.equal(await getOutcome(link.reserve(startedFile, [4])), "invalid_input", "the file has three parts");
    await link.send(startedFile, video, [1, 3]);
    assert.equal(await getOutcome(link.complete(startedFile)), "not_uploaded");
    assert.deepEqual((await start(link, "video.mp4", video)).parts, [1, 3], "starting the same file resumes it");
    await link.send(startedFile, video, [2]);
    const view = await link.complete(startedFile);
    assert.equal(view.status, "ready");
    const [asset] = await listPostAssets(link);
    assert.deepEqual(
      [asset?.status, asset?.bytes, asset?.kind, asset?.mimeType, asset?.durationMs],
      ["ready", video.length, "video", "video/mp4", 2500],
    );
    assert.equal((await readPost(link)).revision, revision + 1, "only the completion raises the revision");
    assert.deepEqual(await link.complete(startedFile), view, "completing again changes nothing");
  });

  test("twenty parallel starts and twenty parallel completes create one asset (U2, U8)", async () => {
    const link = await createLink();
    const startedFiles = await Promise.all(Array.from({ length: 20 }, () => start(link)));
    assert.equal(new Set(startedFiles.map(({ file }) => file.id)).size, 1);
    assert.equal(await link.files.parts.countOpen(), 1, "the redundant uploads are canceled");
    const [startedFile] = startedFiles;
    assert.ok(startedFile);
    await link.send(startedFile, image, [1]);
    const completions = Array.from({ length: 20 }, () => link.complete(startedFile));
    assert.deepEqual(await countOutcomes(completions), { ok: 20 });
    assert.equal((await listPostAssets(link)).length, 1);
    assert.equal((await start(link)).file.status, "ready", "a later start returns the finished file");
  });

  test("rejects attaching a file that is still uploading, and completing it through another link (U8)", async () => {
    const link = await createLink();
    const { deps, owner, postId } = link;
    const { file } = await start(link);
    const attach = (target: string) => getOutcome(attachAsset(deps, owner, { postId: target, assetId: file.id }));
    assert.equal(await attach(postId), "not_uploaded");
    assert.equal(await attach((await createPost(deps, owner, { title: "B", body: "" })).id), "already_attached");
    const otherCaller = await (await createOtherLink(link)).resolveCaller();
    assert.equal(await getOutcome(completeFile(deps, otherCaller, { fileId: file.id })), "not_found");
  });

  test("rejects files beyond the post's limit before bytes are sent, even with parallel starts (UPLOAD-3)", async () => {
    const link = await createLink();
    link.deps.limits.assetsPerPost = 3;
    const starts = Array.from({ length: 10 }, (_, i) => start(link, `${i}.jpg`));
    assert.deepEqual(await countOutcomes(starts), { ok: 3, asset_limit_reached: 7 });
    assert.equal(await link.files.parts.countOpen(), 3);
    assert.deepEqual((await describePage(link)).fileLimit, { perPost: 3, remaining: 0 });
    const [first] = await listPostAssets(link);
    await cancelFile(link.deps, await link.resolveCaller(), { fileId: first?.id ?? "" });
    assert.equal(await link.files.parts.countOpen(), 2);
    assert.equal(await getOutcome(start(link, "last.jpg")), "ok", "canceling a file frees its position");
  });

  test("charges the quota when a file starts, and rejects a file whose content does not match its type (U7, U19)", async () => {
    const link = await createLink(2 * image.length);
    const starts = Array.from({ length: 10 }, (_, i) => start(link, `${i}.jpg`));
    assert.deepEqual(await countOutcomes(starts), { ok: 2, quota_exceeded: 8 });
    const [first] = await listPostAssets(link);
    await deleteAsset(link.deps, link.owner, { assetId: first?.id ?? "" });
    const html = Buffer.from("<!DOCTYPE html><script>alert(1)</script>");
    const startedFile = await start(link, "page.jpg", html);
    assert.equal(await getOutcome(sendAndComplete(link, startedFile, html)), "type_mismatch");
    assert.equal((await listPostAssets(link)).length, 1, "its record and position are deleted");
    assert.equal(await getOutcome(link.complete(startedFile)), "not_found");
  });

  test("rejects unsupported types before a byte is sent (UPLOAD-4)", async () => {
    const link = await createLink();
    for (const name of ["page.html", "drawing.svg", "setup.exe", "archive.zip", "no-extension"])
      assert.equal(await getOutcome(start(link, name)), "unsupported_type", name);
    assert.equal(await getOutcome(link.start("empty.jpg", 0)), "invalid_input");
    assert.equal(await getOutcome(startWithHead(link, "a.png", executable)), "type_mismatch");
    assert.equal(await getOutcome(startWithHead(link, "setup.exe", executable)), "unsupported_type");
    assert.deepEqual(await listPostAssets(link), []);
  });

  test("detects the type of a file with a wrong or missing extension, at the start or on completion (UPLOAD-4, U7)", async () => {
    const link = await createLink();
    const [docx, docxType] = [office("word"), `${ooxml}wordprocessingml.document`];
    for (const [startAs, name, content, mimeType, kind, filename] of [
      [startWithHead, "door", image, "image/jpeg", "image", "door.jpg"],
      [startWithHead, "notes.txt", mp4(), "video/mp4", "video", "notes.mp4"],
      [startWithHead, "plan.xlsx", docx, docxType, "document", "plan.docx"],
      [start, "door.gif", image, "image/jpeg", "image", "door.jpg"],
    ] as const) {
      const startedFile = await startAs(link, name, content);
      assert.equal(startedFile.file.filename, name, "an uploading file keeps the name that the client sent");
      const { id, bytes } = await sendAndComplete(link, startedFile, content);
      const asset = (await listPostAssets(link)).find((postAsset) => postAsset.id === id);
      assert.deepEqual(
        [asset?.mimeType, asset?.kind, asset?.filename, asset?.status, bytes],
        [mimeType, kind, filename, "ready", content.length],
        name,
      );
    }
    const [first] = await listPostAssets(link);
    assert.equal(first?.width, 64, "its metadata is read according to its actual type");
    assert.ok(first.thumbnailUrl !== undefined);
  });

  test("keeps a name that was changed while the file was uploading", async () => {
    const link = await createLink();
    const startedFile = await start(link, "door.png");
    link.files.hook = async (call, when) => {
      if (call !== "read" || when !== "after") return;
      link.files.hook = undefined;
      await updateAsset(link.deps, link.owner, { assetId: startedFile.file.id, filename: "Front door.jpg" });
    };
    assert.equal((await sendAndComplete(link, startedFile)).filename, "Front door.jpg");
  });

  test("a file must start within the link's 30 minutes and complete within 24 hours (UPLOAD-5)", async () => {
    const link = await createLink();
    fixture.clock.advance(minutes(30) - 1);
    const startedFile = await start(link, "video.mp4", video);
    const { id: fileId } = startedFile.file;
    fixture.clock.advance(minutes(1));
    assert.equal(await getOutcome(start(link, "late.jpg")), "upload_expired");
    assert.equal(await readState(link), "closing");
    assert.equal((await start(link, "video.mp4", video)).file.id, fileId, "a started file can resume");
    fixture.clock.advance(hours(23));
    assert.equal((await sendAndComplete(link, startedFile, video)).status, "ready");
    assert.equal(await readState(link), "finished");
    assert.equal(await getOutcome(describePage(link)), "upload_expired");
    const altText = "A door";
    assert.equal((await setAltText(link.deps, await link.resolveCaller(), { fileId, altText })).altText, altText);
  });

  test("a link can't change a file that was removed from the post, and does not reveal what the studio changed since (T1, U1)", async () => {
    const link = await createLink();
    const { deps, owner, postId } = link;
    const startedFile = await start(link);
    const { id: fileId } = await sendAndComplete(link, startedFile);
    const listVisibleFiles = async () => [
      await link.complete(startedFile),
      (await start(link)).file,
      ...(await describePage(link)).files,
    ];
    const changeAltText = async () =>
      getOutcome(setAltText(deps, await link.resolveCaller(), { fileId, altText: "Theirs" }));
    assert.equal(await changeAltText(), "ok");
    for (const file of await listVisibleFiles()) assert.ok(file.thumbnailUrl !== undefined);
    await detachAsset(deps, owner, { postId, assetId: fileId });
    await updateAsset(deps, owner, { assetId: fileId, altText: "Not for you", filename: "secret.jpg" });
    assert.equal(await changeAltText(), "not_found");
    for (const { filename, altText, thumbnailUrl, status } of await listVisibleFiles())
      assert.deepEqual([filename, altText, thumbnailUrl, status], ["image.jpg", "", undefined, "ready"]);
  });

  test("limits how often a link changes a file, because each change creates a revision of the post (UPLOAD-7, X7)", async () => {
    const link = await createLink();
    const { deps, owner } = link;
    const { id: fileId } = await sendAndComplete(link, await start(link));
    const { revision: firstRevision } = await readPost(link);
    const outcomes: string[] = [];
    for (let i = 0; i <= maxFileChanges; i++)
      outcomes.push(
        await getOutcome(setAltText(deps, await link.resolveCaller(), { fileId, altText: `Version ${i}` })),
      );
    assert.equal(outcomes.at(-1), "quota_exceeded");
    assert.ok((await readPost(link)).revision - firstRevision <= maxFileChanges);
    await updateAsset(deps, owner, { assetId: fileId, altText: "A door" });
  });

  test("sweeps a file that does not arrive within 24 hours, with its parts and position (U17)", async () => {
    const link = await createLink();
    const startedFile = await start(link, "video.mp4", video);
    await link.send(startedFile, video, [1]);
    fixture.clock.advance(hours(24) + 1);
    assert.equal(await getOutcome(link.complete(startedFile)), "upload_expired");
    fixture.clock.advance(hours(1));
    assert.ok((await sweepAll(link)) >= 1);
    assert.deepEqual([await listPostAssets(link), await link.files.parts.countOpen()], [[], 0]);
    assert.equal(await getOutcome(link.resolveCaller()), "forbidden", "the link ends with its last unfinished upload");
  });

  test("a link ends when its creator leaves, its client's grant is revoked, its post is archived, or it is withdrawn (UPLOAD-6)", async () => {
    const endings: Record<string, (link: LinkFixture, creator: Caller) => Promise<unknown>> = {
      membership: ({ deps, owner }, creator) => removeMember(deps, owner, { userId: creator.user.id }),
      client: ({ deps }, creator) => deps.grants.revoke(getGrantId(creator) ?? "", deps.clock()),
      withdrawal: async (link) => {
        const { deps, owner, postId } = link;
        const linkId = (await listLinks(link)).find(({ client }) => client !== null)?.id ?? "";
        await withdrawUploadLink(deps, owner, { postId, linkId });
      },
      post: ({ deps, owner, postId }) => updatePost(deps, owner, { postId, status: "archived" }),
    };
    for (const [name, end] of Object.entries(endings)) {
      let creator: Caller | undefined;
      const link = await createLink(undefined, async (deps, owner) => {
        const member = await newMember(deps, owner, "member");
        const { grantId } = await createTestGrant(deps, member);
        return (creator = { ...member, client: { id: "c", name: "Claude" }, credential: { kind: "grant", grantId } });
      });
      assert.ok(creator);
      const ownersLink = await createOtherLink(link);
      const startedFile = await start(link);
      await end(link, creator);
      assert.equal(await readState(link), "withdrawn", name);
      assert.equal(await getOutcome(start(link, "b.jpg")), "forbidden", name);
      assert.equal(await getOutcome(link.complete(startedFile)), "forbidden", name);
      await sweepAll(link);
      assert.deepEqual(await listPostAssets(link), [], `${name}: uploading files are canceled`);
      assert.equal(await link.files.parts.countOpen(), 0, name);
      const areOthersOpen = name !== "post";
      assert.equal(await readState(ownersLink), areOthersOpen ? "open" : "withdrawn", name);
      assert.equal((await listLinks(link)).length, areOthersOpen ? 1 : 0, name);
    }
  });

  test("lists and withdraws the links of a post, except those that the post's page created for itself (UPLOAD-7)", async () => {
    const link = await createLink();
    const { deps, owner, postId } = link;
    await createUploadLink(deps, owner, { postId, inPlace: true });
    await start(link);
    const links = await listLinks(link);
    assert.deepEqual(
      links.map(({ createdBy, client, receivedFiles, uploadingFiles }) => [
        createdBy.id,
        client,
        receivedFiles,
        uploadingFiles,
      ]),
      [[owner.user.id, null, 0, 1]],
    );
    const withdraw = (caller: Caller) => withdrawUploadLink(deps, caller, { postId, linkId: links[0]?.id ?? "" });
    assert.equal(await getOutcome(withdraw(await newStudio(deps))), "not_found");
    await withdraw(owner);
    assert.deepEqual(await listPostAssets(link), [], "uploading files are canceled immediately");
    assert.equal(await getOutcome(withdraw(owner)), "not_found");
    await createOtherLink(link);
    fixture.clock.advance(minutes(31));
    assert.deepEqual(await listLinks(link), []);
  });

  test("a link shows only the studio's name, the post's title and free positions, and its own files (UPLOAD-8)", async () => {
    const link = await createLink();
    const otherCaller = await (await createOtherLink(link)).resolveCaller();
    await startFile(link.deps, otherCaller, { name: "theirs.jpg", size: 1, lastModified: 1, type: "" });
    await start(link, "mine.jpg");
    const { accepts, expiresAt, ...page } = await describePage(link);
    assert.ok(accepts.includes("image/jpeg") && accepts.includes(".docx") && !accepts.includes("image/svg+xml"));
    assert.equal(Date.parse(expiresAt), fixture.clock() + minutes(30));
    const files = page.files.map(({ filename, altText }) => ({ filename, altText }));
    assert.deepEqual(
      { ...page, files },
      {
        studio: { name: "Studio" },
        post: { title: "Spring" },
        fileLimit: { perPost: 20, remaining: 18 },
        files: [{ filename: "mine.jpg", altText: "" }],
      },
    );
  });

  test("file names are display text and never part of a key (U13)", async () => {
    const link = await createLink();
    for (const [name, displayName] of [
      ["../../etc/passwd.jpg", "passwd.jpg"],
      ["C:\\temp\\a.jpg", "a.jpg"],
      ["\u202egpj.exe.jpg", "gpj.exe.jpg"],
      [`${"x".repeat(900)}.jpg`, `${"x".repeat(196)}.jpg`],
    ]) {
      const startedFile = await start(link, name);
      assert.equal(startedFile.file.filename, displayName);
      await sendAndComplete(link, startedFile);
    }
    const keys = await link.files.keys();
    assert.equal(keys.length, 4);
    for (const key of keys) assert.match(key, /^files\/ast_\w+\.[0-9a-f]+$/);
  });
});
