/** Appears only once waiting becomes noticeable. */
export function Loading({ what: label = "Loading…" }: { what?: string }) {
  return (
    <p className="wait" role="status">
      {label}
    </p>
  );
}
