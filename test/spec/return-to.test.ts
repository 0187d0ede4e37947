import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../support/fuzz.ts";
import { buildLoginUrl, sanitizeReturnTo } from "#http/pages/form.ts";

test("keeps a path on this server (W5)", () => {
  for (const path of ["/", "/join/abc", "/consent/x_Y-1", "/a/b?c=%2F%2Fd&e=f", "/x?state=a%0d%0ab%5c", "/posts#top"]) {
    assert.equal(sanitizeReturnTo(path), path);
  }
});

test("replaces anything that could lead to another origin with the start page (W5)", () => {
  const hostile = [
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
  for (const value of hostile) assert.equal(sanitizeReturnTo(value), "/", JSON.stringify(value));
  for (const missing of [null, undefined]) assert.equal(sanitizeReturnTo(missing), "/");
});

test("no input leads to another origin (W5)", () => {
  const pieces = fc.constantFrom(
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
    fc.property(fc.array(pieces, { maxLength: 8 }), fc.string({ unit: "binary" }), (parts, tail) => {
      for (const value of [parts.join(""), `/${parts.join("")}`, `/${tail}`]) {
        const safe = sanitizeReturnTo(value);
        assert.equal(new URL(safe, "https://atelier.example").origin, "https://atelier.example", JSON.stringify(value));
        assert.match(safe, /^\/(?![/\\])[\x21-\x7e]*$/);
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
