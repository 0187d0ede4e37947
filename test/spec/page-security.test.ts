import assert from "node:assert/strict";
import { test } from "node:test";
import { createHostCookie, readCookie } from "#lib/cookies.ts";
import { fc } from "../support/fuzz.ts";
import { buildLoginUrl, sanitizeReturnTo } from "#http/pages/form.ts";
import { html } from "#http/pages/page.ts";

test("on https, a cookie has the __Host- prefix, Secure, HttpOnly and SameSite=Lax (W3)", () => {
  const cookie = createHostCookie("https://atelier.example", "atelier");
  assert.equal(cookie.toSetCookie("v", 60), "__Host-atelier=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure");
  assert.equal(cookie.toClearCookie(), "__Host-atelier=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
  assert.equal(cookie.read("atelier=planted; __Host-atelier=v"), "v");
});

test("on loopback http, a cookie has neither the __Host- prefix nor Secure (W3)", () => {
  const cookie = createHostCookie("http://localhost:3000", "atelier");
  assert.equal(cookie.toSetCookie("v", 60), "atelier=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax");
});

test("reads a cookie by its whole name", () => {
  assert.equal(readCookie("xatelier=1; atelierx=2;  atelier=a=b ; atelier=3", "atelier"), "a=b");
  for (const header of [undefined, "", "atelier", "=atelier", "a;b;c"]) {
    assert.equal(readCookie(header, "atelier"), undefined);
  }
});

test("keeps a path on this server (W5)", () => {
  for (const path of ["/", "/join/abc", "/consent/x_Y-1", "/a/b?c=%2F%2Fd&e=f", "/x?state=a%0d%0ab%5c", "/posts#top"]) {
    assert.equal(sanitizeReturnTo(path), path);
  }
});

test("replaces anything that could lead to another origin with the start page (W5)", () => {
  const hostileValues = [
    ...[
      "//evil.example",
      "///evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
      "/\n/evil.example",
    ],
    ...["/.//evil.example", "/x/..//evil.example", "/./\\evil.example", "/%5cevil.example", "/%5C%5Cevil.example"],
    ...["https://evil.example", "http:evil.example", "javascript:alert(1)", " javascript:alert(1)", "data:text/html,x"],
    ...["/x\r\nSet-Cookie: a=b", "/x%0d%0aSet-Cookie:a=b", "/x%0D", "/\u0000", "/x\u0085y", "/a b"],
    ...["", "x", "?x", "#x", "@evil.example", `/${"x".repeat(3000)}`],
  ];
  for (const value of hostileValues) assert.equal(sanitizeReturnTo(value), "/", JSON.stringify(value));
  for (const value of [null, undefined]) assert.equal(sanitizeReturnTo(value), "/");
});

test("never returns a URL on another origin (W5)", () => {
  const pathPieces = fc.constantFrom(
    "/",
    "\\",
    ".",
    "..",
    "evil.example",
    "@",
    ":",
    "?",
    "#",
    "%2f",
    "%5c",
    "\t",
    "\n",
    " ",
    "http:",
    "x",
  );
  fc.assert(
    fc.property(fc.array(pathPieces, { maxLength: 8 }), fc.string({ unit: "binary" }), (parts, suffix) => {
      for (const value of [parts.join(""), `/${parts.join("")}`, `/${suffix}`]) {
        const safePath = sanitizeReturnTo(value);
        assert.equal(
          new URL(safePath, "https://atelier.example").origin,
          "https://atelier.example",
          JSON.stringify(value),
        );
        assert.match(safePath, /^\/(?![/\\])[\x21-\x7e]*$/);
      }
    }),
    { numRuns: 2000 },
  );
});

test("the login URL contains the path to return to", () => {
  assert.equal(buildLoginUrl("/login", "/"), "/login");
  assert.equal(buildLoginUrl("/login", "/join/a?b&c"), "/login?return_to=%2Fjoin%2Fa%3Fb%26c");
  assert.equal(buildLoginUrl("/login", "/", true), "/login?switch=1");
});

const render = (text: string): string => html`${text}`.markup;

test("text of other users can neither reverse the text after it nor cover it with marks (W4, A25)", () => {
  // As the name of a studio, this would reverse the text that follows it.
  assert.equal(render("Guard\u202e"), "Guard");
  assert.equal(render("\u2066a\u2067b\u2068c\u2069\u202ad\u202be\u202cf\u202dg"), "abcdefg");
  assert.equal(render(`e${"\u0301".repeat(150)}!`), `e${"\u0301".repeat(4)}!`);
});

test("keeps marks, joiners and text direction that a language needs (W4)", () => {
  for (const text of ["שָׁלוֹם \u200fabc", "ที่นี่", "👩‍👩‍👧‍👦", "नमस्ते", "Tiếng Việt", "مُحَمَّد", "བོད་ཡིག"])
    assert.equal(render(text), text);
});
