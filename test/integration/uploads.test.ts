import assert from "node:assert/strict";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { createAssetSweeper } from "#domain/assets/lifecycle/sweep-assets.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { removeMember } from "#domain/studios/members.ts";
import { cancelFile } from "#domain/uploads/cancel-file.ts";
import { completeFile } from "#domain/uploads/complete-file.ts";
import { createUploadLink, createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { describeUploadPage } from "#domain/uploads/describe-upload-link.ts";
import { listUploadLinks, withdrawUploadLink } from "#domain/uploads/list-upload-links.ts";
import { createPartUrls } from "#domain/uploads/create-part-urls.ts";
import { setAltText } from "#domain/uploads/set-alt-text.ts";
import { startFile, type StartedFile } from "#domain/uploads/start-file.ts";
import { sweepUploads } from "#domain/uploads/sweep-uploads.ts";
import { findUploadLink, resolveUploadCaller } from "#domain/uploads/upload-link.ts";
import { hours, minutes } from "#lib/clock.ts";
import { forEachEngine, type Fixture } from "../support/engines.ts";
import { createHookedFiles, type HookedFiles } from "../support/hooked-files.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";
import { headOf } from "../support/content-check.ts";
import { archives, ooxml, executables } from "../support/sample-files.ts";
import { jpeg, mp4, office, png } from "../support/samples.ts";
import { createTestGrant } from "../support/tokens.ts";

const picture = await jpeg();
const otherKind = await png();
const [program = picture] = Object.values(executables);
const [archive = picture] = Object.values(archives);
const officeType = `${ooxml}wordprocessingml.document`;
const film = Buffer.concat([mp4(), Buffer.alloc(20 * 1024 * 1024, 7)]);

interface Scene {
  deps: Deps;
  files: HookedFiles;
  owner: Caller;
  postId: string;
  token: string;
}

async function scene(
  fixture: Fixture,
  limits: Partial<Deps["limits"]> = {},
  maker?: (deps: Deps, owner: Caller) => Promise<Caller>,
): Promise<Scene> {
  const files = createHookedFiles(fixture.clock);
  const deps: Deps = { ...fixture.deps, files, limits: { ...fixture.deps.limits, ...limits } };
  const owner = await newStudio(deps, undefined, "Blue Door");
  const postId = (await createPost(deps, owner, { title: "Spring", body: "" })).id;
  const by = maker ? await maker(deps, owner) : owner;
  const { url } = await createUploadSession(deps, by, { postId });
  return { deps, files, owner, postId, token: url.slice(`${deps.uploadPage}/u/`.length) };
}

const visit = ({ deps, token }: Scene) => resolveUploadCaller(deps, token);
const file = (name: string, content: Buffer) => ({ name, size: content.length, lastModified: 1, type: "" });
const start = async (at: Scene, name = "a.jpg", content = picture): Promise<StartedFile> =>
  startFile(at.deps, await visit(at), file(name, content));

async function send(
  at: Scene,
  { file: { id }, partBytes }: StartedFile,
  content: Buffer,
  parts?: number[],
): Promise<void> {
  const numbers = parts ?? Array.from({ length: Math.ceil(content.length / partBytes) }, (_, i) => i + 1);
  const { addresses } = await createPartUrls(at.deps, await visit(at), { fileId: id, parts: numbers });
  for (const { part, url } of addresses) {
    assert.ok(await at.files.parts.send(url, content.subarray((part - 1) * partBytes, part * partBytes)));
  }
}

const startWithHead = async (at: Scene, name: string, content: Buffer): Promise<StartedFile> =>
  startFile(at.deps, await visit(at), { ...file(name, content), head: headOf(content) });

const complete = async (at: Scene, fileId: string) => completeFile(at.deps, await visit(at), { fileId });
const onPost = async ({ deps, owner, postId }: Scene) => (await getPost(deps, owner, { postId })).assets;
const sweepAll = async (deps: Deps) => {
  const options = { pause: async () => {}, shouldStop: () => false };
  return { ...(await createAssetSweeper(deps)(options)), ...(await sweepUploads(deps, options)) };
};

forEachEngine("uploads through a link", (fixture) => {
  test("a link is {uploadPage}/u/<token>, for 30 minutes, for one post (UPLOAD-1)", async () => {
    const owner = await newStudio(fixture.deps);
    const post = await createPost(fixture.deps, owner, { title: "A", body: "" });
    const made = await createUploadSession({ ...fixture.deps, uploadPage: "https://send.example" }, owner, {
      postId: post.id,
    });
    assert.deepEqual(Object.keys(made), ["url", "expiresInMinutes"]);
    assert.equal(made.expiresInMinutes, 30);
    assert.match(made.url, /^https:\/\/send\.example\/u\/[\w-]+\.[\w-]+$/);
    const stranger = await newStudio(fixture.deps);
    assert.equal(await getOutcome(createUploadSession(fixture.deps, stranger, { postId: post.id })), "not_found");
  });

  test("a file goes in parts and attaches itself (UPLOAD-2)", async () => {
    const at = await scene(fixture);
    const before = (await getPost(at.deps, at.owner, { postId: at.postId })).revision;
    const started = await start(at, "film.mp4", film);
    assert.equal(started.partBytes, 8 * 1024 * 1024);
    assert.deepEqual(started.parts, []);
    assert.deepEqual(
      (await onPost(at)).map(({ id, postId, status, bytes }) => ({ id, postId, status, bytes })),
      [{ id: started.file.id, postId: at.postId, status: "pending", bytes: null }],
    );
    await send(at, started, film, [1, 3]);
    assert.equal(await getOutcome(complete(at, started.file.id)), "not_uploaded");
    assert.deepEqual((await start(at, "film.mp4", film)).parts, [1, 3], "the same file goes on");
    await send(at, started, film, [2]);
    const view = await complete(at, started.file.id);
    assert.equal(view.status, "ready");
    const [asset] = await onPost(at);
    assert.deepEqual(
      [asset?.status, asset?.bytes, asset?.kind, asset?.mimeType, asset?.durationMs],
      ["ready", film.length, "video", "video/mp4", 2500],
    );
    assert.ok(
      (await getPost(at.deps, at.owner, { postId: at.postId })).revision > before + 1,
      "the post tells of both steps",
    );
    assert.deepEqual(await complete(at, started.file.id), view, "repeating it changes nothing");
  });

  test("twenty starts and twenty completes at once make one asset (U2, U8)", async () => {
    const at = await scene(fixture);
    const all = await Promise.all(Array.from({ length: 20 }, () => start(at)));
    assert.equal(new Set(all.map((one) => one.file.id)).size, 1);
    assert.equal(await at.files.parts.countOpen(), 1, "what the others began is given up");
    const [started] = all;
    assert.ok(started);
    await send(at, started, picture);
    assert.deepEqual(await countOutcomes(Array.from({ length: 20 }, () => complete(at, started.file.id))), { ok: 20 });
    assert.equal((await onPost(at)).length, 1);
    assert.equal((await start(at)).file.status, "ready", "and again later");
  });

  test("attach before the end, and another link's file (U8)", async () => {
    const at = await scene(fixture);
    const started = await start(at);
    assert.equal(
      await getOutcome(attachAsset(at.deps, at.owner, { postId: at.postId, assetId: started.file.id })),
      "not_uploaded",
    );
    const elsewhere = await createPost(at.deps, at.owner, { title: "B", body: "" });
    assert.equal(
      await getOutcome(attachAsset(at.deps, at.owner, { postId: elsewhere.id, assetId: started.file.id })),
      "already_attached",
    );
    const other = await scene(fixture);
    assert.equal(await getOutcome(complete(other, started.file.id)), "not_found");
    assert.equal(
      await getOutcome(async () => cancelFile(other.deps, await visit(other), { fileId: started.file.id })),
      "not_found",
    );
    assert.equal(
      await getOutcome(async () =>
        createPartUrls(other.deps, await visit(other), { fileId: started.file.id, parts: [1] }),
      ),
      "not_found",
    );
  });

  test("a full post says so before bytes are sent, under any number of starts (UPLOAD-3)", async () => {
    const at = await scene(fixture, { assetsPerPost: 3 });
    const works = Array.from({ length: 10 }, (_, i) => start(at, `${i}.jpg`));
    assert.deepEqual(await countOutcomes(works), { ok: 3, asset_limit_reached: 7 });
    assert.equal(await at.files.parts.countOpen(), 3);
    const [first] = await onPost(at);
    await cancelFile(at.deps, await visit(at), { fileId: first?.id ?? "" });
    assert.equal(await at.files.parts.countOpen(), 2);
    assert.equal(await getOutcome(start(at, "last.jpg")), "ok", "a place that was given up is free");
  });

  test("quota counts from the start, and lies about the type are refused (U7, U19)", async () => {
    const at = await scene(fixture, { studioBytes: 2 * picture.length });
    const works = Array.from({ length: 10 }, (_, i) => start(at, `${i}.jpg`));
    assert.deepEqual(await countOutcomes(works), { ok: 2, quota_exceeded: 8 });
    const [first] = await onPost(at);
    await deleteAsset(at.deps, at.owner, { assetId: first?.id ?? "" });
    const html = Buffer.from("<!DOCTYPE html><script>alert(1)</script>".padEnd(picture.length)).subarray(
      0,
      picture.length,
    );
    const liar = await start(at, "liar.jpg", html);
    await send(at, liar, html);
    assert.equal(await getOutcome(complete(at, liar.file.id)), "type_mismatch");
    assert.equal((await onPost(at)).length, 1, "record and place are gone");
    assert.equal(await getOutcome(complete(at, liar.file.id)), "not_found");
  });

  test("wrong types are refused before a byte is sent (UPLOAD-4)", async () => {
    const at = await scene(fixture);
    for (const name of ["page.html", "drawing.svg", "setup.exe", "archive.zip", "noending"]) {
      assert.equal(await getOutcome(start(at, name)), "unsupported_type", name);
    }
    assert.equal(await getOutcome(start(at, "empty.jpg", Buffer.alloc(0))), "invalid_input");
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    for (const [name, content, code] of [
      ["a.jpg", svg, "type_mismatch"],
      ["a.svg", svg, "unsupported_type"],
      ["a", svg, "unsupported_type"],
      ["a.png", program, "type_mismatch"],
      ["setup.exe", program, "unsupported_type"],
      ["archive.zip", archive, "unsupported_type"],
    ] as const)
      assert.equal(await getOutcome(startWithHead(at, name, content)), code, name);
    assert.deepEqual(await onPost(at), []);
  });

  test("a file whose name has the wrong extension, an unknown one or none is accepted as what it is (UPLOAD-4, U7)", async () => {
    const at = await scene(fixture);
    const docx = office("word", {});
    for (const [name, content, mimeType, kind, filename] of [
      ["door.png", picture, "image/jpeg", "image", "door.jpg"],
      ["door.mp4", otherKind, "image/png", "image", "door.png"],
      ["door.html", picture, "image/jpeg", "image", "door.html.jpg"],
      ["door", picture, "image/jpeg", "image", "door.jpg"],
      ["notes.txt", mp4(), "video/mp4", "video", "notes.mp4"],
      ["film.mov", mp4(), "video/quicktime", "video", "film.mov"],
      ["plan.xlsx", docx, officeType, "document", "plan.docx"],
    ] as const) {
      const started = await startWithHead(at, name, content);
      assert.equal(started.file.filename, name, "while it is uploading, it has the name that it was sent with");
      await send(at, started, content);
      const { id, bytes } = await complete(at, started.file.id);
      const asset = (await onPost(at)).find((one) => one.id === id);
      assert.deepEqual(
        [asset?.mimeType, asset?.kind, asset?.filename, asset?.status, bytes],
        [mimeType, kind, filename, "ready", content.length],
        name,
      );
    }
    const [first] = await onPost(at);
    assert.deepEqual(
      [first?.width, first?.thumbnailUrl !== undefined],
      [64, true],
      "its metadata is read as what it is",
    );
  });

  test("a file that was started without its first bytes is accepted as what it is, too (UPLOAD-4)", async () => {
    const at = await scene(fixture);
    const started = await start(at, "door.gif", picture);
    await send(at, started, picture);
    const { mimeType, filename } = await complete(at, started.file.id);
    assert.deepEqual([mimeType, filename], ["image/jpeg", "door.jpg"]);
  });

  test("a name that was changed while the file was uploading stays", async () => {
    const at = await scene(fixture);
    const started = await start(at, "door.png", picture);
    await send(at, started, picture);
    let renamed = false;
    at.files.hook = async (call, when) => {
      if (call !== "read" || when !== "after" || renamed) return;
      renamed = true;
      await updateAsset(at.deps, at.owner, { assetId: started.file.id, filename: "Front door.jpg" });
    };
    assert.equal((await complete(at, started.file.id)).filename, "Front door.jpg");
  });

  test("the 30 minutes gate the start of a file, 24 hours its end (UPLOAD-5)", async () => {
    const at = await scene(fixture);
    fixture.clock.advance(minutes(30) - 1);
    const started = await start(at, "film.mp4", film);
    fixture.clock.advance(minutes(1));
    assert.equal(await getOutcome(start(at, "late.jpg")), "upload_expired");
    assert.equal((await findUploadLink(at.deps, at.token))?.state, "closing");
    assert.equal((await start(at, "film.mp4", film)).file.id, started.file.id, "what was begun goes on");
    fixture.clock.advance(hours(23));
    await send(at, started, film);
    assert.equal((await complete(at, started.file.id)).status, "ready");
    assert.equal((await findUploadLink(at.deps, at.token))?.state, "finished");
    assert.equal(await getOutcome(async () => describeUploadPage(at.deps, await visit(at))), "upload_expired");
    assert.equal(
      (await setAltText(at.deps, await visit(at), { fileId: started.file.id, altText: "A door" })).altText,
      "A door",
    );
  });

  test("a file that was taken off the post is out of the link's reach (T1, U1)", async () => {
    const at = await scene(fixture);
    const started = await start(at, "film.mp4", film);
    await send(at, started, film);
    await complete(at, started.file.id);
    const describe = async () => setAltText(at.deps, await visit(at), { fileId: started.file.id, altText: "Theirs" });
    assert.equal(await getOutcome(describe), "ok");
    await detachAsset(at.deps, at.owner, { postId: at.postId, assetId: started.file.id });
    assert.equal(await getOutcome(describe), "not_found");
  });

  test("what a studio says of a file that it has put elsewhere is not the link's to read (T1)", async () => {
    const at = await scene(fixture);
    const started = await start(at, "door.jpg", picture);
    await send(at, started, picture);
    const seen = async () => [
      await complete(at, started.file.id),
      (await start(at, "door.jpg", picture)).file,
      ...(await describeUploadPage(at.deps, await visit(at))).files,
    ];
    await complete(at, started.file.id);
    for (const one of await seen()) assert.ok(one.thumbnailUrl !== undefined);
    await detachAsset(at.deps, at.owner, { postId: at.postId, assetId: started.file.id });
    await updateAsset(at.deps, at.owner, { assetId: started.file.id, altText: "Not for you", filename: "secret.jpg" });
    for (const { filename, altText, thumbnailUrl, status } of await seen())
      assert.deepEqual([filename, altText, thumbnailUrl, status], ["image.jpg", "", undefined, "ready"]);
  });

  test("a file that does not arrive within 24 hours is swept, parts and place (U17)", async () => {
    const at = await scene(fixture);
    const started = await start(at, "film.mp4", film);
    await send(at, started, film, [1]);
    fixture.clock.advance(hours(24) + 1);
    assert.equal(await getOutcome(complete(at, started.file.id)), "upload_expired");
    fixture.clock.advance(hours(1));
    assert.ok((await sweepAll(at.deps)).expired >= 1);
    assert.deepEqual([await onPost(at), await at.files.parts.countOpen()], [[], 0]);
    assert.equal(await getOutcome(visit(at)), "forbidden", "nothing holds on to the link");
  });

  test("a token that is flipped, cut short, of another purpose or past all ends is not valid (U1)", async () => {
    const at = await scene(fixture);
    const [body = "", mac = ""] = at.token.split(".");
    const flipped = `${body.slice(0, -1)}${body.endsWith("A") ? "B" : "A"}.${mac}`;
    const foreign = at.deps.signer.sign("file", { link: "upl_0" }, fixture.clock() + 1000);
    const unknown = at.deps.signer.sign("upload", { link: at.deps.newId("uploadLink") }, fixture.clock() + 1000);
    for (const token of ["", "x", flipped, at.token.slice(0, -1), `${at.token}A`, body, foreign, unknown]) {
      assert.equal(await findUploadLink(at.deps, token), undefined, token);
    }
    fixture.clock.advance(minutes(31));
    assert.equal((await findUploadLink(at.deps, at.token))?.state, "expired");
    assert.equal(await getOutcome(async () => describeUploadPage(at.deps, await visit(at))), "upload_expired");
    fixture.clock.advance(hours(24));
    assert.equal(await findUploadLink(at.deps, at.token), undefined);
  });

  test("a link dies with its maker's membership, its client, its post, and when withdrawn (UPLOAD-6)", async () => {
    const ways: Record<string, (at: Scene, maker: Caller) => Promise<unknown>> = {
      membership: ({ deps, owner }, maker) => removeMember(deps, owner, { userId: maker.user.id }),
      client: ({ deps }, { grantId = "" }) => deps.grants.revoke(grantId, deps.clock()),
      post: ({ deps, owner, postId }) => updatePost(deps, owner, { postId, status: "archived" }),
      withdrawal: async ({ deps, owner, postId }) => {
        const [link] = (await listUploadLinks(deps, owner, { postId })).links;
        await withdrawUploadLink(deps, owner, { postId, linkId: link?.id ?? "" });
      },
    };
    for (const [name, end] of Object.entries(ways)) {
      let maker: Caller | undefined;
      const at = await scene(fixture, {}, async (deps, owner) => {
        const member = await newMember(deps, owner, "member");
        const { grantId } = await createTestGrant(deps, member);
        return (maker = { ...member, client: { id: "c", name: "Claude" }, grantId });
      });
      assert.ok(maker);
      const started = await start(at);
      await end(at, maker);
      assert.equal((await findUploadLink(at.deps, at.token))?.state, "withdrawn", name);
      assert.equal(await getOutcome(start(at, "b.jpg")), "forbidden", name);
      assert.equal(await getOutcome(complete(at, started.file.id)), "forbidden", name);
      await sweepAll(at.deps);
      assert.deepEqual(
        [await onPost(at), await at.files.parts.countOpen()],
        [[], 0],
        `${name}: what was on its way is given up`,
      );
      assert.deepEqual((await listUploadLinks(at.deps, at.owner, { postId: at.postId })).links, [], name);
    }
  });

  test("the post's page lists links and withdraws them; those it made for itself it does not show (UPLOAD-7)", async () => {
    const at = await scene(fixture);
    await createUploadLink(at.deps, at.owner, { postId: at.postId, inPlace: true });
    await start(at);
    const { links } = await listUploadLinks(at.deps, at.owner, { postId: at.postId });
    assert.deepEqual(
      links.map(({ createdBy, client, arrived, onTheWay }) => ({ createdBy: createdBy.id, client, arrived, onTheWay })),
      [{ createdBy: at.owner.user.id, client: null, arrived: 0, onTheWay: 1 }],
    );
    const stranger = await newStudio(at.deps);
    const linkId = links[0]?.id ?? "";
    assert.equal(await getOutcome(withdrawUploadLink(at.deps, stranger, { postId: at.postId, linkId })), "not_found");
    await withdrawUploadLink(at.deps, at.owner, { postId: at.postId, linkId });
    assert.deepEqual(await onPost(at), [], "what was on its way is given up at once");
    assert.equal(await getOutcome(withdrawUploadLink(at.deps, at.owner, { postId: at.postId, linkId })), "not_found");
    fixture.clock.advance(minutes(31));
    assert.deepEqual((await listUploadLinks(at.deps, at.owner, { postId: at.postId })).links, []);
  });

  test("a link shows the studio's name, the post's title and its own files, and nothing else (UPLOAD-8)", async () => {
    const at = await scene(fixture);
    const { url } = await createUploadSession(at.deps, at.owner, { postId: at.postId });
    const other = { ...at, token: url.slice(`${at.deps.uploadPage}/u/`.length) };
    await start(other, "theirs.jpg");
    await start(at, "mine.jpg");
    const { accepts, expiresAt, ...shown } = await describeUploadPage(at.deps, await visit(at));
    assert.ok(accepts.includes("image/jpeg") && accepts.includes(".docx") && !accepts.includes("image/svg+xml"));
    assert.equal(Date.parse(expiresAt), fixture.clock() + minutes(30));
    assert.deepEqual(
      { ...shown, files: shown.files.map(({ filename, altText }) => ({ filename, altText })) },
      {
        studio: { name: "Blue Door" },
        post: { title: "Spring" },
        files: [{ filename: "mine.jpg", altText: "" }],
      },
    );
  });

  test("names are display text, and never part of a key (U13)", async () => {
    const at = await scene(fixture);
    for (const [name, shown] of [
      ["../../etc/passwd.jpg", "passwd.jpg"],
      ["C:\\temp\\a.jpg", "a.jpg"],
      ["\u202egpj.exe.jpg", "gpj.exe.jpg"],
      [`${"x".repeat(900)}.jpg`, `${"x".repeat(196)}.jpg`],
    ] as const) {
      const { file: made } = await start(at, name);
      assert.equal(made.filename, shown);
    }
  });

  test("an archived post gets no link, and no files", async () => {
    const at = await scene(fixture);
    await updatePost(at.deps, at.owner, { postId: at.postId, status: "archived" });
    assert.equal(await getOutcome(createUploadSession(at.deps, at.owner, { postId: at.postId })), "invalid_input");
  });
});
