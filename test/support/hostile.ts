import { createIds, type IdKind } from "#lib/ids.ts";

/** Ids that nobody has: well formed, of another kind, and in every form that has broken someone's database. */
export function hostileIds(kind: IdKind): string[] {
  const newId = createIds(() => Date.UTC(2020, 0, 1));
  const good = newId(kind);
  return [
    ...[good, newId("activity"), good.toUpperCase(), ` ${good}`, `${good} `, `${good}\n`],
    ...["", "0", "null", "undefined", "__proto__", "%", "_", "*", "' OR '1'='1", '"; DROP TABLE users; --'],
    ...[`${good}\0`, "\0", `${good.slice(0, -1)}\ud800`, "\udfff", "\u202e", "../../etc/passwd", "${jndi:ldap://x}"],
    ...["x".repeat(10_240), `${good}${"0".repeat(10_240)}`, "😀".repeat(1000)],
  ];
}
