import { z } from "zod";
import { days, toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { runLongWork } from "../steps/long-work.ts";
import type { Grant } from "../model/grant.ts";
import { isoTime } from "../model/text.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { getGrantId, type Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import type { ChangeSelection } from "../ports/history.ts";
import { authorize, may } from "../policy.ts";
import { approveInput } from "../steps/approve-again.ts";
import { listSelectedIds, simulateUndo, undoSelection } from "./undo-selection.ts";
import { listSubjects, undoReport, type UndoReport, type UndoSubject } from "./report.ts";
import {
  approveReverted,
  assertNotHeld,
  noRevertedApprovals,
  predictApprovals,
  type ApprovalDeps,
  type RevertedApprovals,
} from "./reverted-approvals.ts";
import type { UndoDeps } from "./undo-post.ts";

/** How far back changes can be undone. */
const undoWindow = days(30);

const dryRun = z.boolean().optional().describe("Only report what would be undone.");

export const undoChangesInput = z.strictObject({
  since: isoTime.describe("ISO 8601 with offset, within the last 30 days."),
  dryRun,
});

export const undoClientChangesInput = undoChangesInput.extend({ approve: approveInput });

export const undoUndoInput = z.strictObject({ dryRun, approve: approveInput });

export const undoChangesOutput = undoReport;

/** `undoId` identifies the undo, so that the undo can be undone; null for a dry run and if nothing was undone. */
type UndoOutcome = UndoReport & RevertedApprovals & { undoId: string | null };

/** What the web app shows. */
export type UndoResult = UndoOutcome & { subjects: UndoSubject[] };

/** Undoes what the calling AI client changed for its user in this studio. */
export async function undoOwnChanges(
  deps: ApprovalDeps,
  caller: Caller,
  input: z.infer<typeof undoChangesInput>,
): Promise<UndoReport> {
  authorize(caller, "clients.undo");
  if (!caller.client) throw notFoundError("client");
  const target = { userId: caller.user.id, clientId: caller.client.id, clientName: caller.client.name };
  const { undone, conflicts, publications } = await undoClient(deps, caller, target, input);
  return { undone, conflicts, publications };
}

/** Undoes what an AI client changed in this studio: the caller's own, or any for owners and admins. */
export async function undoClientChanges(
  deps: ApprovalDeps & Pick<Deps, "grants">,
  caller: Caller,
  input: z.infer<typeof undoClientChangesInput> & { grantId: string },
): Promise<UndoResult> {
  authorize(caller, "clients.undo");
  const grant = isId("grant", input.grantId) ? await deps.grants.find(input.grantId) : undefined;
  if (!grant || !(await mayUndo(deps, caller, grant))) throw notFoundError("client");
  return addSubjects(deps, caller, await undoClient(deps, caller, grant, input));
}

/** Undoes an earlier undo: the caller's own, or any for owners and admins. */
export async function undoUndo(
  deps: ApprovalDeps & Pick<Deps, "activity">,
  caller: Caller,
  input: z.infer<typeof undoUndoInput> & { undoId: string },
): Promise<UndoResult> {
  authorize(caller, "clients.undo");
  const undo = isId("activity", input.undoId) ? await deps.activity.find(caller.studio.id, input.undoId) : undefined;
  const isAllowed = undo?.userId === caller.user.id || may(caller.role, "clients.undoAny");
  if (undo?.action !== "client.undone" || !isAllowed) throw notFoundError("undo");
  // The undo of an undo reapplies the client's changes. Older entries don't say whether they did.
  const { clientId, clientName, userId, undoes, reapplies = undoes !== undefined } = undo.detail;
  const detail = { clientId, clientName, userId, undoes: undo.id, reapplies: reapplies !== true };
  return addSubjects(deps, caller, await runUndo(deps, caller, { undoId: undo.id }, detail, input));
}

/** The undo has been saved, so it succeeds even if the names can't be read. */
const addSubjects = async (deps: UndoDeps, { studio }: Caller, outcome: UndoOutcome): Promise<UndoResult> => ({
  ...outcome,
  subjects: await listSubjects(deps, studio.id, outcome).catch(() => []),
});

function undoClient(
  deps: ApprovalDeps,
  caller: Caller,
  { userId, clientId, clientName }: Pick<Grant, "userId" | "clientId" | "clientName">,
  input: z.infer<typeof undoClientChangesInput>,
): Promise<UndoOutcome> {
  const since = parseSince(deps, input.since);
  const detail = { clientId, clientName, userId, since: toIsoTime(since) };
  return runUndo(deps, caller, { userId, clientId, since }, detail, input);
}

function parseSince({ clock }: Pick<Deps, "clock">, value: string): number {
  const since = Date.parse(value);
  const [earliest, latest] = [clock() - undoWindow, clock()];
  if (since < earliest || since > latest)
    throw new AppError("invalid_input:since", { earliest: toIsoTime(earliest), latest: toIsoTime(latest) });
  return since;
}

/**
 * Whether the caller may undo the changes of this grant. Another user's grant must act on this studio or have changed
 * something in it.
 */
async function mayUndo(deps: UndoDeps & Pick<Deps, "grants">, caller: Caller, grant: Grant): Promise<boolean> {
  if (grant.userId === caller.user.id) return true;
  if (!may(caller.role, "clients.undoAny")) return false;
  const filter = { userId: caller.user.id, includeOthers: true, grantId: grant.id };
  if ((await deps.grants.listVisible(caller.studio.id, filter)).length > 0) return true;
  const selection = { userId: grant.userId, clientId: grant.clientId, since: 0 };
  const changedIds = await Promise.all([
    deps.revisions.listPostIds(caller.studio.id, selection, undefined, 1),
    deps.assetChanges.listAssetIds(caller.studio.id, selection, undefined, 1),
    deps.comments.listChangedIds(caller.studio.id, selection, undefined, 1),
  ]);
  return changedIds.some(({ ids }) => ids.length > 0);
}

function runUndo(
  deps: ApprovalDeps,
  caller: Caller,
  selection: ChangeSelection,
  detail: Record<string, unknown>,
  { dryRun: isDryRun = false, approve = [] }: z.infer<typeof undoUndoInput>,
): Promise<UndoOutcome> {
  return runLongWork(deps, caller, async () => {
    const selectedIds = await listSelectedIds(deps, caller.studio.id, selection);
    const { postIds } = selectedIds;
    const report = await simulateUndo(deps, caller.studio.id, selection, selectedIds);
    const hasChanges = report.undone.length > 0 || report.publications.some(({ state }) => state === "canceled");
    if (!hasChanges) return { ...report, ...noRevertedApprovals, undoId: null };
    if (isDryRun)
      return { ...report, ...(await predictApprovals(deps, caller, selection, postIds, report)), undoId: null };
    await assertNotHeld(deps, caller, approve);
    const subjectId = getGrantId(caller) ?? caller.user.id;
    // Recorded first, so that users can undo the part that was done if the process is killed midway.
    const undoId = await deps.transact(caller, (tx) =>
      recordActivity(deps, tx, caller, "client.undone", subjectId, detail),
    );
    const runningSelection = { ...selection, runningUndoId: undoId };
    const finalReport = await undoSelection(deps, { ...caller, undoId }, runningSelection, selectedIds);
    const approvals = await approveReverted(deps, caller, runningSelection, postIds, approve);
    return { ...finalReport, ...approvals, undoId };
  });
}
