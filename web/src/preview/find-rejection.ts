interface Problem {
  level: string;
  message: string;
  assetId?: string | undefined;
  assetIds?: string[] | undefined;
}

/** Why the platform would reject a file, also if it would reject others for the same reason. */
export const findRejection = (problems: readonly Problem[], assetId: string): string | undefined =>
  problems.find(
    ({ level, ...problem }) =>
      level === "rejected" && (problem.assetId === assetId || problem.assetIds?.includes(assetId)),
  )?.message;
