import assert from "node:assert/strict";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { createAssetSweeper } from "#domain/assets/lifecycle/sweep-assets.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { getGrantId, type Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { removeMember } from "#domain/studios/members.ts";
import { cancelFile } from "#domain/uploads/cancel-file.ts";
import { completeFile } from "#domain/uploads/complete-file.ts";
import { createUploadLink, createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { describeUploadPage } from "#domain/uploads/describe-upload-page.ts";
import { listUploadLinks } from "#domain/uploads/list-upload-links.ts";
import { withdrawUploadLink } from "#domain/uploads/withdraw-upload-link.ts";
import { createPartUrls } from "#domain/uploads/create-part-urls.ts";
import { setAltText } from "#domain/uploads/set-alt-text.ts";
import { startFile, type StartedFile } from "#domain/uploads/start-file.ts";
import { sweepUploads } from "#domain/uploads/sweep-uploads.ts";
import { findUploadLink, resolveUploadCaller } from "#domain/uploads/upload-link.ts";
import { hours, minutes } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine, type Fixture } from "../support/engines.ts";
import { createHookedFiles, type HookedFiles } from "../support/hooked-files.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";
import { encodeHead } from "../support/content-check.ts";
import { rejectedContainers, ooxml, executables } from "../support/sample-files.ts";
import { jpeg, mp4, office, png } from "../support/samples.ts";
import { createTestGrant } from "../support/tokens.ts";

const jpegBytes = await jpeg();
const pngBytes = await png();
const [executableBytes = jpegBytes] = Object.values(executables);
const [archiveBytes = jpegBytes] = Object.values(rejectedContainers);
const officeType = `${ooxml}wordprocessingml.document`;
const videoBytes = Buffer.concat([mp4(), Buffer.alloc(20 * 1024 * 1024, 7)]);

interface LinkFixture {
  deps: Deps;
  files: HookedFiles;
  owner: Caller;
  postId: string;
  token: string;
}

async function createLinkFixture(
  fixture: Fixture,
  limits: Partial<Deps["limits"]> = {},
  chooseCreator?: (deps: Deps, owner: Caller) => Promise<Caller>,
): Promise<LinkFixture> {
  const files = createHookedFiles(fixture.clock);
  const deps: Deps = { ...fixture.deps, files, limits: { ...fixture.deps.limits, ...limits } };
  const owner = await newStudio(deps, undefined, "Blue Door");
  const postId = (await createPost(deps, owner, { title: "Spring", body: "" })).id;
  const creator = chooseCreator ? await chooseCreator(deps, owner) : owner;
  const { url } = await createUploadSession(deps, creator, { postId });
  return { deps, files, owner, postId, token: url.slice(`${deps.uploadPage}/u/`.length) };
}

const resolveCaller = ({ deps, token }: LinkFixture) => resolveUploadCaller(deps, token);
const describeFile = (name: string, content: Buffer) => ({ name, size: content.length, lastModified: 1, type: "" });
const start = async (linkFixture: LinkFixture, name = "a.jpg", content = jpegBytes): Promise<StartedFile> =>
  startFile(linkFixture.deps, await resolveCaller(linkFixture), describeFile(name, content));

async function send(
  linkFixture: LinkFixture,
  { file: { id }, partBytes }: StartedFile,
  content: Buffer,
  parts?: number[],
): Promise<void> {
  const numbers = parts ?? Array.from({ length: Math.ceil(content.length / partBytes) }, (_, i) => i + 1);
  const { urls } = await createPartUrls(linkFixture.deps, await resolveCaller(linkFixture), {
    fileId: id,
    parts: numbers,
  });
  for (const { part, url } of urls) {
    assert.ok(await linkFixture.files.parts.send(url, content.subarray((part - 1) * partBytes, part * partBytes)));
  }
}

const startWithHead = async (linkFixture: LinkFixture, name: string, content: Buffer): Promise<StartedFile> =>
  startFile(linkFixture.deps, await resolveCaller(linkFixture), {
    ...describeFile(name, content),
    head: encodeHead(content),
  });

const complete = async (linkFixture: LinkFixture, fileId: string) =>
  completeFile(linkFixture.deps, await resolveCaller(linkFixture), { fileId });
