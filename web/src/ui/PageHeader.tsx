import { useEffect, type ReactNode } from "react";

/** The title of a page, with an optional introduction and actions. Also sets the document title. */
export function PageHeader({
  title,
  children,
  actions,
  isWide = false,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** For pages such as a calendar, which use the whole width. Others keep lines short enough to read. */
  isWide?: boolean;
}) {
  useDocumentTitle(title);
  return (
    <header
      className={`mb-5 flex flex-wrap justify-between gap-x-6 gap-y-3 ${children === undefined ? "items-center" : "items-start"}`}
      data-page-width={isWide ? "wide" : undefined}
    >
      <div className="min-w-0 flex-[1_1_16rem]">
        <h1>{title}</h1>
        {children !== undefined && <div className="mt-1 max-w-[70ch] text-muted">{children}</div>}
      </div>
      {/* On a phone, several actions have their own line, so that the page can align the last one to the right. */}
      {actions !== undefined && (
        <div className="flex flex-wrap items-center gap-2 max-sm:has-[>*+*]:basis-full">{actions}</div>
      )}
    </header>
  );
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Atelier" : `${title} · Atelier`;
  }, [title]);
}
