/** CSS delays it, so that it does not flash on fast responses. */
export function Loading({ label = "Loading…" }: { label?: string }) {
  return (
    <p className="wait" role="status">
      {label}
    </p>
  );
}
