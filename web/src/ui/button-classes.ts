export type ButtonVariant = "primary" | "primarySmall" | "secondary" | "quiet" | "danger" | "dangerOutline";

const common =
  "inline-block cursor-pointer rounded-sm border text-center whitespace-nowrap no-underline transition-[filter] disabled:cursor-default disabled:opacity-60 aria-disabled:pointer-events-none aria-disabled:opacity-60 forced-colors:border-[ButtonText]";
const small = `${common} min-h-9 px-3.5 py-[0.3125rem] text-[0.9rem]/6 pointer-coarse:min-h-11`;
const large = `${common} min-h-11 px-5 py-[0.5625rem] text-base/6`;
const filled = "border-accent bg-accent font-semibold text-accent-ink hover:brightness-110";
const outline = "border-rule bg-transparent hover:border-accent hover:text-accent";

/** Shared by the React components and by the uploader, which creates its elements without React. */
export const buttonClasses: Record<ButtonVariant, string> = {
  primary: `${large} ${filled}`,
  primarySmall: `${small} ${filled}`,
  secondary: `${large} ${outline} text-ink`,
  quiet: `${small} ${outline} text-ink`,
  danger: `${large} border-danger bg-danger font-semibold text-paper hover:brightness-110`,
  dangerOutline: `${large} ${outline} text-danger`,
};
