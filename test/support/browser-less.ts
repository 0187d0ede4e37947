/** A browser without a screen: cookies, redirects and plain forms, and what a browser says of itself with each. */
export interface Browser {
  readonly cookies: CookieJar;
  /** Opens an address and follows redirects. */
  open(url: string): Promise<Visit>;
  /** Sends a form of a page, the first unless told, with these fields changed; follows redirects. */
  submit(page: Visit, fields?: Record<string, string>, form?: number | ((form: Form) => boolean)): Promise<Visit>;
  /** One request with this browser's cookies. Redirects are not followed. */
  send(url: string, init?: RequestInit): Promise<Response>;
}

export interface Visit {
  url: URL;
  status: number;
  headers: Headers;
  text: string;
  forms: Form[];
  /** The addresses that were passed, the last one included. */
  trail: string[];
}

export interface Form {
  method: string;
  action: URL;
  fields: Record<string, string>;
  /** The names of the fields a person can type into. */
  textFields: string[];
  buttons: string[];
}

const mostRedirects = 20;

/** Where a redirect leads out of what a test serves, such as to a client's own page, it `leaves` and is not followed. */
export function createBrowser(
  cookies: CookieJar = createCookieJar(),
  leaves: (url: URL) => boolean = () => false,
): Browser {
  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const cookie = cookies.header(new URL(url));
    if (cookie && !headers.has("cookie")) headers.set("cookie", cookie);
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    cookies.take(new URL(url), response.headers.getSetCookie());
    return response;
  }

  async function follow(first: string, init: RequestInit): Promise<Visit> {
    const trail: string[] = [];
    let url = first;
    let request = init;
    while (trail.length < mostRedirects) {
      trail.push(url);
      if (leaves(new URL(url)))
        return { url: new URL(url), status: 0, headers: new Headers(), text: "", forms: [], trail };
      const response = await send(url, request);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) {
        const text = await response.text();
        const at = new URL(url);
        return { url: at, status: response.status, headers: response.headers, text, forms: readForms(text, at), trail };
      }
      await response.body?.cancel();
      url = new URL(location, url).href;
      if (![307, 308].includes(response.status)) request = { headers: { accept: "text/html" } };
    }
    throw new Error(`More than ${mostRedirects} redirects: ${trail.join(" ")}`);
  }

  return {
    cookies,
    send,
    open: (url) => follow(url, { headers: { accept: "text/html" } }),
    submit(page, fields = {}, which = 0) {
      const form = typeof which === "number" ? page.forms[which] : page.forms.find(which);
      if (!form) throw new Error(`There is no such form at ${page.url.href} (${page.status}):\n${page.text}`);
      const body = new URLSearchParams({ ...form.fields, ...fields });
      const headers = { accept: "text/html", origin: page.url.origin, "sec-fetch-site": siteOf(page.url, form.action) };
      if (form.method === "get")
        return follow(`${form.action.origin}${form.action.pathname}?${body.toString()}`, { headers });
      return follow(form.action.href, { method: "POST", body, headers });
    },
  };
}

/** Signs in at `{base}` with whatever issuer its first button leads to, and answers the browser that did. */
export async function signIn(base: string, email: string, browser: Browser = createBrowser()): Promise<Browser> {
  const arrived = await signInFrom(browser, await browser.open(`${base}/login?switch=1`), email);
  if (arrived.status >= 400 && arrived.url.pathname.startsWith("/api/auth/callback")) {
    throw new Error(`${email} could not sign in: ${arrived.status} ${arrived.text}`);
  }
  return browser;
}

/** From the sign-in page through the issuer's one-field form and back. */
export async function signInFrom(browser: Browser, loginPage: Visit, email: string): Promise<Visit> {
  const atIssuer = await browser.submit(loginPage);
  const form = atIssuer.forms.find(({ textFields }) => textFields.length === 1);
  const field = form?.textFields[0];
  if (!form || field === undefined)
    throw new Error(`No form with one text field at ${atIssuer.url.href} (${atIssuer.status}):\n${atIssuer.text}`);
  return browser.submit(atIssuer, { [field]: email }, (one) => one === form);
}

export interface Cookie {
  name: string;
  value: string;
  host: string;
  path: string;
  /** Attributes as they were sent, names in lower case. */
  attributes: Record<string, string>;
}

/** As browsers keep cookies: by host and path, whatever the port. */
export interface CookieJar {
  take(from: URL, lines: readonly string[]): void;
  header(url: URL): string;
  all(): Cookie[];
  get(name: string): Cookie | undefined;
  copy(): CookieJar;
}

export function createCookieJar(kept: readonly Cookie[] = []): CookieJar {
  let cookies = [...kept];
  const jar: CookieJar = {
    take(from, lines) {
      for (const line of lines) {
        const cookie = parseCookie(from, line);
        cookies = cookies.filter(
          (one) => one.name !== cookie.name || one.host !== cookie.host || one.path !== cookie.path,
        );
        if (!isOver(cookie)) cookies.push(cookie);
      }
    },
    header(url) {
      const fitting = cookies.filter((one) => one.host === url.hostname && isUnder(url.pathname, one.path));
      return fitting.map(({ name, value }) => `${name}=${value}`).join("; ");
    },
    all: () => [...cookies],
    get: (name) => cookies.find((one) => one.name === name),
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

function isOver({ attributes }: Cookie): boolean {
  if (attributes["max-age"] !== undefined) return Number(attributes["max-age"]) <= 0;
  return attributes["expires"] !== undefined && Date.parse(attributes["expires"]) <= Date.now();
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function siteOf(from: URL, to: URL): string {
  if (from.origin === to.origin) return "same-origin";
  return from.hostname === to.hostname ? "same-site" : "cross-site";
}

/** Enough of HTML for forms without script: ours, and those of the issuers in our tests. */
function readForms(text: string, url: URL): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, head = "", body = ""]) => {
    const form = attributesOf(head);
    const inputs = [...body.matchAll(/<input\b([^>]*)>/gi)].map(([, one = ""]) => attributesOf(one));
    const typed = inputs.filter(({ type = "text" }) => ["text", "email", "search", "url"].includes(type));
    const sent = inputs.filter(
      ({ name, type, checked }) =>
        name !== undefined && (!["radio", "checkbox"].includes(type ?? "") || checked !== undefined),
    );
    return {
      method: (form["method"] ?? "get").toLowerCase(),
      action: new URL(form["action"] ?? "", url),
      fields: Object.fromEntries(sent.map(({ name = "", value = "" }) => [name, value])),
      textFields: typed.map(({ name = "" }) => name),
      buttons: [...body.matchAll(/<button\b[^>]*>([\s\S]*?)<\/button>/gi)].map(([, label = ""]) =>
        unescape(label.replace(/<[^>]*>/g, "")).trim(),
      ),
    };
  });
}

function attributesOf(tag: string): Record<string, string> {
  const pairs = [...tag.matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g)];
  return Object.fromEntries(pairs.map(([, name = "", a, b, c]) => [name.toLowerCase(), unescape(a ?? b ?? c ?? "")]));
}

function unescape(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, dec?: string, hex?: string, name?: string) => {
    if (dec !== undefined) return String.fromCodePoint(Number(dec));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return named[name ?? ""] ?? whole;
  });
}
