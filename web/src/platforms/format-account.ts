/** An account with its platform: "harbour · Mastodon". If the line wraps, the dot stays with the account. */
export const formatAccount = (account: string, platformName: string): string => `${account}\u00a0· ${platformName}`;
