import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { mastodon } from "masto";
import sharp from "sharp";
import { inspectImages } from "#domain/steps/renditions.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { listExtensions } from "#domain/steps/content/filename.ts";
import { incomingKey } from "#domain/model/storage-keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { validatePost } from "#domain/model/validation/validate-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import type { PublicationView } from "#domain/model/publication.ts";
import { connectBluesky, createBlueskySetups } from "../support/bluesky-fixture.ts";
import { openChromium, skipWithoutChromium, type Browser } from "../support/chromium.ts";
import { forEachEngine } from "../support/engines.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { assertClean, assertLooksAlike, createImageCorpus, type CorpusFile } from "../support/image-corpus.ts";
import { connectMastodon, createMastodonReader } from "../support/mastodon-fixture.ts";
import { startPds, skipWithoutPds, type Pds, type PdsAccount } from "../support/pds.ts";
import { startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { startSnac, type Snac } from "../support/snac.ts";
import { skipWithout } from "../support/find-program.ts";

const platformNames = ["mastodon", "bluesky"] as const;
type PlatformName = (typeof platformNames)[number];

/** A file as a client of the platform reads it. */
interface PublishedFile {
  bytes: Buffer;
  mimeType: string;
  altText: string;
  /** The size that the post states for the image. */
  size?: { width: number; height: number } | undefined;
}

/** A file of the corpus, with its previews, validation messages and published files. */
interface CorpusResult {
  file: CorpusFile;
  altText: string;
  previews: Record<PlatformName, Buffer>;
  /** The messages of the validation before publishing. */
  messages: Record<PlatformName, string | undefined>;
  published: Partial<Record<PlatformName, PublishedFile>>;
}

const limits: Record<PlatformName, { maxBytes: number; maxPixels: number; types: readonly string[] }> = {
  mastodon: {
    maxBytes: 16_777_216,
    maxPixels: 33_177_600,
    types: ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"],
  },
  bluesky: { maxBytes: 2_000_000, maxPixels: Infinity, types: ["image/jpeg", "image/png", "image/webp"] },
};
const imagesPerPost = 4;

const skip = skipWithout("snac") || skipWithoutPds || skipWithoutChromium;

forEachEngine(
  "publishing awkward images to a Mastodon and a Bluesky server",
  (fixture) => {
    let snac: Snac;
    let pds: Pds;
    let chromium: Browser;
    let publishing: PublishingFixture;
    let account: PdsAccount;
    let connectionIds: Record<PlatformName, string>;
    let mastodonReader: mastodon.rest.Client;
    let corpus: CorpusFile[];
    const results: CorpusResult[] = [];

    before(async () => {
      [snac, pds, chromium, corpus] = await Promise.all([startSnac(), startPds(), openChromium(), createImageCorpus()]);
      account = await pds.createAccount("ada.test");
      const platforms = createBlueskySetups(pds, { otherHosts: [new URL(snac.instanceUrl).host] });
      publishing = await startPublishing(fixture, [], { platforms });
      connectionIds = {
        mastodon: await connectMastodon(publishing, snac),
        bluesky: await connectBluesky(publishing, chromium, pds, account),
      };
      await chromium.close();
      mastodonReader = await createMastodonReader(publishing, snac, connectionIds.mastodon);
    });
    after(async () => {
      await chromium?.close();
      await publishing?.close();
      await pds?.stop();
      await snac?.stop();
    });

    async function addFile(postId: string, { bytes, mimeType }: CorpusFile, altText: string): Promise<string> {
      const { deps } = publishing.service;
      const { owner } = publishing;
      const filename = `image${listExtensions(mimeType)[0]}`;
      const { assetId } = await requestAssetUpload(deps, owner, { kind: "image", mimeType, filename });
      await (deps.files as HookedFiles).put(incomingKey(assetId), bytes);
      await updateAsset(deps, owner, { assetId, altText });
      await attachAsset(deps, owner, { postId, assetId });
      // A preview waits only ten seconds for the inspection.
      await inspectImages(deps, await deps.assets.listByPosts([postId]), 60_000);
      return assetId;
    }

    const requestPublications = (postId: string): ReturnType<PublishingFixture["api"]> =>
      publishing.api("POST", `/posts/${postId}/publications`, { connectionIds: Object.values(connectionIds) });

    async function readPreview(postId: string, assetId: string, platform: PlatformName): Promise<Buffer> {
      const { browser, service, owner } = publishing;
      const path = `posts/${postId}/assets/${assetId}/renditions/${connectionIds[platform]}`;
      const response = await browser.send(`${service.base}/api/studios/${owner.studio.id}/${path}`);
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.equal(response.status, 200, bytes.toString("utf8", 0, 500));
      return bytes;
    }

    /** The message about one file, as in a post without other files. */
    async function readMessage(postId: string, assetId: string, platform: PlatformName): Promise<string | undefined> {
      const { deps } = publishing.service;
      const { studio } = publishing.owner;
      const post = await getPost(deps, publishing.owner, { postId });
      const connection = await deps.platformStore.find(studio.id, connectionIds[platform]);
      assert.ok(connection);
      const inspections = await deps.imageInspections.list([assetId]);
      const draft = { ...post, assets: post.assets.filter(({ id }) => id === assetId), inspections };
      const [validation] = await validatePost(deps, [connection], draft);
      assert.ok(validation && validation.problems.length <= 1, JSON.stringify(validation?.problems));
      return validation.problems[0]?.message;
    }

    const forEachPlatform = async <Value>(
      read: (platform: PlatformName) => Promise<Value>,
    ): Promise<Record<PlatformName, Value>> => ({ mastodon: await read("mastodon"), bluesky: await read("bluesky") });

    async function readFromMastodon(text: string): Promise<PublishedFile[]> {
      const { id } = await mastodonReader.v1.accounts.verifyCredentials();
      const statuses = await mastodonReader.v1.accounts.$select(id).statuses.list({ limit: 40 });
      const attachments = statuses
        .filter((status) => status.text === text)
        .flatMap((status) => status.mediaAttachments);
      return Promise.all(
        attachments.map(async ({ type, url, description }) => {
          const response = await fetch(url ?? "");
          assert.deepEqual([type, response.status], ["image", 200]);
          const mimeType = response.headers.get("content-type") ?? "";
          return { bytes: Buffer.from(await response.arrayBuffer()), mimeType, altText: description ?? "" };
        }),
      );
    }

    async function readFromBluesky(text: string): Promise<PublishedFile[]> {
      const posts = (await pds.readPosts(account.did)).filter((post) => post.text === text);
      return Promise.all(
        posts
          .flatMap(({ images }) => images)
          .map(async ({ alt, aspectRatio, mimeType, cid }) => {
            const bytes = Buffer.from(await pds.readBlob(account.did, cid));
            return { bytes, mimeType, altText: alt, size: aspectRatio };
          }),
      );
    }

    async function publishGroup(files: readonly CorpusFile[], text: string): Promise<CorpusResult[]> {
      const postId = await publishing.newPost(text);
      const group: CorpusResult[] = [];
      for (const file of files) {
        const altText = `"${file.name}" – größer`;
        const assetId = await addFile(postId, file, altText);
        const previews = await forEachPlatform((platform) => readPreview(postId, assetId, platform));
        const messages = await forEachPlatform((platform) => readMessage(postId, assetId, platform));
        group.push({ file, altText, previews, messages, published: {} });
      }
      const { status, body } = await requestPublications(postId);
      assert.equal(status, 201, JSON.stringify(body));
      for (const { id } of body["publications"] as PublicationView[])
        assert.equal((await publishing.waitForState(id, "published", "failed")).problem, null);
      const publishedFiles = { mastodon: await readFromMastodon(text), bluesky: await readFromBluesky(text) };
      for (const platform of platformNames) {
        assert.equal(publishedFiles[platform].length, files.length);
        for (const [i, publishedFile] of publishedFiles[platform].entries())
          Object.assign(group[i]?.published ?? {}, { [platform]: publishedFile });
      }
      return group;
    }

    /** Calls back with every published file. */
    async function forEachPublished(
      check: (
        result: CorpusResult,
        published: PublishedFile,
        platform: PlatformName,
        description: string,
      ) => Promise<void>,
    ): Promise<void> {
      assert.equal(results.length, corpus.filter(({ rejection }) => !rejection).length);
      for (const result of results)
        for (const platform of platformNames) {
          const published = result.published[platform];
          assert.ok(published);
          await check(result, published, platform, `${result.file.name} on ${platform}`);
        }
    }

    test("both servers accept every rendition of the corpus", async () => {
      assert.equal(corpus.length, 60);
      const files = corpus.filter(({ rejection }) => !rejection);
      for (let at = 0; at < files.length; at += imagesPerPost)
        results.push(...(await publishGroup(files.slice(at, at + imagesPerPost), `Corpus from ${at}`)));
    });

    test("rejects a file that can't be converted, names the next step, and sends nothing", async () => {
      // The servers also send requests to themselves.
      const listUploads = (): string[] =>
        [...snac.proxy.requests, ...pds.proxy.requests].filter((request) =>
          /^POST .*(media|statuses|uploadBlob|putRecord)/.test(request),
        );
      const uploads = listUploads();
      assert.ok(uploads.length > 0);
      for (const file of corpus.filter(({ rejection }) => rejection)) {
        const postId = await publishing.newPost(`Rejected: ${file.name}`);
        await addFile(postId, file, file.name);
        const { status, body } = await requestPublications(postId);
        assert.deepEqual([status, body["code"]], [409, "not_publishable"]);
        const filename = `image${listExtensions(file.mimeType)[0]}`;
        const problems = body["problems"] as { problems: { message: string }[] }[];
        assert.deepEqual(
          problems.map((each) => each.problems.map(({ message }) => message)),
          platformNames.map(() => [`${filename} ${file.rejection}.`]),
          file.name,
        );
      }
      assert.deepEqual(listUploads(), uploads);
    });

    test("every published file equals its preview, has the right type and alt text, and is within the platform's limits", async () => {
      await forEachPublished(async ({ file, altText, previews }, published, platform, description) => {
        assert.ok(published.bytes.equals(previews[platform]), description);
        const { width, height, type } = await readTraits(published.bytes);
        const { types, maxBytes, maxPixels } = limits[platform];
        assert.deepEqual([published.mimeType, published.altText], [type, altText], description);
        assert.ok(types.includes(type), `${description}: ${type}`);
        assert.ok(published.bytes.length <= maxBytes && width * height <= maxPixels, description);
        if (platform === "bluesky") assert.deepEqual(published.size, { width, height }, description);
        const { dimensions: original } = file;
        assert.ok(width <= original.width && height <= original.height, description);
        assert.ok(
          Math.abs(width * original.height - height * original.width) <= Math.max(original.width, original.height),
          description,
        );
      });
    });

    test("every published file decodes completely, contains no metadata, and looks like the original, upright and in its colors", async () => {
      await forEachPublished(async ({ file }, { bytes }, _, description) => {
        await assertClean(bytes, description);
        await assertLooksAlike(file, bytes, description);
      });
    });

    test("validation announces a change of the type, the size and the animation, and nothing else", async () => {
      await forEachPublished(async ({ file, messages }, { bytes }, platform, description) => {
        const message = messages[platform] ?? "";
        const { width, height, type, frameCount } = await readTraits(bytes);
        const isScaled = width < file.dimensions.width || height < file.dimensions.height;
        const isSmaller = file.bytes.length > limits[platform].maxBytes;
        const isVisible = type !== file.mimeType || isScaled || frameCount < file.frameCount || isSmaller;
        assert.equal(message !== "", isVisible, `${description}: ${message}`);
        assert.equal(message.includes(`converted to ${typeNames[type]}`), type !== file.mimeType, message);
        assert.equal(message.includes("first frame"), frameCount < file.frameCount, message);
      });
    });

    test("the documentation lists what happens to each file", async () => {
      const rows: string[] = [];
      for (const file of corpus) {
        const result = results.find((candidate) => candidate.file === file);
        const cells = platformNames.map((platform) => describeResult(file, result?.published[platform]));
        rows.push(`| ${file.name} | ${(await Promise.all(cells)).join(" | ")} |`);
      }
      const table = ["| File | Mastodon | Bluesky |", "| --- | --- | --- |", ...rows].join("\n");
      const page = readFileSync(join(import.meta.dirname, "../../docs/platforms.md"), "utf8");
      const documented = /^## What happens to awkward files\n[^|]*(?<table>(?:\|.*\n)+)/m.exec(page)?.groups?.["table"];
      assert.equal(documented?.trimEnd(), table);
    });
  },
  ["sqlite"],
  skip,
);

const typeNames: Readonly<Record<string, string>> = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/webp": "WebP",
  "image/gif": "GIF",
  "image/avif": "AVIF",
};

