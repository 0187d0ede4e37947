import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Response,
} from "playwright-core";
import { delayRequests } from "./delay-requests.ts";
import { findProgram } from "./find-program.ts";

/** The headless shell is Chromium without windows; it needs a third less CPU. */
const programNames = ["chromium-headless-shell", "chromium", "google-chrome"];

/** The path of the browser that end-to-end tests drive; undefined if none is installed. */
export function findChromium(): string | undefined {
  return (
    process.env["CHROMIUM_PATH"] ?? programNames.map((name) => findProgram(name)).find((path) => path !== undefined)
  );
}

/** The `skip` option of a test that needs a browser: false if one is installed. */
export const skipWithoutChromium: string | false = findChromium() === undefined && "not installed: Chromium";

export type { Browser, Page };

/**
 * Launches Chromium without any flag that relaxes web security. The test file fails if a script of a page throws an error,
 * or if our server rejects a request of a page and no test announced that with `expectFailure`.
 */
export async function openChromium(args: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? "",
    headless: true,
    args: ["--no-sandbox", ...args],
  });
  const failures = new Set<string>();
  // Not when the browser closes: an error there would keep hooks from stopping the server.
  process.once("exit", () => {
    if (failures.size === 0) return;
    process.stderr.write(`Failures in pages that no test announced:\n${[...failures].join("\n")}\n`);
    process.exitCode = 1;
  });
  const newContext = browser.newContext.bind(browser);
  return Object.assign(browser, {
    async newContext(options?: BrowserContextOptions) {
      const context = await newContext(options);
      // Long, because six browsers run at once, and images are converted with low priority.
      context.setDefaultTimeout(120_000);
      await delayRequests(context);
      context.on("weberror", (webError) => void failures.add(String(webError.error().stack)));
      context.on("response", (response) => {
        if (!isUnexpectedFailure(context, response)) return;
        failures.add(`${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`);
      });
      return context;
    },
  });
}

type FailureMatcher = (status: number, path: string) => boolean;
const expectedFailures = new WeakMap<Browser | BrowserContext, FailureMatcher[]>();

/** Announces that our server rejects requests of this context, or of all, whose path ends with `pathEnd`. */
export function expectFailure(owner: Browser | BrowserContext, status: number, pathEnd: string | RegExp): void {
  const matches = (path: string) => (typeof pathEnd === "string" ? path.endsWith(pathEnd) : pathEnd.test(path));
  const matchers = expectedFailures.get(owner) ?? [];
  expectedFailures.set(owner, [...matchers, (actual, path) => actual === status && matches(path)]);
}

/** Responses that a test created with `page.route` have no request id. */
function isUnexpectedFailure(context: BrowserContext, response: Response): boolean {
  // A conflict with a change by someone else is a normal result, which pages resolve.
  if (response.status() < 400 || response.status() === 409) return false;
  if (response.headers()["x-request-id"] === undefined) return false;
  const { pathname } = new URL(response.url());
  // When the event stream of a page ends, the page asks whether the user has lost access.
  if ([401, 404].includes(response.status()) && /^\/api\/studios\/std_\w+$/.test(pathname)) return false;
  const matchers = [context, context.browser()].flatMap((owner) => (owner && expectedFailures.get(owner)) ?? []);
  return !matchers.some((matches) => matches(response.status(), pathname));
}

/** A user with their own browser context. */
export interface BrowserUser {
  name: string;
  context: BrowserContext;
  page: Page;
  /** Script errors and console errors, such as Content-Security-Policy violations. */
  errors: string[];
}

/** Opens a browser context and signs in at the dev issuer. */
export async function openSignedIn(browser: Browser, base: string, email: string, path = "/"): Promise<BrowserUser> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => void errors.push(error.message));
  page.on("console", (message) => {
    // Chromium logs 4xx responses as console errors; tests may cause those on purpose.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  await page.goto(`${base}${path}`);
  if (new URL(page.url()).pathname === "/") await page.getByRole("link", { name: "Sign in" }).click();
  await signInOnPage(page, email);
  return { name: email, context, page, errors };
}

/** Signs in from the sign-in page through the dev issuer, which leads back to the page that the user wanted to open. */
export async function signInOnPage(page: Page, email: string): Promise<void> {
  await page.getByRole("button", { name: /^Continue with/ }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export interface ObservedPage {
  context: BrowserContext;
  page: Page;
  /** Script errors, console errors and warnings, such as blocked resources. */
  consoleProblems: string[];
  /** The URL of every request. */
  requestedUrls: string[];
}

/** Opens a page in a new context and records its console problems and requests. */
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
