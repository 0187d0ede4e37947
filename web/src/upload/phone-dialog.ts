import { encode } from "uqr";
import { openDialog } from "./dialog.ts";
import { createElement } from "./dom.ts";
import type { Strings } from "./strings.ts";

const svgNamespace = "http://www.w3.org/2000/svg";

/** Shows the link as a QR code. Rendered locally, because the link grants access and must not reach another service. */
export function showPhoneDialog(url: string, strings: Strings): void {
  openDialog({
    title: strings.phone,
    content: [createQrCode(url, strings.phone), createElement("p", { textContent: strings.phoneHint })],
    closeLabel: strings.close,
  });
}

function createQrCode(url: string, label: string): SVGSVGElement {
  const { data, size } = encode(url, { ecc: "L", border: 4 });
  const pathData = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join("");
  const qrCode = document.createElementNS(svgNamespace, "svg");
  qrCode.setAttribute("viewBox", `0 0 ${size} ${size}`);
  qrCode.setAttribute("class", "mx-auto my-4 block w-[min(100%,18rem)] rounded-sm bg-white fill-black");
  qrCode.setAttribute("role", "img");
  qrCode.setAttribute("aria-label", label);
  const qrPath = document.createElementNS(svgNamespace, "path");
  qrPath.setAttribute("d", pathData);
  qrCode.append(qrPath);
  return qrCode;
}
