export function Badge({ children, isPositive = false }: { children: string; isPositive?: boolean }) {
  return (
    <span
      className={`ml-1.5 inline-block rounded-full border px-2 font-sans text-[0.8rem]/normal whitespace-nowrap ${isPositive ? "border-accent text-accent" : "border-rule text-muted"}`}
    >
      {children}
    </span>
  );
}
