import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";

export type { Browser, BrowserContext, Page };

/** False where the machine has no browser; the runner says so at the end. */
export const hasChromium = (): boolean => process.env["CHROMIUM_PATH"] !== undefined;

/** A real browser with all its guards up: no flag of it loosens any rule of the web. */
export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", ...args] });
}

export interface Watched {
  context: BrowserContext;
  page: Page;
  /** What the page complained of: errors, refused resources, broken rules of its policy. */
  complaints: string[];
  /** Every address that was asked for. */
  asked: string[];
}

/** A page of its own, and a note of everything it says and asks for. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => asked.push(request.url()));
  return { context, page, complaints, asked };
}
