import assert from "node:assert/strict";
import { test } from "node:test";
import { createHostCookie, readCookie } from "#lib/cookies.ts";

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
