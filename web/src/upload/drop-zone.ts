import { getButtonClasses } from "../ui/button-classes.ts";
import { createButton, createElement, setVisible } from "./dom.ts";
import type { ChosenFile } from "./upload-task.ts";
import type { Strings } from "./strings.ts";

export interface DropZoneOptions {
  strings: Strings;
  /** MIME types and file extensions for the file dialog. */
  accepts: readonly string[];
  /** The URL that the phone dialog shows as a QR code; undefined if a phone can't open it. */
  phoneUrl: string | undefined;
  /** False where the page may not use the camera. */
  canUseCamera: boolean;
  onFiles: (chosenFiles: readonly ChosenFile[]) => void;
}

export interface DropZone {
  section: HTMLElement;
  /** Shows how many more files the post can have. */
  limitText: HTMLElement;
  /**
   * Disables and hides the controls while the post is full, and shows the text that says so as the heading. If a control
   * has the focus, the focus moves to this text.
   */
  setDisabled(isDisabled: boolean): void;
  /** Focuses the file input or, while it is disabled, the text that says why. */
  focus(): void;
  /** Adds files that the user chose before this script was loaded. */
  addInitialFiles(): void;
}

/** Fingers don't drop files. */
const dropClasses = ["pointer-fine:border-dashed", "pointer-fine:border-muted"];
const headingClasses = "m-0 text-lg font-semibold";
const limitClasses = "m-0 text-[0.95rem] font-medium outline-none empty:hidden";

/** Creates the controls for adding files: file dialog, folder, camera, phone. */
export function createDropZone(
  root: HTMLElement,
  { strings, accepts, phoneUrl, canUseCamera, onFiles }: DropZoneOptions,
): DropZone {
  // Visually hidden, but focusable by keyboard. upload.html contains it, so that users can choose files before the
  // script is loaded.
  const input =
    root.querySelector<HTMLInputElement>("input[type=file]") ??
    createElement("input", { type: "file", multiple: true });
  input.id ||= "uploader-files";
  input.setAttribute("aria-label", strings.chooseFiles);
  const hiddenInputProps = { type: "file", tabIndex: -1, "aria-hidden": "true" };
  const folderInput = createElement("input", { ...hiddenInputProps, multiple: true, webkitdirectory: true });
  const cameraInput = createElement("input", {
    ...hiddenInputProps,
    accept: "image/*,video/*",
    capture: "environment",
  });
  for (const fileInput of [input, folderInput, cameraInput]) {
    fileInput.className = fileInput === input ? "peer sr-only min-h-0" : "sr-only min-h-0";
    if (fileInput !== cameraInput) fileInput.accept = accepts.join(",");
    fileInput.addEventListener("change", () => addFilesFrom(fileInput));
  }

  function addFilesFrom(source: HTMLInputElement): void {
    const files = [...(source.files ?? [])];
    // Reset, so that choosing the same file again fires `change`.
    source.value = "";
    onFiles(files.map((file) => ({ file })));
  }

  const limitText = createElement("p", { className: limitClasses, tabIndex: -1 });
  const isTouch = matchMedia("(pointer: coarse)").matches;
  const openCamera = () =>
    isTouch
      ? cameraInput.click()
      : void import("./camera.ts").then(({ takePhoto }) => takePhoto(strings, (file) => onFiles([{ file }])));
  const folderButton = createButton(strings.chooseFolder, () => folderInput.click(), "secondary");
  const cameraButton = createButton(strings.takePicture, openCamera, "secondary");
  const phoneButton =
    phoneUrl === undefined || isTouch
      ? undefined
      : createButton(
          strings.phone,
          () => void import("./phone-dialog.ts").then(({ showPhoneDialog }) => showPhoneDialog(phoneUrl, strings)),
          "secondary",
        );
  const dropHint = isTouch
    ? undefined
    : createElement("p", { className: headingClasses, textContent: strings.dropHint, "aria-hidden": "true" });
  const intro = createElement("p", {
    className: "m-0 max-w-[42em] text-[0.95rem] text-muted",
    // Phones rarely have files to paste.
    textContent: isTouch ? strings.intro : `${strings.intro} ${strings.pasteHint}`,
  });
  const buttons = createElement(
    "div",
    {
      // The input is visually hidden, so its label shows the focus ring.
      className:
        "flex flex-wrap items-center gap-2 *:px-4 peer-focus-visible:[&>label]:outline-3 peer-focus-visible:[&>label]:outline-offset-3 peer-focus-visible:[&>label]:outline-accent max-sm:w-full max-sm:*:flex-[1_1_100%]",
    },
    createElement("label", {
      className: getButtonClasses("primary"),
      htmlFor: input.id,
      textContent: strings.chooseFiles,
    }),
    isTouch ? undefined : folderButton,
    isTouch || (canUseCamera && "mediaDevices" in navigator) ? cameraButton : undefined,
    phoneButton,
  );
  const section = createElement(
    "section",
    {
      className:
        "relative grid justify-items-start gap-4 rounded-lg border-[1.5px] border-rule bg-raised p-[clamp(1.25rem,4vw,2.25rem)] transition-colors group-data-dragging/uploader:border-solid group-data-dragging/uploader:border-accent",
      "aria-label": strings.chooseFiles,
    },
    input,
    folderInput,
    cameraInput,
    dropHint,
    buttons,
    intro,
    limitText,
  );
  const focus = () => (input.disabled ? limitText : input).focus();
  return {
    section,
    limitText,
    setDisabled(isDisabled) {
      const controls = [input, folderButton, cameraButton];
      const hadFocus = [...controls, phoneButton].some((control) => control === document.activeElement);
      for (const control of controls) control.disabled = isDisabled;
      for (const element of [dropHint, intro, buttons]) if (element) setVisible(element, !isDisabled);
      for (const name of dropClasses) section.classList.toggle(name, !isDisabled);
      limitText.className = isDisabled ? `order-first outline-none ${headingClasses}` : limitClasses;
      if (isDisabled && hadFocus) focus();
    },
    focus,
    addInitialFiles() {
      if (input.files && input.files.length > 0) addFilesFrom(input);
    },
  };
}
