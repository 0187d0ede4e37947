import { z } from "zod";
import { toIsoTime, type WithIsoTimes } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Studio } from "../model/studio.ts";
import { singleLine } from "../model/text.ts";
import { type Action, approvalRules, authorize, listPermissions, type Role } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { authorizeStudioCreation } from "./authorize-sign-in.ts";
import { enforceOwnedStudioLimit } from "./members.ts";

const studioFields = {
  name: singleLine(100),
  timezone: z.string().refine(isTimezone, "a time zone such as Europe/Paris"),
};

export const createStudioInput = z.strictObject({
  name: studioFields.name,
  timezone: studioFields.timezone.default("UTC"),
});

export type StudioView = WithIsoTimes<Studio, "createdAt">;

/** Creates a studio with its creator as owner. It becomes the creator's active studio. */
export async function createStudio(
  deps: Pick<Deps, "users" | "transact" | "newId" | "newSecret" | "clock" | "signInAllow" | "limits">,
  caller: SignedInUser,
  input: z.infer<typeof createStudioInput>,
): Promise<StudioView> {
  await authorizeStudioCreation(deps, caller);
  const studio: Studio = {
    id: deps.newId("studio"),
    name: input.name,
    slug: slugify(input.name),
    timezone: input.timezone,
    approval: "clients",
    createdAt: deps.clock(),
  };
  await deps.transact(caller, async (tx) => {
    await enforceOwnedStudioLimit(deps, tx, caller.user.id, { isCaller: true });
    while (!(await tx.studios.insert(studio, caller.user.id))) {
      const randomSuffix = deps.newSecret().slice(0, 6).toLowerCase();
      studio.slug = `${slugify(input.name)}-${randomSuffix.replace(/[^a-z0-9]/g, "x")}`;
    }
    await tx.users.setActiveStudio(caller.user.id, studio.id);
    await recordActivity(deps, tx, { user: caller.user, studio }, "studio.created", studio.id, { name: studio.name });
  });
  return { ...studio, createdAt: toIsoTime(studio.createdAt) };
}

function slugify(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  return (
    plain
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 40) || "studio"
  );
}

/** Whether the value is an IANA name. Those start with a letter; `Intl` also accepts offsets such as +23:59. */
function isTimezone(value: string): boolean {
  if (!/^[a-z]/i.test(value)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** A studio and what the member may do in it. */
export interface StudioDetail extends StudioView {
  role: Role;
  may: Action[];
  /** The roles that the member may assign, and whose members they may manage. */
  manages: readonly Role[];
}

export async function getStudio(deps: Pick<Deps, "studios">, caller: Caller): Promise<StudioDetail> {
  authorize(caller, "studio.read");
  const studio = await deps.studios.find(caller.studio.id);
  if (!studio) throw notFoundError("studio");
  return { ...studio, createdAt: toIsoTime(studio.createdAt), role: caller.role, ...listPermissions(caller.role) };
}

export const updateStudioInput = z.strictObject({
  name: studioFields.name.optional(),
  timezone: studioFields.timezone.optional(),
  approval: z.enum(approvalRules).optional(),
});

/** Changes the studio's name, time zone or approval rule. Id and slug stay, so that existing links keep working. */
export async function updateStudio(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof updateStudioInput>,
): Promise<StudioView> {
  authorize(caller, "studio.update");
  const change = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.timezone === undefined ? {} : { timezone: input.timezone }),
    ...(input.approval === undefined ? {} : { approval: input.approval }),
  };
  if (Object.keys(change).length === 0)
    throw new AppError("invalid_input:no_changes", { fields: "name, timezone or approval" });
  const studio = await deps.transact(caller, async (tx) => {
    const updatedStudio = await tx.studios.update(caller.studio.id, change);
    if (!updatedStudio) throw notFoundError("studio");
    await recordActivity(deps, tx, caller, "studio.updated", updatedStudio.id, change);
    return updatedStudio;
  });
  return { ...studio, createdAt: toIsoTime(studio.createdAt) };
}
