import { createInsightsModule } from "../graph/insights.ts";

export const results = createInsightsModule("/v1.0", {
  views: "views",
  likes: "likes",
  comments: "replies",
  reposts: "reposts",
  quotes: "quotes",
  shares: "shares",
});
