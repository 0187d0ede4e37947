import { el, createQuietButton } from "./dom.ts";
import type { ChosenFile } from "./upload-task.ts";
import type { Strings } from "./strings.ts";

export interface DropZoneOptions {
  strings: Strings;
  /** MIME types and file extensions for the file dialog. */
  accepts: readonly string[];
  /** The URL that the phone dialog shows as a QR code. */
  phoneUrl: string | undefined;
  onFiles: (chosen: readonly ChosenFile[]) => void;
}

export interface DropZone {
  section: HTMLElement;
  /** The file input: visually hidden, but focusable by keyboard. */
  input: HTMLInputElement;
  /** Adds files that the user chose before this script was loaded. */
  addInitialFiles(): void;
}

/** Creates the controls for adding files: file dialog, folder, camera, phone. */
export function createDropZone(root: HTMLElement, { strings, accepts, phoneUrl, onFiles }: DropZoneOptions): DropZone {
  // The HTML contains this input, so that users can choose files before the script is loaded.
  const input =
    root.querySelector<HTMLInputElement>("input[type=file]") ?? el("input", { type: "file", multiple: true });
  input.id ||= "uploader-files";
  input.setAttribute("aria-label", strings.chooseFiles);
  const hiddenInputProps = { type: "file", tabIndex: -1, "aria-hidden": "true" };
  const folderInput = el("input", { ...hiddenInputProps, multiple: true, webkitdirectory: true });
  const cameraInput = el("input", { ...hiddenInputProps, accept: "image/*,video/*", capture: "environment" });
  for (const fileInput of [input, folderInput, cameraInput]) {
    fileInput.classList.add("unseen");
    if (fileInput !== cameraInput) fileInput.accept = accepts.join(",");
    fileInput.addEventListener("change", () => addFilesFrom(fileInput));
  }

  function addFilesFrom(source: HTMLInputElement): void {
    const files = [...(source.files ?? [])];
    // Reset, so that choosing the same file again fires `change`.
    source.value = "";
    onFiles(files.map((file) => ({ file })));
  }

  const isTouch = matchMedia("(pointer: coarse)").matches;
  const openCamera = () =>
    isTouch
      ? cameraInput.click()
      : void import("./camera.ts").then(({ takePhoto }) => takePhoto(strings, (file) => onFiles([{ file }])));
  const section = el(
    "section",
    { className: "drop", "aria-label": strings.chooseFiles },
    input,
    folderInput,
    cameraInput,
    isTouch ? undefined : el("p", { className: "drop-title", textContent: strings.dropHint, "aria-hidden": "true" }),
    el(
      "div",
      { className: "acts" },
      el("label", { className: "button", htmlFor: input.id, textContent: strings.chooseFiles }),
      isTouch ? undefined : createQuietButton(strings.chooseFolder, () => folderInput.click()),
      isTouch || "mediaDevices" in navigator ? createQuietButton(strings.takePicture, openCamera) : undefined,
      phoneUrl === undefined || isTouch
        ? undefined
        : createQuietButton(
            strings.phone,
            () => void import("./phone-dialog.ts").then(({ showPhoneDialog }) => showPhoneDialog(phoneUrl, strings)),
          ),
    ),
    el("p", { className: "hint", textContent: strings.intro }),
  );
  return {
    section,
    input,
    addInitialFiles() {
      if (input.files && input.files.length > 0) addFilesFrom(input);
    },
  };
}
