import { english as uploadEnglish, type Strings as UploadStrings } from "../upload/strings.ts";
import { strings as de } from "./locales/de.ts";
import { strings as es } from "./locales/es.ts";
import { strings as fr } from "./locales/fr.ts";
import { strings as it } from "./locales/it.ts";
import { strings as ja } from "./locales/ja.ts";
import { strings as nl } from "./locales/nl.ts";
import { strings as pt } from "./locales/pt.ts";
import { strings as zh } from "./locales/zh.ts";

const english = {
  loading: "Loading the post…",
  loadFailed: "The post couldn’t be loaded.",
  noPost: "There is no post to show.",
  notInChat: "This page works only in a chat.",
  outdated: "The post couldn’t be refreshed. It may have changed since it was loaded.",
  draft: "Draft",
  ready: "Ready",
  archived: "Archived",
  filesOfPost: "Files of the post",
  uploadingFile: "Uploading",
  chosenFiles: "{count} of {total} files",
  noFiles: "No files",
  accounts: "Accounts",
  noAccounts: "No account is connected yet. Connect one in Atelier to publish.",
  accepted: "No problems found",
  rejected: "Problem",
  converted: "Will be converted",
  warning: "Warning",
  proposed: "Waiting for approval",
  scheduled: "Scheduled",
  publishing: "Publishing",
  published: "Published",
  partlyPublished: "{count} of {total} published",
  failed: "Failed",
  unconfirmed: "May be public",
  missed: "Missed",
  canceled: "Canceled",
  view: "View",
  propose: "Propose to publish",
  proposeHint: "A person has to approve it in Atelier before anything is published.",
  proposalSent: "Proposed. It waits for approval in Atelier.",
  openInAtelier: "Open in Atelier",
  addFiles: "Add files",
  openUploadPage: "Upload in the browser",
  uploadPageHint: "Opens a page for uploads to this post. Anyone with its link can upload for 30 minutes.",
  linkNotOpened: "The chat didn’t open the page. Copy this link into your browser:",
  linkFailed: "The link couldn’t be created.",
  noUploadsHere: "This chat can’t receive files here. Upload them in the browser.",
  // These replace the uploader's texts that are about the upload page.
  allDone: "All files are attached. You can add more.",
  allDoneFull: "All files are attached, and the post is full.",
};

export type ChatStrings = typeof english;

const translations: Record<string, ChatStrings> = { de, es, fr, it, ja, nl, pt, zh };

/** The uploader's strings in the same languages; chat-app.config.ts collects them. */
declare const __UPLOAD_STRINGS__: Record<string, Partial<UploadStrings>>;

export interface ChatLanguage {
  tag: string;
  /** For times: `tag`, with the region if the host or the browser names one. */
  locale: string;
  strings: ChatStrings;
  uploadStrings: UploadStrings;
}

/** Selects the host's language, or the browser's if the host names none. English is the fallback. */
export function selectLanguage(locale: unknown): ChatLanguage {
  const hostLocale = typeof locale === "string" && isLocale(locale) ? locale : navigator.language;
  const base = hostLocale.split("-", 1)[0]?.toLowerCase() ?? "";
  const strings = translations[base];
  const { allDone, allDoneFull } = strings ?? english;
  return {
    tag: strings ? base : "en",
    locale: strings || base === "en" ? hostLocale : "en",
    strings: strings ?? english,
    uploadStrings: { ...uploadEnglish, ...(strings ? __UPLOAD_STRINGS__[base] : {}), allDone, allDoneFull },
  };
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
