import { createLink } from "@tanstack/react-router";
import { Check, type LucideIcon } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ComponentProps, ReactElement, ReactNode } from "react";
import { Kbd } from "./Kbd.tsx";
import { overlayClasses, useOverlayContainer } from "./overlay.ts";

const itemClasses =
  "flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1 text-ink no-underline outline-hidden select-none data-disabled:cursor-default data-disabled:opacity-50 data-highlighted:bg-hover forced-colors:data-highlighted:outline-2 pointer-coarse:min-h-11";
const destructiveClasses = "text-danger data-highlighted:bg-danger-wash";

/** A menu of actions, opened by its trigger: a `Button` or an `IconButton`. */
export function Menu({
  label,
  trigger,
  align = "end",
  side,
  isInitiallyOpen = false,
  className = "w-56",
  children,
}: {
  /** The accessible name: what the actions are for. */
  label: string;
  trigger: ReactElement;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  isInitiallyOpen?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    // A modal menu injects a style element to block scrolling, which our Content Security Policy forbids.
    <Radix.Root modal={false} defaultOpen={isInitiallyOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={useOverlayContainer()}>
        <Radix.Content
          aria-label={label}
          aria-labelledby={undefined}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          // React events bubble through the portal: without this, a press in the menu of a card drags the card.
          onMouseDown={(event) => event.stopPropagation()}
          onTouchStart={(event) => event.stopPropagation()}
          className={`${overlayClasses} max-h-(--radix-dropdown-menu-content-available-height) overflow-y-auto p-1 ${className}`}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ItemProps {
  icon?: LucideIcon | undefined;
  /** The keys of its shortcut. */
  shortcut?: string | undefined;
  /** Shown at the end, such as a count. */
  detail?: ReactNode;
  isDestructive?: boolean;
  children: ReactNode;
}

function ItemContent({ icon: Icon, shortcut, detail, isDestructive = false, children }: ItemProps) {
  return (
    <>
      {Icon && <Icon size={16} className={`flex-none ${isDestructive ? "" : "text-muted"}`} aria-hidden="true" />}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {detail !== undefined && <span className="flex-none text-sm text-muted">{detail}</span>}
      {shortcut !== undefined && (
        <span className="text-muted pointer-coarse:hidden">
          <Kbd keys={shortcut} />
        </span>
      )}
    </>
  );
}

export function MenuItem({
  onSelect,
  disabled = false,
  ...item
}: ItemProps & { onSelect: (event: Event) => void; disabled?: boolean }) {
  return (
    <Radix.Item
      className={`${itemClasses} ${item.isDestructive ? destructiveClasses : ""}`}
      disabled={disabled}
      onSelect={onSelect}
    >
      <ItemContent {...item} />
    </Radix.Item>
  );
}

function MenuAnchor({
  icon,
  shortcut,
  detail,
  children,
  ...anchor
}: Omit<ComponentProps<"a">, "children"> & ItemProps) {
  return (
    <Radix.Item asChild>
      <a {...anchor} className={itemClasses}>
        <ItemContent icon={icon} shortcut={shortcut} detail={detail}>
          {children}
        </ItemContent>
      </a>
    </Radix.Item>
  );
}

/** An item that opens a page of the web app. */
export const MenuLink = createLink(MenuAnchor);

function Indicator() {
  return (
    <span className="grid size-4 flex-none place-items-center">
      <Radix.ItemIndicator>
        <Check size={16} className="text-accent" aria-hidden="true" />
      </Radix.ItemIndicator>
    </span>
  );
}

/** An item that turns something on or off. The menu stays open, so that users can change several. */
export function MenuCheckboxItem({
  checked,
  onChange,
  disabled = false,
  ...item
}: ItemProps & { checked: boolean | "mixed"; onChange: (isChecked: boolean) => void; disabled?: boolean }) {
  return (
    <Radix.CheckboxItem
      className={itemClasses}
      checked={checked === "mixed" ? "indeterminate" : checked}
      disabled={disabled}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
    >
      <ItemContent {...item} />
      <Indicator />
    </Radix.CheckboxItem>
  );
}

/** One choice of several; its items are `MenuRadioItem`s. */
export function MenuRadioGroup<Value extends string>({
  label,
  value,
  onChange,
  children,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  children: ReactNode;
}) {
  return (
    <Radix.RadioGroup aria-label={label} value={value} onValueChange={(next) => onChange(next as Value)}>
      {children}
    </Radix.RadioGroup>
  );
}

export function MenuRadioItem({ value, ...item }: ItemProps & { value: string }) {
  return (
    <Radix.RadioItem className={itemClasses} value={value} onSelect={(event) => event.preventDefault()}>
      <ItemContent {...item} />
      <Indicator />
    </Radix.RadioItem>
  );
}

export const MenuSeparator = () => <Radix.Separator className="-mx-1 my-1 h-px bg-rule" />;

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Radix.Label className="truncate px-2.5 pt-2 pb-1 text-xs font-medium text-muted">{children}</Radix.Label>
);
