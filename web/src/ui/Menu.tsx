import { createLink } from "@tanstack/react-router";
import { Check, type LucideIcon } from "lucide-react";
import { cloneElement, useLayoutEffect, useRef, useState, type ComponentProps, type ReactNode } from "react";
import { Kbd } from "./Kbd.tsx";
import { getMountedMenu, loadMenu } from "./load-menu.ts";
import { useRadixMenu } from "./menu-context.ts";
import type { MenuProps, MountedMenu } from "./MountedMenu.tsx";
import { useToast } from "./Toasts.tsx";

const itemClasses =
  "flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1 text-ink no-underline outline-hidden select-none data-disabled:cursor-default data-disabled:opacity-50 data-highlighted:bg-hover forced-colors:data-highlighted:outline-2 pointer-coarse:min-h-11";
const destructiveClasses = "text-danger data-highlighted:bg-danger-wash";

/**
 * A menu of actions, opened by its trigger: a `Button` or an `IconButton`. Only the trigger is rendered until the user
 * focuses or presses it: the code of menus is large, and mounting a menu for each row of a list would delay scrolling.
 */
export function Menu({ trigger, ...menu }: MenuProps) {
  const [mounted, setMounted] = useState<{ Content: typeof MountedMenu; isOpen: boolean; isFocused: boolean }>();
  const newTrigger = useRef<HTMLButtonElement>(null);
  const showToast = useToast();

  // Mounting the menu replaces the trigger's element, so the new one has to get the focus.
  useLayoutEffect(() => {
    if (mounted?.isFocused === true) newTrigger.current?.focus({ preventScroll: true });
  }, [mounted]);

  function mount(Content: typeof MountedMenu, button: HTMLElement, isOpen: boolean): void {
    const isFocused = document.activeElement === button;
    if (!isOpen && !isFocused) return;
    setMounted((current) =>
      current && (current.isOpen || !isOpen)
        ? current
        : { Content, isOpen, isFocused: isFocused || current?.isFocused === true },
    );
  }

  /** Mounts at once if the code is loaded, because the next key press is meant for the menu. */
  function mountWhenLoaded(button: HTMLElement, isOpen: boolean): void {
    const Content = getMountedMenu();
    if (Content) mount(Content, button, isOpen);
    else
      loadMenu().then(
        (LoadedContent) => mount(LoadedContent, button, isOpen),
        () => isOpen && showLoadError(button),
      );
  }

  function showLoadError(button: HTMLElement): void {
    showToast({
      text: "This menu couldn’t be loaded. Check your connection and try again. If that doesn’t help, reload the page.",
      action: { label: "Try again", run: () => mountWhenLoaded(button, true) },
      topic: "menu",
    });
  }

  if (mounted)
    return (
      <mounted.Content
        key={String(mounted.isOpen)}
        {...menu}
        ref={newTrigger}
        trigger={trigger}
        isInitiallyOpen={mounted.isOpen}
      />
    );
  return cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onPointerEnter: () => void loadMenu().catch(() => {}),
    onFocus: ({ currentTarget }) => {
      // A press also focuses the trigger, but then the trigger must stay until the click.
      if (currentTarget.matches(":focus-visible")) mountWhenLoaded(currentTarget, false);
    },
    onClick: ({ currentTarget }) => mountWhenLoaded(currentTarget, true),
  });
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
  const Radix = useRadixMenu();
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
  const Radix = useRadixMenu();
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
  const Radix = useRadixMenu();
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
  const Radix = useRadixMenu();
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
  const Radix = useRadixMenu();
  return (
    <Radix.RadioGroup aria-label={label} value={value} onValueChange={(next) => onChange(next as Value)}>
      {children}
    </Radix.RadioGroup>
  );
}

export function MenuRadioItem({ value, ...item }: ItemProps & { value: string }) {
  const Radix = useRadixMenu();
  return (
    <Radix.RadioItem className={itemClasses} value={value}>
      <ItemContent {...item} />
      <Indicator />
    </Radix.RadioItem>
  );
}

export function MenuSeparator() {
  const Radix = useRadixMenu();
  return <Radix.Separator className="-mx-1 my-1 h-px bg-rule" />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  const Radix = useRadixMenu();
  return <Radix.Label className="truncate px-2.5 pt-2 pb-1 text-xs font-medium text-muted">{children}</Radix.Label>;
}
