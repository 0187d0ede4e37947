import { z } from "zod";

/** A user or an AI client, as results name them. */
export const namedView = z.object({ id: z.string(), name: z.string() });

export type Named = z.infer<typeof namedView>;

export const toNamed = (id: string | null, name: string | null): Named | null =>
  id === null ? null : { id, name: name ?? id };
