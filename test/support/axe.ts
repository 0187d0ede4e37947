import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * Returns the serious and critical violations that axe-core finds on the page. The browser context needs `bypassCSP`,
 * because the CSP of Atelier's pages blocks injected scripts.
 */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`));
}
