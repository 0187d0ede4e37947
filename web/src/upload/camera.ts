import { openDialog } from "./dialog.ts";
import { el } from "./dom.ts";
import type { Strings } from "./strings.ts";

/** Takes a photo with the computer's camera. Phones use their own camera app, through a file input. */
export async function takePhoto(strings: Strings, onCapture: (file: File) => void): Promise<void> {
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 3840 }, height: { ideal: 2160 } } });
  } catch {
    openDialog(strings.takePicture, strings.close, [el("p", { textContent: strings.noCameraTitle })]);
    return;
  }
  const video = el("video", { autoplay: true, muted: true, playsInline: true, className: "viewfinder" });
  video.srcObject = stream;
  const canvas = el("canvas", { className: "viewfinder", hidden: true });
  const captureButton = el("button", { type: "button", textContent: strings.takePicture });
  const acceptButton = el("button", { type: "button", textContent: strings.usePhoto, hidden: true });
  const retakeButton = el("button", {
    type: "button",
    className: "quiet",
    textContent: strings.retakePhoto,
    hidden: true,
  });
  const showCaptured = (isCaptured: boolean) => {
    for (const element of [canvas, acceptButton, retakeButton]) element.hidden = !isCaptured;
    for (const element of [video, captureButton]) element.hidden = isCaptured;
    (isCaptured ? acceptButton : captureButton).focus();
  };
  captureButton.addEventListener("click", () => {
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.getContext("2d")?.drawImage(video, 0, 0);
    showCaptured(true);
  });
  retakeButton.addEventListener("click", () => showCaptured(false));
  acceptButton.addEventListener("click", () =>
    canvas.toBlob(
      (blob) => {
        const name = `photo-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.jpg`;
        if (blob) onCapture(new File([blob], name, { type: "image/jpeg" }));
        dialog.close();
      },
      "image/jpeg",
      0.92,
    ),
  );
  const stopCamera = () => stream.getTracks().forEach((track) => track.stop());
  const dialog = openDialog(
    strings.takePicture,
    strings.close,
    [video, canvas, el("div", { className: "acts" }, captureButton, acceptButton, retakeButton)],
    stopCamera,
  );
}
