import assert from "node:assert/strict";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { completeFile, type FileView } from "#domain/uploads/files.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { createPartUrls } from "#domain/uploads/reserve-parts.ts";
import { startFile, type StartedFile } from "#domain/uploads/start-file.ts";
import { resolveUploadCaller, type UploadCaller } from "#domain/uploads/upload-link.ts";
import type { Fixture, TestDeps } from "./engines.ts";
import { createHookedFiles, type HookedFiles } from "./hooked-files.ts";
import { newStudio } from "./users.ts";

/** A studio with a quota, a post, and an upload link of the post. */
export interface LinkFixture {
  deps: TestDeps;
  files: HookedFiles;
  owner: Caller;
  postId: string;
  token: string;
  resolveCaller(): Promise<UploadCaller>;
  /** Starts or resumes a file of this size, without sending bytes. */
  start(name: string, size: number): Promise<StartedFile>;
  /** Requests URLs of parts, which reserves quota for them; returns the parts that got a URL. */
  reserve(file: StartedFile, parts: number[]): Promise<number[]>;
  send(file: StartedFile, content: Buffer, parts: number[]): Promise<void>;
  complete(file: StartedFile): Promise<FileView>;
  /** The bytes that count toward the quota, after asserting that they are the sum of the assets' charges. */
  getUsedBytes(): Promise<number>;
}

export async function createLinkFixture(
  fixture: Fixture,
  studioBytes: number | undefined,
  chooseCreator: (deps: TestDeps, owner: Caller) => Promise<Caller> = async (_, owner) => owner,
): Promise<LinkFixture> {
  const files = createHookedFiles(fixture.clock);
  const deps: TestDeps = { ...fixture.deps, files, limits: { ...fixture.deps.limits, studioBytes } };
  const owner = await newStudio(deps);
  const postId = (await createPost(deps, owner, { title: "Spring", body: "" })).id;
  const { url } = await createUploadSession(deps, await chooseCreator(deps, owner), { postId });
  const token = url.slice(`${deps.uploadPage}/u/`.length);
  const resolveCaller = () => resolveUploadCaller(deps, token);
  const createUrls = async ({ file: { id } }: StartedFile, parts: number[]) =>
    (await createPartUrls(deps, await resolveCaller(), { fileId: id, parts })).urls;
  return {
    deps,
    files,
    owner,
    postId,
    token,
    resolveCaller,
    start: async (name, size) => startFile(deps, await resolveCaller(), { name, size, lastModified: 1, type: "" }),
    reserve: async (file, parts) => (await createUrls(file, parts)).map(({ part }) => part),
    async send(file, content, parts) {
      for (const { part, url: partUrl } of await createUrls(file, parts)) {
        const start = (part - 1) * file.partBytes;
        assert.ok(await files.parts.send(partUrl, content.subarray(start, start + file.partBytes)));
      }
    },
    complete: async ({ file: { id } }) => completeFile(deps, await resolveCaller(), { fileId: id }),
    async getUsedBytes() {
      const { q } = fixture.database;
      const studio = q.selectFrom("studios").select("usedBytes").where("id", "=", owner.studio.id);
      const assets = q.selectFrom("assets").select("chargedBytes").where("studioId", "=", owner.studio.id);
      const usedBytes = (await studio.executeTakeFirstOrThrow()).usedBytes;
      const charges = (await assets.execute()).map(({ chargedBytes: bytes }) => bytes);
      assert.equal(
        usedBytes,
        charges.reduce((sum, bytes) => sum + bytes, 0),
        "the studio's used bytes are the sum of its assets' charges",
      );
      return usedBytes;
    },
  };
}
