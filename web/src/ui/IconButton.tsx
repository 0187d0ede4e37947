import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { Kbd } from "./Kbd.tsx";
import { Tooltip } from "./Tooltip.tsx";

const variantClasses = {
  quiet: "text-muted hover:not-disabled:bg-hover hover:not-disabled:text-ink data-[state=open]:bg-hover",
  danger: "text-muted hover:not-disabled:bg-danger-wash hover:not-disabled:text-danger",
};

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon;
  label: string;
  variant?: keyof typeof variantClasses;
  size?: "small" | "medium";
}

/** A button that shows only an icon. Its label is its accessible name and its tooltip. */
export function IconButton({
  shortcut,
  ...button
}: IconButtonProps & {
  /** The keys of its shortcut, for the tooltip. */
  shortcut?: string;
}) {
  return (
    <Tooltip
      content={
        <>
          {button.label}
          {shortcut !== undefined && <Kbd keys={shortcut} />}
        </>
      }
    >
      <PlainIconButton {...button} />
    </Tooltip>
  );
}

/** An icon button without a tooltip, for the cells of a calendar. */
export function PlainIconButton({
  icon: Icon,
  label,
  variant = "quiet",
  size = "medium",
  className = "",
  ...rest
}: IconButtonProps) {
  return (
    <button
      {...rest}
      type="button"
      aria-label={label}
      className={`inline-grid flex-none cursor-pointer place-items-center rounded-md transition-colors duration-(--motion-fast) disabled:cursor-default disabled:opacity-40 ${size === "small" ? "size-control-small" : "size-control"} ${variantClasses[variant]} ${className}`}
    >
      <Icon size={size === "small" ? 16 : 18} aria-hidden="true" />
    </button>
  );
}
