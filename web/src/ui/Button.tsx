import { createLink } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { getButtonClasses, type ButtonSize, type ButtonVariant } from "./button-classes.ts";

interface ButtonLook {
  variant?: ButtonVariant;
  size?: ButtonSize | undefined;
  /** Shown before the label. */
  icon?: LucideIcon | undefined;
}

/** While `busyLabel` is a string, the button shows it, is named by it, and is disabled. */
export function Button({
  variant = "primary",
  size,
  icon: Icon,
  busyLabel,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & ButtonLook & { busyLabel?: string | false | undefined }) {
  const isBusy = typeof busyLabel === "string";
  return (
    <button
      {...rest}
      aria-label={isBusy ? undefined : rest["aria-label"]}
      type={rest.type === "submit" ? "submit" : "button"}
      className={`${getButtonClasses(variant, size)} ${className}`}
      disabled={isBusy || rest.disabled === true}
      aria-busy={isBusy || undefined}
    >
      {Icon && <Icon size={16} className="-ml-0.5 flex-none" aria-hidden="true" />}
      {isBusy ? busyLabel : children}
    </button>
  );
}

/** A frequent action of a comment or an entry that would be too loud as a button. */
export const TextButton = ({
  icon: Icon,
  children,
  ...rest
}: Omit<ComponentProps<"button">, "type" | "className"> & Pick<ButtonLook, "icon">) => (
  <button
    {...rest}
    type="button"
    className="relative inline-flex cursor-pointer items-center gap-1 py-1 text-sm text-accent hover:underline pointer-coarse:min-h-11"
  >
    {Icon && <Icon size={14} className="flex-none" aria-hidden="true" />}
    {children}
  </button>
);

/** A link to another site, or to a page of the server, that looks like a button. */
export function ButtonAnchor({
  variant = "primary",
  size,
  icon: Icon,
  className = "",
  children,
  ...rest
}: ComponentProps<"a"> & ButtonLook) {
  return (
    <a {...rest} className={`${getButtonClasses(variant, size)} ${className}`}>
      {Icon && <Icon size={16} className="-ml-0.5 flex-none" aria-hidden="true" />}
      {children}
    </a>
  );
}

/** A link to a page of the web app that looks like a button. */
export const ButtonLink = createLink(ButtonAnchor);
