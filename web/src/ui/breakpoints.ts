/** Matches from the breakpoint `md` of theme.css on, where a studio's navigation is a sidebar. */
export const mediumScreenQuery = "(min-width: 54rem)";
