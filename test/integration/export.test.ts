import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createPlatformSetups } from "#connectors/catalog.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { createFileReader, exportStudio } from "#ops/export.ts";
import { forEachEngine } from "../support/engines.ts";
import { newConnection, noIdentities } from "../support/platform-fixture.ts";
import { runCommand } from "../support/operator-commands.ts";
import { createSampleStudio } from "../support/sample-studio.ts";
import { useServiceProcess } from "../support/service-process.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const noFetch = () => Promise.reject(new Error("this test has no network access"));

interface ExportManifest {
  studio: { id: string; slug: string };
  counts: Record<string, number>;
  files: {
    assetId: string;
    postId: string | null;
    path: string;
    filename: string;
    bytes: number;
    sha256: string;
    altText: string;
  }[];
  lost: string[];
}

forEachEngine("export of a studio", (fixture) => {
  const runExport = (studio: string, targetFolder: string, files = fixture.deps.files) =>
    exportStudio({
      database: fixture.database,
      studios: fixture.deps.studios,
      readFile: createFileReader("", files),
      studio,
      targetFolder,
      clock: fixture.clock,
      reportProgress: () => {},
    });

  test("writes rows as JSON and every file under its asset id, without the trash, secrets and other studios (RUN-11)", async () => {
    const platforms = createPlatforms(fixture.deps.baseUrl, createPlatformSetups({}, noFetch, noIdentities));
    const deps = { ...fixture.deps, platforms };
    const { owner, postId } = await createSampleStudio(deps, "Café & “harbour”");
    await createSampleStudio(deps, "Elsewhere");
    const connectionId = await newConnection(deps, owner, "ada", "linkedin");
    for (let i = 0; i < 3; i++) await updatePost(deps, owner, { postId, body: `Text ${i}` });
    await publishPost(deps, owner, { postId, connectionIds: [connectionId], at: "2026-06-01T09:00:00Z" });

    const sentFile = {
      id: "ast_1",
      kind: "image",
      mimeType: "image/png",
      filename: "a.png",
      altText: null,
      bytes: 1,
    } as const;
    const content = { title: null, text: "Sent", assets: [{ ...sentFile, storageKey: "files/secret", digest: "x" }] };
    await fixture.database.q.updateTable("publications").set({ content }).execute();

    const folder = createTempFolder();
    const { path, files, lost } = await runExport(owner.studio.id, folder.path);
    assert.deepEqual(readdirSync(folder.path), [path.slice(folder.path.length + 1)]);
    const read = <T = Record<string, unknown>[]>(name: string): T =>
      JSON.parse(readFileSync(join(path, `${name}.json`), "utf8")) as T;
    const manifest = read<ExportManifest>("manifest");
    assert.deepEqual([files, lost, manifest.studio.id, manifest.lost], [2, [], owner.studio.id, []]);

    assert.deepEqual(
      read("posts").map(({ id, body, tags }) => ({ id, body, tags })),
      [{ id: postId, body: "Text 2", tags: ["Café & “harbour”", "launch"] }],
    );
    const revisions = read("revisions");
    assert.equal(revisions.at(-1)?.["body"], "Text 2");
    const numbers = revisions.map(({ revision }) => Number(revision));
    assert.ok(numbers.length > 2 && numbers.every((number, i) => i === 0 || number > (numbers[i - 1] ?? 0)));
    assert.equal(read("comments").length, 3);
    assert.deepEqual(
      read("publications").map(({ postId: id, connectionId: account, state, scheduledFor }) => [
        id,
        account,
        state,
        scheduledFor,
      ]),
      [[postId, connectionId, "scheduled", "2026-06-01T09:00:00.000Z"]],
    );
    assert.deepEqual(read("publications")[0]?.["content"], { title: null, text: "Sent", assets: [sentFile] });
    assert.ok(read("accounts").some(({ id, handle }) => id === connectionId && handle === "ada"));
    const counts = Object.fromEntries(
      ["posts", "revisions", "comments", "publications", "accounts"].map((name) => [name, read(name).length]),
    );
    assert.deepEqual(manifest.counts, counts);

    for (const file of manifest.files) {
      assert.equal(file.path, `files/${file.assetId}.png`);
      assert.equal(file.filename, "Café & “harbour”.png");
      const bytes = readFileSync(join(path, file.path));
      assert.equal(createHash("sha256").update(bytes).digest("hex"), file.sha256);
      assert.equal(bytes.length, file.bytes);
    }
    assert.deepEqual(manifest.files.map((file) => file.postId).toSorted(), [null, postId].toSorted());
    assert.equal(readdirSync(join(path, "files")).length, 2);
    const text = ["posts", "revisions", "comments", "publications", "accounts", "manifest"]
      .map((name) => JSON.stringify(read(name)))
      .join("");
    assert.doesNotMatch(text, /Elsewhere|storageKey|digest|token|credential|fence/i);
    folder.remove();
  });

  test("a missing file is listed and the rest is exported; an unknown studio and a failure leave no folder (RUN-11)", async () => {
    const { owner } = await createSampleStudio(fixture.deps, "Lost");
    const folder = createTempFolder();
    const files = {
      ...fixture.deps.files,
      read: async () => Promise.reject(new Error("missing")),
    };
    const { lost, path } = await runExport(owner.studio.id, folder.path, files);
    assert.equal(lost.length, 2);
    assert.deepEqual(readdirSync(join(path, "files")), []);
    await assert.rejects(runExport("no-such-studio", folder.path), /no studio with the id or slug/);
    const isFull = async () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
    fixture.clock.advance(1000);
    await assert.rejects(runExport(owner.studio.id, folder.path, { ...files, read: isFull }), /full/);
    assert.equal(readdirSync(folder.path).length, 1);
    folder.remove();
  });
});

describe("the export command", () => {
  const service = useServiceProcess();

  test("exports files of the disk store while the server runs (RUN-11)", async () => {
    const { studio, location } = service;
    const base64 = Buffer.from("The harbour at dawn").toString("base64");
    const file = { kind: "document", mimeType: "text/plain", base64, filename: "notes.txt" };
    const { assetId } = await studio.call<{ assetId: string }>("upload_asset_inline", file);
    const folder = createTempFolder();
    const run = (name: string) => runCommand(["export", name, folder.path], { DATA_DIR: location.dataDir });
    const { code, stdout, output } = await run(studio.studioId);
    assert.equal(code, 0, output);
    const [path = ""] = stdout.split("\n");
    assert.equal(readFileSync(join(path, `files/${assetId}.txt`), "utf8"), "The harbour at dawn");
    const unknown = await run("no-such-studio");
    assert.equal(unknown.code, 1);
    assert.match(unknown.output, /^There is no studio with the id or slug no-such-studio\.$/m);
    folder.remove();
  });
});
