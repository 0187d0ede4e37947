import { createAnnouncer } from "./announcer.ts";
import { withoutSystemFiles } from "./dropped-files.ts";
import { createButton, createProgressBar, createElement, setParts, setText, setVisible } from "./dom.ts";
import { createDropZone } from "./drop-zone.ts";
import { countFreePositions, describeLimit, type FileLimit } from "./file-limit.ts";
import { createFormatter } from "./format.ts";
import type { Language } from "./languages.ts";
import { listenForFiles } from "./listen-for-files.ts";
import { createUnreadableNotice, noticeClasses } from "./notices.ts";
import { createRow, describeFailure, type PageState, type Row } from "./row.ts";
import { sortRows } from "./sort-rows.ts";
import { interpolate } from "./strings.ts";
import type { ChosenFile, UploadItem, UploadStatus, UploadSummary } from "./upload-task.ts";
import type { Uploader } from "./uploader.ts";

export interface UploaderUiOptions {
  uploader: Uploader;
  language: Language;
  /** MIME types and file extensions for the file dialog. */
  accepts: readonly string[];
  /** The URL that the phone dialog shows as a QR code. */
  phoneUrl?: string | undefined;
  /** False where the page may not use the camera. */
  canUseCamera?: boolean;
  /** False where the page's policy blocks videos of `blob:` URLs. */
  canShowVideos?: boolean;
}

export interface UploaderUi {
  /** Shows a notice above the list; an empty text hides it. */
  showNotice(text: string): void;
  /** Shows how many more files the post can have. */
  setLimit(limit: FileLimit | undefined): void;
  /** Whether the post has no position for another file. */
  isFull(): boolean;
  destroy(): void;
}

/** The user must confirm before canceling a file with at least this many uploaded bytes. */
const confirmCancelBytes = 64 * 1024 * 1024;

