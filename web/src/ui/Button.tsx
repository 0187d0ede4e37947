import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { buttonClasses, type ButtonVariant } from "./button-classes.ts";

/** While `busyLabel` is a string, the button shows it and is disabled. */
export function Button({
  variant = "primary",
  busyLabel,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & { variant?: ButtonVariant; busyLabel?: string | false | undefined }) {
  const isBusy = typeof busyLabel === "string";
  return (
    <button
      {...rest}
      type={rest.type === "submit" ? "submit" : "button"}
      className={`${buttonClasses[variant]} ${className}`}
      disabled={isBusy || rest.disabled === true}
      aria-busy={isBusy || undefined}
    >
      {isBusy ? busyLabel : children}
    </button>
  );
}

/** A link to another site, or to a page of the server, that looks like a button. */
export function ButtonAnchor({ variant = "primary", ...rest }: ComponentProps<"a"> & { variant?: ButtonVariant }) {
  return <a {...rest} className={`content-center ${buttonClasses[variant]}`} />;
}

/** A link to a page of the web app that looks like a button. */
export const ButtonLink = createLink(ButtonAnchor);
