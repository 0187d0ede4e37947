import { toIsoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { PostOptions } from "#portable/post-options.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import type { Asset, AssetDetail } from "../model/asset.ts";
import { getAccountLabel } from "../model/connection.ts";
import type { Post } from "../model/post.ts";
import { type DecisionView, type ReviewPost, toDecisionView } from "../model/review.ts";
import type { Revision } from "../model/revision.ts";
import type { Deps } from "../ports/deps.ts";
import { describeAssets, getUrlExpiry } from "../steps/describe-asset.ts";
import { findReviewPost, type Guest, recordView, toExpiry, toGuest } from "./guest.ts";
import { type GuestCommentView, toGuestCommentView } from "./guest-comments.ts";
import { readReviewedContent, type ReviewedAccount } from "./reviewed-content.ts";

type MediaView = Pick<AssetDetail, "id" | "kind" | "mimeType" | "filename" | "width" | "height" | "durationMs"> & {
  altText: string | null;
  /** As the account receives it. */
  url: string | undefined;
  thumbnailUrl: string | undefined;
};

/** What an account would have received when the guest decided. */
interface EarlierContent {
  title: string | null;
  text: string;
  options: PostOptions | null;
  followUps: readonly string[];
  media: { id: string; filename: string; altText: string | null }[];
}

interface AccountView {
  /** Empty, like the next two, if the studio has no account. */
  connectionId: string;
  platform: string;
  account: string;
  title: string | null;
  text: string;
  options: PostOptions | null;
  followUps: readonly string[];
  media: MediaView[];
  scheduledFor: string | null;
  /** Only if the decision is outdated, and covered this account. */
  before?: EarlierContent;
}

export interface ReviewSession {
  studio: { name: string };
  message: string | null;
  posts: {
    id: string;
    title: string;
    digest: string;
    accounts: AccountView[];
    decision: DecisionView | null;
    comments: GuestCommentView[];
  }[];
  expiresAt: string;
}

/** How long everything on a page may be together, so that writing it does not delay other users. */
const maxPageLength = 2_000_000;
/** What a file counts, for which two URLs are signed, and an account without its texts. */
const fileLength = 400;
const accountLength = 200;
const maxCommentLengthPerPost = 100_000;

interface ShownContent {
  text: string;
  followUps?: readonly string[] | undefined;
  files: readonly unknown[];
}

const measureContent = ({ text, followUps = [], files }: ShownContent): number =>
  accountLength + text.length + followUps.join("").length + files.length * fileLength;

/** Adds what is about to be shown. Throws if the page becomes too long, before more work is done for it. */
type AddLength = (length: number) => void;

function createLengthLimit(): AddLength {
  let total = 0;
  return (length) => {
    total += length;
    if (total > maxPageLength) throw new AppError("quota_exceeded:review_text");
  };
}

type DescribeDeps = Pick<
  Deps,
  | "posts"
  | "assets"
  | "revisions"
  | "comments"
  | "publications"
  | "platformStore"
  | "platforms"
  | "files"
  | "signer"
  | "clock"
  | "baseUrl"
>;

/** Returns everything that the review page shows, and counts the view. Changes nothing else. */
export async function describeReview(
  deps: DescribeDeps & Pick<Deps, "transact" | "newId">,
  guest: Guest,
): Promise<ReviewSession> {
  const assets = Map.groupBy(
    await deps.assets.listByPosts(guest.posts.map(({ postId }) => postId)),
    ({ postId }) => postId,
  );
  const posts: ReviewSession["posts"] = [];
  const addLength = createLengthLimit();
  for (const review of guest.posts) {
    const post = await deps.posts.find(guest.link.studioId, review.postId);
    if (!post || post.status === "archived") continue;
    posts.push(await describePost(deps, guest, review, { post, assets: assets.get(post.id) ?? [] }, addLength));
  }
  if (posts.length === 0) throw new AppError("review_ended");
  await recordView(deps, guest);
  return { studio: { name: guest.link.studioName }, message: guest.link.message, posts, expiresAt: toExpiry(guest) };
}

async function describePost(
  deps: DescribeDeps,
  { link }: Guest,
  review: ReviewPost,
  { post, assets }: { post: Post; assets: readonly Asset[] },
  addLength: AddLength,
): Promise<ReviewSession["posts"][number]> {
  const { accounts, digest } = await readReviewedContent(deps, deps, post, assets);
  for (const { content } of accounts) addLength(measureContent({ ...content, files: content.assets }));
  const details = new Map((await describeAssets(deps, assets)).map((detail) => [detail.id, detail]));
  const earlier = review.isOutdated ? await deps.revisions.find(post.id, review.decision?.revision ?? 0) : undefined;
  const coveredIds = new Set(review.decision?.accounts.map(({ connectionId }) => connectionId));
  const selectBefore = (account: ReviewedAccount): { before?: EarlierContent } => {
    if (!earlier || !coveredIds.has(account.connectionId)) return {};
    const before = selectEarlier(earlier, account);
    addLength(measureContent({ ...before, files: before.media }));
    return { before };
  };
  const comments = await deps.comments.listForGuests(post.id, link.id, maxCommentLengthPerPost);
  for (const { body } of comments) addLength(body.length + accountLength);
  return {
    id: post.id,
    title: post.title,
    digest,
    accounts: accounts.map((account) => ({
      ...describeAccount(deps, link.id, post.id, account, details),
      ...selectBefore(account),
    })),
    decision: toDecisionView(review),
    comments: comments.map(toGuestCommentView),
  };
}

function describeAccount(
  deps: DescribeDeps,
  linkId: string,
  postId: string,
  { connectionId, connection, content, scheduledFor }: ReviewedAccount,
  details: ReadonlyMap<string, AssetDetail>,
): AccountView {
  const createImageUrl = (assetId: string): string => {
    const claims = { link: linkId, post: postId, asset: assetId, connection: connectionId };
    return `${deps.baseUrl}/files/review/${deps.signer.sign("review-image", claims, getUrlExpiry(deps))}`;
  };
  return {
    connectionId,
    platform: connection?.platform ?? "",
    account: connection ? getAccountLabel(connection.account) : "",
    title: content.title,
    text: content.text,
    options: content.options ?? null,
    followUps: content.followUps ?? [],
    media: content.assets.map(({ id, kind, mimeType, filename, altText }) => {
      const { width, height, durationMs, url, thumbnailUrl } = details.get(id) ?? {};
      const shownUrl = kind === "image" && connection ? createImageUrl(id) : url;
      return { id, kind, mimeType, filename, altText, width, height, durationMs, url: shownUrl, thumbnailUrl };
    }),
    scheduledFor: scheduledFor === null ? null : toIsoTime(scheduledFor),
  };
}

function selectEarlier(revision: Revision, { connectionId, includesTitle }: ReviewedAccount): EarlierContent {
  const { body, assets, options = null, followUps } = selectForAccount(revision, connectionId);
  const media = assets.map(({ id, filename, altText }) => ({ id, filename, altText }));
  return { title: includesTitle ? revision.title : null, text: body, options, followUps, media };
}

/** Resolves the URL of an image on the review page, while its link is open and its post is not archived. */
export async function resolveReviewImage(
  deps: Pick<Deps, "reviews" | "posts" | "signer" | "clock">,
  token: string,
): Promise<{ guest: Guest; image: { postId: string; assetId: string; connectionId: string } }> {
  const claims = deps.signer.verify("review-image", token) as Record<string, string> | undefined;
  const link = claims && (await deps.reviews.findLink(claims["link"] ?? ""));
  if (!claims || !link) throw new AppError("not_found:link");
  const guest = await toGuest(deps, link);
  const { postId } = findReviewPost(guest, claims["post"] ?? "");
  if ((await deps.posts.find(link.studioId, postId))?.status === "archived") throw new AppError("review_ended");
  return { guest, image: { postId, assetId: claims["asset"] ?? "", connectionId: claims["connection"] ?? "" } };
}
