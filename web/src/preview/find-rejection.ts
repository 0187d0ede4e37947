interface Problem {
  level: string;
  message: string;
  assetId?: string | undefined;
  assetIds?: string[] | undefined;
}

/** Why the platform would reject a file. A problem can concern one file (`assetId`) or several (`assetIds`). */
export const findRejection = (problems: readonly Problem[], assetId: string): string | undefined =>
  problems.find(
    ({ level, ...problem }) =>
      level === "rejected" && (problem.assetId === assetId || problem.assetIds?.includes(assetId)),
  )?.message;
