import { requireId, toObject, toObjectList } from "../call-api.ts";
import type { ResultsModule } from "../publishing/publish-module.ts";

/** X charges for each post that is read, once a day, so it is read at few ages. Deleted posts are left out. */
export const results: ResultsModule = {
  definition: 1,
  sources: {
    likes: "like_count",
    comments: "reply_count",
    reposts: "retweet_count",
    quotes: "quote_count",
    saves: "bookmark_count",
    views: "impression_count",
  },
  batchSize: 100,
  ages: [24, 72, 168, 696],
  read({ call }, postIds) {
    const query = { ids: postIds.join(","), "tweet.fields": "public_metrics" };
    return call(
      { method: "GET", path: "/2/tweets", query },
      ({ data }) =>
        new Map(toObjectList(data).map((post) => [requireId(post["id"]), toObject(post["public_metrics"])])),
    );
  },
};
