import { days } from "#lib/clock.ts";
import { batchSize, largeRarePost, smallRarePost, type FillContext } from "./fill-context.ts";

const largeStudioAccounts = 10;
const revisionsPerPost = 10;
/** The time from a studio's first to its last publication. A twentieth of it is in the future. */
export const publicationSpan = { large: days(1095), small: days(60) };
const clientIdSql = "'https://client.example.com/oauth/metadata.json'";

export async function fillStudios({ counts, now, id, pad, createdAt, insert }: FillContext): Promise<void> {
  const at = createdAt("s.n", counts.studios);
  await insert("studios", counts.studios, {
    id: id("std", "s.n"),
    name: "'Studio ' || s.n",
    slug: "'studio-' || s.n",
    timezone: "'Europe/Berlin'",
    owner_count: "1",
    created_at: at,
  });
  await insert("users", counts.studios, {
    id: id("usr", "s.n"),
    issuer: "'https://accounts.example.com'",
    subject: pad("s.n", 21),
    name: "'Person ' || s.n",
    email: "'person' || s.n || '@example.com'",
    email_verified: "1",
    active_studio_id: id("std", "s.n"),
    created_at: at,
  });
  await insert("memberships", counts.studios, {
    studio_id: id("std", "s.n"),
    user_id: id("usr", "s.n"),
    role: "'owner'",
    joined_at: at,
  });
  await insert("grants", counts.studios, {
    id: id("con", "s.n"),
    user_id: id("usr", "s.n"),
    client_id: clientIdSql,
    client_name: "'Assistant'",
    client_verified: "1",
    redirect_host: "'client.example.com'",
    scopes: "'studio:read studio:write'",
    studio_id: id("std", "s.n"),
    generation: "1",
    rotated_at: at,
    granted_at: at,
  });
  // The first connections (`largeStudioAccounts`) belong to the large studio; each other studio has one.
  const studio = `(CASE WHEN s.n < ${largeStudioAccounts} THEN 0 ELSE s.n - ${largeStudioAccounts - 1} END)`;
  await insert("platform_connections", counts.studios + largeStudioAccounts - 1, {
    id: id("plc", "s.n"),
    studio_id: id("std", studio),
    platform: "'sandbox'",
    instance: "''",
    account_id: "'account-' || s.n",
    handle: "'account-' || s.n",
    state: "'connected'",
    credential: pad("s.n", 400),
    generation: "1",
    connected_by: id("usr", studio),
    connected_at: `${now}`,
  });
}

export async function fillPosts({ counts, id, studioOf, createdAt, insert }: FillContext): Promise<void> {
  const title = `t.title || ' ' || s.n || CASE WHEN (s.n / 10) % 20 = 0 THEN ' medium' ELSE '' END
    || CASE WHEN s.n = ${largeRarePost} OR s.n = ${counts.studios === 1 ? -1 : smallRarePost} THEN ' rarest' ELSE '' END`;
  const status = "CASE (s.n / 10) % 5 WHEN 0 THEN 'draft' WHEN 1 THEN 'archived' ELSE 'ready' END";
  const hasAssets = "(s.n / 10) % 4 = 0 AND ((s.n / 40) * 10 + s.n % 10) % 7 <> 0";
  const postAt = createdAt("s.n", counts.posts);
  await insert(
    "posts",
    counts.posts,
    {
      id: id("pst", "s.n"),
      studio_id: id("std", studioOf("s.n")),
      title,
      body: "t.body",
      status,
      revision: `${revisionsPerPost}`,
      search_text: `lower(${title} || ' ' || t.body)`,
      search_indexed: "1",
      asset_count: `CASE WHEN ${hasAssets} THEN 4 ELSE 0 END`,
      last_position: `CASE WHEN ${hasAssets} THEN 4 ELSE 0 END`,
      assets_revision: "1",
      ready_revision: `CASE WHEN (s.n / 10) % 5 > 1 THEN 2 END`,
      created_by: id("usr", studioOf("s.n")),
      created_at: postAt,
      updated_at: postAt,
    },
    "s.n",
  );
  // Changes of other posts lie between two changes of a post, as in a database that grew over time.
  const postsPerBatch = batchSize / revisionsPerPost;
  const batchPosts = Math.min(postsPerBatch, counts.posts);
  const post = `((s.n / ${batchSize}) * ${postsPerBatch} + s.n % ${batchPosts})`;
  const change = `((s.n % ${batchSize}) / ${batchPosts})`;
  const author = {
    studio_id: id("std", studioOf(post)),
    user_id: id("usr", studioOf(post)),
    client_id: `CASE WHEN ${change} % 2 = 0 THEN ${clientIdSql} END`,
    client_name: `CASE WHEN ${change} % 2 = 0 THEN 'Assistant' END`,
    at: createdAt("s.n", counts.revisions),
  };
  await insert(
    "post_revisions",
    counts.revisions,
    {
      ...author,
      post_id: id("pst", post),
      revision: `${change} + 1`,
      grant_id: `CASE WHEN ${change} % 2 = 0 THEN ${id("con", studioOf(post))} END`,
      title: "t.title",
      body: `t.body || ' ' || ${change}`,
      status: "'draft'",
      trashed: "0",
      assets_revision: "1",
      title_changed: "0",
      body_changed: "1",
      status_changed: "0",
      assets_changed: "0",
      trashed_changed: "0",
    },
    post,
  );
  await insert("activity", counts.activity, {
    ...author,
    id: id("act", "s.n"),
    action: `CASE ${change} WHEN 0 THEN 'post.created' ELSE 'post.updated' END`,
    subject_id: id("pst", post),
    detail: `'{"fields":["body"],"revision":' || (${change} + 1) || '}'`,
  });
}

