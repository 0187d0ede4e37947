import { RequestError } from "../upload/client.ts";
import { createButton, createElement, setText, setVisible } from "../upload/dom.ts";
import type { Uploader } from "../upload/uploader.ts";
import { createAccountsView, getStateLabel, type AccountsView } from "./accounts-view.ts";
import { createRandomId, isRecord } from "./bridge.ts";
import { isWebUrl, type Host, type HostContext } from "./host.ts";
import { getPollIntervalMs } from "./poll-interval.ts";
import { startPolling, type Polling } from "./polling.ts";
import { createPostView, type PostView } from "./post-view.ts";
import { readPost, type PostData } from "./read-post.ts";
import { selectLanguage } from "./strings.ts";
import { createThumbnails } from "./thumbnails.ts";
import { createPostUploader, createUploadSection } from "./upload-section.ts";

export interface App {
  setContext(context: HostContext): void;
  setToolInput(args: Record<string, unknown>): void;
  setToolResult(result: Record<string, unknown>): void;
  setToolCancelled(): void;
  destroy(): void;
}

/** Shows the first post that the host names. Messages from the host never start an action, such as a proposal. */
export function createApp(root: HTMLElement, host: Host): App {
  let language = selectLanguage(host.context.locale);
  let { timeZone } = host.context;
  const deselectedIds = new Set<string>();
  let post: PostData | undefined;
  let postId: string | undefined;
  /** An upload link in the result of the tool that opened the app. */
  let resultLinkUrl: string | undefined;
  /** The number of calls of get_post by this app, and the number of the newest one that has succeeded. */
  let readCount = 0;
  let lastSuccessfulRead = 0;
  let notice: "loading" | "loadFailed" | "noPost" | "outdated" | undefined = "loading";
  let uploader: Uploader | undefined;
  let polling: Polling | undefined;
  let postView: PostView | undefined;
  let accountsView: AccountsView | undefined;
  let uploadSection: ReturnType<typeof createUploadSection> | undefined;
  const thumbnails = createThumbnails(host, () => post && postView?.render(post));
  const noticeText = createElement("p", { className: "m-0 text-sm text-muted", role: "status" });
  const liveRegion = createElement("div", { className: "sr-only", role: "status" });

  /** Creates all elements, in the host's language. */
  function build(): void {
    uploadSection?.destroy();
    document.documentElement.lang = language.tag;
    const { strings } = language;
    postView = createPostView(strings, thumbnails);
    accountsView = createAccountsView({
      language,
      timeZone,
      deselectedIds,
      canPropose: host.canCallTools,
      canOpenLinks: host.canOpenLinks,
      onPropose: propose,
      onOpen: (url) => void host.openLink(url),
    });
    uploadSection = createUploadSection({ host, language, uploader, createLink });
    const openInAtelier = createButton(strings.openInAtelier, () => post && void host.openLink(post.url));
    setVisible(openInAtelier, post !== undefined && host.canOpenLinks && isWebUrl(post.url));
    const canUpload = post === undefined ? resultLinkUrl !== undefined : post.status !== "archived";
    root.replaceChildren(
      noticeText,
      ...(post ? [postView.element, accountsView.element] : []),
      ...(canUpload ? [uploadSection.element] : []),
      createElement("div", {}, openInAtelier),
      liveRegion,
    );
    render();
  }

  function render(): void {
    setText(noticeText, notice === undefined ? "" : language.strings[notice]);
    setVisible(noticeText, notice !== undefined);
    if (!post) return;
    postView?.render(post);
    accountsView?.render(post);
  }

  /**
   * Handles a post from the host, which may resend an old result. Publications change without a new revision, so the
   * app reads the post again, instead of using the result, if it has read the post before or the revision is the same.
   */
  function receivePost(newPost: PostData): void {
    if (postId !== undefined && newPost.id !== postId) return;
    if (post && newPost.revision < post.revision) return;
    if (lastSuccessfulRead > 0 || newPost.revision === post?.revision) polling?.runSoon();
    else setPost(newPost);
  }

  function setPost(newPost: PostData): void {
    const previousPost = post;
    post = newPost;
    postId = newPost.id;
    notice = undefined;
    if (!previousPost || previousPost.status !== post.status) {
      startUploadsAndPolling(newPost.id);
      build();
    } else if (JSON.stringify(previousPost) !== JSON.stringify(post)) render();
    else setVisible(noticeText, false);
    if (previousPost) announceChanges(previousPost, post);
    if (host.canCallTools) thumbnails.load(post.assets);
  }

  function announceChanges(previousPost: PostData, newPost: PostData): void {
    const changes = newPost.accounts.flatMap(({ connectionId, account, publication }) => {
      const previous = previousPost.accounts.find((candidate) => candidate.connectionId === connectionId);
      const hasChanged = publication && publication.state !== previous?.publication?.state;
      return hasChanged ? [`${account}: ${getStateLabel(publication.state, language.strings)}.`] : [];
    });
    if (changes.length > 0) setText(liveRegion, changes.join(" "));
  }

  function startUploadsAndPolling(id: string): void {
    uploader ??= createPostUploader(
      host,
      id,
      () => language.strings.noUploadsHere,
      () => {
        polling?.runSoon();
        host.updateModelContext(`The user uploaded files to the post ${id} in the app. Call get_post to see them.`);
      },
    );
    if (host.canCallTools) polling ??= startPolling(refresh, () => getPollIntervalMs(post, Date.now()));
  }

  async function refresh(): Promise<void> {
    if (postId === undefined) return;
    const readNumber = ++readCount;
    try {
      const newPost = readPost((await host.callTool("get_post", { postId })).output);
      if (newPost?.id !== postId || readNumber < lastSuccessfulRead) return;
      lastSuccessfulRead = readNumber;
      setPost(newPost);
    } catch {
      if (readNumber < lastSuccessfulRead) return;
      notice = post ? "outdated" : "loadFailed";
      if (post) render();
      else build();
    }
  }

  async function propose(connectionIds: readonly string[]): Promise<void> {
    if (!post) return;
    try {
      await host.callTool("publish_post", {
        postId: post.id,
        connectionIds,
        propose: true,
        idempotencyKey: createRandomId(),
      });
      accountsView?.showMessage(language.strings.proposalSent);
      host.updateModelContext(`The user proposed to publish the post ${post.id} in the app.`);
    } catch (error) {
      accountsView?.showMessage(error instanceof RequestError ? error.message : String(error));
    }
    await refresh();
  }

  /** Prefers a new link, because the link in the tool's result has expired if the user reopens an old conversation. */
  async function createLink(): Promise<string | undefined> {
    if (postId === undefined || !host.canCallTools) return resultLinkUrl;
    const result = await host.callTool("create_upload_session", { postId }).catch(() => undefined);
    return typeof result?.output["url"] === "string" ? result.output["url"] : resultLinkUrl;
  }

  build();
  const observer = new ResizeObserver(() =>
    host.reportSize(Math.ceil(root.offsetWidth), Math.ceil(document.body.offsetHeight)),
  );
  observer.observe(document.body);

  return {
    setContext(context) {
      const newLanguage = selectLanguage(context.locale);
      const isSameLanguage = newLanguage.tag === language.tag && newLanguage.locale === language.locale;
      if (isSameLanguage && context.timeZone === timeZone) return;
      language = newLanguage;
      ({ timeZone } = context);
      build();
    },
    setToolInput(args) {
      if (typeof args["postId"] !== "string" || postId !== undefined) return;
      postId = args["postId"];
      if (host.canCallTools) startUploadsAndPolling(postId);
    },
    setToolResult(result) {
      const output = isRecord(result["structuredContent"]) ? result["structuredContent"] : {};
      const newPost = result["isError"] === true ? undefined : readPost(output);
      if (newPost) return receivePost(newPost);
      if (typeof output["url"] === "string" && result["isError"] !== true) resultLinkUrl ??= output["url"];
      if (polling) return polling.runSoon();
      notice = resultLinkUrl === undefined ? "loadFailed" : undefined;
      build();
    },
    setToolCancelled() {
      if (post) return;
      notice = "noPost";
      render();
    },
    destroy() {
      polling?.stop();
      observer.disconnect();
      uploadSection?.destroy();
      uploader?.destroy();
    },
  };
}
