import { useEffect, type ReactNode } from "react";

/** The title of a page, with an optional introduction and actions. Also sets the document title. */
export function PageHeader({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  useDocumentTitle(title);
  return (
    <header className="mb-10 flex flex-wrap items-end justify-between gap-x-10 gap-y-6">
      <div className="min-w-0 flex-[1_1_24rem]">
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
