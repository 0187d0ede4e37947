import { createInsightsModule } from "../graph/insights.ts";

/** `allClicks` also counts clicks that open the post, so it is not comparable with clicks on links. */
export const results = createInsightsModule("", {
  views: "post_media_view",
  reach: "post_total_media_view_unique",
  allClicks: "post_clicks",
  reactions: "post_reactions_by_type_total",
});
