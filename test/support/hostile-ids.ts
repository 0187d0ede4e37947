import { createIdGenerator, type IdKind } from "#lib/ids.ts";

/** Lists ids that do not exist: well-formed, of another kind, and malformed in ways that commonly break databases. */
export function listHostileIds(kind: IdKind): string[] {
  const newId = createIdGenerator(() => Date.UTC(2020, 0, 1));
  const validId = newId(kind);
  return [
    ...[validId, newId("activity"), validId.toUpperCase(), ` ${validId}`, `${validId} `, `${validId}\n`],
    ...["", "0", "null", "undefined", "__proto__", "%", "_", "*", "' OR '1'='1", '"; DROP TABLE users; --'],
    ...[
      `${validId}\0`,
      "\0",
      `${validId.slice(0, -1)}\ud800`,
      "\udfff",
      "\u202e",
      "../../etc/passwd",
      "${jndi:ldap://x}",
    ],
    ...["x".repeat(10_240), `${validId}${"0".repeat(10_240)}`, "😀".repeat(1000)],
  ];
}