const listPostAssets = async ({ deps, owner, postId }: LinkFixture) => (await getPost(deps, owner, { postId })).assets;
const sweepAll = async (deps: Deps) => {
  return { ...(await createAssetSweeper(deps)(untilDone)), ...(await sweepUploads(deps, untilDone)) };
};

forEachEngine("uploads through a link", (fixture) => {
  test("a link has the form {uploadPage}/u/<token>, is valid for 30 minutes, and belongs to one post (UPLOAD-1)", async () => {
    const owner = await newStudio(fixture.deps);
    const post = await createPost(fixture.deps, owner, { title: "A", body: "" });
    const session = await createUploadSession({ ...fixture.deps, uploadPage: "https://send.example" }, owner, {
      postId: post.id,
    });
    assert.deepEqual(Object.keys(session), ["url", "expiresInMinutes"]);
    assert.equal(session.expiresInMinutes, 30);
    assert.match(session.url, /^https:\/\/send\.example\/u\/[\w-]+\.[\w-]+$/);
    const stranger = await newStudio(fixture.deps);
    assert.equal(await getOutcome(createUploadSession(fixture.deps, stranger, { postId: post.id })), "not_found");
  });

  test("a file is uploaded in parts and attached on completion (UPLOAD-2)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const revisionBefore = (await getPost(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId }))
      .revision;
    const startedFile = await start(linkFixture, "video.mp4", videoBytes);
    assert.equal(startedFile.partBytes, 8 * 1024 * 1024);
    assert.deepEqual(startedFile.parts, []);
    assert.deepEqual(
      (await listPostAssets(linkFixture)).map(({ id, postId, status, bytes }) => ({ id, postId, status, bytes })),
      [{ id: startedFile.file.id, postId: linkFixture.postId, status: "pending", bytes: null }],
    );
    await send(linkFixture, startedFile, videoBytes, [1, 3]);
    assert.equal(await getOutcome(complete(linkFixture, startedFile.file.id)), "not_uploaded");
    assert.deepEqual(
      (await start(linkFixture, "video.mp4", videoBytes)).parts,
      [1, 3],
      "starting the same file resumes it",
    );
    await send(linkFixture, startedFile, videoBytes, [2]);
    const view = await complete(linkFixture, startedFile.file.id);
    assert.equal(view.status, "ready");
    const [asset] = await listPostAssets(linkFixture);
    assert.deepEqual(
      [asset?.status, asset?.bytes, asset?.kind, asset?.mimeType, asset?.durationMs],
      ["ready", videoBytes.length, "video", "video/mp4", 2500],
    );
    assert.equal(
      (await getPost(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId })).revision,
      revisionBefore + 1,
      "only the completion raises the revision",
    );
    assert.deepEqual(await complete(linkFixture, startedFile.file.id), view, "completing again changes nothing");
  });

  test("twenty parallel starts and twenty parallel completes create one asset (U2, U8)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const startedFiles = await Promise.all(Array.from({ length: 20 }, () => start(linkFixture)));
    assert.equal(new Set(startedFiles.map(({ file }) => file.id)).size, 1);
    assert.equal(await linkFixture.files.parts.countOpen(), 1, "the redundant uploads are canceled");
    const [startedFile] = startedFiles;
    assert.ok(startedFile);
    await send(linkFixture, startedFile, jpegBytes);
    assert.deepEqual(
      await countOutcomes(Array.from({ length: 20 }, () => complete(linkFixture, startedFile.file.id))),
      {
        ok: 20,
      },
    );
    assert.equal((await listPostAssets(linkFixture)).length, 1);
    assert.equal((await start(linkFixture)).file.status, "ready", "a later start returns the finished file");
  });

  test("rejects attaching a file that is still uploading, and hides the files of other links (U8)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const startedFile = await start(linkFixture);
    assert.equal(
      await getOutcome(
        attachAsset(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId, assetId: startedFile.file.id }),
      ),
      "not_uploaded",
    );
    const otherPost = await createPost(linkFixture.deps, linkFixture.owner, { title: "B", body: "" });
    assert.equal(
      await getOutcome(
        attachAsset(linkFixture.deps, linkFixture.owner, { postId: otherPost.id, assetId: startedFile.file.id }),
      ),
      "already_attached",
    );
    const otherLinkFixture = await createLinkFixture(fixture);
    assert.equal(await getOutcome(complete(otherLinkFixture, startedFile.file.id)), "not_found");
    assert.equal(
      await getOutcome(async () =>
        cancelFile(otherLinkFixture.deps, await resolveCaller(otherLinkFixture), { fileId: startedFile.file.id }),
      ),
      "not_found",
    );
    assert.equal(
      await getOutcome(async () =>
        createPartUrls(otherLinkFixture.deps, await resolveCaller(otherLinkFixture), {
          fileId: startedFile.file.id,
          parts: [1],
        }),
      ),
      "not_found",
    );
  });

  test("rejects files beyond the post's limit before bytes are sent, even with parallel starts (UPLOAD-3)", async () => {
    const linkFixture = await createLinkFixture(fixture, { assetsPerPost: 3 });
    const starts = Array.from({ length: 10 }, (_, i) => start(linkFixture, `${i}.jpg`));
    assert.deepEqual(await countOutcomes(starts), { ok: 3, asset_limit_reached: 7 });
    assert.equal(await linkFixture.files.parts.countOpen(), 3);
    const page = await describeUploadPage(linkFixture.deps, await resolveCaller(linkFixture));
    assert.deepEqual(page.fileLimit, { perPost: 3, remaining: 0 });
    const [first] = await listPostAssets(linkFixture);
    await cancelFile(linkFixture.deps, await resolveCaller(linkFixture), { fileId: first?.id ?? "" });
    assert.equal(await linkFixture.files.parts.countOpen(), 2);
    assert.equal(await getOutcome(start(linkFixture, "last.jpg")), "ok", "canceling a file frees its position");
  });

  test("charges the quota when a file starts, and rejects a file whose content does not match its type (U7, U19)", async () => {
    const linkFixture = await createLinkFixture(fixture, { studioBytes: 2 * jpegBytes.length });
    const starts = Array.from({ length: 10 }, (_, i) => start(linkFixture, `${i}.jpg`));
    assert.deepEqual(await countOutcomes(starts), { ok: 2, quota_exceeded: 8 });
    const [first] = await listPostAssets(linkFixture);
    await deleteAsset(linkFixture.deps, linkFixture.owner, { assetId: first?.id ?? "" });
    const html = Buffer.from("<!DOCTYPE html><script>alert(1)</script>".padEnd(jpegBytes.length)).subarray(
      0,
      jpegBytes.length,
    );
    const mismatchedFile = await start(linkFixture, "page.jpg", html);
    await send(linkFixture, mismatchedFile, html);
    assert.equal(await getOutcome(complete(linkFixture, mismatchedFile.file.id)), "type_mismatch");
    assert.equal((await listPostAssets(linkFixture)).length, 1, "its record and position are deleted");
    assert.equal(await getOutcome(complete(linkFixture, mismatchedFile.file.id)), "not_found");
  });

  test("rejects unsupported types before a byte is sent (UPLOAD-4)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    for (const name of ["page.html", "drawing.svg", "setup.exe", "archive.zip", "no-extension"]) {
      assert.equal(await getOutcome(start(linkFixture, name)), "unsupported_type", name);
    }
    assert.equal(await getOutcome(start(linkFixture, "empty.jpg", Buffer.alloc(0))), "invalid_input");
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    for (const [name, content, code] of [
      ["a.jpg", svg, "type_mismatch"],
      ["a.svg", svg, "unsupported_type"],
      ["a", svg, "unsupported_type"],
      ["a.png", executableBytes, "type_mismatch"],
      ["setup.exe", executableBytes, "unsupported_type"],
      ["archive.zip", archiveBytes, "unsupported_type"],
    ] as const)
      assert.equal(await getOutcome(startWithHead(linkFixture, name, content)), code, name);
    assert.deepEqual(await listPostAssets(linkFixture), []);
  });

  test("detects the type of a file with a wrong, unknown or missing extension (UPLOAD-4, U7)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const docx = office("word", {});
    for (const [name, content, mimeType, kind, filename] of [
      ["door.png", jpegBytes, "image/jpeg", "image", "door.jpg"],
      ["door.mp4", pngBytes, "image/png", "image", "door.png"],
      ["door.html", jpegBytes, "image/jpeg", "image", "door.html.jpg"],
      ["door", jpegBytes, "image/jpeg", "image", "door.jpg"],
      ["notes.txt", mp4(), "video/mp4", "video", "notes.mp4"],
      ["video.mov", mp4(), "video/quicktime", "video", "video.mov"],
      ["plan.xlsx", docx, officeType, "document", "plan.docx"],
    ] as const) {
      const startedFile = await startWithHead(linkFixture, name, content);
      assert.equal(startedFile.file.filename, name, "an uploading file keeps the name that the client sent");
      await send(linkFixture, startedFile, content);
      const { id, bytes } = await complete(linkFixture, startedFile.file.id);
      const asset = (await listPostAssets(linkFixture)).find((postAsset) => postAsset.id === id);
      assert.deepEqual(
        [asset?.mimeType, asset?.kind, asset?.filename, asset?.status, bytes],
        [mimeType, kind, filename, "ready", content.length],
        name,
      );
    }
    const [first] = await listPostAssets(linkFixture);
    assert.deepEqual(
      [first?.width, first?.thumbnailUrl !== undefined],
      [64, true],
      "its metadata is read according to its actual type",
    );
  });

  test("detects the type on completion if the client did not send the first bytes at the start (UPLOAD-4)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const startedFile = await start(linkFixture, "door.gif", jpegBytes);
    await send(linkFixture, startedFile, jpegBytes);
    const { mimeType, filename } = await complete(linkFixture, startedFile.file.id);
    assert.deepEqual([mimeType, filename], ["image/jpeg", "door.jpg"]);
  });

  test("keeps a name that was changed while the file was uploading", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const startedFile = await start(linkFixture, "door.png", jpegBytes);
    await send(linkFixture, startedFile, jpegBytes);
    let isRenamed = false;
    linkFixture.files.hook = async (call, when) => {
      if (call !== "read" || when !== "after" || isRenamed) return;
      isRenamed = true;
      await updateAsset(linkFixture.deps, linkFixture.owner, {
        assetId: startedFile.file.id,
        filename: "Front door.jpg",
      });
    };
    assert.equal((await complete(linkFixture, startedFile.file.id)).filename, "Front door.jpg");
  });

  test("a file must start within the link's 30 minutes and complete within 24 hours (UPLOAD-5)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    fixture.clock.advance(minutes(30) - 1);
    const startedFile = await start(linkFixture, "video.mp4", videoBytes);
    fixture.clock.advance(minutes(1));
    assert.equal(await getOutcome(start(linkFixture, "late.jpg")), "upload_expired");
    assert.equal((await findUploadLink(linkFixture.deps, linkFixture.token))?.state, "closing");
    assert.equal(
      (await start(linkFixture, "video.mp4", videoBytes)).file.id,
      startedFile.file.id,
      "a started file can resume",
    );
    fixture.clock.advance(hours(23));
    await send(linkFixture, startedFile, videoBytes);
    assert.equal((await complete(linkFixture, startedFile.file.id)).status, "ready");
    assert.equal((await findUploadLink(linkFixture.deps, linkFixture.token))?.state, "finished");
    assert.equal(
      await getOutcome(async () => describeUploadPage(linkFixture.deps, await resolveCaller(linkFixture))),
      "upload_expired",
    );
    assert.equal(
      (
        await setAltText(linkFixture.deps, await resolveCaller(linkFixture), {
          fileId: startedFile.file.id,
          altText: "A door",
        })
      ).altText,
      "A door",
    );
  });

  test("a link cannot access a file that was removed from the post (T1, U1)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const startedFile = await start(linkFixture, "video.mp4", videoBytes);
    await send(linkFixture, startedFile, videoBytes);
    await complete(linkFixture, startedFile.file.id);
    const changeAltText = async () =>
      setAltText(linkFixture.deps, await resolveCaller(linkFixture), {
        fileId: startedFile.file.id,
        altText: "Theirs",
      });
    assert.equal(await getOutcome(changeAltText), "ok");
    await detachAsset(linkFixture.deps, linkFixture.owner, {
      postId: linkFixture.postId,
      assetId: startedFile.file.id,
    });
    assert.equal(await getOutcome(changeAltText), "not_found");
  });

  test("a link does not reveal changes that the studio made after removing the file from the post (T1)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const startedFile = await start(linkFixture, "door.jpg", jpegBytes);
    await send(linkFixture, startedFile, jpegBytes);
    const listVisibleFiles = async () => [
      await complete(linkFixture, startedFile.file.id),
      (await start(linkFixture, "door.jpg", jpegBytes)).file,
      ...(await describeUploadPage(linkFixture.deps, await resolveCaller(linkFixture))).files,
    ];
    await complete(linkFixture, startedFile.file.id);
    for (const visibleFile of await listVisibleFiles()) assert.ok(visibleFile.thumbnailUrl !== undefined);
    await detachAsset(linkFixture.deps, linkFixture.owner, {
      postId: linkFixture.postId,
      assetId: startedFile.file.id,
    });
    await updateAsset(linkFixture.deps, linkFixture.owner, {
      assetId: startedFile.file.id,
      altText: "Not for you",
      filename: "secret.jpg",
    });
    for (const { filename, altText, thumbnailUrl, status } of await listVisibleFiles())
      assert.deepEqual([filename, altText, thumbnailUrl, status], ["image.jpg", "", undefined, "ready"]);
  });

  test("sweeps a file that does not arrive within 24 hours, with its parts and position (U17)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const startedFile = await start(linkFixture, "video.mp4", videoBytes);
    await send(linkFixture, startedFile, videoBytes, [1]);
    fixture.clock.advance(hours(24) + 1);
    assert.equal(await getOutcome(complete(linkFixture, startedFile.file.id)), "upload_expired");
    fixture.clock.advance(hours(1));
    assert.ok((await sweepAll(linkFixture.deps)).expired >= 1);
    assert.deepEqual([await listPostAssets(linkFixture), await linkFixture.files.parts.countOpen()], [[], 0]);
    assert.equal(
      await getOutcome(resolveCaller(linkFixture)),
      "forbidden",
      "the link ends with its last unfinished upload",
    );
  });

  test("rejects a token that is altered, truncated, expired or for another purpose (U1)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const [body = "", mac = ""] = linkFixture.token.split(".");
    const alteredToken = `${body.slice(0, -1)}${body.endsWith("A") ? "B" : "A"}.${mac}`;
    const otherPurposeToken = linkFixture.deps.signer.sign("file", { link: "upl_0" }, fixture.clock() + 1000);
    const unknownLinkToken = linkFixture.deps.signer.sign(
      "upload",
      { link: linkFixture.deps.newId("uploadLink") },
      fixture.clock() + 1000,
    );
    for (const token of [
      "",
      "x",
      alteredToken,
      linkFixture.token.slice(0, -1),
      `${linkFixture.token}A`,
      body,
      otherPurposeToken,
      unknownLinkToken,
    ]) {
      assert.equal(await findUploadLink(linkFixture.deps, token), undefined, token);
    }
    fixture.clock.advance(minutes(31));
    assert.equal((await findUploadLink(linkFixture.deps, linkFixture.token))?.state, "expired");
    assert.equal(
      await getOutcome(async () => describeUploadPage(linkFixture.deps, await resolveCaller(linkFixture))),
      "upload_expired",
    );
    fixture.clock.advance(hours(24));
    assert.equal(await findUploadLink(linkFixture.deps, linkFixture.token), undefined);
  });

  test("a link ends when its creator leaves, its client's grant is revoked, its post is archived, or it is withdrawn (UPLOAD-6)", async () => {
    const endings: Record<string, (linkFixture: LinkFixture, creator: Caller) => Promise<unknown>> = {
      membership: ({ deps, owner }, creator) => removeMember(deps, owner, { userId: creator.user.id }),
      client: ({ deps }, creator) => deps.grants.revoke(getGrantId(creator) ?? "", deps.clock()),
      post: ({ deps, owner, postId }) => updatePost(deps, owner, { postId, status: "archived" }),
      withdrawal: async ({ deps, owner, postId }) => {
        const [link] = (await listUploadLinks(deps, owner, { postId })).links;
        await withdrawUploadLink(deps, owner, { postId, linkId: link?.id ?? "" });
      },
    };
    for (const [name, end] of Object.entries(endings)) {
      let creator: Caller | undefined;
      const linkFixture = await createLinkFixture(fixture, {}, async (deps, owner) => {
        const member = await newMember(deps, owner, "member");
        const { grantId } = await createTestGrant(deps, member);
        return (creator = { ...member, client: { id: "c", name: "Claude" }, credential: { kind: "grant", grantId } });
      });
      assert.ok(creator);
      const startedFile = await start(linkFixture);
      await end(linkFixture, creator);
      assert.equal((await findUploadLink(linkFixture.deps, linkFixture.token))?.state, "withdrawn", name);
      assert.equal(await getOutcome(start(linkFixture, "b.jpg")), "forbidden", name);
      assert.equal(await getOutcome(complete(linkFixture, startedFile.file.id)), "forbidden", name);
      await sweepAll(linkFixture.deps);
      assert.deepEqual(
        [await listPostAssets(linkFixture), await linkFixture.files.parts.countOpen()],
        [[], 0],
        `${name}: uploading files are canceled`,
      );
      assert.deepEqual(
        (await listUploadLinks(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId })).links,
        [],
        name,
      );
    }
  });

  test("lists and withdraws the links of a post, except those that the post's page created for itself (UPLOAD-7)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    await createUploadLink(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId, inPlace: true });
    await start(linkFixture);
    const { links } = await listUploadLinks(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId });
    assert.deepEqual(
      links.map(({ createdBy, client, receivedFiles, uploadingFiles }) => ({
        createdBy: createdBy.id,
        client,
        receivedFiles,
        uploadingFiles,
      })),
      [{ createdBy: linkFixture.owner.user.id, client: null, receivedFiles: 0, uploadingFiles: 1 }],
    );
    const stranger = await newStudio(linkFixture.deps);
    const linkId = links[0]?.id ?? "";
    assert.equal(
      await getOutcome(withdrawUploadLink(linkFixture.deps, stranger, { postId: linkFixture.postId, linkId })),
      "not_found",
    );
    await withdrawUploadLink(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId, linkId });
    assert.deepEqual(await listPostAssets(linkFixture), [], "uploading files are canceled immediately");
    assert.equal(
      await getOutcome(withdrawUploadLink(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId, linkId })),
      "not_found",
    );
    fixture.clock.advance(minutes(31));
    assert.deepEqual(
      (await listUploadLinks(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId })).links,
      [],
    );
  });

  test("a link shows only the studio's name, the post's title and free positions, and its own files (UPLOAD-8)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    const { url } = await createUploadSession(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId });
    const otherLinkFixture = { ...linkFixture, token: url.slice(`${linkFixture.deps.uploadPage}/u/`.length) };
    await start(otherLinkFixture, "theirs.jpg");
    await start(linkFixture, "mine.jpg");
    const { accepts, expiresAt, ...page } = await describeUploadPage(
      linkFixture.deps,
      await resolveCaller(linkFixture),
    );
    assert.ok(accepts.includes("image/jpeg") && accepts.includes(".docx") && !accepts.includes("image/svg+xml"));
    assert.equal(Date.parse(expiresAt), fixture.clock() + minutes(30));
    assert.deepEqual(
      { ...page, files: page.files.map(({ filename, altText }) => ({ filename, altText })) },
      {
        studio: { name: "Blue Door" },
        post: { title: "Spring" },
        fileLimit: { perPost: 20, remaining: 18 },
        files: [{ filename: "mine.jpg", altText: "" }],
      },
    );
  });

  test("file names are display text and never part of a key (U13)", async () => {
    const linkFixture = await createLinkFixture(fixture);
    for (const [name, displayName] of [
      ["../../etc/passwd.jpg", "passwd.jpg"],
      ["C:\\temp\\a.jpg", "a.jpg"],
      ["\u202egpj.exe.jpg", "gpj.exe.jpg"],
      [`${"x".repeat(900)}.jpg`, `${"x".repeat(196)}.jpg`],
    ] as const) {
      const startedFile = await start(linkFixture, name);
      assert.equal(startedFile.file.filename, displayName);
      await send(linkFixture, startedFile, jpegBytes);
      await complete(linkFixture, startedFile.file.id);
    }
    const keys = await linkFixture.files.keys();
    assert.equal(keys.length, 4);
    for (const key of keys) assert.match(key, /^files\/ast_\w+\.[0-9a-f]+$/);
  });

  test("rejects an upload link for an archived post", async () => {
    const linkFixture = await createLinkFixture(fixture);
    await updatePost(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId, status: "archived" });
    assert.equal(
      await getOutcome(createUploadSession(linkFixture.deps, linkFixture.owner, { postId: linkFixture.postId })),
      "invalid_input",
    );
  });
});
