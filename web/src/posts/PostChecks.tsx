import type { Post } from "../api/queries.ts";

/** What the connected platforms would say to this post. Nothing, where none is connected. */
export function PostChecks({ validation = [] }: Pick<Post, "validation">) {
  if (validation.length === 0) return null;
  return (
    <section className="mt-6" aria-label="Platforms">
      <h2 className="text-lg">Platforms</h2>
      <ul className="mt-2">
        {validation.map(({ connectionId, platform, account, problems, source }) => (
          <li key={connectionId} className="mt-3">
            <p className="m-0 [overflow-wrap:anywhere]">
              <b>{account}</b> <span className="text-muted">({platform})</span>
            </p>
            {problems.length === 0 ? (
              <p className="m-0 text-sm text-muted">takes it as it is</p>
            ) : (
              <ul className="mt-1 list-disc pl-5 text-sm">
                {problems.map(({ level, code, message, assetId }) => (
                  <li key={`${code} ${assetId ?? ""}`} className={level === "refused" ? "text-danger" : "text-muted"}>
                    {level === "refused" ? "Refused: " : "Mind: "}
                    {message}
                  </li>
                ))}
              </ul>
            )}
            <p className="m-0 text-sm text-muted">
              <a href={source.url} target="_blank" rel="noreferrer" aria-label={`Rules of ${platform}`}>
                rules
              </a>{" "}
              as of {source.readOn}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
