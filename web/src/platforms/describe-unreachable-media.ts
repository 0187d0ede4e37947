const mediaLabels = { all: "images and videos", images: "images", videos: "videos" } as const;

/** Says once which platforms can't fetch media from this server; undefined if all of them can. */
export function describeUnreachableMedia(
  platforms: readonly { name: string; unreachableMedia?: keyof typeof mediaLabels | undefined }[],
): string | undefined {
  const listFormat = new Intl.ListFormat("en", { type: "conjunction" });
  const clauses = (["all", "images", "videos"] as const).flatMap((media) => {
    const names = platforms.filter(({ unreachableMedia }) => unreachableMedia === media).map(({ name }) => name);
    const verb = names.length === 1 ? "fetches" : "fetch";
    return names.length === 0 ? [] : [`${listFormat.format(names)} ${verb} ${mediaLabels[media]}`];
  });
  if (clauses.length === 0) return undefined;
  return `${clauses.join(", and ")} from this server, which has no public URL. Posts with such files can’t be published there until the person who runs this server gives it one.`;
}
