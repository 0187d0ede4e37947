import type { Platform } from "../api/queries.ts";

/** Limits of publishing to a platform. */
export function PlatformNotes({ canPublish, warning, notice }: Pick<Platform, "canPublish" | "warning" | "notice">) {
  return (
    <>
      {!canPublish && (
        <p className="mt-0 text-muted">Posts are checked against its rules, but can’t be published there yet.</p>
      )}
      {notice !== undefined && <p className="mt-0 text-muted">{notice}</p>}
      {warning !== undefined && <p className="mt-0 text-muted [overflow-wrap:anywhere]">{warning}</p>}
    </>
  );
}
