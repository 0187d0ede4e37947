import type { StringOverrides } from "../strings.ts";

export const strings: StringOverrides = {
  removeFile: "Quitar",
  chooseFiles: "Elegir archivos",
  chooseFolder: "Elegir una carpeta",
  intro:
    "Imágenes, vídeos y documentos de cualquier tamaño. También puede pegarlos. Los archivos se suben enseguida y se añaden a esta publicación.",
  waiting: "En espera",
  checking: "Comprobando",
  onPost: "En la publicación",
  libraryIntro:
    "Imágenes, vídeos y documentos de cualquier tamaño. También puede pegarlos. Los archivos se suben enseguida y permanecen en la biblioteca hasta que los añada a una publicación.",
  inLibrary: "En la biblioteca",
  offline: "Está sin conexión. La subida se reanudará cuando vuelva la conexión.",
  unreachable: "El servidor no responde. La subida se reanudará automáticamente.",
  connectionRestored: "Conexión restablecida.",
  chooseAgain: "Elija de nuevo este archivo para reanudar la subida.",
  allowOrChooseAgain: "Reanude la subida y permita que el navegador lea este archivo, o elíjalo de nuevo.",
  altText: "Texto alternativo",
  altHint: "Describa este archivo",
  saved: "Guardado",
  notSaved: "No guardado",
  phone: "Continuar en un teléfono",
  phoneHint:
    "Escanee el código con la cámara del teléfono. Cualquiera que tenga el enlace puede subir archivos a esta publicación.",
  phoneLocalOnly: "Este enlace solo funciona en este ordenador.",
  allDone: "Todos los archivos están en la publicación. Puede cerrar esta página o añadir más.",
  libraryAllDone: "Todos los archivos están en la biblioteca. Puede añadir más.",
  linkExpired: "Este enlace ha caducado y no admite archivos nuevos. Las subidas en curso continúan.",
  close: "Cerrar",
  cancelConfirmation: "¿Cancelar esta subida? Se eliminará la parte ya subida.",
  discardUpload: "Descartar la subida",
  keepUploading: "Seguir subiendo",
  files: "Archivos",
  usePhoto: "Usar esta foto",
  retakePhoto: "Hacer otra",
};
