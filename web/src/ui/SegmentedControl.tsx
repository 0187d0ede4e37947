import type { LucideIcon } from "lucide-react";
import { useId } from "react";

interface SegmentedOption<Value extends string> {
  value: Value;
  label: string;
  icon?: LucideIcon;
  /** Shows only the icon; the label is for screen readers and the tooltip. */
  isLabelHidden?: boolean;
}

/** One choice of two to five, all visible: a view, a density, a format. */
export function SegmentedControl<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly SegmentedOption<Value>[];
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className="inline-flex max-w-full rounded-md bg-hover p-0.5">
      {options.map(({ value: optionValue, label: optionLabel, icon: Icon, isLabelHidden = false }) => (
        <label
          key={optionValue}
          title={isLabelHidden ? optionLabel : undefined}
          className={`relative flex min-h-[calc(var(--control-height)-0.25rem)] min-w-9 cursor-pointer items-center justify-center gap-1.5 rounded-[0.3rem] px-2.5 text-sm font-medium whitespace-nowrap text-muted hover:text-ink has-checked:bg-[light-dark(var(--raised),color-mix(in_srgb,var(--ink)_18%,var(--raised)))] has-checked:text-ink has-checked:shadow-raised has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11 forced-colors:has-checked:outline-2 ${isLabelHidden ? "pointer-coarse:min-w-11" : ""}`}
        >
          <input
            type="radio"
            // Covers the label: clicks and screen readers find the control where it is drawn.
            className="absolute inset-0 m-0 size-full cursor-pointer opacity-0"
            name={name}
            aria-label={optionLabel}
            checked={value === optionValue}
            onChange={() => onChange(optionValue)}
          />
          {Icon && <Icon size={16} className="flex-none" aria-hidden="true" />}
          {!isLabelHidden && <span>{optionLabel}</span>}
        </label>
      ))}
    </div>
  );
}
