/** A condition on a post that is neither published nor planned; `postId` is the column with the id of the post. */
export const buildIsUnscheduled = (postId: "p.id" | "t.id"): string =>
  `NOT EXISTS (SELECT 1 FROM publications u WHERE u.post_id = ${postId}
      AND u.state NOT IN ('canceled', 'failed') AND (u.state <> 'proposed' OR u.scheduled_for IS NOT NULL))`;
