export type ButtonVariant = "primary" | "secondary" | "quiet" | "danger" | "dangerOutline";

const baseClasses =
  "inline-flex cursor-pointer items-center justify-center gap-1.5 rounded-md border text-center font-medium whitespace-nowrap no-underline transition-colors duration-(--motion-fast) disabled:cursor-default aria-disabled:pointer-events-none forced-colors:border-[ButtonText]";

const neutralDisabledClasses =
  "disabled:border-rule disabled:bg-transparent disabled:text-muted disabled:opacity-75 aria-disabled:border-rule aria-disabled:bg-transparent aria-disabled:text-muted aria-disabled:opacity-75";

const sizeClasses = {
  medium: "min-h-control px-3.5 py-1 text-base",
  small: "min-h-control-small px-2.5 py-0.5 text-sm pointer-coarse:px-3.5",
};
export type ButtonSize = keyof typeof sizeClasses;

const variantClasses: Record<ButtonVariant, string> = {
  primary:
    "border-transparent bg-accent text-accent-ink hover:not-disabled:bg-[color-mix(in_srgb,var(--accent)_88%,var(--ink))]",
  secondary: "border-control bg-raised text-ink hover:not-disabled:bg-sunken",
  quiet: "border-transparent bg-hover text-ink hover:not-disabled:bg-[color-mix(in_srgb,var(--ink)_11%,transparent)]",
  danger:
    "border-transparent bg-danger text-paper hover:not-disabled:bg-[color-mix(in_srgb,var(--danger)_88%,var(--ink))]",
  dangerOutline:
    "border-control bg-raised text-danger hover:not-disabled:border-danger hover:not-disabled:bg-danger-wash",
};

/** A disabled button keeps its shape: a filled one stays filled, so that it differs from the buttons beside it. */
const disabledClasses: Record<ButtonVariant, string> = {
  primary:
    "disabled:bg-[color-mix(in_srgb,var(--accent)_50%,var(--paper))] aria-disabled:bg-[color-mix(in_srgb,var(--accent)_50%,var(--paper))]",
  secondary: neutralDisabledClasses,
  quiet: neutralDisabledClasses,
  danger:
    "disabled:bg-[color-mix(in_srgb,var(--danger)_50%,var(--paper))] aria-disabled:bg-[color-mix(in_srgb,var(--danger)_50%,var(--paper))]",
  dangerOutline: neutralDisabledClasses,
};

/** Shared by the React components and by the uploader, which creates its elements without React. */
export const getButtonClasses = (variant: ButtonVariant, size: ButtonSize = "medium"): string =>
  `${baseClasses} ${sizeClasses[size]} ${variantClasses[variant]} ${disabledClasses[variant]}`;
