import { createElement } from "./dom.ts";
import type { UploadItem } from "./upload-task.ts";

export interface Preview {
  element: HTMLElement;
  update(item: UploadItem): void;
  destroy(): void;
}

const thumbnailEdge = 128;
/** Decoding larger images takes seconds and a lot of memory. */
const maxImageBytes = 60 * 1024 * 1024;

/** A thumbnail of a file, or its extension if the browser cannot show it. */
export function createPreview({ canShowVideos }: { canShowVideos: boolean }): Preview {
  const element = createElement("div", {
    className:
      "row-span-2 grid size-16 place-items-center overflow-hidden rounded-sm border border-rule bg-raised text-[0.8rem] text-muted max-sm:size-13 [&>:not(span)]:size-full [&>:not(span)]:object-cover",
    "aria-hidden": "true",
  });
  let objectUrl: string | undefined;
  let shownKey = "";

  const setContent = (child: HTMLElement | undefined, item: UploadItem) =>
    element.replaceChildren(child ?? createElement("span", { textContent: getExtension(item.name), translate: false }));

  async function showFile(file: File, item: UploadItem): Promise<void> {
    if (file.type.startsWith("video/") && canShowVideos) {
      objectUrl = URL.createObjectURL(file);
      const video = createElement("video", {
        muted: true,
        preload: "metadata",
        playsInline: true,
        tabIndex: -1,
        src: `${objectUrl}#t=0.5`,
      });
      video.addEventListener("error", () => setContent(undefined, item));
      return setContent(video, item);
    }
    setContent(undefined, item);
    if (!file.type.startsWith("image/") || file.size > maxImageBytes) return;
    try {
      const image = await createImageBitmap(file);
      const scale = Math.min(1, thumbnailEdge / Math.min(image.width, image.height));
      const canvas = createElement("canvas", {
        width: Math.round(image.width * scale),
        height: Math.round(image.height * scale),
      });
      canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
      image.close();
      setContent(canvas, item);
    } catch {
      // The browser cannot decode this format, such as HEIC: keep showing the extension.
    }
  }

  return {
    element,
    update(item) {
      const contentKey = item.file ? `file ${item.file.name} ${item.file.lastModified}` : (item.thumbnailUrl ?? "none");
      if (contentKey === shownKey) return;
      shownKey = contentKey;
      if (item.file) void showFile(item.file, item);
      else if (item.thumbnailUrl === undefined) setContent(undefined, item);
      else {
        const image = createElement("img", { alt: "", src: item.thumbnailUrl });
        image.addEventListener("error", () => setContent(undefined, item));
        setContent(image, item);
      }
    },
    destroy: () => objectUrl !== undefined && URL.revokeObjectURL(objectUrl),
  };
}

const getExtension = (name: string): string => /\.([^.\s]{1,5})$/.exec(name)?.[1]?.toUpperCase() ?? "";
