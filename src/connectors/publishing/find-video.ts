import type { ContentAsset, PublicationContent } from "#domain/model/publication-content.ts";

export const findVideo = ({ assets }: PublicationContent): ContentAsset | undefined =>
  assets.find(({ kind }) => kind === "video");
