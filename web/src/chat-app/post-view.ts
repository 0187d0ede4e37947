import { countPartlyPublished, findMainState } from "../publishing/find-main-state.ts";
import { createElement, setText, setVisible } from "../upload/dom.ts";
import { getStateLabel } from "./accounts-view.ts";
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
      setText(status, describeState(post, strings));
      setText(body, post.body);
      setVisible(body, post.body !== "");
      files.replaceChildren(...post.assets.map((asset) => createTile(asset, strings, thumbnails)));
      setVisible(files, post.assets.length > 0);
    },
  };
}

/** As in the web app: the most urgent state of the publications, or the status of a post without any. */
function describeState({ status, accounts }: PostData, strings: ChatStrings): string {
  const { draft, ready, archived } = strings;
  const publications = accounts.flatMap(({ connectionId, publication }) =>
    publication ? [{ connectionId, state: publication.state }] : [],
  );
  const state = status === "archived" ? undefined : findMainState(publications);
  const part = countPartlyPublished(publications);
  if (state === undefined) return ({ draft, ready, archived } as Record<string, string>)[status] ?? "";
  if (!part) return getStateLabel(state, strings);
  return strings.partlyPublished.replace("{count}", String(part.count)).replace("{total}", String(part.total));
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
