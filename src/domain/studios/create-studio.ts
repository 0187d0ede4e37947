import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { authorizeStudioCreation } from "./authorize-sign-in.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { SignedInUser } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import type { ApprovalRule } from "../policy.ts";
import { singleLine } from "../model/text.ts";
import { enforceOwnedStudioLimit } from "./members.ts";
import type { Studio } from "../model/studio.ts";

export const studioFields = {
  name: singleLine(100),
  timezone: z.string().refine(isTimezone, "a time zone such as Europe/Paris"),
};

export const createStudioInput = z.strictObject({
  name: studioFields.name,
  timezone: studioFields.timezone.default("UTC"),
});

export interface StudioView {
  id: string;
  name: string;
  slug: string;
  timezone: string;
  approval: ApprovalRule;
  createdAt: string;
}

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
