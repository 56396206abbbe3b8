/** A description of the kind of binary data. */

/** "a PDF document", "binary data". */
export function dataKind(bytes: Uint8Array): string {
  for (const [name, offset, start] of KINDS) if (startsWith(bytes, offset, start)) return name
  return 'binary data'
}

/** Whether the bytes begin like a document that can be mistaken for text. */
export function isDocument(bytes: Uint8Array): boolean {
  return startsWith(bytes, 0, '%PDF-') || startsWith(bytes, 0, '%!PS')
}

export const isPdf = (bytes: Uint8Array): boolean => startsWith(bytes, 0, '%PDF-')

/** The bytes as Latin-1, to compare with. */
function startsWith(bytes: Uint8Array, offset: number, start: string): boolean {
  for (let index = 0; index < start.length; index++)
    if (bytes[offset + index] !== start.charCodeAt(index)) return false
  return true
}

const KINDS: readonly (readonly [name: string, offset: number, start: string])[] = [
  ['a PDF document', 0, '%PDF-'],
  ['a PostScript document', 0, '%!PS'],
  ['a PNG picture', 0, '\x89PNG'],
  ['a JPEG picture', 0, '\xff\xd8\xff'],
  ['a GIF picture', 0, 'GIF8'],
  ['a WebP picture', 8, 'WEBP'],
  ['a BMP picture', 0, 'BM'],
  ['a TIFF picture', 0, 'II*\0'],
  ['a TIFF picture', 0, 'MM\0*'],
  ['an icon', 0, '\0\0\x01\0'],
  ['a zip archive, or a document made of one (docx, xlsx, jar …)', 0, 'PK\x03\x04'],
  ['a gzip archive', 0, '\x1f\x8b'],
  ['a bzip2 archive', 0, 'BZh'],
  ['an xz archive', 0, '\xfd7zXZ'],
  ['a zstd archive', 0, '\x28\xb5\x2f\xfd'],
  ['a 7-Zip archive', 0, '7z\xbc\xaf'],
  ['a tar archive', 257, 'ustar'],
  ['a program (ELF)', 0, '\x7fELF'],
  ['a program (Mach-O)', 0, '\xcf\xfa\xed\xfe'],
  ['a Java class, or a program (Mach-O)', 0, '\xca\xfe\xba\xbe'],
  ['a program (Windows)', 0, 'MZ'],
  ['a WebAssembly module', 0, '\0asm'],
  ['an SQLite database', 0, 'SQLite format 3'],
  ['a font', 0, 'wOF'],
  ['a font', 0, '\0\x01\0\0'],
  ['a font', 0, 'OTTO'],
  ['an MP3 recording', 0, 'ID3'],
  ['an Ogg recording', 0, 'OggS'],
  ['a FLAC recording', 0, 'fLaC'],
  ['a WAV recording', 8, 'WAVE'],
  ['a film', 4, 'ftyp'],
  ['a Matroska film', 0, '\x1aE\xdf\xa3'],
  ['a Python module (compiled)', 2, '\r\n\0\0'],
]
