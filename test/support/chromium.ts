import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { findProgram } from "./find-program.ts";

/** The browser that suites of the web app drive; undefined where this machine has none. */
export function findChromium(): string | undefined {
  return process.env["CHROMIUM_PATH"] ?? findProgram("chromium") ?? findProgram("google-chrome");
}

/** Why a suite is left out, for `describe`; false where there is a browser. */
export const skipWithoutChromium: string | false =
  findChromium() === undefined && "there is no Chromium on this machine";

export type { Browser, Page };

/** False where the machine has no browser; the runner says so at the end. */
export const hasChromium = (): boolean => findChromium() !== undefined;

/** A real browser with all its guards up: no flag of it loosens any rule of the web. */
export function openChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium() ?? "", headless: true, args: ["--no-sandbox", ...args] });
}

/** Someone at a browser of their own. */
export interface BrowserUser {
  name: string;
  context: BrowserContext;
  page: Page;
  /** What the pages of this person did that no page should: scripts that failed, rules of the page that were broken. */
  errors: string[];
}

/** Opens a browser window for a person and signs them in at the development issuer. */
export async function openSignedIn(browser: Browser, base: string, email: string, path = "/"): Promise<BrowserUser> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const errors: string[] = [];
  page.on("pageerror", (error) => void errors.push(error.message));
  page.on("console", (message) => {
    // A browser notes answers of 4xx as errors of the page; what was asked for is up to the test.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  await page.goto(`${base}${path}`);
  if (new URL(page.url()).pathname === "/") await page.getByRole("link", { name: "Sign in" }).click();
  await signInOnPage(page, email);
  return { name: email, context, page, errors };
}

/** From the sign-in page through the development issuer and back to where one wanted to go. */
export async function signInOnPage(page: Page, email: string): Promise<void> {
  await page.getByRole("button", { name: /^Continue with/ }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export interface ObservedPage {
  context: BrowserContext;
  page: Page;
  /** What the page complained of: errors, refused resources, broken rules of its policy. */
  consoleProblems: string[];
  /** Every address that was asked for. */
  requestedUrls: string[];
}

/** A page of its own, and a note of everything it says and asks for. */
export async function openObservedPage(browser: Browser, options: BrowserContextOptions = {}): Promise<ObservedPage> {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  const page = await context.newPage();
  const consoleProblems: string[] = [];
  const requestedUrls: string[] = [];
  page.on("pageerror", (error) => consoleProblems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      consoleProblems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => requestedUrls.push(request.url()));
  return { context, page, consoleProblems, requestedUrls };
}
