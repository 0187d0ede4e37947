import { useLayoutEffect, useRef, type MouseEvent } from "react";

/** A checkbox for rows and groups; "mixed" means that only a part of the group is checked. */
export function Checkbox({
  checked,
  label,
  isLabelHidden = false,
  disabled = false,
  onChange,
}: {
  checked: boolean | "mixed";
  label: string;
  /** For a row, whose content is the visible label. */
  isLabelHidden?: boolean;
  disabled?: boolean;
  /** `isRange` is true if the user held Shift, to select everything since the last click. */
  onChange: (isChecked: boolean, isRange: boolean) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (input.current) input.current.indeterminate = checked === "mixed";
  }, [checked]);

  /** Firefox ignores clicks on a label while a modifier key is held. */
  function handleLabelClick(event: MouseEvent): void {
    const hasModifier = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
    if (!hasModifier || disabled || event.target === input.current) return;
    event.preventDefault();
    input.current?.focus({ preventScroll: true });
    onChange(checked !== true, event.shiftKey);
  }

  return (
    <label
      className={`inline-flex min-h-7 min-w-7 cursor-pointer items-center gap-2 font-normal pointer-coarse:min-h-11 pointer-coarse:min-w-11 has-disabled:cursor-default has-disabled:text-muted ${isLabelHidden ? "justify-center" : ""}`}
      onClick={handleLabelClick}
    >
      <input
        ref={input}
        type="checkbox"
        className="m-0 cursor-pointer disabled:cursor-default"
        checked={checked === true}
        disabled={disabled}
        aria-label={isLabelHidden ? label : undefined}
        onChange={(event) =>
          onChange(event.target.checked, "shiftKey" in event.nativeEvent && event.nativeEvent.shiftKey === true)
        }
      />
      {!isLabelHidden && label}
    </label>
  );
}
