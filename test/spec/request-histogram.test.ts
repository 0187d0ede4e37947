import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequestHistogram } from "#http/request-histogram.ts";

test("counts requests by route, method, status and duration, in cumulative buckets", () => {
  const histogram = createRequestHistogram();
  histogram.observe("/mcp", "POST", 200, 0.001);
  histogram.observe("/mcp", "POST", 200, 0.25);
  histogram.observe("/mcp", "POST", 200, 100);
  histogram.observe("/mcp", "PURGE", 405, 0.5);
  const lines = histogram.format().split("\n");
  const name = "atelier_http_request_duration_seconds";
  assert.deepEqual(lines.slice(0, 2), [
    `# HELP ${name} HTTP request duration by route, method and status`,
    `# TYPE ${name} histogram`,
  ]);
  const labels = 'route="/mcp",method="POST",status="200"';
  assert.deepEqual(
    lines.filter((line) => line.includes(labels)),
    [
      ...Object.entries({ 0.001: 1, 0.005: 1, 0.02: 1, 0.1: 1, 0.5: 2, 2: 2, 10: 2, 60: 2, "+Inf": 3 })
        .toSorted(([a], [b]) => Number(a.replace("+Inf", "999")) - Number(b.replace("+Inf", "999")))
        .map(([bound, count]) => `${name}_bucket{le="${bound}",${labels}} ${count}`),
      `${name}_sum{${labels}} 100.251`,
      `${name}_count{${labels}} 3`,
    ],
  );
  assert.ok(lines.includes(`${name}_count{route="/mcp",method="other",status="405"} 1`));
});
