/** What a webhook can subscribe to in the web app. With the API, it can also name single types. */
export const eventGroups = [
  {
    prefix: "publication.*",
    label: "Publications",
    description: "Such as publication.published and publication.failed",
  },
  { prefix: "post.*", label: "Posts", description: "Such as post.created and post.updated" },
  { prefix: "asset.*", label: "Files", description: "Such as asset.uploaded and asset.attached" },
  { prefix: "comment.*", label: "Comments", description: "Such as comment.added and comment.resolved" },
  { prefix: "review.*", label: "Reviews", description: "What guests of review links decide" },
  { prefix: "platform.*", label: "Platforms", description: "Such as platform.connected and platform.needs_reconnect" },
  { prefix: "member.*", label: "Members", description: "Such as member.joined and member.removed" },
] as const;

export const exampleEvent = JSON.stringify(
  {
    type: "post.updated",
    timestamp: "2026-11-20T09:30:00.000Z",
    data: {
      studioId: "std_…",
      object: { type: "post", id: "pst_…", revision: 4 },
      actor: { user: { id: "usr_…" }, client: null },
    },
  },
  null,
  2,
);
