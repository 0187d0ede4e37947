import { Link } from "@tanstack/react-router";
import { ArrowDown } from "lucide-react";
import type { ComparedPost } from "../api/planning-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatShortTime } from "../ui/format-time.ts";
import { getMetricLabel, getReasonLabel, incomparableLabels } from "./result-labels.ts";

/** Posts side by side. Bars repeat the numbers, each column with its own scale: metrics don't compare with each other. */
export function ResultsTable({
  caption,
  posts,
  sources,
  sort,
  onSort,
}: {
  caption: string;
  posts: readonly ComparedPost[];
  sources: Readonly<Record<string, string | null>>;
  /** The metric by which the posts are sorted; undefined if by time. */
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
}) {
  const { studio } = useStudio();
  const names = Object.keys(sources);
  const maxima = new Map(names.map((name) => [name, Math.max(...posts.map(({ metrics }) => metrics[name] ?? 0))]));
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-sm [&_td]:px-3 [&_td]:py-2 [&_td]:align-top [&_th]:px-3 [&_th]:py-2 [&_th]:align-top">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-rule">
            <th scope="col" className="min-w-44 pl-0!">
              Post
            </th>
            <SortHeader label="Published" isSorted={sort === undefined} onSort={() => onSort(undefined)} />
            {names.map((name) => (
              <SortHeader
                key={name}
                label={getMetricLabel(name)}
                source={sources[name]}
                isSorted={sort === name}
                onSort={() => onSort(name)}
              />
            ))}
            {names.length === 0 && <th scope="col">Results</th>}
          </tr>
        </thead>
        <tbody>
          {posts.map((post) => (
            <tr key={post.publicationId} className="border-b border-rule">
              <th scope="row" className="pl-0! font-medium">
                <Link
                  className="line-clamp-2 [overflow-wrap:anywhere]"
                  to="/studios/$studioId/publications/$publicationId"
                  params={{ studioId: studio.id, publicationId: post.publicationId }}
                >
                  {post.title}
                </Link>
              </th>
              <td className="whitespace-nowrap text-muted tabular-nums">
                {formatShortTime(post.publishedAt, studio.timezone)}
              </td>
              {post.reason ? (
                <td colSpan={Math.max(1, names.length)} className="text-muted">
                  {incomparableLabels[post.reason]}
                </td>
              ) : (
                names.map((name) => <MetricCell key={name} post={post} name={name} max={maxima.get(name) ?? 0} />)
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SortHeader({
  label,
  source,
  isSorted,
  onSort,
}: {
  label: string;
  /** What the platform calls it. */
  source?: string | null | undefined;
  isSorted: boolean;
  onSort: () => void;
}) {
  return (
    <th scope="col" aria-sort={isSorted ? "descending" : undefined}>
      <button
        type="button"
        className="flex min-h-6 cursor-pointer items-center gap-1 font-semibold hover:text-accent pointer-coarse:min-h-11"
        onClick={onSort}
      >
        {label}
        <ArrowDown size={14} className={isSorted ? "" : "invisible"} aria-hidden="true" />
      </button>
      {source && <span className="block font-mono text-xs font-normal text-muted">{source}</span>}
    </th>
  );
}

function MetricCell({ post, name, max }: { post: ComparedPost; name: string; max: number }) {
  const value = post.metrics[name] ?? null;
  if (value === null) return <td className="text-muted">{getReasonLabel(post, name)}</td>;
  return (
    <td className="min-w-24 tabular-nums">
      {value.toLocaleString("en-GB")}
      <span
        className="mt-1 block h-1.5 rounded-sm bg-accent forced-colors:bg-[CanvasText]"
        style={{ width: `${max === 0 ? 0 : (value / max) * 100}%` }}
      />
    </td>
  );
}
