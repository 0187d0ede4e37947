import { z } from "zod";

/** The id and name of a user or an AI client, as results contain them. */
export const userOrClientView = z.object({ id: z.string(), name: z.string() });

export type UserOrClient = z.infer<typeof userOrClientView>;

export const toUserOrClient = (id: string | null, name: string | null): UserOrClient | null =>
  id === null ? null : { id, name: name ?? id };
