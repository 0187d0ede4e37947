import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { isLongRun } from "./long-run.ts";
import { resizeWindow, waitForFit } from "./page-waits.ts";

/** What needs no landmark: axe-core's defaults, and open menus and suggestions, which are at the end of the page. */
const floatingContent = "dialog, [role=dialog], [role=alertdialog], svg, [data-radix-popper-content-wrapper]";

/**
 * Returns all violations that axe-core finds on the page. The browser context needs `bypassCSP`,
 * because the CSP of Atelier's pages blocks injected scripts.
 */
export async function findViolations(page: Pick<Page, "evaluate">): Promise<string[]> {
  // Half a megabyte of script, which a page that was checked before still has.
  if (!(await page.evaluate("'axe' in globalThis")))
    await page.evaluate(
      `${axe.source}; axe.configure({ checks: [{ id: "region", options: { regionMatcher: "${floatingContent}" } }] })`,
    );
  return page.evaluate<string[]>(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => \`\${id}: \${html} \${failureSummary}\`)))`);
}

/** Asserts that a page has no violation and no horizontal scrolling, on a phone and on a desktop. Restores its size. */
export async function assertAccessible(page: Page): Promise<void> {
  const size = page.viewportSize();
  for (const width of [390, 1280]) {
    await resizeWindow(page, { width, height: 900 });
    await waitForFit(page);
    assert.deepEqual(await findViolations(page), [], `${width} px`);
  }
  if (size) await resizeWindow(page, size);
}

/** Widths and themes in which pages are checked: two in a short run, all four in a long one. */
export const axeVariants = (
  [
    [1280, "light"],
    [390, "dark"],
    [1280, "dark"],
    [390, "light"],
  ] as const
).slice(0, isLongRun ? 4 : 2);
