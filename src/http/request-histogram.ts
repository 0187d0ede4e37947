const metricName = "atelier_http_request_duration_seconds";
const upperBounds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60] as const;
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

interface Series {
  /** How many requests took at most each upper bound and more than the one before; the last element has no bound. */
  bucketCounts: number[];
  sum: number;
  labels: string;
}

export interface RequestHistogram {
  observe(route: string, method: string, status: number, seconds: number): void;
  /** The text format of Prometheus. */
  format(): string;
}

/**
 * Counts requests by route, method, status and duration. A histogram of prom-client would look up and validate the labels
 * of every request, which takes ten times as long as counting it.
 */
export function createRequestHistogram(): RequestHistogram {
  const seriesByKey = new Map<string, Series>();
  return {
    observe(route, method, status, seconds) {
      const key = `${route} ${knownMethods.has(method) ? method : "other"} ${status}`;
      const series = seriesByKey.get(key) ?? createSeries(key);
      const boundIndex = upperBounds.findIndex((bound) => seconds <= bound);
      const bucket = boundIndex < 0 ? upperBounds.length : boundIndex;
      series.bucketCounts[bucket] = (series.bucketCounts[bucket] ?? 0) + 1;
      series.sum += seconds;
    },
    format: () =>
      [
        `# HELP ${metricName} HTTP request duration by route, method and status`,
        `# TYPE ${metricName} histogram`,
        ...[...seriesByKey.values()].flatMap(formatSeries),
      ].join("\n"),
  };

  function createSeries(key: string): Series {
    const [route, method, status] = key.split(" ");
    const newSeries: Series = {
      bucketCounts: [...upperBounds, Infinity].map(() => 0),
      sum: 0,
      labels: `route="${route}",method="${method}",status="${status}"`,
    };
    seriesByKey.set(key, newSeries);
    return newSeries;
  }
}

/** The buckets of the text format are cumulative. */
function formatSeries({ bucketCounts, sum, labels }: Series): string[] {
  let count = 0;
  const buckets = bucketCounts.map(
    (bucketCount, i) => `${metricName}_bucket{le="${upperBounds[i] ?? "+Inf"}",${labels}} ${(count += bucketCount)}`,
  );
  return [...buckets, `${metricName}_sum{${labels}} ${sum}`, `${metricName}_count{${labels}} ${count}`];
}
