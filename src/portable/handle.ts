const handlePattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a text is a handle of the AT Protocol: a domain name in lower case. */
export const isHandle = (text: string): boolean => text.length <= 253 && handlePattern.test(text);
