import { el } from "./dom.ts";
import type { Item } from "./item.ts";

export interface Preview {
  element: HTMLElement;
  update(item: Item): void;
  destroy(): void;
}

const edge = 128;
/** Larger pictures take a browser seconds and memory to open. */
const largestPicture = 60 * 1024 * 1024;

/** A small look at a file; for what cannot be shown, its ending. */
export function createPreview(): Preview {
  const element = el("div", { className: "preview", "aria-hidden": "true" });
  let address: string | undefined;
  let shown = "";

  const put = (child: HTMLElement | undefined, item: Item) =>
    element.replaceChildren(child ?? el("span", { textContent: endingOf(item.name), translate: false }));

  async function showFile(file: File, item: Item): Promise<void> {
    if (file.type.startsWith("video/")) {
      address = URL.createObjectURL(file);
      const video = el("video", {
        muted: true,
        preload: "metadata",
        playsInline: true,
        tabIndex: -1,
        src: `${address}#t=0.5`,
      });
      video.addEventListener("error", () => put(undefined, item));
      return put(video, item);
    }
    put(undefined, item);
    if (!file.type.startsWith("image/") || file.size > largestPicture) return;
    try {
      const picture = await createImageBitmap(file);
      const scale = Math.min(1, edge / Math.min(picture.width, picture.height));
      const canvas = el("canvas", {
        width: Math.round(picture.width * scale),
        height: Math.round(picture.height * scale),
      });
      canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
      picture.close();
      put(canvas, item);
    } catch {
      // A picture that this browser does not know, such as HEIC: its ending is shown.
    }
  }

  return {
    element,
    update(item) {
      const wanted = item.file ? `file ${item.file.name} ${item.file.lastModified}` : (item.thumbnailUrl ?? "none");
      if (wanted === shown) return;
      shown = wanted;
      if (item.file) void showFile(item.file, item);
      else if (item.thumbnailUrl === undefined) put(undefined, item);
      else {
        const picture = el("img", { alt: "", src: item.thumbnailUrl });
        picture.addEventListener("error", () => put(undefined, item));
        put(picture, item);
      }
    },
    destroy: () => address !== undefined && URL.revokeObjectURL(address),
  };
}

const endingOf = (name: string): string => /\.([^.\s]{1,5})$/.exec(name)?.[1]?.toUpperCase() ?? "";
