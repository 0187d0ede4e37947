import type { LucideIcon } from "lucide-react";
import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { tabClasses, tabListClasses } from "./tab-classes.ts";

interface TabItem<Value extends string> {
  value: Value;
  label: string;
  icon?: LucideIcon;
  /** Shown after the label, such as a count. */
  detail?: ReactNode;
  content: ReactNode;
}

/** Parts of one thing, of which one is visible. Use `FilterTabs` or `SegmentedControl` to filter a list. */
export function Tabs<Value extends string>({
  label,
  value,
  tabs,
  onChange,
}: {
  label: string;
  value: Value;
  tabs: readonly TabItem<Value>[];
  onChange: (value: Value) => void;
}) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as Value)}>
      <Radix.List aria-label={label} className={tabListClasses}>
        {tabs.map(({ value: tabValue, label: text, icon: Icon, detail }) => (
          <Radix.Trigger key={tabValue} value={tabValue} className={tabClasses}>
            {Icon && <Icon size={16} className="flex-none" aria-hidden="true" />}
            {text}
            {detail !== undefined && <span className="text-sm text-muted">{detail}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ value: tabValue, content }) => (
        <Radix.Content key={tabValue} value={tabValue} className="pt-4">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
