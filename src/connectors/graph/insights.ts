import { resultAges } from "#domain/model/results.ts";
import type { MissingReason } from "#domain/model/results.ts";
import { toObject, toObjectList, toText } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { orMissing } from "../publishing/missing-results.ts";
import type { ErrorResponse, ResultsModule } from "../publishing/publish-module.ts";

/**
 * Reads the insights of posts on Facebook, Instagram and Threads, one request per post. Meta counts for a day before
 * they are complete. `basePath`: before the id of the post.
 */
export const createInsightsModule = (basePath: string, sources: ResultsModule["sources"]): ResultsModule => ({
  definition: 1,
  sources,
  batchSize: 1,
  ages: resultAges.filter((age) => age >= 24),
  async read({ call }, postIds) {
    const results = new Map<string, JsonObject | MissingReason>();
    for (const id of postIds) {
      const path = `${basePath}/${encodeURIComponent(id)}/insights`;
      const query = { metric: Object.values(sources).join(",") };
      const insights = call({ method: "GET", path, query }, ({ data }) => parseInsights(data));
      results.set(id, await orMissing(insights, readMissingReason));
    }
    return results;
  },
});

/** The values by name. Meta leaves a metric out if it has no value yet, so that it is not known to be 0. */
const parseInsights = (data: unknown): JsonObject =>
  Object.fromEntries(
    toObjectList(data).map((metric) => [
      toText(metric["name"]) ?? "",
      sumKinds((toObjectList(metric["values"])[0] ?? toObject(metric["total_value"]))["value"]),
    ]),
  );

/** Reactions are counted by their kind: `{ like: 3, love: 1 }`. */
function sumKinds(value: unknown): unknown {
  const counts = Object.values(toObject(value));
  return counts.length > 0 ? counts.reduce<number>((sum, count) => sum + Number(count), 0) : value;
}

/** A missing permission has the code 10, or one from 200 to 299; a deleted post is an unknown object. */
function readMissingReason({ body }: ErrorResponse): MissingReason {
  const { code, error_subcode: subcode } = toObject(body["error"]);
  if (code === 10 || (typeof code === "number" && code >= 200 && code <= 299)) return "not_permitted";
  return code === 100 && subcode === 33 ? "deleted" : "error";
}
