import type { InferResponseType } from "hono/client";
import { api } from "./client.ts";
import { createSelect, pagedQuery } from "./paged-query.ts";

type NotificationPage = InferResponseType<typeof api.me.notifications.$get>;
export type Notification = NotificationPage["notifications"][number];

const selectNotifications = createSelect(({ notifications }: NotificationPage) => notifications);

/** The notifications of the user in this studio. */
export const notificationsQuery = (studioId: string) =>
  pagedQuery({
    queryKey: ["studio", studioId, "notifications"],
    limit: 30,
    fetchPage: (page, options) => api.me.notifications.$get({ query: { studioId, ...page } }, options),
    select: selectNotifications,
  });

/** The number of unread ones, from the same response. */
export const selectUnread = ({ pages }: { pages: readonly NotificationPage[] }): number => pages[0]?.unread ?? 0;
