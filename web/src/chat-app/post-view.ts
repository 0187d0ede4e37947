import { createElement, setText, setVisible } from "../upload/dom.ts";
import type { AssetData, PostData } from "./read-post.ts";
import type { ChatStrings } from "./strings.ts";
import type { Thumbnails } from "./thumbnails.ts";

export interface PostView {
  element: HTMLElement;
  render(post: PostData): void;
}

/** Title, status, text and files. Everything from the post is set as text, never as markup. */
export function createPostView(strings: ChatStrings, thumbnails: Thumbnails): PostView {
  const title = createElement("h1", { className: "text-xl", dir: "auto" });
  const status = createElement("p", {
    className: "m-0 rounded-full bg-hover px-2 text-xs/5 font-medium whitespace-nowrap text-muted forced-colors:border",
  });
  const body = createElement("p", {
    className: "m-0 line-clamp-6 whitespace-pre-line [overflow-wrap:anywhere]",
    dir: "auto",
  });
  const files = createElement("ul", {
    className: "m-0 flex list-none flex-wrap gap-2 p-0",
    "aria-label": strings.filesOfPost,
  });
  const element = createElement(
    "header",
    { className: "grid gap-3" },
    createElement("div", { className: "flex flex-wrap items-center gap-x-3 gap-y-1" }, title, status),
    body,
    files,
  );
  return {
    element,
    render(post) {
      setText(title, post.title);
      const { draft, ready, archived } = strings;
      setText(status, ({ draft, ready, archived } as Record<string, string>)[post.status] ?? "");
      setText(body, post.body);
      setVisible(body, post.body !== "");
      files.replaceChildren(...post.assets.map((asset) => createTile(asset, strings, thumbnails)));
      setVisible(files, post.assets.length > 0);
    },
  };
}

function createTile(
  { id, filename, altText, isReady }: AssetData,
  strings: ChatStrings,
  thumbnails: Thumbnails,
): HTMLLIElement {
  const image = thumbnails.get(id);
  const frameClasses =
    "grid size-20 place-items-center overflow-hidden rounded-sm border border-rule bg-raised text-xs text-muted";
  return createElement(
    "li",
    { className: "grid w-20 gap-1", title: filename },
    image === undefined
      ? createElement("span", {
          className: frameClasses,
          textContent: isReady ? getExtension(filename) : strings.uploadingFile,
        })
      : createElement("img", { className: `${frameClasses} object-cover`, src: image, alt: altText }),
    createElement("span", { className: "truncate text-xs text-muted", textContent: filename, dir: "auto" }),
  );
}

const getExtension = (name: string): string => /\.([^.\s]{1,5})$/.exec(name)?.[1]?.toUpperCase() ?? "";
