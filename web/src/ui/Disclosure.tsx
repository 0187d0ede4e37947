import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

/** Content that is hidden until the user opens it with its summary. */
export function Disclosure({
  summary,
  isOpen,
  onToggle,
  className = "",
  children,
}: {
  summary: ReactNode;
  isOpen?: boolean;
  onToggle?: (isOpen: boolean) => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <details className={className} open={isOpen} onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}>
      <summary className={`list-none [&::-webkit-details-marker]:hidden ${disclosureClasses}`}>
        <DisclosureChevron />
        <span className="min-w-0">{summary}</span>
      </summary>
      {children}
    </details>
  );
}

/** The summary, or a button with `aria-expanded` where the content can't be inside a `Disclosure`. */
export const disclosureClasses =
  "flex min-h-6 w-fit cursor-pointer items-center gap-1 rounded-sm text-left text-sm text-muted hover:text-ink pointer-coarse:min-h-11";

export function DisclosureChevron() {
  return (
    <ChevronRight
      size={16}
      className="flex-none transition-transform duration-(--motion-fast) [[aria-expanded=true]>&]:rotate-90 [[open]>summary>&]:rotate-90"
      aria-hidden="true"
    />
  );
}
