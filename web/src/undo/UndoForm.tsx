import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { undoClientChanges } from "../api/mutations.ts";
import { undoDryRunQuery, type UndoResult } from "../api/history-queries.ts";
import type { AiClient } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { useAction } from "../ui/use-action.ts";
import { ApprovalChoices, useApprovalSelection } from "./ApprovalChoices.tsx";
import { countChanges, formatChangeCount, formatChanges } from "./labels.ts";
import { ReturnedPublications } from "./ReturnedPublications.tsx";
import { resolveSince, type SinceOption } from "./since.ts";
import { SincePicker } from "./SincePicker.tsx";
import { UndoReport } from "./UndoReport.tsx";
import { useUndoUndo } from "./use-undo-undo.ts";

interface FinishedUndo {
  result: UndoResult;
  /** Whether this undid an earlier undo, which reapplies the client's changes. */
  isUndoOfUndo: boolean;
}

/** Lets the user choose a time, see what an undo would change, run it, and undo the undo. */
export function UndoForm({ client }: { client: AiClient }) {
  const { studio } = useStudio();
  const { isRunning, error, run } = useAction();
  const [finishedUndo, setFinishedUndo] = useState<FinishedUndo>();
  const heading = useRef<HTMLHeadingElement>(null);
  const { runUndoUndo, dialog } = useUndoUndo();

  const runUndo = (isUndoOfUndo: boolean, undo: () => Promise<UndoResult | undefined>) =>
    run(async () => {
      const result = await undo();
      if (!result) return;
      setFinishedUndo({ result, isUndoOfUndo });
      // The button that had the focus no longer exists.
      setTimeout(() => heading.current?.focus());
    });

  if (!finishedUndo)
    return (
      <>
        <PageHeader title={`Undo changes by ${client.clientName}`}>
          Reverts what {client.clientName} changed for {client.user.name} in this studio. Later changes by others are
          kept, and you can reapply the changes afterwards.
        </PageHeader>
        <UndoDryRun
          client={client}
          isRunning={isRunning}
          error={error}
          onUndo={(request) =>
            void runUndo(false, () => undoClientChanges({ studioId: studio.id, grantId: client.id }, request))
          }
        />
      </>
    );

  const { result, isUndoOfUndo } = finishedUndo;
  const { undoId, approved, waiting } = result;
  const nextLabel = isUndoOfUndo ? "Undo changes" : "Reapply changes";
  return (
    <>
      <PageHeader title={`Changes by ${client.clientName} ${isUndoOfUndo ? "reapplied" : "undone"}`} />
      <section aria-labelledby="undo-result">
        <h2 id="undo-result" ref={heading} tabIndex={-1} className="outline-none">
          {formatChanges(result)} {isUndoOfUndo ? "reapplied" : "undone"}
        </h2>
        <p className="mt-1 mb-5 text-muted">
          {isUndoOfUndo
            ? `Posts and files are as ${client.clientName} left them, except what others changed since. What is scheduled goes out with this content.`
            : `Posts and files are as they were before${result.conflicts.length > 0 ? ", except the changes kept below" : ""}. Their history shows every revision.${waiting.length > 0 ? " What waits for approval is listed below." : ""}`}
        </p>
        <UndoReport report={result} isDone isUndoOfUndo={isUndoOfUndo} clientName={client.clientName} />
        <ReturnedPublications title="Scheduled again" publications={approved} />
        <ReturnedPublications title="Waiting for approval" publications={waiting} />
        {error !== undefined && <ErrorMessage error={error} />}
        <p className="mt-8 flex flex-wrap gap-3">
          {/* Canceled publications stay canceled, so there may be nothing to reapply. */}
          {undoId !== null && result.undone.length > 0 && (
            <Button
              variant="secondary"
              onClick={() => void runUndo(!isUndoOfUndo, () => runUndoUndo(undoId, nextLabel))}
              busyLabel={isRunning && (isUndoOfUndo ? "Undoing…" : "Reapplying…")}
            >
              {nextLabel}
            </Button>
          )}
          <ButtonLink variant="secondary" to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
            Go to posts
          </ButtonLink>
        </p>
        {dialog}
      </section>
    </>
  );
}

function UndoDryRun({
  client,
  isRunning,
  error,
  onUndo,
}: {
  client: AiClient;
  isRunning: boolean;
  error: unknown;
  onUndo: (request: { since: string; approve: string[] }) => void;
}) {
  const { studio } = useStudio();
  const [option, setOption] = useState<SinceOption>("today");
  const [customTime, setCustomTime] = useState("");
  // The times are relative to when the user chose them, so that the dry run and the undo cover the same changes.
  const [now, setNow] = useState(() => Date.now());
  const since = resolveSince(option, customTime, now, studio.timezone);
  const dryRun = useQuery({ ...undoDryRunQuery(studio.id, client.id, since ?? ""), enabled: since !== undefined });
  const { approvable = [], waiting = [] } = dryRun.data ?? {};
  const selection = useApprovalSelection(approvable);
  const count = dryRun.data ? countChanges(dryRun.data) : 0;

  return (
    <>
      <SincePicker
        option={option}
        customTime={customTime}
        now={now}
        timezone={studio.timezone}
        onChange={(change) => {
          setNow(Date.now());
          if (change.option !== undefined) setOption(change.option);
          if (change.customTime !== undefined) setCustomTime(change.customTime);
        }}
      />
      <div className="mt-6" aria-live="polite">
        {since === undefined ? (
          <p className="text-muted">Choose a date and time to preview the changes.</p>
        ) : (
          <QueryStatus query={dryRun} />
        )}
        {dryRun.data && since !== undefined && (
          <>
            <h2 className="mb-3">
              {count === 0 ? "Nothing to undo" : `${formatChanges(dryRun.data)} would be undone`}
            </h2>
            {count === 0 && dryRun.data.conflicts.length === 0 && (
              <p className="mt-0 text-muted">
                {client.clientName} changed nothing in this period, or it was already undone. Try a longer period.
              </p>
            )}
            <UndoReport key={since} report={dryRun.data} isDone={false} clientName={client.clientName} />
            {approvable.length > 0 && <ApprovalChoices publications={approvable} selection={selection} />}
            <ReturnedPublications title="Will still wait for approval" publications={waiting} />
          </>
        )}
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
      {since !== undefined && count > 0 && (
        <p className="mt-8">
          <Button onClick={() => onUndo({ since, approve: selection.chosenIds })} busyLabel={isRunning && "Undoing…"}>
            Undo {formatChangeCount(count)}
          </Button>
        </p>
      )}
    </>
  );
}
