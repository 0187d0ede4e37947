/** The animation starts with a delay, so that the text does not flash on fast responses. */
export function Loading({ label = "Loading…" }: { label?: string | undefined }) {
  return (
    <p className="animate-appear text-muted" role="status">
      {label}
    </p>
  );
}
