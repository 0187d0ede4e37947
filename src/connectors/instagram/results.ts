import { createInsightsModule } from "../graph/insights.ts";
import { apiVersion } from "./publish.ts";

export const results = createInsightsModule(`/${apiVersion}`, {
  views: "views",
  reach: "reach",
  likes: "likes",
  comments: "comments",
  saves: "saved",
  shares: "shares",
  reposts: "reposts",
});
