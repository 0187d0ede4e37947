import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** Creates a self-signed certificate for these host names and IPv4 addresses. Needs no OpenSSL and no stored key. */
export function createCertificate(
  hosts: readonly string[],
  keyType: "ec" | "rsa" = "ec",
  lastYearOffset = 1,
): { key: string; cert: string } {
  const { privateKey, publicKey } =
    keyType === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  const algorithmId = keyType === "ec" ? "2a8648ce3d040302" : "2a864886f70d01010b"; // with SHA-256
  const noParameters = keyType === "ec" ? [] : [encodeDer(0x05, Buffer.alloc(0))];
  const algorithm = encodeSequence(encodeDer(0x06, Buffer.from(algorithmId, "hex")), ...noParameters);
  const commonName = encodeSequence(
    encodeDer(0x06, Buffer.from("550403", "hex")),
    encodeDer(0x0c, Buffer.from(`atelier test ${randomBytes(8).toString("hex")}`)),
  );
  const issuerAndSubject = encodeSequence(encodeDer(0x31, commonName));
  const validity = encodeSequence(encodeTime(-1), encodeTime(lastYearOffset));
  const altNames = encodeSequence(
    ...hosts.map((host) =>
      isIPv4(host) ? encodeDer(0x87, Buffer.from(host.split(".").map(Number))) : encodeDer(0x82, Buffer.from(host)),
    ),
  );
  const extensions = encodeSequence(
    encodeExtension("551d11", altNames), // subjectAltName
    encodeExtension("551d13", encodeSequence(encodeDer(0x01, Buffer.from([0xff])))), // basicConstraints: CA, because it is self-signed
  );
  const certificateInfo = encodeSequence(
    encodeDer(0xa0, encodeDer(0x02, Buffer.from([2]))), // version 3
    encodeDer(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number
    algorithm,
    issuerAndSubject,
    validity,
    issuerAndSubject,
    publicKey.export({ type: "spki", format: "der" }),
    encodeDer(0xa3, extensions),
  );
  const signature = encodeDer(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", certificateInfo, privateKey)]));
  const base64 = encodeSequence(certificateInfo, algorithm, signature).toString("base64");
  const lines = base64.match(/.{1,64}/g)?.join("\n") ?? "";
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function encodeDer(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const longForm = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  const lengthBytes = length < 128 ? [length] : longForm;
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

function encodeSequence(...parts: readonly Buffer[]): Buffer {
  return encodeDer(0x30, Buffer.concat(parts));
}

function encodeExtension(oid: string, value: Buffer): Buffer {
  return encodeSequence(encodeDer(0x06, Buffer.from(oid, "hex")), encodeDer(0x04, value));
}

/** Encodes January 1 of a year relative to the current year. */
function encodeTime(yearOffset: number): Buffer {
  const year = new Date().getUTCFullYear() + yearOffset;
  return encodeDer(0x18, Buffer.from(`${year}0101000000Z`));
}