async function readTraits(
  bytes: Buffer,
): Promise<{ type: string; width: number; height: number; frameCount: number; hasAlpha: boolean }> {
  const { format, width, height, pages = 1, hasAlpha } = await sharp(bytes).metadata();
  // libvips reads one frame of an animated PNG.
  const animationControl = format === "png" ? bytes.indexOf("acTL") : -1;
  const frameCount = animationControl < 0 ? pages : bytes.readUInt32BE(animationControl + 4);
  return { type: format === "heif" ? "image/avif" : `image/${format}`, width, height, frameCount, hasAlpha };
}

/** Describes what happened to a file, according to the published bytes. */
async function describeResult(file: CorpusFile, published: PublishedFile | undefined): Promise<string> {
  if (!published) return `rejected: “${file.rejection}”`;
  const { bytes } = published;
  if (bytes.equals(file.bytes)) return "unchanged";
  const { type, width, height, frameCount, hasAlpha } = await readTraits(bytes);
  const isSameFormat = type === file.mimeType && frameCount === file.frameCount && width === file.dimensions.width;
  if (isSameFormat && (await hasSamePixels(bytes, file.bytes))) return "metadata removed";
  const details = [
    ...(width < file.dimensions.width ? [`${width} × ${height}`] : []),
    ...(frameCount < file.frameCount ? ["first frame"] : []),
    ...(file.pixels.info.channels === 4 && !hasAlpha ? ["on white"] : []),
  ];
  return [`encoded as ${typeNames[type]}`, ...details].join(", ");
}

/** Whether two files have the same pixels, depth and color profile. */
async function hasSamePixels(a: Buffer, b: Buffer): Promise<boolean> {
  const describe = async (bytes: Buffer): Promise<string> => {
    const { depth, icc, orientation = 1 } = await sharp(bytes).metadata();
    const pixels = await sharp(bytes, { animated: true }).raw().toBuffer();
    return JSON.stringify([
      depth,
      orientation,
      icc?.toString("hex"),
      createHash("sha256").update(pixels).digest("hex"),
    ]);
  };
  return (await describe(a)) === (await describe(b));
}
