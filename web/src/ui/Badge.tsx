export function Badge({
  children,
  isPositive = false,
  isWarning = false,
}: {
  children: string;
  isPositive?: boolean;
  isWarning?: boolean;
}) {
  return (
    <span
      className={`ml-1.5 inline-block rounded-full border px-2 font-sans text-[0.8rem]/normal whitespace-nowrap ${getColor(isPositive, isWarning)}`}
    >
      {children}
    </span>
  );
}

function getColor(isPositive: boolean, isWarning: boolean): string {
  if (isWarning) return "border-danger text-danger";
  return isPositive ? "border-accent text-accent" : "border-rule text-muted";
}
