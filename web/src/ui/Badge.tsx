const toneClasses = {
  neutral: "bg-hover text-muted",
  accent: "bg-wash text-accent",
  success: "bg-success-wash text-success",
  warning: "bg-warning-wash text-warning",
  danger: "bg-danger-wash text-danger",
  info: "bg-info-wash text-info",
};

export type Tone = keyof typeof toneClasses;

/** A short label for a state. */
export function Badge({ children, tone = "neutral" }: { children: string; tone?: Tone }) {
  return (
    <span
      className={`ml-1.5 inline-block rounded-full px-2 text-xs/5 font-medium whitespace-nowrap forced-colors:border ${toneClasses[tone]}`}
    >
      {children}
    </span>
  );
}