export async function fillAssets({ counts, id, pad, studioOf, createdAt, insert }: FillContext): Promise<void> {
  const group = "(s.n / 4)";
  const post = `((${group} / 10) * 40 + ${group} % 10)`;
  const isAttached = `${group} % 7 <> 0`;
  const filename = "'common-photo-' || s.n || CASE WHEN s.n % 4 = 3 THEN '.mp4' ELSE '.jpg' END";
  const asset = {
    kind: "CASE WHEN s.n % 4 = 3 THEN 'video' ELSE 'image' END",
    mime_type: "CASE WHEN s.n % 4 = 3 THEN 'video/mp4' ELSE 'image/jpeg' END",
    filename,
    alt_text: "t.title",
  };
  await insert(
    "assets",
    counts.assets,
    {
      ...asset,
      id: id("ast", "s.n"),
      studio_id: id("std", studioOf(post)),
      post_id: `CASE WHEN ${isAttached} THEN ${id("pst", post)} END`,
      position: `CASE WHEN ${isAttached} THEN s.n % 4 + 1 END`,
      status: "'ready'",
      bytes: "1000000",
      version: pad("s.n", 36),
      sha256: pad("s.n", 64),
      storage_key: `'files/' || ${id("ast", "s.n")} || '.' || ${pad("s.n", 24)}`,
      charged_bytes: "1000000",
      width: "1600",
      height: "1200",
      search_text: `lower(${filename} || ' ' || t.title)`,
      search_indexed: "1",
      created_by: id("usr", studioOf(post)),
      created_at: createdAt("s.n", counts.assets),
    },
    "s.n",
  );
  await insert(
    "image_inspections",
    counts.assets,
    {
      asset_id: id("ast", "s.n"),
      width: "1600",
      height: "1200",
      frames: "1",
      has_alpha: "0",
      has_metadata: "1",
      is_standard: "1",
    },
    "0",
    "s.n % 4 < 3",
  );
  await insert(
    "post_revision_assets",
    counts.assets,
    { ...asset, post_id: id("pst", post), revision: "1", position: "s.n % 4 + 1", asset_id: id("ast", "s.n") },
    "s.n",
    isAttached,
  );
}

export async function fillPublications({ counts, now, id, pad, studioOf, insert }: FillContext): Promise<void> {
  const post = "(s.n * 10 + s.n % 10)";
  const studio = studioOf(post);
  const state = `(CASE WHEN ${post} * 20 >= ${19 * counts.posts} THEN 'scheduled' WHEN s.n / 10 % 50 = 7 THEN 'failed' ELSE 'published' END)`;
  const span =
    counts.studios === 1
      ? `${publicationSpan.small}`
      : `(CASE WHEN ${studio} = 0 THEN ${publicationSpan.large} ELSE ${publicationSpan.small} END)`;
  const at = `${now} - ${span} / 20 * 19 + ${post} * ${span} / ${counts.posts}`;
  const isPublished = `${state} = 'published'`;
  const isScheduled = `${state} = 'scheduled'`;
  await insert(
    "publications",
    counts.publications,
    {
      id: id("pub", "s.n"),
      studio_id: id("std", studio),
      post_id: id("pst", post),
      connection_id: id(
        "plc",
        `(CASE WHEN ${studio} = 0 THEN s.n / 10 % ${largeStudioAccounts} ELSE ${studio} + ${largeStudioAccounts - 1} END)`,
      ),
      state,
      scheduled_for: at,
      includes_title: "0",
      revision: `${revisionsPerPost}`,
      digest: pad("s.n", 64),
      approved_revision: `${revisionsPerPost}`,
      approved_for: at,
      requested_by: id("usr", studio),
      approved_by: id("usr", studio),
      created_at: `${at} - ${days(7)}`,
      published_at: `CASE WHEN ${isPublished} THEN ${at} END`,
      url: `CASE WHEN ${isPublished} THEN 'https://platform.example.com/posts/' || ${pad("s.n", 20)} END`,
      remote_id: `CASE WHEN ${isPublished} THEN ${pad("s.n", 20)} END`,
      due_at: `CASE WHEN ${isScheduled} THEN ${at} END`,
      next_run_at: `CASE WHEN ${isScheduled} THEN ${at} END`,
      content: `CASE WHEN ${isPublished} THEN '{"title":null,"text":"' || t.body || '","assets":[]}' END`,
    },
    post,
  );
}
