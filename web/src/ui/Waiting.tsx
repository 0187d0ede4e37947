/** Appears only once waiting becomes noticeable. */
export function Waiting({ what = "Loading…" }: { what?: string }) {
  return (
    <p className="wait" role="status">
      {what}
    </p>
  );
}
