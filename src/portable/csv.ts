/** Spreadsheets run cells that start like this as formulas; some accept the full-width signs. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

function formatCell(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  const text = value ?? "";
  const cell = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** RFC 4180, with the mark by which spreadsheets recognize UTF-8. */
export const formatCsv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(formatCell).join(",")}\r\n`).join("")}`;
