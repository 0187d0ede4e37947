import { useLayoutEffect, useRef } from "react";

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
  return (
    <label
      className={`inline-flex min-h-7 min-w-7 cursor-pointer items-center gap-2 font-normal pointer-coarse:min-h-11 pointer-coarse:min-w-11 ${isLabelHidden ? "justify-center" : ""}`}
    >
      <input
        ref={input}
        type="checkbox"
        className="m-0 cursor-pointer"
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
