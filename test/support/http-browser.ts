/** A minimal browser: cookies, redirects, plain forms, and the Origin and Sec-Fetch headers of a browser. */
export interface HttpBrowser {
  readonly cookies: CookieJar;
  /** Opens a URL and follows redirects. */
  open(url: string): Promise<LoadedPage>;
  /** Submits a form of a page, by default the first, with these fields changed; follows redirects. */
  submit(
    page: LoadedPage,
    fields?: Record<string, string>,
    form?: number | ((form: Form) => boolean),
  ): Promise<LoadedPage>;
  /** Sends a request with this browser's cookies, without following redirects. */
  send(url: string, init?: RequestInit): Promise<Response>;
}

export interface LoadedPage {
  url: URL;
  status: number;
  headers: Headers;
  text: string;
  forms: Form[];
  /** The URLs of all requests and redirects, from the first to the final one. */
  visitedUrls: string[];
}

export interface Form {
  method: string;
  action: URL;
  fields: Record<string, string>;
  /** The names of the text fields. */
  textFields: string[];
  buttons: string[];
}

const maxRedirects = 20;

/**
 * Creates a browser that does not request URLs that `isExternal` matches, such as a client's callback. For those it
 * returns a page with status 0.
 */
export function createHttpBrowser(
  cookies: CookieJar = createCookieJar(),
  isExternal: (url: URL) => boolean = () => false,
): HttpBrowser {
  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const cookie = cookies.header(new URL(url));
    if (cookie && !headers.has("cookie")) headers.set("cookie", cookie);
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    cookies.store(new URL(url), response.headers.getSetCookie());
    return response;
  }

  async function followRedirects(firstUrl: string, init: RequestInit): Promise<LoadedPage> {
    const visitedUrls: string[] = [];
    let url = firstUrl;
    let request = init;
    while (visitedUrls.length < maxRedirects) {
      visitedUrls.push(url);
      if (isExternal(new URL(url)))
        return { url: new URL(url), status: 0, headers: new Headers(), text: "", forms: [], visitedUrls };
      const response = await send(url, request);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) {
        const text = await response.text();
        const pageUrl = new URL(url);
        return {
          url: pageUrl,
          status: response.status,
          headers: response.headers,
          text,
          forms: readForms(text, pageUrl),
          visitedUrls,
        };
      }
      await response.body?.cancel();
      url = new URL(location, url).href;
      if (![307, 308].includes(response.status)) request = { headers: { accept: "text/html" } };
    }
    throw new Error(`More than ${maxRedirects} redirects: ${visitedUrls.join(" ")}`);
  }

  return {
    cookies,
    send,
    open: (url) => followRedirects(url, { headers: { accept: "text/html" } }),
    submit(page, fields = {}, formSelector = 0) {
      const form = typeof formSelector === "number" ? page.forms[formSelector] : page.forms.find(formSelector);
      if (!form) throw new Error(`Form not found at ${page.url.href} (${page.status}):\n${page.text}`);
      const body = new URLSearchParams({ ...form.fields, ...fields });
      const headers = {
        accept: "text/html",
        origin: page.url.origin,
        "sec-fetch-site": getFetchSite(page.url, form.action),
      };
      if (form.method === "get")
        return followRedirects(`${form.action.origin}${form.action.pathname}?${body.toString()}`, { headers });
      return followRedirects(form.action.href, { method: "POST", body, headers });
    },
  };
}

/** Signs in at `base` with the issuer of the first button; returns the browser. */
export async function signIn(
  base: string,
  email: string,
  browser: HttpBrowser = createHttpBrowser(),
): Promise<HttpBrowser> {
  const finalPage = await signInFromPage(browser, await browser.open(`${base}/login?switch=1`), email);
  if (finalPage.status >= 400 && finalPage.url.pathname.startsWith("/api/auth/callback")) {
    throw new Error(`${email} could not sign in: ${finalPage.status} ${finalPage.text}`);
  }
  return browser;
}

/** Signs in from the sign-in page through the issuer's form, which has one text field. */
export async function signInFromPage(browser: HttpBrowser, loginPage: LoadedPage, email: string): Promise<LoadedPage> {
  const issuerPage = await browser.submit(loginPage);
  const form = issuerPage.forms.find(({ textFields }) => textFields.length === 1);
  const field = form?.textFields[0];
  if (!form || field === undefined)
    throw new Error(
      `No form with one text field at ${issuerPage.url.href} (${issuerPage.status}):\n${issuerPage.text}`,
    );
  return browser.submit(issuerPage, { [field]: email }, (candidate) => candidate === form);
}

