/** The text area of a post or of an account, as tall as its text, but never taller than the screen. */
export const textFieldClasses =
  "block w-full resize-none rounded-md border-rule px-4 py-3 text-lg/7 max-h-[60dvh] @4xl:max-h-[calc(100dvh-16rem)] [field-sizing:content] focus-visible:border-accent read-only:min-h-0! read-only:border-transparent read-only:bg-transparent read-only:px-0 read-only:text-muted";

/** The least height of the text for all accounts, and of its preview. */
export const bodyHeightClasses = "min-h-56";

/** Briefly highlights a field that a remote change updated. */
export const getHighlightClasses = (isHighlighted: boolean): string =>
  isHighlighted ? "bg-wash" : "transition-[background-color] duration-1000";