/** Renders the uploader into `root` and updates only what changed. */
export function createUploaderUi(
  root: HTMLElement,
  { uploader, language, accepts, phoneUrl, canUseCamera = true, canShowVideos = true }: UploaderUiOptions,
): UploaderUi {
  const { strings } = language;
  const format = createFormatter(language.tag);
  root.lang = language.tag;
  root.dir = language.direction;
  root.className = "group/uploader grid gap-5";

  const {
    section: dropZone,
    limitText,
    setDisabled,
    focus: focusDropZone,
    addInitialFiles,
  } = createDropZone(root, { strings, accepts, phoneUrl, canUseCamera, onFiles: addFiles });

  const connectionNotice = createElement("p", { className: noticeClasses });
  const notice = createElement("p", { className: noticeClasses, hidden: true });
  const unreadableNotice = createUnreadableNotice(strings, focusDropZone);
  const summaryText = createElement("p", {
    className: "m-0 tabular-nums group-data-[state=done]/uploader:font-medium",
  });
  const progressBar = createProgressBar({ "aria-label": strings.uploading });
  const pauseAllButton = createButton(strings.pause, () => uploader.pause());
  const resumeAllButton = createButton(strings.resume, () => uploader.resume(), "secondary");
  const summarySection = createElement(
    "section",
    { className: "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2" },
    createElement("div", {}, summaryText, progressBar),
    createElement("div", { className: "flex gap-2" }, pauseAllButton, resumeAllButton),
  );
  const list = createElement("ul", {
    className: "grid border-b border-rule empty:hidden",
    "aria-label": strings.files,
  });
  const { element: liveRegion, announce } = createAnnouncer();
  root.replaceChildren(dropZone, notice, unreadableNotice, connectionNotice, summarySection, list, liveRegion);

  const rows = new Map<string, Row>();
  const announcedStatuses = new Map<string, UploadStatus>();
  let fileLimit: FileLimit | undefined;
  let previousSummary = { connection: "good", state: "empty" };

  function showNotice(text: string): void {
    setText(notice, text);
    setVisible(notice, text !== "");
    announce(text);
  }

  function addFiles(chosenFiles: readonly ChosenFile[]): void {
    setVisible(unreadableNotice, false);
    for (const fileName of uploader.add(withoutSystemFiles(chosenFiles)))
      announce(interpolate(strings.noDuplicates, { fileName }));
  }

  function cancel(key: string): void {
    const item = uploader.getItems().find((candidate) => candidate.key === key);
    if (!item || item.sentBytes < confirmCancelBytes || item.status === "failed") remove(key);
    else
      void import("./confirm-cancel.ts").then(({ confirmCancel }) =>
        confirmCancel(item.name, strings, () => remove(key)),
      );
  }

  function remove(key: string): void {
    const keys = [...rows.keys()];
    const nextKey = keys[keys.indexOf(key) + 1] ?? keys[keys.indexOf(key) - 1];
    uploader.cancel(key);
    setVisible(unreadableNotice, false);
    render();
    const row = nextKey === undefined ? undefined : rows.get(nextKey);
    if (row) row.focus();
    else focusDropZone();
  }

  function announceStatus(item: UploadItem): void {
    const previousStatus = announcedStatuses.get(item.key);
    announcedStatuses.set(item.key, item.status);
    if (previousStatus === item.status) return;
    if (item.status === "done" && previousStatus !== undefined) announce(`${item.name}: ${strings.onPost}.`);
    if (item.status === "failed") announce(`${item.name}: ${strings.uploadFailed}. ${describeFailure(item.error)}`);
    if (item.status === "sending" && (previousStatus === undefined || previousStatus === "waiting"))
      announce(`${item.name}: ${strings.uploading}.`);
    if (item.status === "paused") announce(`${item.name}: ${strings.paused}.`);
  }

  function getPageState(items: readonly UploadItem[]): PageState {
    return {
      isFull: fileLimit !== undefined && countFreePositions(fileLimit, items) === 0,
      isConnected: uploader.getSummary().connection === "good",
    };
  }

  function describePause({ state, connection, reason }: UploadSummary): string | undefined {
    if (state === "paused") return strings.paused;
    if (state !== "sending" || connection === "good") return undefined;
    return reason === undefined ? strings.waitingForConnection : strings.waiting;
  }

  function renderSummary(items: readonly UploadItem[], { isFull }: PageState): void {
    const summary = uploader.getSummary();
    setText(limitText, fileLimit ? describeLimit(fileLimit, items, strings) : "");
    setDisabled(isFull);
    const allDoneText = isFull ? strings.allDoneFull : strings.allDone;
    root.dataset["state"] = summary.state;
    setVisible(summarySection, summary.state !== "empty");
    const countText = summary.fileCount === 1 ? strings.oneFileUploadedOfTotal : strings.filesUploadedOfTotal;
    const parts = [interpolate(countText, { complete: summary.doneCount, smart_count: summary.fileCount })];
    const isUnfinished = summary.state === "sending" || summary.state === "paused";
    const pauseStatus = describePause(summary);
    if (pauseStatus !== undefined) parts.unshift(pauseStatus);
    if (isUnfinished)
      parts.push(
        interpolate(strings.dataUploadedOfTotal, {
          complete: format.bytes(summary.sentBytes),
          total: format.bytes(summary.totalBytes),
        }),
      );
    // In a long list, a failed file may be scrolled out of view.
    if (summary.failedCount > 0) parts.push(`${strings.uploadFailed}: ${summary.failedCount}`);
    if (summary.speed !== undefined) parts.push(format.speed(summary.speed));
    if (summary.secondsLeft !== undefined)
      parts.push(interpolate(strings.xTimeLeft, { time: format.duration(summary.secondsLeft) }));
    setParts(summaryText, summary.state === "done" ? [allDoneText] : parts);
    progressBar.value = summary.totalBytes === 0 ? 0 : (summary.sentBytes / summary.totalBytes) * 100;
    setVisible(progressBar, isUnfinished);
    const hadFocus = document.activeElement === pauseAllButton || document.activeElement === resumeAllButton;
    setVisible(pauseAllButton, summary.state === "sending");
    setVisible(resumeAllButton, summary.state === "paused");
    if (hadFocus) (summary.state === "sending" ? pauseAllButton : resumeAllButton).focus();
    const isSending = summary.state === "sending";
    const connectionMessage = { good: "", offline: strings.offline, lost: summary.reason ?? strings.unreachable }[
      summary.connection
    ];
    const visibleMessage = summary.connection === "offline" || isSending ? connectionMessage : "";
    setText(connectionNotice, visibleMessage);
    setVisible(connectionNotice, visibleMessage !== "");
    if (summary.connection !== previousSummary.connection)
      announce(summary.connection === "good" ? strings.connectionRestored : connectionMessage);
    if (summary.state === "done" && previousSummary.state !== "done" && previousSummary.state !== "empty")
      announce(allDoneText);
    previousSummary = summary;
  }

  const rowOptions = { uploader, strings, format, onFiles: addFiles, onCancel: cancel, canShowVideos };

  function render(): void {
    const items = uploader.getItems();
    const focusedElement = document.activeElement;
    const focusedRow = [...rows.values()].find(({ element }) => element.contains(focusedElement));
    const state = getPageState(items);
    for (const item of items) {
      const row = rows.get(item.key) ?? createRow(item, state, rowOptions);
      if (!rows.has(item.key)) list.append(row.element);
      rows.set(item.key, row);
      row.update(item, state);
      announceStatus(item);
    }
    for (const [key, row] of rows) {
      if (items.some((item) => item.key === key)) continue;
      row.destroy();
      rows.delete(key);
    }
    sortRows(list, rows, items);
    focusedRow?.restoreFocus(focusedElement);
    renderSummary(items, state);
  }

  let renderTimer: ReturnType<typeof setTimeout> | undefined;
  const scheduleRender = () => {
    renderTimer ??= setTimeout(() => {
      renderTimer = undefined;
      render();
    }, 30);
  };
  const unsubscribe = uploader.subscribe(scheduleRender);
  const refreshTimer = setInterval(() => uploader.getSummary().state === "sending" && render(), 400);
  const stopListening = listenForFiles(root, addFiles, () => {
    setVisible(unreadableNotice, true);
    announce(strings.unreadableFiles);
  });

  render();
  addInitialFiles();
  return {
    showNotice,
    setLimit(limit) {
      fileLimit = limit;
      render();
    },
    isFull: () => getPageState(uploader.getItems()).isFull,
    destroy() {
      unsubscribe();
      stopListening();
      clearInterval(refreshTimer);
      clearTimeout(renderTimer);
      for (const row of rows.values()) row.destroy();
      root.replaceChildren();
    },
  };
}
