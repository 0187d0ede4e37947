/**
 * Whether the key press belongs to an input method, such as an Enter that accepts its suggestion. In Safari, the
 * composition ends before that Enter, which then only has the key code of an input method.
 */
export const isComposing = (event: KeyboardEvent): boolean =>
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else identifies the key press in Safari
  event.isComposing || event.keyCode === 229;
