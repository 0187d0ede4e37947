import { el, createQuietButton } from "./dom.ts";
import type { ChosenFile } from "./upload-task.ts";
import type { Strings } from "./strings.ts";

export interface DropZoneOptions {
  strings: Strings;
  /** Types and endings that a file dialog offers. */
  accepts: readonly string[];
  /** The address to continue at on a phone. */
  phoneUrl: string | undefined;
  onFiles: (chosen: readonly ChosenFile[]) => void;
}

export interface DropZone {
  section: HTMLElement;
  /** The control that everything can be done with by keyboard. */
  input: HTMLInputElement;
  /** Takes what was chosen before this script had come. */
  addInitialFiles(): void;
}

/** Where files come in: by dialog, folder, camera or phone. */
export function createDropZone(root: HTMLElement, { strings, accepts, phoneUrl, onFiles }: DropZoneOptions): DropZone {
  // The page brings the first one, so that files can be chosen before this script has come.
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
    // Emptied, so that choosing the same file again is a change as well.
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
