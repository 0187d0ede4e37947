import { AtpAgent, RichText } from "@atproto/api";

/** Reads an account's posts, newest first, with the library of the Bluesky app. */
export async function readPosts(serverUrl, did) {
  const agent = new AtpAgent({ service: serverUrl });
  const list = (collection) => agent.com.atproto.repo.listRecords({ repo: did, collection, limit: 100 });
  const { data } = await list("app.bsky.feed.post");
  const gates = new Map((await list("app.bsky.feed.threadgate")).data.records.map(({ value }) => [value.post, value]));
  return data.records.map(({ uri, value }) => ({
    uri,
    text: value.text,
    createdAt: value.createdAt,
    langs: value.langs ?? [],
    labels: (value.labels?.values ?? []).map(({ val }) => val),
    replyRules: gates.get(uri)?.allow.map(({ $type }) => $type.split("#")[1]) ?? null,
    reply: value.reply ?? null,
    features: [...new RichText({ text: value.text, facets: value.facets }).segments()]
      .filter((segment) => segment.facet)
      .map((segment) => [segment.text, segment.link?.uri ?? segment.mention?.did ?? segment.tag?.tag]),
    images: (value.embed?.images ?? []).map(({ alt, aspectRatio, image }) => ({
      alt,
      aspectRatio,
      mimeType: image.mimeType,
      size: image.size,
      cid: image.ref.toString(),
    })),
  }));
}

/** Reads a file of an account. */
export async function readBlob(serverUrl, did, cid) {
  const { data } = await new AtpAgent({ service: serverUrl }).com.atproto.sync.getBlob({ did, cid });
  return data;
}

/** The length of a text, as the library counts it: in graphemes. */
export const countCharacters = (text) => new RichText({ text }).graphemeLength;
