import type { ComponentProps } from "react";

type Variant = "main" | "quiet" | "danger" | "bare";

const variantClasses: Record<Variant, string> = { main: "", quiet: "quiet", danger: "danger", bare: "bare" };

/** Shows `busyLabel`, and is disabled, while its action runs. */
export function Button({
  variant = "main",
  busyLabel,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & { variant?: Variant; busyLabel?: string | false | undefined }) {
  const isBusy = typeof busyLabel === "string";
  return (
    <button
      {...rest}
      type={rest.type === "submit" ? "submit" : "button"}
      className={`${variantClasses[variant]} ${className}`}
      disabled={isBusy || rest.disabled === true}
      aria-busy={isBusy || undefined}
    >
      {isBusy ? busyLabel : children}
    </button>
  );
}
