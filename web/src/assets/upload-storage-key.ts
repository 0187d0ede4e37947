/** Where the page keeps the token of the studio's uploads to the library, until the tab closes. */
export const getUploadStorageKey = (studioId: string): string => `atelier upload ${studioId}`;
