import { el, quietButton } from "./dom.ts";
import type { Chosen } from "./item.ts";
import type { Strings } from "./strings.ts";

export interface DropOptions {
  strings: Strings;
  /** Types and endings that a file dialog offers. */
  accepts: readonly string[];
  /** The address to continue at on a phone. */
  phone: string | undefined;
  add: (chosen: readonly Chosen[]) => void;
}

export interface Drop {
  section: HTMLElement;
  /** The control that everything can be done with by keyboard. */
  input: HTMLInputElement;
  /** Takes what was chosen before this script had come. */
  takeEarly(): void;
}

/** Where files come in: by dialog, folder, camera or phone. */
export function createDrop(root: HTMLElement, { strings, accepts, phone, add }: DropOptions): Drop {
  // The page brings the first one, so that files can be chosen before this script has come.
  const input =
    root.querySelector<HTMLInputElement>("input[type=file]") ?? el("input", { type: "file", multiple: true });
  input.id ||= "uploader-files";
  input.setAttribute("aria-label", strings.chooseFiles);
  const hidden = { type: "file", tabIndex: -1, "aria-hidden": "true" };
  const folder = el("input", { ...hidden, multiple: true, webkitdirectory: true });
  const lens = el("input", { ...hidden, accept: "image/*,video/*", capture: "environment" });
  for (const one of [input, folder, lens]) {
    one.classList.add("unseen");
    if (one !== lens) one.accept = accepts.join(",");
    one.addEventListener("change", () => takeFrom(one));
  }

  function takeFrom(from: HTMLInputElement): void {
    const files = [...(from.files ?? [])];
    // Emptied, so that choosing the same file again is a change as well.
    from.value = "";
    add(files.map((file) => ({ file })));
  }

  const isTouch = matchMedia("(pointer: coarse)").matches;
  const openCamera = () =>
    isTouch
      ? lens.click()
      : void import("./camera.ts").then(({ takePicture }) => takePicture(strings, (file) => add([{ file }])));
  const section = el(
    "section",
    { className: "drop", "aria-label": strings.chooseFiles },
    input,
    folder,
    lens,
    isTouch ? undefined : el("p", { className: "drop-title", textContent: strings.dropHint, "aria-hidden": "true" }),
    el(
      "div",
      { className: "acts" },
      el("label", { className: "button", htmlFor: input.id, textContent: strings.chooseFiles }),
      isTouch ? undefined : quietButton(strings.chooseFolder, () => folder.click()),
      isTouch || "mediaDevices" in navigator ? quietButton(strings.takePicture, openCamera) : undefined,
      phone === undefined || isTouch
        ? undefined
        : quietButton(
            strings.phone,
            () => void import("./phone.ts").then(({ showPhone }) => showPhone(phone, strings)),
          ),
    ),
    el("p", { className: "hint", textContent: strings.intro }),
  );
  return {
    section,
    input,
    takeEarly() {
      if (input.files && input.files.length > 0) takeFrom(input);
    },
  };
}
