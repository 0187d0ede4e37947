import type { ResultSnapshot } from "../api/planning-queries.ts";

const [width, height, margin] = [420, 160, 12];

/** Lines differ by their pattern and their label, not by color. */
const patterns = ["", "6 4", "2 3", "10 3 2 3"];

/**
 * Metrics over the age of the post, on logarithmic axes: most happens in the first hours. Each point was read; what is
 * not known has no point. Hidden from screen readers, which have the table.
 */
export function ResultsChart({
  snapshots,
  names,
  publishedAt,
}: {
  /** Newest first. */
  snapshots: readonly ResultSnapshot[];
  names: readonly string[];
  publishedAt: string;
}) {
  const getAge = ({ readAt }: ResultSnapshot): number =>
    Math.log1p(Math.max(0, Date.parse(readAt) - Date.parse(publishedAt)) / 3_600_000);
  const lines = names
    .map((name) => ({
      name,
      points: snapshots.flatMap((snapshot) => {
        const value = snapshot.metrics[name] ?? null;
        return value === null ? [] : [{ age: getAge(snapshot), value }];
      }),
    }))
    .filter(({ points }) => points.length > 0);
  if (snapshots.length < 2 || lines.length === 0) return null;
  const maxAge = Math.max(...snapshots.map(getAge), 1);
  const maxValue = Math.log1p(Math.max(...lines.flatMap(({ points }) => points.map(({ value }) => value)), 1));
  const toX = (age: number): number => margin + (age / maxAge) * (width - 110);
  const toY = (value: number): number => height - margin - (Math.log1p(value) / maxValue) * (height - 2 * margin);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className="w-full max-w-[30rem] text-ink" aria-hidden="true">
      <line x1={margin} x2={toX(maxAge)} y1={toY(0)} y2={toY(0)} className="stroke-rule" />
      {lines.map(({ name, points }, i) => (
        <g key={name}>
          <polyline
            points={points.map(({ age, value }) => `${toX(age)},${toY(value)}`).join(" ")}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeDasharray={patterns[i % patterns.length]}
          />
          {points.map(({ age, value }) => (
            <circle key={age} cx={toX(age)} cy={toY(value)} r="2.5" fill="currentColor" />
          ))}
          <text x={toX(points[0]?.age ?? 0) + 8} y={toY(points[0]?.value ?? 0) + 4} fontSize="12" fill="currentColor">
            {name} {points[0]?.value}
          </text>
        </g>
      ))}
    </svg>
  );
}