export interface Cookie {
  name: string;
  value: string;
  host: string;
  path: string;
  /** Attribute values as received, by lower-case name. */
  attributes: Record<string, string>;
}

/** Stores cookies by host and path, ignoring the port, as browsers do. */
export interface CookieJar {
  store(from: URL, lines: readonly string[]): void;
  header(url: URL): string;
  all(): Cookie[];
  get(name: string): Cookie | undefined;
  copy(): CookieJar;
}

export function createCookieJar(initialCookies: readonly Cookie[] = []): CookieJar {
  let cookies = [...initialCookies];
  const jar: CookieJar = {
    store(from, lines) {
      for (const line of lines) {
        const cookie = parseCookie(from, line);
        cookies = cookies.filter(
          (candidate) =>
            candidate.name !== cookie.name || candidate.host !== cookie.host || candidate.path !== cookie.path,
        );
        if (!isExpired(cookie)) cookies.push(cookie);
      }
    },
    header(url) {
      const matchingCookies = cookies.filter(
        (candidate) => candidate.host === url.hostname && isPathWithin(url.pathname, candidate.path),
      );
      return matchingCookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    },
    all: () => [...cookies],
    get: (name) => cookies.find((candidate) => candidate.name === name),
    copy: () => createCookieJar(cookies),
  };
  return jar;
}

function parseCookie(from: URL, line: string): Cookie {
  const [pair = "", ...rest] = line.split(";").map((part) => part.trim());
  const split = (text: string): [string, string] => {
    const equals = text.indexOf("=");
    return equals < 0 ? [text, ""] : [text.slice(0, equals), text.slice(equals + 1)];
  };
  const [name, value] = split(pair);
  const attributes = Object.fromEntries(rest.map(split).map(([key, text]) => [key.toLowerCase(), text]));
  const path = attributes["path"]?.startsWith("/") ? attributes["path"] : from.pathname.replace(/\/[^/]*$/, "") || "/";
  return { name, value, host: from.hostname, path, attributes };
}

function isExpired({ attributes }: Cookie): boolean {
  if (attributes["max-age"] !== undefined) return Number(attributes["max-age"]) <= 0;
  return attributes["expires"] !== undefined && Date.parse(attributes["expires"]) === 0; // how servers delete cookies
}

function isPathWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function getFetchSite(from: URL, to: URL): string {
  if (from.origin === to.origin) return "same-origin";
  return from.hostname === to.hostname ? "same-site" : "cross-site";
}

/** Parses enough HTML for the forms of Atelier and of the issuers in tests. */
function readForms(text: string, url: URL): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, head = "", body = ""]) => {
    const form = parseAttributes(head);
    const inputs = [...body.matchAll(/<input\b([^>]*)>/gi)].map(([, candidate = ""]) => parseAttributes(candidate));
    const textInputs = inputs.filter(({ type = "text" }) => ["text", "email", "search", "url"].includes(type));
    const submittedInputs = inputs.filter(
      ({ name, type, checked }) =>
        name !== undefined && (!["radio", "checkbox"].includes(type ?? "") || checked !== undefined),
    );
    return {
      method: (form["method"] ?? "get").toLowerCase(),
      action: new URL(form["action"] ?? "", url),
      fields: Object.fromEntries(submittedInputs.map(({ name = "", value = "" }) => [name, value])),
      textFields: textInputs.map(({ name = "" }) => name),
      buttons: [...body.matchAll(/<button\b[^>]*>([\s\S]*?)<\/button>/gi)].map(([, label = ""]) =>
        unescapeHtml(label.replace(/<[^>]*>/g, "")).trim(),
      ),
    };
  });
}

function parseAttributes(tag: string): Record<string, string> {
  const pairs = [...tag.matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g)];
  return Object.fromEntries(
    pairs.map(([, name = "", doubleQuoted, singleQuoted, unquoted = ""]) => [
      name.toLowerCase(),
      unescapeHtml(doubleQuoted ?? singleQuoted ?? unquoted),
    ]),
  );
}

function unescapeHtml(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, dec?: string, hex?: string, name?: string) => {
    if (dec !== undefined) return String.fromCodePoint(Number(dec));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return named[name ?? ""] ?? whole;
  });
}
