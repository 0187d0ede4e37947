import { measureText, type TextRule } from "./measure-text.ts";

/** The length of a text as the platform counts it: "123 / 280", in red if the platform will reject the text. */
export function TextCount({ text, rule }: { text: string; rule: TextRule | undefined }) {
  const { label, excess } = measureText(text, rule);
  const isRejected = excess > 0 && rule?.variesByInstance === false;
  return (
    <span className={`tabular-nums ${isRejected ? "font-semibold text-danger" : ""}`}>
      {label}
      {excess > 0 && <>, {describeExcess(excess, isRejected)}</>}
    </span>
  );
}

function describeExcess(excess: number, isRejected: boolean): string {
  const count = excess.toLocaleString("en");
  return isRejected ? `${count} too many` : `${count} more than most servers allow`;
}

/** Tells screen readers that a text became too long or fits again, but not each count. */
export function ExcessStatus({
  text,
  rules,
}: {
  text: string;
  rules: readonly [name: string, rule: TextRule | undefined][];
}) {
  const names = rules.filter(([, rule]) => measureText(text, rule).excess > 0).map(([name]) => name);
  return (
    <span className="sr-only" role="status">
      {names.length > 0 && `Too long for ${names.join(", ")}.`}
    </span>
  );
}
