import type { OwnStrings } from "../strings.ts";

export const strings: OwnStrings = {
  chooseFiles: "Elegir archivos",
  chooseFolder: "Elegir una carpeta",
  intro:
    "Imágenes, vídeos y documentos, los que quiera y de cualquier tamaño. También puede pegar. Cada archivo empieza enseguida y se añade solo a la publicación.",
  waiting: "En espera",
  checking: "Comprobando",
  onThePost: "En la publicación",
  offline: "Está sin conexión. La subida sigue sola cuando vuelva.",
  unreachable: "El servidor no responde. La subida sigue sola cuando lo haga.",
  backAgain: "La conexión ha vuelto.",
  chooseAgain: "Elija de nuevo este archivo y seguirá donde estaba.",
  altText: "Texto alternativo",
  altHint: "¿Qué se ve? Para quienes no pueden verlo.",
  saved: "Guardado",
  notSaved: "No guardado",
  phone: "Seguir en un teléfono",
  phoneHint: "Escanéelo con la cámara del teléfono. Quien lo tenga puede enviar archivos a esta publicación.",
  phoneLocal: "Esta dirección solo funciona en este ordenador.",
  allDone: "Todos los archivos están en la publicación. Puede cerrar esta página o añadir más.",
  linkOver: "Este enlace ya no admite archivos nuevos. Los que están en camino siguen.",
  close: "Cerrar",
  files: "Archivos",
  use: "Usar esta foto",
  again: "Hacer otra",
};
