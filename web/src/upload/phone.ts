import { encode } from "uqr";
import { openDialog } from "./dialog.ts";
import { el } from "./dom.ts";
import type { Strings } from "./strings.ts";

const svg = "http://www.w3.org/2000/svg";

/** The link as a QR code, drawn here: it is a key, and goes to nobody else. */
export function showPhone(address: string, strings: Strings): void {
  const { data, size } = encode(address, { ecc: "L", border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  const code = document.createElementNS(svg, "svg");
  code.setAttribute("viewBox", `0 0 ${size} ${size}`);
  code.setAttribute("class", "qr");
  code.setAttribute("role", "img");
  code.setAttribute("aria-label", strings.phone);
  const ink = document.createElementNS(svg, "path");
  ink.setAttribute("d", path);
  code.append(ink);
  const { hostname } = new URL(address);
  const isLocal =
    hostname === "localhost" || hostname.endsWith(".localhost") || hostname.startsWith("127.") || hostname === "[::1]";
  openDialog(strings.phone, strings.close, [
    // First: nobody should scan what leads nowhere.
    ...(isLocal ? [el("p", { textContent: strings.phoneLocal })] : []),
    code,
    el("p", { textContent: strings.phoneHint }),
  ]);
}
