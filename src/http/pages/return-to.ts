/** Longer ones would not fit into the cookie that carries them; ours are short. */
const maxLength = 2000;

/**
 * Where to go on after signing in: a path of ours, or the start page. A browser takes `//host`, `/\host` and
 * `/./` + `/host` for another site's address, and drops tabs and line ends before it looks.
 */
export function sanitizeReturnTo(value: string | null | undefined): string {
  if (!value || value.length > maxLength || !/^\/(?![/\\])/.test(value)) return "/";
  if (/[\p{Cc}\\\s]/u.test(value) || /%(0[0-9a-f]|1[0-9a-f]|7f|5c)/i.test(value.split(/[?#]/, 1)[0] ?? "")) return "/";
  const placeholderOrigin = "http://ours.invalid";
  if (!URL.canParse(value, placeholderOrigin)) return "/";
  const { origin, pathname, search, hash } = new URL(value, placeholderOrigin);
  return origin === placeholderOrigin && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : "/";
}

/** The sign-in page, from which a person returns to `returnTo`. `other`: to use an account other than the one signed in. */
export function buildLoginUrl(loginPath: string, returnTo: string, isSwitchingAccount = false): string {
  const query = new URLSearchParams();
  if (returnTo !== "/") query.set("return_to", returnTo);
  if (isSwitchingAccount) query.set("switch", "1");
  return query.size > 0 ? `${loginPath}?${query.toString()}` : loginPath;
}
