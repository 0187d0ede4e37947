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
      // From `sm` on, the introduction has the whole width, below the title and the actions.
      className={`mb-5 flex flex-wrap justify-between gap-x-6 gap-y-3 sm:items-center ${children === undefined ? "items-center" : "items-start sm:grid sm:grid-cols-[minmax(10rem,1fr)_auto] sm:gap-y-1"}`}
      data-page-width={isWide ? "wide" : undefined}
    >
      <div className={`min-w-0 flex-[1_1_16rem] ${children === undefined ? "" : "sm:contents"}`}>
        {/* As high as a button, so that titles have the same position on pages with and without actions. */}
        <h1 className="sm:flex sm:min-h-control sm:items-center">{title}</h1>
        {children !== undefined && (
          <div className="max-w-[70ch] text-muted max-sm:mt-1 sm:col-span-full sm:row-start-2">{children}</div>
        )}
      </div>
      {/* On a phone, several actions have their own line, so that the page can align the last one to the right. */}
      {actions !== undefined && (
        <div className="flex flex-wrap items-center gap-2 empty:hidden max-sm:has-[>*+*]:basis-full sm:col-start-2 sm:row-start-1">
          {actions}
        </div>
      )}
    </header>
  );
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    const text = title === "" ? "Atelier" : `${title} · Atelier`;
    const node = document.querySelector("title")?.firstChild;
    // Chromium undoes single letters if a text node is replaced while the user types.
    if (node instanceof Text) node.data = text;
    else document.title = text;
  }, [title]);
}
