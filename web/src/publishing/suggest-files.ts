type Kind = "image" | "video" | "document";

interface SelectableAsset {
  id: string;
  kind: Kind;
}

interface Problem {
  level: "rejected" | "converted" | "warning";
  code: string;
  /** A problem can concern one file (`assetId`) or several (`assetIds`). */
  assetId?: string | undefined;
  assetIds?: string[] | undefined;
  max?: number | undefined;
}

/** The kind of file that a problem counts; undefined if it counts all files. */
const countedKinds: Readonly<Record<string, Kind | undefined>> = {
  too_many_files: undefined,
  too_many_pictures: "image",
  too_many_videos: "video",
  too_many_documents: "document",
};

export interface FileLimit {
  max: number;
  kind: Kind | undefined;
}

/** Whether choosing fewer files for the account can solve the problem. */
export const isSolvedByFewerFiles = ({ level, code, assetId, assetIds }: Problem): boolean =>
  level !== "converted" &&
  (code in countedKinds || code === "mixed_media" || (level === "rejected" && (assetId ?? assetIds) !== undefined));

/** How many files the platform accepts, as far as the problems say. */
export const listFileLimits = (problems: readonly Problem[]): FileLimit[] =>
  problems.flatMap(({ code, max }) =>
    max !== undefined && code in countedKinds ? [{ max, kind: countedKinds[code] }] : [],
  );

/** Suggests the files that the platform accepts: the first ones, without those that it rejects. */
export function suggestFiles<Item extends SelectableAsset>(
  assets: readonly Item[],
  problems: readonly Problem[],
): Item[] {
  const rejectedIds = new Set(
    problems
      .filter(({ level }) => level === "rejected")
      .flatMap(({ assetId, assetIds = [] }) => (assetId === undefined ? assetIds : [assetId])),
  );
  const acceptedFiles = assets.filter(({ id }) => !rejectedIds.has(id));
  const [firstFile] = acceptedFiles;
  const hasMixedKinds = problems.some(({ code }) => code === "mixed_media");
  const files = hasMixedKinds ? acceptedFiles.filter(({ kind }) => kind === firstFile?.kind) : acceptedFiles;
  return listFileLimits(problems).reduce((current, limit) => keepFirst(current, limit), files);
}

/** Keeps the first files of the limit's kind, and all others. */
function keepFirst<Item extends SelectableAsset>(assets: readonly Item[], { max, kind }: FileLimit): Item[] {
  const countedFiles = assets.filter((asset) => kind === undefined || asset.kind === kind);
  const excess = new Set(countedFiles.slice(max));
  return assets.filter((asset) => !excess.has(asset));
}
