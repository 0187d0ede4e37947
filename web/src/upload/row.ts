import { createButton, createProgressBar, createElement, setText, setVisible } from "./dom.ts";
import { takesPosition } from "./file-limit.ts";
import type { Formatter } from "./format.ts";
import { createPreview } from "./preview.ts";
import { interpolate, type Strings } from "./strings.ts";
import type { ChosenFile, UploadFailure, UploadItem } from "./upload-task.ts";
import type { Uploader } from "./uploader.ts";

export interface Row {
  element: HTMLLIElement;
  update(item: UploadItem, state: PageState): void;
  focus(): void;
  /** Call after a change, with the element that had the focus: hiding or moving an element takes its focus away. */
  restoreFocus(focusedElement: Element | null): void;
  destroy(): void;
}

/** What a row shows that concerns all files. */
export interface PageState {
  /** Whether the post has no position for another file. */
  isFull: boolean;
  /** Whether bytes can be sent; if not, the top of the page says why. */
  isConnected: boolean;
}

export interface RowOptions {
  uploader: Uploader;
  strings: Strings;
  format: Formatter;
  onFiles: (chosenFiles: readonly ChosenFile[]) => void;
  onCancel: (key: string) => void;
  canShowVideos: boolean;
}

/** One file in the list: preview, status, progress, alt text and buttons. */
export function createRow(
  initialItem: UploadItem,
  initialState: PageState,
  { uploader, strings, format, onFiles, onCancel, canShowVideos }: RowOptions,
): Row {
  const { key } = initialItem;
  const preview = createPreview({ canShowVideos });
  const name = createElement("p", {
    className: "m-0 font-semibold [overflow-wrap:anywhere]",
    id: `${key}-name`,
    dir: "auto",
  });
  const statusText = createElement("p", {
    className:
      "m-0 text-sm text-muted tabular-nums group-data-[status=done]/file:text-accent group-data-[status=failed]/file:text-danger",
  });
  const progressBar = createProgressBar({ "aria-labelledby": `${key}-name` });
  const problem = createElement("p", {
    className: "m-0 text-sm text-danger group-data-[status=missing]/file:text-ink",
  });

  const pauseButton = createButton(strings.pause, () => uploader.pause(key));
  const resumeButton = createButton(strings.resume, () => uploader.resume(key), "secondary");
  const retryButton = createButton(strings.retry, () => uploader.resume(key), "secondary");
  // Each row has its own input, because the page's input is disabled while the post is full.
  const fileInput = createElement("input", { type: "file" });
  fileInput.addEventListener("change", () => {
    onFiles([...(fileInput.files ?? [])].map((file) => ({ file })));
    fileInput.value = "";
  });
  const chooseButton = createButton(strings.chooseFile, () => fileInput.click(), "secondary");
  const cancelButton = createButton(strings.cancel, () => onCancel(key));
  const buttons = [pauseButton, resumeButton, retryButton, chooseButton, cancelButton];
  const actions = createElement(
    "div",
    {
      className:
        "flex flex-wrap items-center gap-2 max-sm:col-start-2 max-sm:mt-2 max-sm:*:min-h-11 sm:col-start-3 sm:row-start-1",
    },
    ...buttons,
  );

  const altInput = createElement("input", {
    type: "text",
    id: `${key}-alt`,
    maxLength: 2000,
    placeholder: strings.altHint,
    autocomplete: "off",
    className:
      "min-h-9 px-2.5 py-1 text-ellipsis placeholder:text-muted placeholder:opacity-100 max-sm:text-base pointer-coarse:min-h-11",
  });
  const saveStatus = createElement("span", { className: "text-accent empty:hidden sm:col-start-2", role: "status" });
  const altProblem = createElement("span", {
    className: "text-danger empty:hidden sm:col-start-2",
    id: `${key}-alt-problem`,
    role: "status",
  });
  altInput.setAttribute("aria-describedby", altProblem.id);
  const altRow = createElement(
    "div",
    {
      className:
        "col-[2/-1] mt-2.5 grid grid-cols-1 items-center gap-x-3 gap-y-1 text-[0.9rem] sm:row-start-2 sm:grid-cols-[auto_minmax(0,1fr)]",
    },
    createElement("label", { className: "font-normal text-muted", htmlFor: altInput.id, textContent: strings.altText }),
    altInput,
    saveStatus,
    altProblem,
  );
  let saveTimer: ReturnType<typeof setTimeout> | undefined;
  const saveAltText = async () => {
    clearTimeout(saveTimer);
    if (altInput.value.trim() === currentItem.altText && !currentItem.altTextError) return;
    if (!(await uploader.setAltText(key, altInput.value.trim()))) return;
    setText(saveStatus, strings.saved);
    setTimeout(() => setText(saveStatus, ""), 3000);
  };
  altInput.addEventListener("change", () => void saveAltText());
  altInput.addEventListener("input", () => {
    clearTimeout(saveTimer);
    saveTimer = setTimeout(() => void saveAltText(), 1500);
  });

  const element = createElement(
    "li",
    {
      className:
        "group/file grid grid-cols-[4rem_minmax(0,1fr)_auto] items-start gap-x-4 border-t border-rule py-4 max-sm:grid-cols-[3.25rem_minmax(0,1fr)]",
    },
    preview.element,
    // Without buttons, the text uses the full width.
    createElement(
      "div",
      { className: "col-start-2 row-start-1 has-[+[hidden]]:col-[2/-1]" },
      name,
      statusText,
      progressBar,
      problem,
    ),
    // On a phone, the buttons stand below the status that they change.
    actions,
    altRow,
  );
  let currentItem = initialItem;

  const describeProgress = ({ sentBytes, size }: UploadItem): string =>
    interpolate(strings.dataUploadedOfTotal, { complete: format.bytes(sentBytes), total: format.bytes(size) });

  function describeStatus(item: UploadItem, { isConnected }: PageState): string {
    const size = format.bytes(item.size);
    switch (item.status) {
      case "waiting":
        return `${size} · ${strings.waiting}`;
      case "sending": {
        if (!isConnected) return describeProgress(item);
        const parts = [describeProgress(item)];
        if (item.speed !== undefined) parts.push(format.speed(item.speed));
        if (item.secondsLeft !== undefined)
          parts.push(interpolate(strings.xTimeLeft, { time: format.duration(item.secondsLeft) }));
        return parts.join(" · ");
      }
      case "paused":
        // A file that is paused before it starts has nothing to count.
        return `${strings.paused} · ${item.sentBytes === 0 ? size : describeProgress(item)}`;
      case "checking":
        return `${size} · ${strings.checking}`;
      case "done":
        return `${size} · ${strings.onPost}`;
      case "failed":
        return `${size} · ${strings.uploadFailed}`;
      case "missing":
        return `${size} · ${strings.uploadInterrupted}`;
    }
  }

  function update(item: UploadItem, state: PageState): void {
    currentItem = item;
    element.dataset["status"] = item.status;
    preview.update(item);
    setText(name, item.name);
    setText(statusText, describeStatus(item, state));
    const { status } = item;
    setVisible(progressBar, !["done", "failed", "missing"].includes(status));
    if (status === "checking") progressBar.removeAttribute("value");
    else progressBar.value = item.size === 0 ? 0 : (item.sentBytes / item.size) * 100;
    // The browser may still have the file, and need the user's permission to open it.
    const isStored = item.storedFile !== undefined;
    const missingText = isStored ? strings.allowOrChooseAgain : strings.chooseAgain;
    setText(problem, status === "missing" ? missingText : describeFailure(item.error));
    setVisible(problem, problem.textContent !== "");
    setVisible(pauseButton, status === "waiting" || status === "sending");
    setVisible(resumeButton, status === "paused" || (status === "missing" && isStored));
    const canRetry = status === "failed" && item.file !== undefined && item.error?.isPermanent !== true;
    setVisible(retryButton, canRetry && (!state.isFull || takesPosition(item)));
    setVisible(chooseButton, status === "missing");
    setVisible(cancelButton, status !== "done" && status !== "checking");
    setText(cancelButton, status === "failed" ? strings.removeFile : strings.cancel);
    setVisible(
      actions,
      buttons.some((button) => !button.hidden),
    );
    for (const button of buttons) button.setAttribute("aria-label", `${button.textContent}: ${item.name}`);
    setVisible(altRow, status !== "failed" && /^(image|video)\//.test(item.type));
    const { altTextError } = item;
    setText(altProblem, altTextError ? `${strings.notSaved}: ${describeFailure(altTextError)}` : "");
    if (altTextError) setText(saveStatus, ""); // from a moment ago, or of a text that was not sent yet
    altInput.setAttribute("aria-invalid", String(altTextError !== undefined));
    if (document.activeElement !== altInput && altInput.value !== item.altText) altInput.value = item.altText;
  }

  const focus = () => (buttons.find((button) => !button.hidden) ?? altInput).focus();

  update(initialItem, initialState);
  return {
    element,
    update,
    focus,
    restoreFocus(focusedElement) {
      if (!(focusedElement instanceof HTMLElement) || !element.isConnected) return;
      if (focusedElement.hidden) focus();
      else if (document.activeElement !== focusedElement) focusedElement.focus({ preventScroll: true });
    },
    destroy() {
      clearTimeout(saveTimer);
      preview.destroy();
      element.remove();
    },
  };
}

/** Without the hint to remove a file from a full post, because the upload page can't do that. */
export const describeFailure = (error: UploadFailure | undefined): string =>
  [error?.message, error?.code === "asset_limit_reached" ? "" : error?.hint].filter(Boolean).join(" ");
