import { isoTime } from "#lib/clock.ts";
import { notFound } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import type { StudioView } from "./create-studio.ts";

export async function getStudio(deps: Pick<Deps, "studios">, caller: Caller): Promise<StudioView> {
  authorize(caller, "studio.read");
  const studio = await deps.studios.find(caller.studio.id);
  if (!studio) throw notFound("studio");
  return { ...studio, createdAt: isoTime(studio.createdAt) };
}
