export const tabListClasses = "flex flex-wrap gap-x-1";

/** For Radix's triggers, which set `data-state`, and for links with the same attribute. */
export const tabClasses =
  "relative inline-flex min-h-control cursor-pointer items-center gap-1.5 rounded-md px-2.5 font-medium whitespace-nowrap text-muted no-underline hover:text-ink data-[state=active]:bg-hover data-[state=active]:text-ink forced-colors:data-[state=active]:outline-2";
