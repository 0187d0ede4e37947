import { useEffect, type ReactNode } from "react";

/** How a page begins: its name, what it is for, and what can be done on it. */
export function PageHeader({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  useDocumentTitle(title);
  return (
    <header className="page-head">
      <div className="min-w-0">
        <h1>{title}</h1>
        {children !== undefined && <div className="mt-3 max-w-[60ch] text-muted">{children}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-3">{actions}</div>}
    </header>
  );
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Atelier" : `${title} · Atelier`;
  }, [title]);
}
