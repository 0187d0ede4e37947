import { days, toIsoTime } from "#lib/clock.ts";
import { buildFacets, listMentionedHandles } from "../atproto/facets.ts";
import { deriveRecordKey } from "../atproto/record-key.ts";
import { requireId, toObject } from "../call-api.ts";
import type { ApiCall, JsonObject } from "../platform.ts";
import type { PublishContext, Publishing } from "../publishing.ts";

const collection = "app.bsky.feed.post";
/** A reference to a file has about 200 characters. */
const maxReferenceLength = 2000;

export const buildProfileUrl = (account: string): string => `https://bsky.app/profile/${account}`;

export const blueskyPublishing: Publishing = {
  listPostHosts: () => ["bsky.app"],
  media: {
    buildCall: (context, { mimeType }) => ({
      method: "POST",
      url: `${context.endpoints.api}/xrpc/com.atproto.repo.uploadBlob`,
      dpop: toBoundToken(context),
      headers: { "content-type": mimeType },
    }),
    // The post's record must contain the whole reference (digest, type and size), so all of it is the id.
    parseId: ({ blob }) => {
      requireId(toObject(toObject(blob)["ref"])["$link"], "link");
      const reference = JSON.stringify(blob);
      if (reference.length > maxReferenceLength) throw new Error("the response has an invalid reference");
      return reference;
    },
  },
  mentions: {
    listNames: ({ text }) => listMentionedHandles(text),
    buildCall: ({ endpoints }, handle) => ({
      method: "GET",
      url: `${endpoints.api}/xrpc/com.atproto.identity.resolveHandle`,
      query: { handle },
    }),
    parseId: ({ did }) => requireId(did, "did"),
  },
  commit: {
    buildCall: (context) => ({
      method: "POST",
      url: `${context.endpoints.api}/xrpc/com.atproto.repo.putRecord`,
      dpop: toBoundToken(context),
      json: { repo: context.account.id, collection, ...buildRecord(context) },
    }),
    parsePost: ({ uri }, { account }) => {
      const id = requireId(uri, "uri");
      return { id, url: `${buildProfileUrl(account.handle ?? account.id)}/post/${id.split("/").at(-1)}` };
    },
  },
  // We choose the key of the record, so a repeated request writes the same record again.
  reconcile: { repeatWithinMs: days(1) },
};

function toBoundToken({ accessToken, binding }: PublishContext): NonNullable<ApiCall["dpop"]> {
  if (!binding) throw new Error("the access token has no key");
  return { accessToken, key: binding.key };
}

function buildRecord({ content, progress, commitKey, committedAt }: PublishContext): JsonObject {
  if (committedAt === undefined) throw new Error("the commit has no time");
  const images = content.assets.map(({ id, altText, width, height }) => ({
    image: JSON.parse(progress.mediaIds[id] ?? "null") as unknown,
    alt: altText ?? "",
    ...(width && height ? { aspectRatio: { width, height } } : {}),
  }));
  const facets = buildFacets(content.text, progress.mentions ?? {});
  return {
    rkey: deriveRecordKey(commitKey, committedAt),
    record: {
      $type: collection,
      text: content.text,
      createdAt: toIsoTime(committedAt),
      ...(facets.length === 0 ? {} : { facets }),
      ...(images.length === 0 ? {} : { embed: { $type: "app.bsky.embed.images", images } }),
    },
  };
}
