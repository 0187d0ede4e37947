import type { MissingReason } from "#domain/model/results.ts";
import { toObject } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { orMissing } from "../publishing/missing-results.ts";
import type { ResultsModule } from "../publishing/publish-module.ts";

const [reactions, comments] = ["likesSummary.totalLikes", "commentsSummary.aggregatedTotalComments"] as const;

/**
 * What `w_member_social` may let us read. LinkedIn has no list, and allows 150 requests per member and day, so posts are
 * read at few ages. Impressions need the Community Management API.
 */
export const results: ResultsModule = {
  definition: 1,
  sources: { reactions, comments },
  batchSize: 1,
  ages: [24, 168, 720],
  async read({ call }, postIds) {
    const posts = new Map<string, JsonObject | MissingReason>();
    for (const id of postIds) {
      const path = `/v2/socialActions/${encodeURIComponent(id)}`;
      const counts = call({ method: "GET", path }, ({ likesSummary, commentsSummary }) => ({
        [reactions]: toObject(likesSummary)["totalLikes"],
        [comments]: toObject(commentsSummary)["aggregatedTotalComments"],
      }));
      posts.set(id, await orMissing(counts));
    }
    return posts;
  },
};
