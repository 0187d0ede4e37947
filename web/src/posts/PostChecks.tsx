import { useQuery } from "@tanstack/react-query";
import { platformsQuery, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ProblemList } from "../publishing/ProblemList.tsx";

/** Checks of the post against the rules of each connected platform. */
export function PostChecks({ validation = [] }: Pick<Post, "validation">) {
  const { studio } = useStudio();
  const hasValidation = validation.length > 0;
  const platforms = useQuery({ ...platformsQuery(studio.id), enabled: hasValidation, refetchInterval: false }).data
    ?.platforms;
  if (!hasValidation) return null;
  const describeFit = (id: string): string => {
    const platform = platforms?.find((candidate) => candidate.id === id);
    return platform?.canPublish === false
      ? `Fits the rules of ${platform.name}. Publishing there is not available yet.`
      : `Ready for ${platform?.name ?? id}`;
  };
  const getPlatformName = (platform: string) =>
    platforms && (platforms.find(({ id }) => id === platform)?.name ?? platform);
  return (
    <section className="mt-6" aria-label="Platforms">
      <h2 className="text-lg">Platforms</h2>
      <ul className="mt-2">
        {validation.map(({ connectionId, platform, account, problems, source }) => (
          <li key={connectionId} className="mt-3">
            <p className="m-0 [overflow-wrap:anywhere]">
              <b>{account}</b> <span className="text-muted">{getPlatformName(platform)}</span>
            </p>
            {problems.length === 0 ? (
              <p className="m-0 text-sm text-muted">{describeFit(platform)}</p>
            ) : (
              <ProblemList problems={problems} />
            )}
            <p className="mt-1 text-sm text-muted">
              <a
                href={source.url}
                target="_blank"
                rel="noreferrer"
                aria-label={`Rules of ${getPlatformName(platform) ?? platform}`}
              >
                Rules
              </a>{" "}
              as of {source.readOn}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
