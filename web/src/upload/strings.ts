/** What the uploader says. `%{…}` is filled in. */
export const english = {
  // As Uppy's language packs call them.
  pause: "Pause",
  resume: "Resume",
  retry: "Retry",
  cancel: "Cancel",
  removeFile: "Remove",
  paused: "Paused",
  uploading: "Uploading",
  uploadFailed: "Upload failed",
  xTimeLeft: "%{time} left",
  dataUploadedOfTotal: "%{complete} of %{total}",
  filesUploadedOfTotal: "%{complete} of %{smart_count} files uploaded",
  dropHint: "Drop your files here",
  takePicture: "Take a picture",
  noCameraTitle: "Camera not available",
  noDuplicates: "%{fileName} is in the list already",
  // Ours.
  chooseFiles: "Choose files",
  chooseFolder: "Choose a folder",
  intro:
    "Pictures, videos and documents; any number, any size. You can also paste. Each file starts at once and is put on the post by itself.",
  waiting: "Waiting",
  checking: "Checking",
  onPost: "On the post",
  offline: "You are offline. Uploading goes on by itself when the connection is back.",
  unreachable: "The server does not answer. Uploading goes on by itself when it does.",
  connectionRestored: "The connection is back.",
  chooseAgain: "Choose this file again, and it goes on where it was.",
  altText: "Alt text",
  altHint: "What does it show? For people who cannot see it.",
  saved: "Saved",
  notSaved: "Not saved",
  phone: "Continue on a phone",
  phoneHint: "Scan this with the phone’s camera. Whoever has it can send files to this post.",
  phoneLocalOnly: "This address works on this computer only.",
  allDone: "All files are on the post. You can close this page, or add more.",
  linkExpired: "This link takes no new files any more. What is on its way goes on.",
  close: "Close",
  cancelConfirmation: "Stop sending this file? What was sent of it is thrown away.",
  stopAndDiscard: "Stop and throw away",
  keepUploading: "Go on sending",
  files: "Files",
  usePhoto: "Use this picture",
  retakePhoto: "Take another",
};

export type Strings = typeof english;
export type StringOverrides = Partial<Strings>;

export function interpolate(text: string, values: Record<string, string | number>): string {
  return text.replace(/%\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
