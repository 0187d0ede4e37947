import { toFileLimit } from "./file-limit.ts";
import { loadLanguage } from "./languages.ts";
import { tryLoadLinkDetails } from "./load-link-details.ts";
import { toLibraryStrings } from "./strings.ts";
import { createUploaderUi } from "./ui.ts";
import { createUploader } from "./uploader.ts";

/** Failures of many files at once cause one refresh. */
const limitRefreshDelayMs = 300;

const { hostname } = location;
/** Whether only this computer can open the page. */
const isLocal =
  hostname === "localhost" || hostname.endsWith(".localhost") || hostname.startsWith("127.") || hostname === "[::1]";

/** Shows the uploader of a link, with the files that the link has already received. */
async function showUploader(root: HTMLElement, token: string): Promise<void> {
  const uploader = createUploader({ getUploadLinkToken: async () => token });
  const [{ strings: postStrings, ...language }, linkDetails] = await Promise.all([
    loadLanguage(navigator.languages),
    tryLoadLinkDetails(token),
  ]);
  const isForLibrary = linkDetails?.post === null;
  const strings = isForLibrary ? toLibraryStrings(postStrings) : postStrings;
  const ui = createUploaderUi(root, {
    uploader,
    language: { ...language, strings },
    accepts: linkDetails?.accepts ?? [],
    phoneUrl: isLocal ? undefined : location.href,
  });

  async function refreshLimit(): Promise<void> {
    const newDetails = await tryLoadLinkDetails(token);
    if (newDetails) ui.setLimit(toFileLimit(newDetails));
  }

  // A file may fail because other users have added files to the post.
  let previousFailedCount = 0;
  let limitTimer: ReturnType<typeof setTimeout> | undefined;
  const scheduleLimitRefresh = () => {
    limitTimer ??= setTimeout(() => {
      limitTimer = undefined;
      void refreshLimit();
    }, limitRefreshDelayMs);
  };
  // While the post is full, rows have no retry button, so only a refresh shows that a position is free again.
  addEventListener("focus", () => ui.isFull() && scheduleLimitRefresh());
  uploader.subscribe(() => {
    const { failedCount } = uploader.getSummary();
    if (failedCount > previousFailedCount) scheduleLimitRefresh();
    previousFailedCount = failedCount;
  });

  if (!linkDetails) return;
  await uploader.restore(token, linkDetails.files);
  ui.setLimit(toFileLimit(linkDetails));
  const remainingMs = Date.parse(linkDetails.expiresAt) - Date.now();
  setTimeout(() => ui.showNotice(strings.linkExpired), Math.max(0, remainingMs));
}

/** The last path segment is the token. Requests send it in a header only. */
const linkToken = location.pathname.split("/").at(-1) ?? "";
const uploaderRoot = document.querySelector<HTMLElement>("#uploader");
if (uploaderRoot) void showUploader(uploaderRoot, linkToken);
