import type { Preview } from "#domain/assets/thumbnails.ts";
import type { ErrorView } from "#lib/errors.ts";
import { describeWrongIds } from "./describe-wrong-ids.ts";

/** Returns the members of a result as JSON text. The text block and the structured content have the same output. */
export function toSuccessResult(output: object, previews: readonly Preview[]): string {
  const json = JSON.stringify(output);
  const images = previews.map(({ mimeType, content }) => ({
    type: "image",
    data: Buffer.from(content).toString("base64"),
    mimeType,
  }));
  const imagesJson = images.map((image) => `,${JSON.stringify(image)}`).join("");
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}${imagesJson}],"structuredContent":${json}`;
}

/** Explains `not_found` if it was caused by an id of another kind, such as an asset id as postId. */
export function addWrongIdHint(view: ErrorView, args: Readonly<Record<string, unknown>>): ErrorView {
  const wrongIdHint = view.code === "not_found" ? describeWrongIds(args) : undefined;
  return wrongIdHint ? { ...view, hint: [wrongIdHint, view.hint].filter(Boolean).join(" ") } : view;
}

export function toErrorResult(view: ErrorView): string {
  const text = view.hint ? `${view.code}: ${view.message} ${view.hint}` : `${view.code}: ${view.message}`;
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${JSON.stringify(view)},"isError":true`;
}
