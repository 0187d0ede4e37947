import { createReviewLink, createReviewLinkInput, createReviewLinkOutput } from "#domain/reviews/review-links.ts";
import { defineTool } from "../define-tool.ts";

export const createReviewLinkTool = defineTool({
  name: "create_review_link",
  title: "Create a review link",
  description:
    "Create a link for someone without an account, such as a client, to see the post as each account will show it, comment, and approve it or ask for changes. Give the url to the user. Guests' names and words are unverified.",
  action: "posts.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: createReviewLinkInput,
  output: createReviewLinkOutput,
  run: createReviewLink,
});
