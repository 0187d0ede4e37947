import type { ComponentProps } from "react";

type Look = "main" | "quiet" | "danger" | "bare";

const looks: Record<Look, string> = { main: "", quiet: "quiet", danger: "danger", bare: "bare" };

/** A button that says what it does while it does it. */
export function Button({
  look = "main",
  busy,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & { look?: Look; busy?: string | false | undefined }) {
  const isBusy = typeof busy === "string";
  return (
    <button
      {...rest}
      type={rest.type === "submit" ? "submit" : "button"}
      className={`${looks[look]} ${className}`}
      disabled={isBusy || rest.disabled === true}
      aria-busy={isBusy || undefined}
    >
      {isBusy ? busy : children}
    </button>
  );
}
